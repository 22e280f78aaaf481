// Clamps, hands, material frames and contacts of one run: instances written anew when a frame or the look changes.
import { BoxGeometry, CylinderGeometry, Group, Quaternion, SphereGeometry, Vector3, type InstancedMesh } from "three";
import type { Description, FrameData } from "../protocol";
import { arrowGeometry, Instances, matte, matteDepth } from "./matte";
import { edgeAt, pointAt } from "./picking";
import type { RodData } from "./rod_data";
import type { Look } from "./rod_view";
import { linear, type Shading } from "./shading";
import type { Space } from "./space";
import { Springs } from "./springs";

const D1 = linear("#d1442a"), D2 = linear("#2e9e63"), D3 = linear("#3c6fd1");
const ACCENT = linear("#f0812a"), NORMAL = linear("#7a8794"), FORCE = linear("#c2317a");
const PLACES = 60, CONTACTS = 400;

export class Markers {
  readonly group = new Group();
  readonly springs: Springs;
  private boxes: Instances;
  private collars: Instances;
  private balls: Instances;
  private arrows: Instances;
  private contacts: Instances;
  private forceScale = 0;
  private x = new Vector3();
  private y = new Vector3();
  private z = new Vector3();
  private turn = new Quaternion();

  constructor(private description: Description, private data: RodData, private space: Space, private shading: Shading) {
    const attach = (mesh: InstancedMesh, old: InstancedMesh | null) => {
      if (old) this.group.remove(old);
      this.group.add(mesh);
    };
    const made = (geometry: ConstructorParameters<typeof Instances>[0]) => new Instances(geometry, matte(shading, new Vector3(), 0.1), matteDepth(), attach);
    this.boxes = made(new BoxGeometry(2, 2, 2));
    this.collars = made(new CylinderGeometry(1, 1, 2, 28).rotateX(Math.PI / 2));
    this.balls = made(new SphereGeometry(1, 24, 16));
    this.arrows = made(arrowGeometry());
    // Contacts lie between surfaces: their arrows are seen through what hides them.
    const through = matte(shading, new Vector3(), 0.1);
    through.depthTest = through.depthWrite = false;
    through.transparent = true;
    this.contacts = new Instances(arrowGeometry(), through, null, (mesh, old) => {
      attach(mesh, old);
      mesh.renderOrder = 20;
    });
    this.springs = new Springs(shading, ACCENT);
    this.group.add(this.springs.mesh);
  }

  // `reach`: a length that looks the same on the screen at any zoom (about 1 % of the picture's height).
  update(frame: FrameData, look: Look, reach: number): void {
    const places = Math.min(PLACES, this.data.totalEdges), contacts = Math.min(CONTACTS, frame.contacts.length / 10);
    this.boxes.begin(this.description.clamps.length);
    this.collars.begin(this.description.clamps.length);
    this.balls.begin(this.description.clamps.length + this.description.couplings.length + (2 * frame.hands.length) / 9);
    this.arrows.begin(3 * places);
    this.contacts.begin(2 * contacts);
    this.clamps(frame, look);
    this.hands(frame, look, reach);
    if (look.frames) this.materialFrames(frame, look);
    if (look.contacts) this.contactArrows(frame, contacts);
    for (const instances of [this.boxes, this.collars, this.balls, this.arrows, this.contacts]) instances.end();
  }

  private point(array: ArrayLike<number>, at: number): Vector3 {
    const { origin } = this.description;
    return this.space.toDrawing([array[at] + origin[0], array[at + 1] + origin[1], array[at + 2] + origin[2]]);
  }
  private axes(frame: FrameData, edge: number, sizes: [number, number, number]): void {
    const q = frame.orientations;
    this.turn.set(q[4 * edge], q[4 * edge + 1], q[4 * edge + 2], q[4 * edge + 3]).normalize();
    this.x.set(sizes[0], 0, 0).applyQuaternion(this.turn);
    this.y.set(0, sizes[1], 0).applyQuaternion(this.turn);
    this.z.set(0, 0, sizes[2]).applyQuaternion(this.turn);
  }
  // First edge of a rod in the frame's arrays.
  private edgeStart(rod: number): number {
    let sum = 0;
    for (let r = 0; r < rod; ++r) sum += this.data.layout[r].edges;
    return sum;
  }

  private clamps(frame: FrameData, look: Look): void {
    const colour = linear(this.shading.theme.clamp);
    const crowd = this.description.clamps.length > 24;
    for (const clamp of this.description.clamps) {
      const rod = this.data.layout[clamp.rod];
      if (!rod || rod.edges === 0) continue;
      if (frame.time <= (clamp.from ?? -1) || frame.time > (clamp.until ?? Infinity)) continue; // it holds nothing now
      const { length } = this.description.rods[clamp.rod], near = 1e-6 * length; // frames have their arc lengths in single precision
      const first = !rod.ring && clamp.material <= near, last = !rod.ring && clamp.material >= length - near;
      const found = edgeAt(this.description, this.data, frame, clamp.rod, clamp.material + near);
      const on = pointAt(this.description, this.data, frame, clamp.rod, clamp.material);
      if (!found || !on) continue;
      // A rod that is paid out has more nodes than at the start: what holds an end stays at the end.
      const edge = first ? 0 : last ? rod.edges - 1 : found.edge;
      const [a, b] = this.data.halfSizes(clamp.rod, edge);
      const wide = Math.max(a, b) * this.space.scale * look.thickness;
      const at = first || last ? this.point(frame.positions, 3 * (rod.first + (first ? 0 : rod.nodes - 1))) : this.space.toDrawing(on);
      const ends = first || last;
      const fixed = clamp.hold.includes("direction") || clamp.hold.includes("twist");
      const rim = crowd ? 0.5 * wide : Math.max(0.9 * Math.min(a, b) * this.space.scale * look.thickness, 0.01);
      const half = [a, b].map((x) => x * this.space.scale * look.thickness + rim);
      if (!fixed) {
        this.axes(frame, this.edgeStart(clamp.rod) + edge, [1.6 * wide, 1.6 * wide, 1.6 * wide]);
        if (!crowd) this.balls.add(this.x.setLength(Math.max(1.6 * wide, 0.008)), this.y.setLength(Math.max(1.6 * wide, 0.008)), this.z.setLength(Math.max(1.6 * wide, 0.008)), at, colour);
      } else if (ends) {
        this.axes(frame, this.edgeStart(clamp.rod) + edge, [half[0], half[1], 0.9 * rim]);
        this.boxes.add(this.x, this.y, this.z, at.addScaledVector(this.z, first ? -0.999 : 0.999), colour);
      } else {
        this.axes(frame, this.edgeStart(clamp.rod) + edge, [0.85 * half[0], 0.85 * half[1], 1.2 * rim]);
        this.collars.add(this.x, this.y, this.z, at, colour);
      }
    }
  }

  private hands(frame: FrameData, look: Look, reach: number): void {
    const ball = (at: Vector3, size: number, colour: Vector3) => this.balls.add(this.x.set(size, 0, 0), this.y.set(0, size, 0), this.z.set(0, 0, size), at, colour);
    const count = frame.hands.length / 9;
    this.springs.begin(count, reach);
    for (let h = 0; h < count; ++h) {
      const hand = this.point(frame.hands, 9 * h), held = this.point(frame.hands, 9 * h + 3);
      this.springs.add(held, hand);
      ball(hand, 0.8 * reach, ACCENT);
      ball(held, 0.5 * reach, ACCENT);
    }
    this.springs.end();
    for (const coupling of this.description.couplings) {
      const at = pointAt(this.description, this.data, frame, coupling.rod, coupling.material);
      if (!at) continue;
      const [a, b] = this.data.halfSizes(coupling.rod, edgeAt(this.description, this.data, frame, coupling.rod, coupling.material)?.edge ?? 0);
      ball(this.space.toDrawing(at), Math.max(1.5 * Math.max(a, b) * this.space.scale * look.thickness, 0.6 * reach), ACCENT);
    }
  }

  // x, y, z of the arrow: any pair across its direction.
  private arrow(to: Instances, at: Vector3, along: Vector3, thick: number, colour: Vector3): void {
    const size = along.length();
    if (!(size > 0)) return;
    this.x.set(Math.abs(along.x) < 0.7 * size ? 1 : 0, Math.abs(along.x) < 0.7 * size ? 0 : 1, 0).cross(along).setLength(thick);
    this.y.crossVectors(along, this.x).setLength(thick);
    to.add(this.x, this.y, along, at, colour);
  }

  private materialFrames(frame: FrameData, look: Look): void {
    const total = this.data.totalEdges;
    const every = Math.max(1, Math.ceil(total / PLACES));
    let start = 0;
    const along = new Vector3();
    this.data.layout.forEach((rod, r) => {
      for (let k = 0; k < rod.edges; ++k) {
        const edge = start + k;
        if (edge % every !== every >> 1 && total > PLACES) continue;
        const [a, b] = this.data.halfSizes(r, k);
        const wide = Math.max(a, b) * this.space.scale * look.thickness;
        const size = Math.min(0.14, Math.max(0.05, 1.2 * wide + 0.03));
        const next = rod.ring && k === rod.edges - 1 ? 0 : k + 1;
        const at = this.point(frame.positions, 3 * (rod.first + k)).lerp(this.point(frame.positions, 3 * (rod.first + next)), 0.5);
        this.axes(frame, edge, [1, 1, 1]);
        const directions = [this.x.clone(), this.y.clone(), this.z.clone()];
        directions.forEach((d, i) => this.arrow(this.arrows, at, along.copy(d).multiplyScalar(size), size, [D1, D2, D3][i]));
      }
      start += rod.edges;
    });
  }

  private contactArrows(frame: FrameData, count: number): void {
    const all = frame.contacts;
    let largest = 0;
    for (let c = 0; c < count; ++c) largest = Math.max(largest, Math.hypot(all[10 * c + 6], all[10 * c + 7], all[10 * c + 8]));
    this.forceScale += (largest > this.forceScale ? 0.5 : 0.05) * (largest - this.forceScale);
    const along = new Vector3();
    for (let c = 0; c < count; ++c) {
      const at = this.point(all, 10 * c);
      this.arrow(this.contacts, at, along.set(all[10 * c + 3], all[10 * c + 4], all[10 * c + 5]).multiplyScalar(0.05), 0.05, NORMAL);
      along.set(all[10 * c + 6], all[10 * c + 7], all[10 * c + 8]);
      const size = along.length();
      if (size > 0 && this.forceScale > 0) this.arrow(this.contacts, at, along.multiplyScalar((0.02 + 0.11 * Math.min(1.5, size / this.forceScale)) / size), 0.09, FORCE);
    }
  }

  dispose(): void {
    for (const instances of [this.boxes, this.collars, this.balls, this.arrows, this.contacts]) instances.dispose();
    this.springs.dispose();
  }
}
