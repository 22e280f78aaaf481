// Where to stand so that the whole scene is in the picture, a little from above and from the side that shows most of it.
import { Box3, Vector3, type PerspectiveCamera } from "three";
import type { Orbit } from "./orbit";
import type { Room } from "./rod_view";

export const cornersOf = (box: Box3): Vector3[] =>
  box.isEmpty() ? [] : Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));

// Bounds of one direction in the picture, as tangents: a point at x (right or up) and z (ahead) of the eye is inside where low <= x / z <= high.
interface Bounds { low: number; high: number }
interface Spread { least: number; most: number } // least of x - low z, largest of x - high z, over all points

// The eye at (e along x, d ahead) sees all points within the bounds where e >= most + high d and e <= least + low d. Both can hold
// up to d = (least - most) / (high - low), which is exact: no iteration, and no point ever lies behind the eye.
const farthest = ({ least, most }: Spread, { low, high }: Bounds): number => (least - most) / (high - low);
const between = ({ least, most }: Spread, { low, high }: Bounds, d: number): number => (most + high * d + least + low * d) / 2;

// All points come to lie in one of the rooms: in the first, unless they are seen much larger in another.
export function frameScene(orbit: Orbit, camera: PerspectiveCamera, points: Vector3[], up: Vector3, rooms: Room[]): void {
  const [e1, e2] = orbit.axes();
  const extent = (axis: Vector3) => {
    let least = Infinity, most = -Infinity;
    for (const p of points) { const x = p.dot(axis); least = Math.min(least, x); most = Math.max(most, x); }
    return most - least;
  };
  const wide = extent(e1), deep = extent(e2), tall = extent(up);
  const flat = tall < 0.12 * Math.max(wide, deep) && Math.min(wide, deep) > 0.25 * Math.max(wide, deep);
  const elevation = flat ? 0.66 : 0.3;
  const azimuth = (wide >= deep ? -Math.PI / 2 : 0) + 0.5;
  const ahead = orbit.direction(azimuth, elevation).negate();
  const right = new Vector3().crossVectors(ahead, up).normalize(), above = new Vector3().crossVectors(right, ahead);
  const tangent = Math.tan((camera.fov * Math.PI) / 360);
  const spread = (axis: Vector3, { low, high }: Bounds): Spread => {
    let least = Infinity, most = -Infinity;
    for (const p of points) {
      const x = p.dot(axis), z = p.dot(ahead);
      least = Math.min(least, x - low * z);
      most = Math.max(most, x - high * z);
    }
    return { least, most };
  };
  let middle = 0, nearest = Infinity; // depth of the points
  for (const p of points) {
    middle += p.dot(ahead) / points.length;
    nearest = Math.min(nearest, p.dot(ahead));
  }
  let best: { d: number; x: number; y: number } | null = null;
  for (const room of rooms) {
    const across = { low: (2 * room.left - 1) * tangent * camera.aspect, high: (2 * room.right - 1) * tangent * camera.aspect };
    const upward = { low: (1 - 2 * room.bottom) * tangent, high: (1 - 2 * room.top) * tangent };
    const sides = spread(right, across), heights = spread(above, upward);
    const d = Math.min(farthest(sides, across), farthest(heights, upward), nearest - 0.05);
    if (!best || middle - d < 0.8 * (middle - best.d)) best = { d, x: between(sides, across, d), y: between(heights, upward, d) };
  }
  if (!best) return;
  // It turns about a point as deep as the scene, straight ahead of the eye.
  const eye = new Vector3().addScaledVector(ahead, best.d).addScaledVector(right, best.x).addScaledVector(above, best.y);
  const distance = Math.max(0.05, middle - best.d);
  orbit.jump({ azimuth, elevation, distance, target: eye.addScaledVector(ahead, distance) });
}
