// The meshes of one run's rods: at most two tubes (round and rectangular sections) and their caps, all instances of small templates.
import { BackSide, FrontSide, Group, Mesh, ShaderMaterial, Vector2, Vector3, type DataTexture, type IUniform, type InstancedBufferGeometry } from "three";
import type { Description, FrameData } from "../protocol";
import type { ColourScale } from "./colour";
import { FibreBatch } from "./fibres";
import { listTexture, RodData } from "./rod_data";
import type { Colouring } from "./rod_view";
import { DEPTH_FRAGMENT, ROD_FRAGMENT, ROD_VERTEX } from "./rod_shader";
import { linear, type Shading } from "./shading";
import { SHADE_LAYER } from "./shadow";
import { cap, coarser, detailFor, rectangularTube, repeated, roundTube, type Detail, type Range } from "./templates";

// Tints that tell overlaid runs apart: pale half and full half.
export const TINTS = [["#f0d9ae", "#2a6f97"], ["#f6b48c", "#b9471a"], ["#a8d69c", "#2c7a3d"], ["#cdb2e6", "#69409a"], ["#ecd06a", "#8a6608"], ["#9fd8dc", "#0f6a73"]];

interface Part { round: boolean; edges: Range; starts: Range; ends: Range }

export class RodBatch {
  readonly group = new Group();
  private readonly tubes = new Group();
  readonly data: RodData;
  readonly fibres: FibreBatch;
  readonly uniforms: Record<string, IUniform>;
  readonly material: ShaderMaterial;
  readonly depthMaterial: ShaderMaterial;
  private made: Detail = { rows: 0, sides: 0 };
  private parts: Part[] = [];
  private segments: DataTexture | null = null;
  private drawn: Part[] | null = null;
  private chosenAt = 0;
  private chosenFor = 0;
  private turn = 0; // most twist of an edge [rad]

  constructor(description: Description, private run: number, private runs: number, private shading: Shading, scale: ColourScale) {
    this.data = new RodData(description);
    this.uniforms = {
      ...shading.uniforms,
      uSegments: { value: null }, uNodes: { value: null }, uSections: { value: null }, uFrames: { value: null },
      uOrigin: { value: new Vector3() }, uScale: { value: 1 }, uThickness: { value: 1 }, uPixel: { value: new Vector2() }, uSection: { value: new Vector2() },
      uMap: { value: scale.texture }, uRange: { value: new Vector2(0, 1) }, uTinted: { value: runs > 1 ? 1 : 0 },
      uOpacity: { value: run === 0 ? 1 : 0.72 }, uPush: { value: 2.5 * run },
      uToneA: { value: new Vector3() }, uToneB: { value: new Vector3() }, uStripe: { value: new Vector3() },
    };
    this.material = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: ROD_VERTEX, fragmentShader: ROD_FRAGMENT, side: FrontSide, transparent: run > 0 });
    this.depthMaterial = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: ROD_VERTEX, fragmentShader: DEPTH_FRAGMENT, defines: { DEPTH: "" }, side: BackSide, colorWrite: false });
    this.fibres = new FibreBatch(description, this.uniforms, shading);
    this.group.add(this.tubes, this.fibres.group);
    this.build();
    this.recolour();
  }

  // Theme or tint changed.
  recolour(): void {
    const { theme } = this.shading;
    const tint = TINTS[this.run % TINTS.length];
    this.uniforms.uToneA.value.copy(linear(this.runs > 1 ? tint[0] : theme.toneA));
    this.uniforms.uToneB.value.copy(linear(this.runs > 1 ? tint[1] : theme.toneB));
    this.uniforms.uStripe.value.copy(linear(theme.stripe));
    this.fibres.recolour(this.runs > 1 ? tint : null);
  }

  write(frame: FrameData, colouring: Colouring): void {
    if (!this.data.fits(frame)) {
      this.data.arrange(frame.rods, frame.material);
      this.build();
    }
    this.data.write(frame, colouring);
    this.fibres.changed();
    const turn = this.data.mostTurn(frame);
    if (turn > 1.5 * this.turn + 0.2) {
      this.turn = turn;
      this.chosenAt = 0;
    }
  }

  // The list of segments: the edges, and once more those with open ends.
  private build(): void {
    const list: number[] = [];
    const range = (fill: () => void): Range => {
      const start = list.length / 4;
      fill();
      return { start, end: list.length / 4 };
    };
    this.parts = [];
    for (const round of [true, false]) {
      const rods = this.data.layout.filter((rod, r) => rod.round === round && rod.edges > 0 && !this.fibres.guides(r)) // a guide is one of its fibres;
      const open = rods.filter((rod) => !rod.ring);
      const caps = open.length > 3000 ? [] : open; // ends of that many hairs are too small to see
      if (rods.length === 0) continue;
      this.parts.push({
        round,
        edges: range(() => { for (const rod of rods) for (let k = 0; k < rod.edges; ++k) list.push(rod.first, k, rod.edges, rod.ring ? 1 : 0); }),
        starts: range(() => { for (const rod of caps) list.push(rod.first, 0, rod.edges, 0); }),
        ends: range(() => { for (const rod of caps) list.push(rod.first, rod.edges - 1, rod.edges, 0); }),
      });
    }
    this.segments?.dispose();
    this.segments = listTexture(list);
    this.uniforms.uSegments.value = this.segments;
    this.uniforms.uNodes.value = this.data.nodes;
    this.uniforms.uSections.value = this.data.sections;
    this.uniforms.uFrames.value = this.data.frames;
    const alike = this.data.alike();
    if (alike) this.uniforms.uSection.value.set(...alike);
    this.define("ONE_SECTION", alike !== null);
    this.chosenAt = 0;
    this.fibres.arrange(this.data.layout);
  }

  private define(name: string, on: boolean): void {
    for (const material of [this.material, this.depthMaterial]) {
      if (on === name in material.defines) continue;
      if (on) material.defines[name] = "";
      else delete material.defines[name];
      material.needsUpdate = true;
    }
  }
  colour(on: boolean): void {
    this.define("COLOURED", on);
    this.fibres.colour(on);
  }

  // Chooses the templates anew when the zoom or the budget has changed much. `pixels`: of one drawing unit.
  adapt(pixels: number, budget: number, fibres: number): void {
    this.fibres.adapt(pixels * this.uniforms.uScale.value, fibres / this.runs);
    if (this.chosenAt > 0 && Math.abs(Math.log(pixels / this.chosenAt)) < 0.3 && budget === this.chosenFor) return;
    this.chosenAt = pixels;
    this.chosenFor = budget;
    const unit = pixels * this.uniforms.uScale.value;
    const sight = { edges: this.data.totalEdges * this.runs, radius: this.data.thickest() * this.uniforms.uThickness.value * unit, length: this.data.meanEdge() * unit, turn: this.turn };
    const detail = detailFor(sight, budget);
    if (this.tubes.children.length > 0 && detail.rows === this.made.rows && detail.sides === this.made.sides && this.drawn === this.parts) return;
    this.made = detail;
    this.drawn = this.parts;
    this.clear();
    const shade = coarser(detail);
    for (const { round, edges, starts, ends } of this.parts) {
      this.add(repeated(round ? roundTube(detail) : rectangularTube(detail), edges), false);
      this.add(repeated(round ? roundTube(shade) : rectangularTube(shade), edges), true);
      if (starts.end === starts.start || sight.radius < 1) continue;
      this.add(repeated(cap(round, detail.sides, 0), starts), false);
      this.add(repeated(cap(round, detail.sides, 1), ends), false);
    }
  }

  private add(geometry: InstancedBufferGeometry, shade: boolean): void {
    const mesh = new Mesh(geometry, shade ? this.depthMaterial : this.material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = 1 + this.run;
    mesh.layers.set(shade ? SHADE_LAYER : 0);
    this.tubes.add(mesh);
  }

  get detail(): Detail { return this.made; }
  // That the meshes were last made for: what the card draws, not what the frame says.
  get drawnEdges(): number { return (this.drawn ?? []).reduce((sum, { edges }) => sum + edges.end - edges.start, 0); }

  private clear(): void {
    for (const child of this.tubes.children) (child as Mesh).geometry.dispose();
    this.tubes.clear();
  }

  dispose(): void {
    this.clear();
    this.fibres.dispose();
    this.data.dispose();
    this.segments?.dispose();
    this.material.dispose();
    this.depthMaterial.dispose();
  }
}
