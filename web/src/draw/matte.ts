// The material of everything that is not a rod, and the simple shapes it is put on.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, InstancedMesh, LatheGeometry, ShaderMaterial, SphereGeometry, Vector2, Vector3,
} from "three";
import type { Shape } from "../protocol";
import { DEPTH_FRAGMENT } from "./rod_shader";
import { SHADING_GLSL, type Shading } from "./shading";

const VERTEX = /* glsl */ `
uniform vec3 uColour;
varying vec3 vWorld, vNormal, vColour;
void main() {
  mat4 m = modelMatrix;
  vColour = uColour;
  #ifdef USE_INSTANCING
    m = modelMatrix * instanceMatrix;
  #endif
  #ifdef USE_INSTANCING_COLOR
    vColour = instanceColor;
  #endif
  mat3 axes = mat3(m);
  vNormal = axes * (normal / max(vec3(dot(axes[0], axes[0]), dot(axes[1], axes[1]), dot(axes[2], axes[2])), vec3(1e-20)));
  vec4 world = m * vec4(position, 1.0);
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;
const FRAGMENT = /* glsl */ `
precision highp float;
${SHADING_GLSL}
varying vec3 vWorld, vNormal, vColour;
uniform float uGloss;
void main() {
  vec3 n = normalize(vNormal);
  gl_FragColor = vec4(encode(shaded(vColour, gl_FrontFacing ? n : -n, vWorld, uGloss)), 1.0);
}`;

export const matte = (shading: Shading, colour: Vector3, gloss = 0.05): ShaderMaterial =>
  new ShaderMaterial({ uniforms: { ...shading.uniforms, uColour: { value: colour }, uGloss: { value: gloss } }, vertexShader: VERTEX, fragmentShader: FRAGMENT });
export const matteDepth = (): ShaderMaterial =>
  new ShaderMaterial({ uniforms: { uColour: { value: new Vector3() } }, vertexShader: VERTEX, fragmentShader: DEPTH_FRAGMENT, colorWrite: false });

// In drawing units, axis along z as in the program.
export function shapeGeometry(shape: Shape, scale: number): BufferGeometry | null {
  if ("box" in shape) return new BoxGeometry(...(shape.box.size.map((x) => x * scale) as [number, number, number]));
  if ("sphere" in shape) return new SphereGeometry(shape.sphere.radius * scale, 48, 32);
  if ("cylinder" in shape) return new CylinderGeometry(shape.cylinder.radius * scale, shape.cylinder.radius * scale, shape.cylinder.length * scale, 48).rotateX(Math.PI / 2);
  if ("capsule" in shape) return new CapsuleGeometry(shape.capsule.radius * scale, shape.capsule.length * scale, 16, 40).rotateX(Math.PI / 2);
  if ("mesh" in shape) {
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(new Float32Array(shape.mesh.vertices.map((x) => x * scale)), 3));
    made.setIndex(shape.mesh.triangles);
    const smooth = shape.mesh.triangles.length > 1500;
    const shown = smooth ? made : made.toNonIndexed(); // coarse meshes keep their edges
    shown.computeVertexNormals();
    return shown;
  }
  return null; // a plane is a ground of its own
}

// Along +z, length 1: shaft and head turned from one profile.
export const arrowGeometry = (): BufferGeometry =>
  new LatheGeometry([[0, 0], [0.028, 0], [0.028, 0.74], [0.028, 0.74], [0.085, 0.74], [0.085, 0.74], [0, 1]].map(([x, y]) => new Vector2(x, y)), 10).rotateX(Math.PI / 2);

const WHITE = new Color(1, 1, 1);

// Instances that may change in number every frame; grows when it must.
export class Instances {
  mesh: InstancedMesh;
  constructor(private geometry: BufferGeometry, private material: ShaderMaterial, private depth: ShaderMaterial | null, private attach: (mesh: InstancedMesh, old: InstancedMesh | null) => void, room = 16) {
    this.mesh = this.make(room);
    attach(this.mesh, null);
  }
  private make(room: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, room);
    mesh.frustumCulled = false;
    mesh.count = 0;
    if (this.depth) mesh.userData.depth = this.depth;
    mesh.setColorAt(0, WHITE);
    return mesh;
  }
  begin(atMost: number): void {
    if (atMost > this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * atMost);
      this.attach(this.mesh, old);
      old.dispose();
    }
    this.mesh.count = 0;
  }
  // Axes are already scaled.
  add(x: Vector3, y: Vector3, z: Vector3, at: Vector3, colour: Vector3): void {
    const i = this.mesh.count++;
    const to = this.mesh.instanceMatrix.array;
    to.set([x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, at.x, at.y, at.z, 1], 16 * i);
    this.mesh.instanceColor!.array.set([colour.x, colour.y, colour.z], 3 * i);
  }
  end(): void {
    this.mesh.visible = this.mesh.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
  dispose(): void {
    this.mesh.dispose();
    this.geometry.dispose();
    this.material.dispose();
    this.depth?.dispose();
  }
}

