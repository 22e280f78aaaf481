// Frames and saved runs from bytes, exactly as docs/view.md lays them out.
import type { Description, FrameData, SavedRun, SavedRuns } from "../protocol";

const magic = 0x31524654; // "TFR1"
const header = 64;
const withMaterial = 1, withContact = 2;

// Throws a sentence when the bytes are not a whole frame. The arrays are views into the bytes (or into a copy, where those are not aligned).
export function decodeFrame(given: Uint8Array): FrameData {
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  if (bytes.length < header) throw new Error(`a frame of ${bytes.length} bytes is shorter than its header`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== magic) throw new Error("these bytes are not a frame");
  const count = (k: number): number => view.getUint32(24 + 4 * k, true);
  const rods = count(0), nodes = count(1), edges = count(2), flags = count(8);
  const size = header + 8 * count(7) + 8 * rods + 12 * nodes + (flags & withMaterial ? 4 * nodes : 0) + 8 * edges + 16 * edges +
    (flags & withContact ? 4 * edges : 0) + 28 * (count(3) + count(4)) + 40 * count(5) + 36 * count(6);
  if (size !== bytes.length) throw new Error(`a frame of ${bytes.length} bytes should have ${size}`);

  let at = bytes.byteOffset + header;
  const floats = (length: number): Float32Array => {
    const part = new Float32Array(bytes.buffer, at, length);
    at += 4 * length;
    return part;
  };
  const values = new Float64Array(bytes.buffer, at, count(7));
  at += 8 * values.length;
  const spans = new Uint32Array(bytes.buffer, at, 2 * rods);
  at += 4 * spans.length;
  const positions = floats(3 * nodes);
  const material = flags & withMaterial ? floats(nodes) : null;
  const orientations = new Int16Array(bytes.buffer, at, 4 * edges);
  at += 8 * edges;
  return {
    generation: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    step: view.getFloat64(16, true),
    rods: Array.from({ length: rods }, (_, k) => ({ nodes: spans[2 * k]!, edges: spans[2 * k + 1]! })),
    values, positions, material, orientations,
    curvature: floats(edges),
    twist: floats(edges),
    tension: floats(edges),
    moment: floats(edges),
    contact: flags & withContact ? floats(edges) : null,
    bodies: floats(7 * count(3)),
    obstacles: floats(7 * count(4)),
    contacts: floats(10 * count(5)),
    hands: floats(9 * count(6)),
  };
}

// In parts: one string of 50 MB is more than some browsers turn at once.
export function decodeBase64(text: string): Uint8Array {
  const clean = text.replace(/\s+/g, "");
  const padding = clean.endsWith("==") ? 2 : clean.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((clean.length / 4) * 3 - padding);
  const part = 1 << 20; // a multiple of 4
  let at = 0;
  for (let from = 0; from < clean.length; from += part) {
    const binary = atob(clean.slice(from, from + part));
    for (let k = 0; k < binary.length; k++) bytes[at++] = binary.charCodeAt(k);
  }
  return bytes;
}

// A saved run: where its frames lie and when they are; a frame is decoded when it is shown.
export class Run {
  readonly description: Description;
  readonly times: Float64Array;
  private readonly frames: Uint8Array[];

  // rows: per recorded frame its time and all values, one after the other.
  constructor(readonly saved: SavedRun, records: Uint8Array, readonly rows: Float64Array) {
    this.description = saved.description;
    this.frames = splitRecords(records);
    if (this.frames.length !== saved.frames) throw new Error(`${saved.label}: ${this.frames.length} frames instead of ${saved.frames}`);
    this.times = Float64Array.from(this.frames, (bytes) => new DataView(bytes.buffer, bytes.byteOffset).getFloat64(8, true));
  }
  get start(): number {
    return this.times.length ? this.times[0]! : 0;
  }
  get end(): number {
    return this.times.length ? this.times[this.times.length - 1]! : 0;
  }
  frame(index: number): FrameData {
    return decodeFrame(this.frames[index]!);
  }
  // Whether any frame has contacts (their count in its header).
  get touches(): boolean {
    return this.frames.some((bytes) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(44, true) > 0);
  }
  indexAt(time: number): number {
    return nearestTo(this.times, time);
  }
  // Column k of the rows: 0 is time, 1 the first value.
  column(k: number): Float64Array {
    const width = 1 + this.description.values.length;
    return Float64Array.from({ length: this.saved.rows }, (_, row) => this.rows[row * width + k]!);
  }
}

function splitRecords(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = at + 4 <= bytes.length ? view.getUint32(at, true) : Infinity;
    if (at + 4 + length > bytes.length) throw new Error("the frames of this run end in the middle of one");
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}

// Index of the last of the sorted times that is not after `time`; a frame a rounding error late still counts. 0 where there is none.
export function lastAtOrBefore(times: ArrayLike<number>, time: number): number {
  const until = time + 1e-9 * Math.max(1, Math.abs(time));
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= until) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

// Index of the sorted time nearest to `time`; 0 where there is none.
export function nearestTo(times: ArrayLike<number>, time: number): number {
  const before = lastAtOrBefore(times, time);
  return before + 1 < times.length && times[before + 1]! - time < time - times[before]! ? before + 1 : before;
}

// The runs inside the page, or null in a page that has none.
export function savedRuns(page: Document): Run[] | null {
  const found = page.getElementById("tendril-runs");
  if (!found) return null;
  const { runs } = JSON.parse(found.textContent ?? "") as SavedRuns;
  return runs.map((saved, k) => {
    const bytes = (id: string): Uint8Array => decodeBase64(page.getElementById(`${id}-${k}`)?.textContent ?? "");
    const rows = bytes("rows");
    if (rows.length !== 8 * saved.rows * (1 + saved.description.values.length)) throw new Error(`${saved.label}: its rows are not complete`);
    return new Run(saved, bytes("frames"), new Float64Array(rows.buffer));
  });
}
