// One key light, one shadow map around what has been seen so far. Solids that cast carry their depth material in userData.depth;
// rods have coarser meshes for it, on a layer of their own.
import {
  DepthTexture, LessEqualCompare, LinearFilter, LineSegments, Mesh, OrthographicCamera, UnsignedIntType, Vector3, WebGLRenderTarget,
  type Material, type Object3D, type Scene, type WebGLRenderer,
} from "three";
import type { Shading } from "./shading";

// Meshes drawn into the shadow map only.
export const SHADE_LAYER = 1;

function depthTexture(size: number): DepthTexture {
  const depth = new DepthTexture(size, size, UnsignedIntType);
  depth.compareFunction = LessEqualCompare;
  depth.minFilter = depth.magFilter = LinearFilter;
  return depth;
}

export class Shadow {
  readonly camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private target: WebGLRenderTarget | null = null;
  private none = depthTexture(1);
  size = -1;

  constructor(private shading: Shading) {
    this.camera.layers.enable(SHADE_LAYER);
    this.none.needsUpdate = true;
    this.resize(0);
  }

  resize(size: number): void {
    if (size === this.size) return;
    this.target?.depthTexture?.dispose();
    this.target?.dispose();
    this.target = null;
    this.size = size;
    this.shading.uniforms.uShadowOn.value = 0;
    this.shading.uniforms.uShadowMap.value = this.none; // a shader that names a shadow map draws nothing without one
    if (size === 0) return;
    const depth = depthTexture(size);
    this.target = new WebGLRenderTarget(size, size, { depthTexture: depth, depthBuffer: true, generateMipmaps: false });
    this.shading.uniforms.uShadowTexel.value = 1 / size;
  }

  // Looks along the key light at a ball.
  aim(centre: Vector3, radius: number): void {
    const { uKey, uUp, uShadowMatrix, uShadowOffset } = this.shading.uniforms;
    const { camera } = this;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = 0;
    camera.far = 6 * radius;
    camera.position.copy(centre).addScaledVector(uKey.value, 3 * radius);
    camera.up.copy(uUp.value);
    camera.lookAt(centre);
    camera.updateMatrixWorld();
    camera.updateProjectionMatrix();
    uShadowMatrix.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    uShadowOffset.value = this.size ? (2.4 * 2 * radius) / this.size : 0;
  }

  get texel(): number { return this.size ? (this.camera.right - this.camera.left) / this.size : 0; }

  render(renderer: WebGLRenderer, scene: Scene): void {
    if (!this.target) return;
    const { uniforms } = this.shading;
    uniforms.uShadowMap.value = this.none; // not read while it is written
    uniforms.uShadowOn.value = 0;
    const hidden: Object3D[] = [], swapped: [Mesh, Material][] = [];
    scene.traverseVisible((object) => {
      if (!(object instanceof Mesh || object instanceof LineSegments) || object.layers.mask !== 1) return;
      const depth = object.userData.depth as Material | undefined;
      if (depth && object instanceof Mesh) {
        swapped.push([object, object.material as Material]);
        object.material = depth;
      } else hidden.push(object);
    });
    for (const object of hidden) object.visible = false;
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(scene, this.camera);
    renderer.setRenderTarget(null);
    for (const object of hidden) object.visible = true;
    for (const [mesh, material] of swapped) mesh.material = material;
    uniforms.uShadowMap.value = this.target.depthTexture;
    uniforms.uShadowOn.value = 1;
  }

  dispose(): void {
    this.resize(0);
    this.none.dispose();
  }
}
