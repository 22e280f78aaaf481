// The rods of one run as textures: node i and the edge that starts there share one texel address, 1024 to a row.
import {
  ClampToEdgeWrapping, DataTexture, FloatType, NearestFilter, RGBAFormat, RGBAIntegerFormat, ShortType, type PixelFormat, type TextureDataType,
} from "three";
import type { Description, FrameData } from "../protocol";
import type { Colouring } from "./rod_view";

const WIDTH = 1024;

export interface RodLayout { first: number; edges: number; nodes: number; ring: boolean; round: boolean }

function texture(data: Float32Array<ArrayBuffer> | Int16Array<ArrayBuffer>, format: PixelFormat, type: TextureDataType): DataTexture {
  const made = new DataTexture(data, WIDTH, data.length / (4 * WIDTH), format, type);
  made.minFilter = made.magFilter = NearestFilter;
  made.wrapS = made.wrapT = ClampToEdgeWrapping;
  made.generateMipmaps = false;
  made.flipY = false;
  made.needsUpdate = true;
  return made;
}

export function listTexture(list: number[]): DataTexture {
  const data = new Float32Array(4 * WIDTH * Math.max(1, Math.ceil(list.length / (4 * WIDTH))));
  data.set(list);
  return texture(data, RGBAFormat, FloatType);
}

export const valuesOf = (frame: FrameData, colouring: Colouring): Float32Array | null =>
  colouring === "none" ? null : colouring === "contact" ? frame.contact : frame[colouring];

export class RodData {
  layout: RodLayout[] = [];
  totalEdges = 0;
  nodes!: DataTexture;
  sections!: DataTexture;
  frames!: DataTexture;
  private material: FrameData["material"] = null; // the frame's own arc lengths, where they are not the description's
  private nodeData = new Float32Array(0);
  private frameData = new Int16Array(0);

  constructor(readonly description: Description) {
    this.arrange(description.rods.map((rod) => ({ nodes: rod.nodes, edges: rod.edges })));
  }

  // False when the rods got another number of nodes, or their sections lie on other edges: instances must be made again.
  fits({ rods, material }: FrameData): boolean {
    const alike = rods.length === this.layout.length && rods.every((rod, r) => rod.nodes === this.layout[r].nodes && rod.edges === this.layout[r].edges);
    if (!alike || !this.description.rods.some(({ section }) => section.a.length > 1 || section.b.length > 1)) return alike;
    return material && this.material ? material.every((s, i) => s === this.material![i]) : material === this.material;
  }

  arrange(rods: FrameData["rods"], material: FrameData["material"] = null): void {
    this.material = material;
    let first = 0;
    this.totalEdges = 0;
    this.layout = rods.map((rod, r) => {
      const made = { first, edges: rod.edges, nodes: rod.nodes, ring: this.description.rods[r].ring, round: this.description.rods[r].section.kind !== "rectangle" };
      first += rod.nodes;
      this.totalEdges += rod.edges;
      return made;
    });
    const texels = WIDTH * Math.max(1, Math.ceil(first / WIDTH));
    if (this.nodeData.length !== 4 * texels) {
      this.dispose();
      this.nodeData = new Float32Array(4 * texels);
      this.frameData = new Int16Array(4 * texels);
      this.nodes = texture(this.nodeData, RGBAFormat, FloatType);
      this.frames = texture(this.frameData, RGBAIntegerFormat, ShortType);
      this.frames.internalFormat = "RGBA16I";
      this.sections = texture(new Float32Array(4 * texels), RGBAFormat, FloatType);
    }
    const sections = this.sections.image.data as unknown as Float32Array;
    this.layout.forEach((rod, r) => {
      for (let edge = 0; edge < rod.edges; ++edge) sections.set(this.halfSizes(r, edge), 4 * (rod.first + edge));
    });
    this.sections.needsUpdate = true;
  }

  // Half sizes of an edge of the frame [m]: those the description has at its middle.
  halfSizes(rod: number, edge: number): [number, number] {
    const { a, b } = this.description.rods[rod].section;
    const at = a.length > 1 || b.length > 1 ? this.describedEdge(rod, edge) : 0;
    return [a[Math.min(at, a.length - 1)], b[Math.min(at, b.length - 1)]];
  }
  private describedEdge(rod: number, edge: number): number {
    if (!this.material) return edge;
    const { first, nodes } = this.layout[rod], { length, edges, material } = this.description.rods[rod];
    const to = edge + 1 < nodes ? this.material[first + edge + 1] : length;
    const middle = 0.5 * (this.material[first + edge] + to);
    let low = 0, high = edges - 1;
    while (low < high) {
      const half = (low + high + 1) >> 1;
      if (material[half] <= middle) low = half;
      else high = half - 1;
    }
    return low;
  }

  // Half sizes when all rods have the same.
  alike(): [number, number] | null {
    if (this.description.rods.length === 0) return null;
    const [a, b] = this.halfSizes(0, 0);
    const same = this.description.rods.every(({ section }) => section.a.every((x) => x === a) && section.b.every((x) => x === b));
    return same ? [a, b] : null;
  }
  // Radius of the tress that a rod guides [m]: all of it is grasped.
  spread(rod: number): number {
    const tress = this.description.tresses?.find(({ guides }) => guides.includes(rod));
    return tress ? Math.max(tress.spread, tress.tip_spread) : 0;
  }
  thickest(): number {
    let most = 0;
    for (const { section } of this.description.rods) for (const sizes of [section.a, section.b]) for (const x of sizes) most = Math.max(most, x);
    return most;
  }
  meanEdge(): number {
    let length = 0;
    for (const rod of this.description.rods) length += rod.length;
    return length / Math.max(1, this.totalEdges);
  }
  // Most twist within one edge [rad]; two turns or more are noise.
  mostTurn(frame: FrameData): number {
    let most = 0, edge = 0;
    this.layout.forEach((rod, r) => {
      const size = this.description.rods[r].length / Math.max(1, rod.edges);
      for (let k = 0; k < rod.edges; ++k, ++edge) {
        const turn = Math.abs(frame.twist[edge]) * size;
        if (turn > most) most = turn;
      }
    });
    return Math.min(most, 12);
  }

  write(frame: FrameData, colouring: Colouring): void {
    const { positions, orientations } = frame;
    const data = this.nodeData;
    for (let i = 0, from = 0, to = 0, n = positions.length / 3; i < n; ++i, from += 3, to += 4) {
      data[to] = positions[from];
      data[to + 1] = positions[from + 1];
      data[to + 2] = positions[from + 2];
    }
    const values = valuesOf(frame, colouring);
    let edge = 0;
    for (const rod of this.layout) {
      this.frameData.set(orientations.subarray(4 * edge, 4 * (edge + rod.edges)), 4 * rod.first);
      for (let k = 0, to = 4 * rod.first + 3; k < rod.edges; ++k, to += 4) data[to] = values ? values[edge + k] : 0;
      edge += rod.edges;
    }
    this.nodes.needsUpdate = true;
    this.frames.needsUpdate = true;
  }

  dispose(): void {
    this.nodes?.dispose();
    this.frames?.dispose();
    this.sections?.dispose();
  }
}
