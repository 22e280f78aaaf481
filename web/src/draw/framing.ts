// Where to stand so that the whole scene is in the picture, a little from above and from the side that shows most of it.
import { Box3, Vector3, type PerspectiveCamera } from "three";
import type { Orbit } from "./orbit";

const corners = (box: Box3): Vector3[] =>
  Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));

export function frameScene(orbit: Orbit, camera: PerspectiveCamera, box: Box3, points: Vector3[], up: Vector3): void {
  const [e1, e2] = orbit.axes();
  const all = [...corners(box)];
  const extent = (axis: Vector3) => {
    const along = all.map((p) => p.dot(axis));
    return Math.max(...along) - Math.min(...along);
  };
  const wide = extent(e1), deep = extent(e2), tall = extent(up);
  const flat = tall < 0.12 * Math.max(wide, deep) && Math.min(wide, deep) > 0.25 * Math.max(wide, deep);
  const elevation = flat ? 0.66 : 0.3;
  const azimuth = (wide >= deep ? -Math.PI / 2 : 0) + 0.5;
  const ahead = orbit.direction(azimuth, elevation).negate();
  const right = new Vector3().crossVectors(ahead, up).normalize(), above = new Vector3().crossVectors(right, ahead);
  const tangent = Math.tan((camera.fov * Math.PI) / 360);
  const used = points.length > 0 ? points : all;
  const middle = box.getCenter(new Vector3());
  let distance = 0.05;
  // Twice: first to find the distance, then to put what is seen in the middle.
  for (let pass = 0; pass < 3; ++pass) {
    distance = 0.05;
    let left = Infinity, most = -Infinity, bottom = Infinity, top = -Infinity;
    for (const point of used) {
      const p = point.clone().sub(middle);
      const z = p.dot(ahead), x = p.dot(right), y = p.dot(above);
      distance = Math.max(distance, Math.abs(x) / (0.84 * tangent * camera.aspect) - z, Math.abs(y) / (0.78 * tangent) - z);
      left = Math.min(left, x);
      most = Math.max(most, x);
      bottom = Math.min(bottom, y);
      top = Math.max(top, y);
    }
    if (pass < 2 && left <= most) middle.addScaledVector(right, (left + most) / 2).addScaledVector(above, (bottom + top) / 2);
  }
  orbit.jump({ azimuth, elevation, distance, target: middle });
}
