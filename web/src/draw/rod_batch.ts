// The meshes of one run's rods: at most two tubes (round and rectangular sections) and their caps, all instances of small templates.
import { BackSide, FrontSide, Group, InstancedBufferAttribute, Mesh, ShaderMaterial, Vector2, Vector3, type IUniform, type InstancedBufferGeometry } from "three";
import type { Description, FrameData } from "../protocol";
import type { ColourScale } from "./colour";
import { RodData } from "./rod_data";
import type { Colouring } from "./rod_view";
import { DEPTH_FRAGMENT, ROD_FRAGMENT, ROD_VERTEX } from "./rod_shader";
import { linear, type Shading } from "./shading";
import { cap, detailFor, rectangularTube, roundTube } from "./templates";

// Tints that tell overlaid runs apart: pale half and full half.
const TINTS = [["#f0d9ae", "#2a6f97"], ["#ffe1d0", "#d4572b"], ["#dcefd6", "#3b8a4a"], ["#e9dcf3", "#7d4fa3"], ["#fbe6a6", "#a07a10"], ["#d7eef0", "#147d86"]];

export class RodBatch {
  readonly group = new Group();
  readonly data: RodData;
  readonly uniforms: Record<string, IUniform>;
  readonly material: ShaderMaterial;
  readonly depthMaterial: ShaderMaterial;
  private made = { rows: 0, sides: 0 };

  constructor(description: Description, private run: number, private runs: number, private shading: Shading, scale: ColourScale) {
    this.data = new RodData(description);
    this.uniforms = {
      ...shading.uniforms,
      uNodes: { value: null }, uSections: { value: null }, uFrames: { value: null },
      uOrigin: { value: new Vector3() }, uScale: { value: 1 }, uThickness: { value: 1 }, uPixel: { value: new Vector2() },
      uMap: { value: scale.texture }, uRange: { value: new Vector2(0, 1) }, uColoured: { value: 0 }, uTinted: { value: runs > 1 ? 1 : 0 },
      uOpacity: { value: run === 0 ? 1 : 0.62 },
      uToneA: { value: new Vector3() }, uToneB: { value: new Vector3() }, uStripe: { value: new Vector3() },
    };
    this.material = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: ROD_VERTEX, fragmentShader: ROD_FRAGMENT, side: FrontSide, transparent: run > 0 });
    this.depthMaterial = new ShaderMaterial({ uniforms: this.uniforms, vertexShader: ROD_VERTEX, fragmentShader: DEPTH_FRAGMENT, side: BackSide, colorWrite: false });
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
  }

  write(frame: FrameData, colouring: Colouring): void {
    if (!this.data.fits(frame.rods)) {
      this.data.arrange(frame.rods);
      this.build();
    }
    this.data.write(frame, colouring);
  }

  private build(): void {
    this.clear();
    const { layout, totalEdges } = this.data;
    const detail = detailFor(totalEdges * this.runs);
    this.made = detail;
    for (const round of [true, false]) {
      const rods = layout.filter((rod) => rod.round === round && rod.edges > 0);
      if (rods.length === 0) continue;
      const edges = rods.reduce((sum, rod) => sum + rod.edges, 0);
      const segments = new Float32Array(4 * edges);
      let at = 0;
      for (const rod of rods) for (let k = 0; k < rod.edges; ++k, at += 4) segments.set([rod.first, k, rod.edges, rod.ring ? 1 : 0], at);
      this.add(round ? roundTube(detail) : rectangularTube(detail), segments);
      const open = rods.filter((rod) => !rod.ring);
      if (open.length === 0 || open.length > 3000) continue; // ends of that many hairs are too small to see
      this.add(cap(round, detail.sides, 0), new Float32Array(open.flatMap((rod) => [rod.first, 0, rod.edges, 0])));
      this.add(cap(round, detail.sides, 1), new Float32Array(open.flatMap((rod) => [rod.first, rod.edges - 1, rod.edges, 0])));
    }
    this.uniforms.uNodes.value = this.data.nodes;
    this.uniforms.uSections.value = this.data.sections;
    this.uniforms.uFrames.value = this.data.frames;
  }

  private add(geometry: InstancedBufferGeometry, segments: Float32Array): void {
    geometry.setAttribute("aSegment", new InstancedBufferAttribute(segments, 4));
    geometry.instanceCount = segments.length / 4;
    const mesh = new Mesh(geometry, this.material);
    mesh.frustumCulled = false;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = 1 + this.run;
    mesh.userData.depth = this.depthMaterial;
    this.group.add(mesh);
  }

  get detail(): { rows: number; sides: number } { return this.made; }

  private clear(): void {
    for (const child of this.group.children) (child as Mesh).geometry.dispose();
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    this.data.dispose();
    this.material.dispose();
    this.depthMaterial.dispose();
  }
}
