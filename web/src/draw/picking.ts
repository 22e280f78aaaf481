// Points of rods by material coordinate, and the rod point under the mouse.
import { Matrix4, Raycaster, Vector2, type Mesh, type PerspectiveCamera } from "three";
import type { Description, FrameData, Vec3 } from "../protocol";
import type { RodData } from "./rod_data";

export interface PickableRun { description: Description; data: RodData; frame: FrameData; bodies: Mesh[]; origin: { x: number; y: number; z: number } }
export interface Hit { run: number; rod: number; body: number; material: number; position: Vec3 }

// Arc length in the rest rod at a node; node `edges` of a ring is its end.
function materialAt(description: Description, data: RodData, frame: FrameData, rod: number, node: number): number {
  const { first, nodes } = data.layout[rod];
  const rest = description.rods[rod];
  if (node >= nodes) return rest.length;
  return frame.material ? frame.material[first + node] : rest.material[node];
}

// The edge a material point is on, among the frame's own, and how far along it; none: the rod has no edges now.
export function edgeAt(description: Description, data: RodData, frame: FrameData, rod: number, material: number): { edge: number; t: number } | null {
  const layout = data.layout[rod];
  if (!layout || layout.edges === 0) return null;
  let low = 0, high = layout.edges - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (materialAt(description, data, frame, rod, middle) <= material) low = middle;
    else high = middle - 1;
  }
  const from = materialAt(description, data, frame, rod, low), to = materialAt(description, data, frame, rod, low + 1);
  const t = to > from ? Math.min(1, Math.max(0, (material - from) / (to - from))) : 0;
  return { edge: low, t };
}

// Absolute position of a material point, on the straight edge.
export function pointAt(description: Description, data: RodData, frame: FrameData, rod: number, material: number): Vec3 | null {
  const found = edgeAt(description, data, frame, rod, material);
  return found && along(description, data.layout[rod].first, data.layout[rod].nodes, frame, found.edge, found.t);
}

function along(description: Description, first: number, nodes: number, frame: FrameData, edge: number, t: number): Vec3 {
  const i = 3 * (first + edge), j = 3 * (first + ((edge + 1) % nodes)), p = frame.positions;
  return [0, 1, 2].map((x) => description.origin[x] + (1 - t) * p[i + x] + t * p[j + x]) as Vec3;
}

const REACH = 14; // pixels beyond the rod's surface

// x, y in CSS pixels of a picture width x height. What lies under the mouse itself wins by nearness to the eye, else the rod nearest on the screen.
export function pick(runs: PickableRun[], camera: PerspectiveCamera, scale: number, thickness: number, width: number, height: number, x: number, y: number): Hit | null {
  let direct: Hit | null = null, directDepth = Infinity, directOff = Infinity, near: Hit | null = null, nearest = REACH;
  const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements;
  const perUnit = height / (2 * Math.tan((camera.fov * Math.PI) / 360)); // pixels of a unit at depth 1
  runs.forEach(({ description, data, frame, bodies, origin }, run) => {
    const p = frame.positions, n = p.length / 3;
    const screen = new Float32Array(3 * n); // pixels and depth
    for (let i = 0; i < n; ++i) {
      const a = p[3 * i] * scale + origin.x, b = p[3 * i + 1] * scale + origin.y, c = p[3 * i + 2] * scale + origin.z;
      const w = view[3] * a + view[7] * b + view[11] * c + view[15];
      screen[3 * i] = (0.5 + (0.5 * (view[0] * a + view[4] * b + view[8] * c + view[12])) / w) * width;
      screen[3 * i + 1] = (0.5 - (0.5 * (view[1] * a + view[5] * b + view[9] * c + view[13])) / w) * height;
      screen[3 * i + 2] = w;
    }
    data.layout.forEach((rod, r) => {
      for (let k = 0; k < rod.edges; ++k) {
        const i = 3 * (rod.first + k), j = 3 * (rod.first + ((k + 1) % rod.nodes));
        if (screen[i + 2] <= 0 || screen[j + 2] <= 0) continue;
        const ex = screen[j] - screen[i], ey = screen[j + 1] - screen[i + 1];
        const square = ex * ex + ey * ey;
        const s = square > 0 ? Math.min(1, Math.max(0, ((x - screen[i]) * ex + (y - screen[i + 1]) * ey) / square)) : 0.5;
        const off = Math.hypot(screen[i] + s * ex - x, screen[i + 1] + s * ey - y);
        if (off > REACH + 200) continue;
        const t = (s * screen[i + 2]) / (s * screen[i + 2] + (1 - s) * screen[j + 2]); // in space, not on the screen
        const depth = screen[i + 2] + t * (screen[j + 2] - screen[i + 2]);
        const [a, b] = data.halfSizes(r, k);
        const radius = Math.max(0.75, (Math.max(Math.max(a, b) * thickness, data.spread(r)) * scale * perUnit) / depth);
        const hit = (): Hit => {
          const from = materialAt(description, data, frame, r, k), to = materialAt(description, data, frame, r, k + 1);
          return { run, rod: r, body: -1, material: from + t * (to - from), position: along(description, rod.first, rod.nodes, frame, k, t) };
        };
        const thick = (2 * radius * depth) / perUnit; // within one thickness in depth, the edge nearest to the mouse wins
        if (off <= radius && (depth < directDepth - thick || (depth < directDepth + thick && off < directOff))) {
          directDepth = depth;
          directOff = off;
          direct = hit();
        } else if (off - radius < nearest) {
          nearest = off - radius;
          near = hit();
        }
      }
    });
    if (bodies.length === 0) return;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
    for (const found of ray.intersectObjects(bodies, false)) {
      const depth = -found.point.clone().applyMatrix4(camera.matrixWorldInverse).z;
      if (depth >= directDepth) continue;
      directDepth = depth;
      const at = found.point;
      const position = [0, 1, 2].map((i) => description.origin[i] + ([at.x, at.y, at.z][i] - [origin.x, origin.y, origin.z][i]) / scale) as Vec3;
      direct = { run, rod: -1, body: bodies.indexOf(found.object as Mesh), material: 0, position };
    }
  });
  return direct ?? near;
}
