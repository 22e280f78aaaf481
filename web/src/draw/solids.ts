// Bodies and obstacles of one run.
import { Group, Mesh, Quaternion, ShaderMaterial, Vector3 } from "three";
import type { Description, FrameData } from "../protocol";
import { Ground, roundStep } from "./ground";
import { matte, matteDepth, shapeGeometry } from "./matte";
import { linear, type Shading } from "./shading";
import type { Space } from "./space";

export class Solids {
  readonly group = new Group();
  readonly bodies: Mesh[] = [];
  readonly planes: Ground[] = [];
  readonly still: Mesh[] = []; // obstacles of finite size
  private moving: (Mesh | Ground)[] = [];
  private bodyColour = new Vector3();
  private obstacleColour = new Vector3();
  private depth = matteDepth();
  private materials: ShaderMaterial[];

  constructor(private description: Description, private space: Space, private shading: Shading) {
    const forBodies = matte(shading, this.bodyColour), forObstacles = matte(shading, this.obstacleColour);
    this.materials = [forBodies, forObstacles, this.depth];
    for (const body of description.bodies ?? []) {
      const mesh = this.solid(shapeGeometry(body.shape, space.scale), forBodies);
      this.bodies.push(mesh);
    }
    for (const obstacle of description.obstacles ?? []) {
      let made: Mesh | Ground;
      if ("plane" in obstacle.shape) {
        made = new Ground(shading, 0.85);
        made.mesh.userData.normal = new Vector3(...obstacle.shape.plane.normal).normalize();
        this.planes.push(made);
        this.group.add(made.mesh);
      } else this.still.push((made = this.solid(shapeGeometry(obstacle.shape, space.scale), forObstacles)));
      this.pose(made, obstacle.pose, 0, [0, 0, 0]);
      if (obstacle.moves) this.moving.push(made);
    }
    this.recolour();
  }
  private solid(geometry: ReturnType<typeof shapeGeometry>, material: ShaderMaterial): Mesh {
    const mesh = new Mesh(geometry ?? undefined, material);
    mesh.userData.depth = this.depth;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }
  private pose(made: Mesh | Ground, data: ArrayLike<number>, at: number, origin: ArrayLike<number>): void {
    const where = this.space.toDrawing([data[at] + origin[0], data[at + 1] + origin[1], data[at + 2] + origin[2]]);
    const turn = new Quaternion(data[at + 3], data[at + 4], data[at + 5], data[at + 6]).normalize();
    if (made instanceof Ground) {
      made.place(where, (made.mesh.userData.normal as Vector3).clone().applyQuaternion(turn), 5, roundStep(0.16 / this.space.scale) * this.space.scale);
      return;
    }
    made.position.copy(where);
    made.quaternion.copy(turn);
    made.updateMatrixWorld();
  }
  show(frame: FrameData): void {
    const { origin } = this.description;
    this.bodies.forEach((mesh, i) => { if (7 * i + 6 < frame.bodies.length) this.pose(mesh, frame.bodies, 7 * i, origin); });
    this.moving.forEach((made, i) => { if (7 * i + 6 < frame.obstacles.length) this.pose(made, frame.obstacles, 7 * i, origin); });
  }
  recolour(): void {
    this.bodyColour.copy(linear(this.shading.theme.body));
    this.obstacleColour.copy(linear(this.shading.theme.obstacle));
    for (const plane of this.planes) plane.recolour();
  }
  dispose(): void {
    for (const plane of this.planes) plane.dispose();
    for (const child of this.group.children) (child as Mesh).geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}
