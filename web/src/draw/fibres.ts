// The fibres of one run's tresses: one geometry, drawn in one call. What a fibre is stands in a texture that is made once; a frame adds nothing to it.
import {
  BufferAttribute, BufferGeometry, Camera, DoubleSide, FloatType, Group, InstancedBufferGeometry, LineSegments, Mesh, NearestFilter, Points, Scene, ShaderMaterial,
  Vector3, WebGLRenderTarget, type DataTexture, type IUniform, type WebGLRenderer,
} from "three";
import type { Description, TressDescription } from "../protocol";
import { DEPTH_FRAGMENT } from "./rod_shader";
import { listTexture, type RodLayout } from "./rod_data";
import { FIBRE_FRAGMENT, FIBRE_VERTEX, SAMPLE_FRAGMENT, SAMPLE_VERTEX } from "./fibre_shader";
import { linear, type Shading } from "./shading";
import { SHADE_LAYER } from "./shadow";

// As src/view/fibres.cpp has it: the same places on every machine.
function scrambled(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}
export const randomShare = (seed: number, fibre: number, draw: number): number => scrambled((scrambled((scrambled(seed) + fibre) >>> 0) + draw) >>> 0) / 4294967296;

interface Fibre { rods: number[]; weights: number[]; start: [number, number]; end: [number, number] }
export function fibreAt(tress: TressDescription, fibre: number): Fibre {
  const guide = Math.floor(fibre / tress.fibres), own = tress.guides[guide];
  const made: Fibre = { rods: [own, own, own], weights: [1, 0, 0], start: [0, 0], end: [0, 0] };
  if (fibre % tress.fibres === 0) return made; // the guide itself
  const share = (draw: number) => randomShare(tress.seed, fibre, draw);
  const radius = Math.sqrt(share(0)), angle = 2 * Math.PI * share(1), place = [radius * Math.cos(angle), radius * Math.sin(angle)];
  made.start = [tress.spread * place[0], tress.spread * place[1]];
  made.end = [tress.tip_spread * place[0], tress.tip_spread * place[1]];
  if (!tress.near) return made;
  let u = share(2), v = share(3);
  if (u + v > 1) { u = 1 - u; v = 1 - v; }
  made.rods = [own, ...tress.near[guide].map((other) => tress.guides[other])];
  made.weights = [1 - u - v, u, v];
  return made;
}

const SHADING = 600; // so many fibres are shade enough

// Copies of one fibre, as many as 16-bit indices reach: lines, or ribbons that face the eye.
function template(points: number, ribbon: boolean): { geometry: InstancedBufferGeometry; many: number } {
  const sides = ribbon ? [-1, 1] : [0], per = points * sides.length, many = Math.max(1, Math.floor(65000 / per));
  const where = new Float32Array(3 * many * per), index: number[] = [];
  for (let copy = 0, at = 0; copy < many; ++copy)
    for (let p = 0; p < points; ++p) {
      const here = at / 3;
      for (const side of sides) { where.set([copy, p / (points - 1), side], at); at += 3; }
      if (p + 1 === points) continue;
      if (ribbon) index.push(here, here + 1, here + 2, here + 1, here + 3, here + 2);
      else index.push(here, here + 1);
    }
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute("aWhere", new BufferAttribute(where, 3));
  geometry.setIndex(new BufferAttribute(new Uint16Array(index), 1));
  return { geometry, many };
}

// The guides at the points of fibres, found anew for each frame by a pass of its own, where the card can draw numbers.
class Samples {
  readonly uniform: IUniform = { value: null };
  private readonly scene = new Scene();
  private readonly eye = new Camera();
  private readonly material: ShaderMaterial;
  private readonly target: WebGLRenderTarget;
  private table: DataTexture | null = null;
  stale = true;

  constructor(private guides: number[], points: number, uniforms: Record<string, IUniform>) {
    this.material = new ShaderMaterial({
      uniforms: { uNodes: uniforms.uNodes, uFrames: uniforms.uFrames, uGuides: { value: null }, uPoints: { value: points } },
      vertexShader: SAMPLE_VERTEX, fragmentShader: SAMPLE_FRAGMENT, depthTest: false, depthWrite: false,
    });
    const corner = new BufferGeometry();
    corner.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const all = new Mesh(corner, this.material);
    all.frustumCulled = false;
    this.scene.add(all);
    this.target = new WebGLRenderTarget(3 * points, guides.length, { type: FloatType, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false, generateMipmaps: false });
  }
  arrange(layout: RodLayout[]): void {
    this.table?.dispose();
    this.table = listTexture(this.guides.flatMap((rod) => [layout[rod].first, Math.max(1, layout[rod].edges), layout[rod].ring ? 1 : 0, 0]));
    this.material.uniforms.uGuides.value = this.table;
    this.stale = true;
  }
  take(renderer: WebGLRenderer): void {
    if (!this.stale) return;
    this.stale = false;
    renderer.setRenderTarget(this.target);
    renderer.render(this.scene, this.eye);
    renderer.setRenderTarget(null);
    this.uniform.value = this.target.texture;
  }
  dispose(): void {
    this.table?.dispose();
    this.target.dispose();
    this.material.dispose();
  }
}

export class FibreBatch {
  readonly group = new Group();
  readonly count: number;
  private readonly points: number;
  private readonly thickest: number; // [m]
  private readonly materials: { seen: ShaderMaterial; shade: ShaderMaterial };
  private readonly samples: Samples;
  private readonly rows: number[]; // guides, in the order of the samples' rows
  private sampled = false; // the card can draw numbers
  private table: DataTexture | null = null;
  private made = ""; // what the meshes were made for

  // `uniforms`: those of the run's rods; fibres take nodes, frames, place and colours from them.
  constructor(private description: Description, private uniforms: Record<string, IUniform>, private shading: Shading) {
    const tresses = description.tresses ?? [];
    this.count = tresses.reduce((sum, tress) => sum + tress.fibres * tress.guides.length, 0);
    this.points = Math.max(2, ...tresses.map((tress) => tress.points));
    this.thickest = Math.max(0, ...tresses.map((tress) => this.radiusOf(tress, tress.guides[0])));
    this.rows = tresses.flatMap((tress) => tress.guides);
    this.samples = new Samples(this.rows, this.points, uniforms);
    const own = (): Record<string, IUniform> => ({
      ...uniforms, uFibres: this.fibres, uHairA: this.tones[0], uHairB: this.tones[1], uSamples: this.samples.uniform, uDrawn: { value: [1, 1, 0, this.points] }, uTarget: { value: [1, 1] },
    });
    this.materials = {
      seen: new ShaderMaterial({ uniforms: own(), vertexShader: FIBRE_VERTEX, fragmentShader: FIBRE_FRAGMENT, side: DoubleSide }),
      shade: new ShaderMaterial({ uniforms: own(), vertexShader: FIBRE_VERTEX, fragmentShader: DEPTH_FRAGMENT, defines: { DEPTH: "" }, side: DoubleSide, colorWrite: false }),
    };
  }
  private readonly fibres: IUniform = { value: null };
  private readonly tones: [IUniform, IUniform] = [{ value: new Vector3() }, { value: new Vector3() }];

  // Overlaid runs: in the tints of their rods.
  recolour(tint: string[] | null): void {
    const { hairA, hairB } = this.shading.theme;
    this.tones[0].value.copy(linear(tint?.[1] ?? hairA));
    this.tones[1].value.copy(linear(tint?.[0] ?? hairB));
  }
  colour(on: boolean): void {
    const { seen } = this.materials;
    if (on === "COLOURED" in seen.defines) return;
    if (on) seen.defines.COLOURED = "";
    else delete seen.defines.COLOURED;
    seen.needsUpdate = true;
  }

  guides(rod: number): boolean { return (this.description.tresses ?? []).some((tress) => tress.guides.includes(rod)); }
  private radiusOf(tress: TressDescription, rod: number): number {
    const { a, b } = this.description.rods[rod].section;
    return tress.radius || Math.max(a[0], b[0]);
  }

  // Where guides lie in the textures has changed.
  arrange(layout: RodLayout[]): void {
    if (this.count === 0) return;
    const list: number[] = [], rowOf = new Map(this.rows.map((rod, row) => [rod, row]));
    this.samples.arrange(layout);
    for (const tress of this.description.tresses ?? [])
      for (let fibre = 0; fibre < tress.fibres * tress.guides.length; ++fibre) {
        const { rods, weights, start, end } = fibreAt(tress, fibre);
        rods.forEach((rod, g) => list.push(layout[rod].first, layout[rod].edges, 2 * rowOf.get(rod)! + (layout[rod].ring ? 1 : 0), layout[rod].edges > 0 ? weights[g] : 0));
        list.push(...start, ...end, randomShare(tress.seed, fibre, 4), this.radiusOf(tress, rods[0]), 1 / Math.max(tress.spread, tress.tip_spread, 1e-30), 0);
      }
    this.table?.dispose();
    this.fibres.value = this.table = listTexture(list);
  }

  // The frame or what its colours show has changed.
  changed(): void { this.samples.stale = true; }
  // Before the fibres are drawn.
  prepare(renderer: WebGLRenderer): void {
    if (this.count === 0) return;
    if (!this.made && this.rows.length <= 4096 && renderer.extensions.has("EXT_color_buffer_float")) {
      this.sampled = true;
      for (const material of Object.values(this.materials)) material.defines.SAMPLED = "";
    }
    if (this.sampled) this.samples.take(renderer);
  }

  // `pixels`: of one metre; `budget`: of vertices. Fibres that are too many are left out evenly; those that look thicker than a pixel are ribbons.
  adapt(pixels: number, budget: number): void {
    if (this.count === 0) return;
    const ribbon = this.thickest * this.uniforms.uThickness.value * pixels > 0.8 && 2 * this.count * this.points <= 4 * budget;
    const every = Math.max(1, Math.ceil((this.count * this.points * (ribbon ? 2 : 1)) / budget));
    const wanted = `${ribbon} ${every}`;
    if (wanted === this.made) return;
    this.made = wanted;
    this.clear();
    this.add(ribbon, every, false);
    this.add(false, Math.max(every, Math.ceil(this.count / SHADING)), true);
  }
  private add(ribbon: boolean, every: number, shade: boolean): void {
    const { geometry, many } = template(this.points, ribbon), material = shade ? this.materials.shade : this.materials.seen;
    material.uniforms.uDrawn.value = [many, every, this.count, this.points];
    geometry.instanceCount = Math.ceil(Math.ceil(this.count / every) / many);
    const object = ribbon ? new Mesh(geometry, material) : new LineSegments(geometry, material);
    object.frustumCulled = false;
    object.matrixAutoUpdate = false;
    object.layers.set(shade ? SHADE_LAYER : 0);
    this.group.add(object);
  }

  // The points that the shader finds for the first `count` fibres (`direct`: without samples), less the origin [m]: three numbers each, fibre after fibre. For tests.
  read(renderer: WebGLRenderer, count: number, direct: boolean): Float32Array {
    if (this.count === 0) return new Float32Array(0);
    if (!direct) this.samples.take(renderer);
    const { geometry, many } = template(this.points, false), fibres = Math.min(count, this.count);
    geometry.setIndex(new BufferAttribute(Uint16Array.from({ length: many * this.points }, (_, k) => k), 1));
    geometry.instanceCount = Math.ceil(fibres / many);
    const width = 1024, height = Math.ceil((fibres * this.points) / width), { seen } = this.materials;
    const material = new ShaderMaterial({
      uniforms: { ...seen.uniforms, uDrawn: { value: [many, 1, fibres, this.points] }, uTarget: { value: [width, height] } },
      vertexShader: FIBRE_VERTEX, fragmentShader: FIBRE_FRAGMENT, defines: direct ? { READ_BACK: "" } : { READ_BACK: "", SAMPLED: "" }, depthTest: false, depthWrite: false,
    });
    const target = new WebGLRenderTarget(width, height, { type: FloatType, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false });
    const points = new Points(geometry, material), scene = new Scene();
    points.frustumCulled = false;
    scene.add(points);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(scene, new Camera());
    const texels = new Float32Array(4 * width * height);
    renderer.readRenderTargetPixels(target, 0, 0, width, height, texels);
    renderer.setRenderTarget(null);
    target.dispose();
    material.dispose();
    geometry.dispose();
    const made = new Float32Array(3 * fibres * this.points);
    for (let i = 0; i < fibres * this.points; ++i) made.set(texels.subarray(4 * i, 4 * i + 3), 3 * i);
    return made;
  }

  // In the last picture.
  get drawn(): number { return this.made ? Math.ceil(this.count / this.materials.seen.uniforms.uDrawn.value[1]) : 0; }

  private clear(): void {
    for (const child of this.group.children) (child as Mesh).geometry.dispose();
    this.group.clear();
  }
  dispose(): void {
    this.clear();
    this.table?.dispose();
    this.samples.dispose();
    for (const material of Object.values(this.materials)) material.dispose();
  }
}
