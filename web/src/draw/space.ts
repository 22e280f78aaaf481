// From metres to drawing units: the scene becomes about 1 in size, whether it is a hair or a bridge, so that near, far and shadows fit.
import { Box3, Vector3 } from "three";
import type { Description, FrameData, Vec3 } from "../protocol";

const finite = (v: Vec3): boolean => v.every(Number.isFinite);

export class Space {
  centre: Vec3 = [0, 0, 0]; // [m]
  scale = 1; // drawing units per metre
  up = new Vector3(0, 0, 1);
  readonly start = new Box3(); // the descriptions' boxes, in drawing units

  constructor(runs: Description[]) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    let longest = 0;
    for (const run of runs) {
      if (finite(run.low) && finite(run.high))
        for (let i = 0; i < 3; ++i) {
          low[i] = Math.min(low[i], run.low[i]);
          high[i] = Math.max(high[i], run.high[i]);
        }
      for (const rod of run.rods) longest = Math.max(longest, rod.length || 0);
    }
    let size = 0;
    if (low[0] <= high[0]) {
      this.centre = [0, 1, 2].map((i) => (low[i] + high[i]) / 2) as Vec3;
      size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    }
    size = Math.max(size, 0.2 * longest);
    this.scale = size > 0 ? 1 / size : 1;
    if (low[0] <= high[0]) this.start.set(this.toDrawing(low as Vec3), this.toDrawing(high as Vec3));
    const pulling = runs.find((run) => run.gravity && Math.hypot(...run.gravity) > 0);
    if (pulling) this.up.set(-pulling.gravity[0], -pulling.gravity[1], -pulling.gravity[2]).normalize();
  }
  toDrawing(point: ArrayLike<number>): Vector3 {
    return new Vector3((point[0] - this.centre[0]) * this.scale, (point[1] - this.centre[1]) * this.scale, (point[2] - this.centre[2]) * this.scale);
  }
  toMetres(point: Vector3): Vec3 {
    return [point.x / this.scale + this.centre[0], point.y / this.scale + this.centre[1], point.z / this.scale + this.centre[2]];
  }
  // Where a run's origin lies.
  origin(run: Description): Vector3 { return this.toDrawing(run.origin); }
}

// Box around a frame's nodes and bodies, in drawing units.
export function boundsOf(frame: FrameData, origin: Vector3, scale: number): Box3 {
  const box = new Box3();
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const grow = (data: Float32Array, stride: number) => {
    for (let i = 0; i + 2 < data.length; i += stride)
      for (let axis = 0; axis < 3; ++axis) {
        const x = data[i + axis];
        if (x < low[axis]) low[axis] = x;
        if (x > high[axis]) high[axis] = x;
      }
  };
  grow(frame.positions, 3);
  grow(frame.bodies, 7);
  if (low[0] <= high[0] && Number.isFinite(low[0] + low[1] + low[2] + high[0] + high[1] + high[2]))
    box.set(new Vector3(...low).multiplyScalar(scale).add(origin), new Vector3(...high).multiplyScalar(scale).add(origin));
  return box;
}
