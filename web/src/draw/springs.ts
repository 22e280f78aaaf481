// The spring between a hand and the point it holds: a coil bent in the vertex shader between two ends.
import { BufferAttribute, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial, type Vector3 } from "three";
import { SHADING_GLSL, type Shading } from "./shading";

const ROOM = 32, ROWS = 160, SIDES = 5;

const VERTEX = /* glsl */ `
attribute vec2 aAt; // along 0..1, around 0..2 pi
attribute vec3 aFrom, aTo;
uniform float uSize;
varying vec3 vWorld, vNormal;
void main() {
  vec3 way = aTo - aFrom;
  float l = max(length(way), 1e-9);
  vec3 ahead = way / l;
  vec3 e1 = normalize(cross(ahead, abs(ahead.z) < 0.8 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
  vec3 e2 = cross(ahead, e1);
  float s = aAt.x;
  float r = uSize * 0.62 * smoothstep(0.06, 0.16, s) * smoothstep(0.94, 0.84, s) * clamp(l / (2.0 * uSize), 0.0, 1.0);
  float angle = 69.115 * s; // eleven turns
  vec3 out1 = cos(angle) * e1 + sin(angle) * e2;
  vec3 t = normalize(way + r * 69.115 * (cos(angle) * e2 - sin(angle) * e1));
  vec3 side = cross(t, out1);
  vNormal = cos(aAt.y) * out1 + sin(aAt.y) * side;
  vWorld = aFrom + way * s + r * out1 + 0.17 * uSize * vNormal;
  gl_Position = projectionMatrix * viewMatrix * vec4(vWorld, 1.0);
}`;
const FRAGMENT = /* glsl */ `
precision highp float;
${SHADING_GLSL}
uniform vec3 uColour;
varying vec3 vWorld, vNormal;
void main() { gl_FragColor = vec4(encode(shaded(uColour, normalize(vNormal), vWorld, 0.2)), 1.0); }`;

export class Springs {
  readonly mesh: Mesh;
  private geometry = new InstancedBufferGeometry();
  private from = new InstancedBufferAttribute(new Float32Array(3 * ROOM), 3);
  private to = new InstancedBufferAttribute(new Float32Array(3 * ROOM), 3);
  private count = 0;
  private material: ShaderMaterial;

  constructor(shading: Shading, colour: Vector3) {
    const at: number[] = [], index: number[] = [];
    for (let row = 0; row <= ROWS; ++row)
      for (let side = 0; side < SIDES; ++side) {
        at.push(row / ROWS, (2 * Math.PI * side) / SIDES);
        const here = row * SIDES + side, beside = row * SIDES + ((side + 1) % SIDES);
        if (row < ROWS) index.push(here, here + SIDES, beside, beside, here + SIDES, beside + SIDES);
      }
    this.geometry.setAttribute("aAt", new BufferAttribute(new Float32Array(at), 2));
    this.geometry.setAttribute("aFrom", this.from);
    this.geometry.setAttribute("aTo", this.to);
    this.geometry.setIndex(index);
    this.material = new ShaderMaterial({ uniforms: { ...shading.uniforms, uColour: { value: colour }, uSize: { value: 0.01 } }, vertexShader: VERTEX, fragmentShader: FRAGMENT, side: 2 });
    this.mesh = new Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
  }
  begin(_count: number, size: number): void {
    this.count = 0;
    this.material.uniforms.uSize.value = size;
  }
  add(from: Vector3, to: Vector3): void {
    if (this.count >= ROOM) return;
    this.from.setXYZ(this.count, from.x, from.y, from.z);
    this.to.setXYZ(this.count++, to.x, to.y, to.z);
  }
  end(): void {
    this.geometry.instanceCount = this.count;
    this.mesh.visible = this.count > 0;
    this.from.needsUpdate = this.to.needsUpdate = true;
  }
  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
  }
}
