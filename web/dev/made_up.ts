// Rods that no one simulated: shapes with known frames, for looking at the drawing.
import type { Description, FrameData, RodDescription, Section, Vec3 } from "../src/protocol";

export interface MadeUp { description: Description; frame(time: number): FrameData }
type Curve = (s: number, time: number) => Vec3; // s in 0..1
interface Rod { name: string; ring?: boolean; edges: number; section: Section; curve: Curve; turns?: number; waves?: number }

const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Vec3): Vec3 => { const l = Math.hypot(...a) || 1; return [a[0] / l, a[1] / l, a[2] / l]; };

function quaternion(x: Vec3, y: Vec3, z: Vec3): [number, number, number, number] {
  const trace = x[0] + y[1] + z[2];
  let q: [number, number, number, number];
  if (trace > 0) { const s = 2 * Math.sqrt(trace + 1); q = [(y[2] - z[1]) / s, (z[0] - x[2]) / s, (x[1] - y[0]) / s, s / 4]; }
  else if (x[0] > y[1] && x[0] > z[2]) { const s = 2 * Math.sqrt(1 + x[0] - y[1] - z[2]); q = [s / 4, (y[0] + x[1]) / s, (z[0] + x[2]) / s, (y[2] - z[1]) / s]; }
  else if (y[1] > z[2]) { const s = 2 * Math.sqrt(1 + y[1] - x[0] - z[2]); q = [(y[0] + x[1]) / s, s / 4, (z[1] + y[2]) / s, (z[0] - x[2]) / s]; }
  else { const s = 2 * Math.sqrt(1 + z[2] - x[0] - y[1]); q = [(z[0] + x[2]) / s, (z[1] + y[2]) / s, s / 4, (x[1] - y[0]) / s]; }
  return q;
}

export const circle = (r: number): Section => ({ kind: "circle", a: [r], b: [r] });

export function scene(name: string, rods: Rod[], more: Partial<Description> = {}, perFrame: (time: number, frame: FrameData) => void = () => {}): MadeUp {
  const edges = rods.reduce((sum, rod) => sum + rod.edges, 0), nodes = rods.reduce((sum, rod) => sum + rod.edges + (rod.ring ? 0 : 1), 0);
  const frame = (time: number): FrameData => {
    const positions = new Float32Array(3 * nodes), orientations = new Int16Array(4 * edges);
    const curvature = new Float32Array(edges), twist = new Float32Array(edges), tension = new Float32Array(edges), moment = new Float32Array(edges);
    let node = 0, edge = 0;
    for (const rod of rods) {
      const count = rod.edges + (rod.ring ? 0 : 1);
      const at: Vec3[] = Array.from({ length: count }, (_, i) => rod.curve(i / rod.edges, time));
      at.forEach((p, i) => positions.set(p, 3 * (node + i)));
      let d1: Vec3 | null = null, before: Vec3 | null = null;
      for (let k = 0; k < rod.edges; ++k) {
        const chord = sub(at[(k + 1) % count], at[k]), l = Math.hypot(...chord), t = unit(chord);
        if (!d1) d1 = unit(cross(Math.abs(t[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0], t));
        d1 = unit(sub(d1, t.map((x) => x * dot(d1!, t)) as Vec3));
        const s = (k + 0.5) / rod.edges, turns = rod.turns ?? 0, waves = rod.waves ?? 0;
        const angle = 2 * Math.PI * (turns * s + waves * Math.sin(2 * Math.PI * s + time));
        const d2 = cross(t, d1), c = Math.cos(angle), n = Math.sin(angle);
        const x = d1.map((v, i) => c * v + n * d2[i]) as Vec3, y = cross(t, x);
        quaternion(x, y, t).forEach((v, i) => { orientations[4 * (edge + k) + i] = Math.round(32767 * v); });
        curvature[edge + k] = before ? Math.acos(Math.min(1, dot(before, t))) / l : 0;
        if (k === 1) curvature[edge] = curvature[edge + 1];
        twist[edge + k] = (2 * Math.PI * (turns + waves * 2 * Math.PI * Math.cos(2 * Math.PI * s + time))) / (l * rod.edges);
        tension[edge + k] = Math.sin(6 * s + time);
        moment[edge + k] = curvature[edge + k] * 0.02;
        before = t;
      }
      node += count;
      edge += rod.edges;
    }
    const made: FrameData = {
      generation: description.generation, time, step: 0, rods: rods.map((rod) => ({ nodes: rod.edges + (rod.ring ? 0 : 1), edges: rod.edges })), values: new Float64Array(0),
      positions, material: null, orientations, curvature, twist, tension, moment, contact: null,
      bodies: new Float32Array(0), obstacles: new Float32Array(0), contacts: new Float32Array(0), hands: new Float32Array(0),
    };
    perFrame(time, made);
    return made;
  };
  const described: RodDescription[] = rods.map((rod) => {
    const at = Array.from({ length: rod.edges + 1 }, (_, i) => rod.curve(i / rod.edges, 0));
    const material = [0];
    for (let i = 1; i <= rod.edges; ++i) material.push(material[i - 1] + Math.hypot(...sub(at[i], at[i - 1])));
    const length = material[rod.edges];
    return { name: rod.name, ring: !!rod.ring, nodes: rod.edges + (rod.ring ? 0 : 1), edges: rod.edges, length, section: rod.section, material: rod.ring ? material.slice(0, -1) : material };
  });
  const description: Description = {
    generation: 1, name, title: name, about: "", method: "der", mode: "statics", methods: [], step: 1e-3, duration: 1, frames_per_second: 60, origin: [0, 0, 0],
    low: [0, 0, 0], high: [0, 0, 0], gravity: [0, 0, -9.81], rods: described, clamps: [], couplings: [], inputs: [], values: [], bodies: [], obstacles: [], ...more,
  };
  const first = frame(0).positions, low: Vec3 = [Infinity, Infinity, Infinity], high: Vec3 = [-Infinity, -Infinity, -Infinity];
  first.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
  description.low = low;
  description.high = high;
  return { description, frame };
}
