// Background, and the ground: a plane that catches shadows, with a fine grid in round numbers of metres, fading into the background.
import { DoubleSide, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, Vector2, Vector3, type IUniform } from "three";
import { linear, SHADING_GLSL, type Shading } from "./shading";

export class Background {
  readonly mesh: Mesh;
  private uniforms = { uTop: { value: new Vector3() }, uBottom: { value: new Vector3() } };
  constructor() {
    const material = new ShaderMaterial({
      uniforms: this.uniforms, depthTest: false, depthWrite: false,
      vertexShader: `varying vec2 vAt; void main() { vAt = position.xy; gl_Position = vec4(position.xy, 1.0, 1.0); }`,
      fragmentShader: /* glsl */ `
        uniform vec3 uTop, uBottom; varying vec2 vAt;
        void main() {
          float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5; // no bands
          float t = clamp(0.5 - 0.5 * vAt.y + 0.12 * dot(vAt, vAt), 0.0, 1.0);
          gl_FragColor = vec4(mix(uTop, uBottom, t) + noise / 255.0, 1.0);
        }`,
    });
    this.mesh = new Mesh(new PlaneGeometry(2, 2), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }
  recolour(shading: Shading): void {
    const raw = (css: string) => { const c = linear(css); return c.set(toSrgb(c.x), toSrgb(c.y), toSrgb(c.z)); };
    this.uniforms.uTop.value.copy(raw(shading.theme.top));
    this.uniforms.uBottom.value.copy(raw(shading.theme.bottom));
  }
  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as ShaderMaterial).dispose();
  }
}
const toSrgb = (x: number): number => (x < 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);

const VERTEX = /* glsl */ `
varying vec3 vWorld; varying vec2 vPlane;
void main() {
  vPlane = position.xy;
  vec4 world = modelMatrix * vec4(position, 1.0);
  vWorld = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;
const FRAGMENT = /* glsl */ `
precision highp float;
${SHADING_GLSL}
uniform vec3 uGround, uGrid, uNormal;
uniform float uGridPower, uShade, uSpacing, uRadius, uSolid;
uniform vec2 uMiddle;
varying vec3 vWorld; varying vec2 vPlane;
float lines(vec2 at) {
  vec2 wide = max(fwidth(at), vec2(1e-5));
  vec2 near = abs(fract(at - 0.5) - 0.5) / wide;
  vec2 fade = clamp(0.45 / wide - 0.35, 0.0, 1.0); // no moire far away
  return max((1.0 - clamp(near.x - 0.2, 0.0, 1.0)) * fade.x, (1.0 - clamp(near.y - 0.2, 0.0, 1.0)) * fade.y);
}
void main() {
  float from = length(vPlane - uMiddle) / uRadius;
  float fade = 1.0 - smoothstep(0.25, 1.0, from);
  vec3 toEye = normalize(cameraPosition - vWorld);
  float above = dot(toEye, uNormal);
  float grazing = smoothstep(0.0, 0.12, abs(above));
  float below = above < 0.0 ? 0.25 : 1.0; // seen from beneath it does not hide the scene
  float grid = max(0.55 * lines(vPlane / uSpacing), lines(vPlane / (5.0 * uSpacing)));
  float shadow = above > 0.0 ? 1.0 - litSoftly(vWorld, uNormal, uShadowSoft) : 0.0;
  // Over the background: the ground's own tint, then grid, then shadow as black.
  float tint = uSolid * fade * grazing;
  float line = uGridPower * grid * fade * grazing;
  float dark = uShade * shadow * fade;
  vec3 colour = uGround * tint;
  float alpha = tint;
  colour = mix(colour, uGrid, line);
  alpha = mix(alpha, 1.0, line);
  colour = mix(colour, vec3(0.05, 0.07, 0.1), dark);
  alpha = mix(alpha, 1.0, dark);
  alpha *= below;
  gl_FragColor = vec4(colour * below, alpha);
}`;

export class Ground {
  readonly mesh: Mesh;
  private uniforms: Record<string, IUniform>;
  constructor(private shading: Shading, private solid: number) {
    this.uniforms = {
      ...shading.uniforms, uGround: { value: new Vector3() }, uGrid: { value: new Vector3() }, uNormal: { value: new Vector3(0, 0, 1) },
      uGridPower: { value: 0 }, uShade: { value: 0 }, uSpacing: { value: 0.1 }, uRadius: { value: 4 }, uSolid: { value: solid }, uMiddle: { value: new Vector2() },
    };
    const material = new ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, premultipliedAlpha: true, depthWrite: false, side: DoubleSide,
    });
    this.mesh = new Mesh(new PlaneGeometry(80, 80), material);
    this.mesh.renderOrder = -5;
    this.mesh.frustumCulled = false;
    this.recolour();
  }
  recolour(): void {
    const { theme } = this.shading;
    // blended as displayed, so colours go in as displayed
    const shown = (css: string, out: Vector3) => { const c = linear(css); out.set(toSrgb(c.x), toSrgb(c.y), toSrgb(c.z)); };
    shown(theme.ground, this.uniforms.uGround.value);
    shown(theme.grid, this.uniforms.uGrid.value);
    this.uniforms.uGridPower.value = theme.gridPower;
    this.uniforms.uShade.value = theme.shadow;
    this.uniforms.uSolid.value = this.solid;
  }
  // Place, normal, half width of what is seen, and the grid's spacing, all in drawing units.
  place(point: Vector3, normal: Vector3, radius: number, spacing: number): void {
    this.mesh.position.copy(point);
    this.mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal));
    this.mesh.updateMatrixWorld();
    this.uniforms.uNormal.value.copy(normal);
    this.uniforms.uRadius.value = radius;
    this.uniforms.uSpacing.value = spacing;
  }
  faces(direction: Vector3): boolean { return this.uniforms.uNormal.value.dot(direction) > 0.98; }
  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as ShaderMaterial).dispose();
  }
}

// 1, 2 or 5 times a power of ten, not above `about`.
export function roundStep(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about));
  const times = about / power;
  return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}
