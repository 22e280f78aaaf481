// The view: runs in, pictures out. Puts together rods, solids, markers, ground, light and camera.
import { Box3, PerspectiveCamera, Plane, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import type { Description, FrameData, Vec3 } from "../protocol";
import { ColourScale } from "./colour";
import { cornersOf, frameScene } from "./framing";
import { Background, Ground, roundStep } from "./ground";
import { Markers } from "./markers";
import { Orbit } from "./orbit";
import { pick, pointAt, type PickableRun } from "./picking";
import { Quality } from "./quality";
import { RodBatch } from "./rod_batch";
import { valuesOf } from "./rod_data";
import type { Camera, Legend, Look, Picked, RodView, Room } from "./rod_view";
import { DARK, LIGHT, Shading } from "./shading";
import { Shadow } from "./shadow";
import { Solids } from "./solids";
import { boundsOf, Space } from "./space";

interface Run { description: Description; rods: RodBatch; solids: Solids; markers: Markers; frame: FrameData | null; origin: Vector3; stale: boolean }

const FOV = 32;
const THINNEST = 0.75; // pixels, half

class View implements RodView {
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private eye = new PerspectiveCamera(FOV, 1, 0.01, 100);
  private shading = new Shading();
  private shadow = new Shadow(this.shading);
  private background = new Background();
  private ground = new Ground(this.shading, 0.5);
  private colours = new ColourScale();
  private quality: Quality;
  private orbit: Orbit;
  private space = new Space([]);
  private runs: Run[] = [];
  private look: Look = { colouring: "none", thickness: 1, frames: false, contacts: false, dark: false };
  private others: FrameData[] = []; // drawn elsewhere
  private seen = new Box3(); // where rods have been so far
  private groundLevel = 0; // along up
  private fitted = false;
  private size = { width: 1, height: 1, ratio: 1 };
  private borrowed = false; // the canvas has the size of a picture
  private lastDraw = 0;
  private lastReach = 0;
  private lastShade = "";
  private changes = 0; // of what casts shadows

  constructor(private canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.quality = new Quality(drawnBySoftware(this.renderer));
    this.orbit = new Orbit(canvas, this.eye);
    this.scene.add(this.background.mesh, this.ground.mesh);
    this.background.recolour(this.shading);
    this.resize();
  }

  setRuns(descriptions: Description[]): void {
    for (const run of this.runs) this.drop(run);
    this.space = new Space(descriptions);
    this.shading.uniforms.uUp.value.copy(this.space.up);
    this.orbit.setUp(this.space.up);
    this.runs = descriptions.map((description, index) => {
      const rods = new RodBatch(description, index, descriptions.length, this.shading, this.colours);
      const solids = new Solids(description, this.space, this.shading);
      const markers = new Markers(description, rods.data, this.space, this.shading);
      const origin = this.space.origin(description);
      rods.uniforms.uOrigin.value.copy(origin);
      rods.uniforms.uScale.value = this.space.scale;
      rods.group.visible = markers.group.visible = false; // until the first frame
      this.scene.add(rods.group, solids.group, markers.group);
      return { description, rods, solids, markers, frame: null, origin, stale: false };
    });
    this.seen.makeEmpty();
    ++this.changes;
    this.fitted = false;
    this.colours.restart();
    this.quality.restart();
    this.fit();
    this.fitted = false; // again with the first frame
  }

  show(index: number, frame: FrameData): void {
    const run = this.runs[index];
    if (!run || frame.generation !== run.description.generation) return;
    const first = run.frame === null;
    run.frame = frame;
    run.stale = true;
    ++this.changes;
    run.rods.write(frame, this.look.colouring);
    run.solids.show(frame);
    run.rods.group.visible = run.markers.group.visible = true;
    const box = boundsOf(frame, run.origin, this.space.scale);
    if (!box.isEmpty()) {
      const room = new Box3(new Vector3(-3, -3, -3), new Vector3(3, 3, 3)); // what flies away does not take the light along
      this.seen.union(box.intersect(room));
    }
    if (first && !this.fitted && this.runs.every((each) => each.frame)) this.fit();
  }

  alongside(frames: FrameData[]): void { this.others = frames; }

  setLook(look: Look): void {
    const recoloured = look.colouring !== this.look.colouring, themed = look.dark !== this.look.dark;
    this.look = { ...look };
    if (recoloured) {
      this.colours.choose(look.colouring);
      for (const run of this.runs) if (run.frame) run.rods.write(run.frame, look.colouring);
    }
    if (themed) {
      this.shading.setTheme(look.dark ? DARK : LIGHT);
      this.background.recolour(this.shading);
      this.ground.recolour();
      for (const run of this.runs) {
        run.rods.recolour();
        run.solids.recolour();
      }
    }
    for (const run of this.runs) run.stale = true;
    ++this.changes;
  }

  legend(): Legend | null {
    if (this.look.colouring === "contact" && !this.runs.some((run) => run.frame?.contact)) return null;
    return this.colours.legend();
  }

  pick(x: number, y: number): Picked | null {
    const runs: PickableRun[] = [], numbers: number[] = [];
    this.runs.forEach((run, index) => {
      if (!run.frame) return;
      runs.push({ description: run.description, data: run.rods.data, frame: run.frame, bodies: run.solids.bodies, origin: run.origin });
      numbers.push(index);
    });
    const hit = pick(runs, this.eye, this.space.scale, this.look.thickness, this.size.width, this.size.height, x, y);
    return hit && { ...hit, run: numbers[hit.run] };
  }

  dragPoint(x: number, y: number, through: Vec3): Vec3 {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / this.size.width - 1, 1 - (2 * y) / this.size.height), this.eye);
    const facing = this.eye.getWorldDirection(new Vector3());
    const at = ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(facing, this.space.toDrawing(through)), new Vector3());
    return at ? this.space.toMetres(at) : through;
  }

  camera(): Camera { return { position: this.space.toMetres(this.eye.position), target: this.space.toMetres(this.orbit.target) }; }
  setCamera({ position, target }: Camera): void {
    this.fitted = true;
    this.orbit.set(this.space.toDrawing(position), this.space.toDrawing(target));
  }
  onCamera(changed: (camera: Camera) => void): void { this.orbit.changed = () => changed(this.camera()); }
  enableOrbit(on: boolean): void { this.orbit.enabled = on; }

  fit(rooms: Room[] = [{ left: 0.08, right: 0.92, top: 0.1, bottom: 0.9 }], motion: Vec3[] = [], begins = !this.fitted): void {
    // What is there now, where it is known to go, and what it can touch.
    const points = motion.map((point) => this.space.toDrawing(point));
    for (const run of this.runs) {
      if (!run.frame) continue;
      const p = run.frame.positions, every = 3 * Math.max(1, Math.floor(p.length / 3 / 1500));
      for (let i = 0; i < p.length; i += every) points.push(new Vector3(p[i], p[i + 1], p[i + 2]).multiplyScalar(this.space.scale).add(run.origin));
      for (const body of run.solids.bodies) points.push(...cornersOf(new Box3().setFromObject(body)));
    }
    const box = new Box3().setFromPoints(points);
    if (begins || box.isEmpty()) box.union(this.space.start);
    if (box.isEmpty()) box.set(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
    if (points.length === 0 || (begins && !motion.length)) points.push(...cornersOf(box)); // the first frame may come late
    for (const run of this.runs) for (const solid of run.solids.still) points.push(...cornersOf(new Box3().setFromObject(solid)));
    if (begins) {
      const { up } = this.space, foot = lowest(box, up), swing = motion.length > 0 ? foot : Math.min(foot, ...this.runs.map((run) => swingsTo(run, this.space)));
      if (!this.fitted) this.groundLevel = swing - 0.08;
      // What hangs will swing: room below at the start, where its motion is not known.
      if (swing < foot) points.push(box.getCenter(new Vector3()).addScaledVector(up, swing - box.getCenter(new Vector3()).dot(up)));
    }
    frameScene(this.orbit, this.eye, points, this.space.up, rooms);
    if (!this.fitted) this.placeLight();
    this.fitted = this.runs.length > 0 && this.runs.every((run) => run.frame);
    this.seen.union(box);
  }

  // From the upper left of where one stands first; it stays there when one walks around.
  private placeLight(): void {
    const ahead = this.eye.getWorldDirection(new Vector3()), { up } = this.space;
    const level = ahead.clone().addScaledVector(up, -ahead.dot(up)).normalize();
    const right = new Vector3().crossVectors(level, up);
    this.shading.uniforms.uKey.value.copy(up).multiplyScalar(1).addScaledVector(level, -0.38).addScaledVector(right, -0.5).normalize();
  }

  project(point: Vec3): { x: number; y: number } {
    const at = this.space.toDrawing(point).project(this.eye);
    return { x: (0.5 + 0.5 * at.x) * this.size.width, y: (0.5 - 0.5 * at.y) * this.size.height };
  }

  aboveGround(point: Vec3): number {
    return this.ground.mesh.visible ? (this.space.toDrawing(point).dot(this.space.up) - this.groundLevel) / this.space.scale : Infinity; // planes of a scene are real
  }
  inside(point: Vec3): boolean {
    const at = this.space.toDrawing(point).project(this.eye);
    return Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1 && at.z < 1; // beyond 1: behind the eye
  }
  fibres(run: number, count: number, direct: boolean): Float32Array { return this.runs[run]?.rods.fibres.read(this.renderer, count, direct) ?? new Float32Array(0); }
  drawnFibres(run: number): number { return this.runs[run]?.rods.fibres.drawn ?? 0; }
  drawnEdges(run: number): number { return this.runs[run]?.rods.drawnEdges ?? 0; }
  perMetre(): number {
    return (this.size.height * this.space.scale) / (2 * Math.tan((FOV * Math.PI) / 360) * this.orbit.distance);
  }

  resize(): void {
    const width = Math.max(1, this.canvas.clientWidth || this.canvas.width), height = Math.max(1, this.canvas.clientHeight || this.canvas.height);
    this.setSize(width, height, Math.min(2, globalThis.devicePixelRatio || 1) * this.quality.resolution);
  }
  private setSize(width: number, height: number, ratio: number): void {
    this.size = { width, height, ratio };
    this.borrowed = false;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.eye.aspect = width / height;
    this.eye.updateProjectionMatrix();
  }

  draw(): void {
    const now = performance.now();
    const seconds = Math.min(0.1, (now - this.lastDraw) / 1000);
    if (this.quality.drew(now - this.lastDraw)) this.resize();
    else if (this.borrowed) this.setSize(this.size.width, this.size.height, this.size.ratio);
    this.lastDraw = now;
    this.orbit.update(seconds);
    this.render(this.quality.shadow, this.quality.vertices, this.quality.fibres);
  }

  private render(shadowSize: number, vertices: number, fibres: number): void {
    const distance = this.orbit.distance, { up } = this.space;
    this.updateColours();
    // Near and far follow the scene; the ground fades before far.
    const reach = this.orbit.target.length() + 1;
    this.eye.near = Math.max(0.004 * distance, distance - 4 * reach);
    this.eye.far = distance + 12 + 2 * reach;
    this.eye.updateProjectionMatrix();
    this.shading.uniforms.uFog.value.set(distance + 0.25, distance + 3.5);
    const size = 0.012 * distance;
    for (const run of this.runs) {
      if (run.frame && (run.stale || size !== this.lastReach)) run.markers.update(run.frame, this.look, size);
      run.stale = false;
    }
    this.lastReach = size;
    // The ground gives way at once when something comes to lie below it (a rod drawn through it would look like failed contact); a plane of the
    // scene takes its place.
    const floor = this.seen.isEmpty() ? 0 : lowest(this.seen, up) - 0.03;
    this.groundLevel = Math.min(this.groundLevel, floor);
    this.ground.mesh.visible = !this.runs.some((run) => run.solids.planes.some((plane) => plane.faces(up)));
    const middle = this.seen.isEmpty() ? new Vector3() : this.seen.getCenter(new Vector3());
    const foot = middle.clone().addScaledVector(up, this.groundLevel - middle.dot(up));
    this.ground.place(foot, up, 3.2, roundStep(0.16 / this.space.scale) * this.space.scale);
    const pixels = this.size.height / (2 * Math.tan((FOV * Math.PI) / 360) * distance);
    for (const { rods } of this.runs) {
      rods.fibres.prepare(this.renderer);
      rods.adapt(pixels, vertices, fibres);
    }
    const shade = `${shadowSize} ${this.changes} ${this.groundLevel}`;
    this.shadow.resize(shadowSize);
    if (shadowSize > 0 && shade === this.lastShade) this.shading.uniforms.uShadowOn.value = 1; // nothing moved but the eye
    else if (shadowSize > 0) {
      this.lastShade = shade;
      const radius = this.seen.isEmpty() ? 1 : 0.5 * this.seen.getSize(new Vector3()).length();
      this.shadow.aim(middle, Math.max(0.3, 1.15 * radius + 0.05));
      for (const { rods } of this.runs) rods.uniforms.uPixel.value.set(0, 0.6 * this.shadow.texel);
      this.shadow.render(this.renderer, this.scene);
    } else this.shading.uniforms.uShadowOn.value = 0;
    const pixel = (2 * Math.tan((FOV * Math.PI) / 360) * THINNEST) / this.size.height;
    for (const { rods } of this.runs) rods.uniforms.uPixel.value.set(pixel, 0);
    this.renderer.render(this.scene, this.eye);
  }

  private updateColours(): void {
    const { colouring, thickness } = this.look;
    if (colouring !== "none") {
      // Less than this over the whole scene is a straight, untwisted rod; forces have no such measure.
      const least = colouring === "curvature" || colouring === "twist" ? 0.02 * this.space.scale : 0;
      this.colours.follow([...this.runs.map((run) => run.frame), ...this.others].map((frame) => frame && valuesOf(frame, colouring)), least);
    }
    for (const { rods, frame } of this.runs) {
      const u = rods.uniforms;
      u.uThickness.value = thickness;
      rods.colour(!!frame && valuesOf(frame, colouring) !== null);
      u.uRange.value.set(this.colours.low, 1 / Math.max(1e-30, this.colours.high - this.colours.low));
    }
  }

  async picture(width: number, height: number, overlay?: (context: CanvasRenderingContext2D) => void): Promise<Blob> {
    const before = { ...this.size };
    const paper = document.createElement("canvas");
    paper.width = width;
    paper.height = height;
    const context = paper.getContext("2d")!;
    this.setSize(width, height, 1);
    this.render(this.quality.bestShadow, this.quality.bestVertices, this.quality.bestFibres);
    context.drawImage(this.canvas, 0, 0, width, height); // before the browser takes the buffer back
    // The canvas gets its own size back with the next draw, so that a film does not draw everything twice.
    this.size = before;
    this.borrowed = true;
    this.eye.aspect = before.width / before.height;
    this.eye.updateProjectionMatrix();
    overlay?.(context);
    return new Promise((done, fail) => paper.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture could not be made"))), "image/png"));
  }

  private drop(run: Run): void {
    this.scene.remove(run.rods.group, run.solids.group, run.markers.group);
    run.rods.dispose();
    run.solids.dispose();
    run.markers.dispose();
  }
  dispose(): void {
    for (const run of this.runs) this.drop(run);
    this.runs = [];
    this.orbit.dispose();
    this.shadow.dispose();
    this.ground.dispose();
    this.background.dispose();
    this.colours.texture.dispose();
    this.renderer.dispose();
  }
}

function drawnBySoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext(), names = gl.getExtension("WEBGL_debug_renderer_info");
  return names !== null && /swiftshader|llvmpipe|software|basic render/i.test(String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)));
}
const lowest = (box: Box3, up: Vector3): number => Math.min(...cornersOf(box).map((corner) => corner.dot(up)));

// How low a rod comes that swings stiffly about the one place where it is held, along up; what stands on that place does not swing.
function swingsTo({ description, frame, rods, origin }: Run, space: Space): number {
  if (!frame || description.mode !== "dynamics" || Math.hypot(...description.gravity) === 0) return Infinity;
  let level = Infinity;
  rods.data.layout.forEach((rod, r) => {
    const held = description.clamps.filter((clamp) => clamp.rod === r && clamp.hold.includes("position"));
    const at = held.length === 1 ? pointAt(description, rods.data, frame, r, held[0].material) : null;
    if (!at) return;
    const foot = space.toDrawing(at), height = foot.dot(space.up), node = new Vector3();
    for (let k = rod.first; k < rod.first + rod.nodes; ++k) {
      node.fromArray(frame.positions, 3 * k).multiplyScalar(space.scale).add(origin);
      const reach = node.distanceTo(foot);
      if (node.dot(space.up) - height < 0.7 * reach) level = Math.min(level, height - reach);
    }
  });
  return level;
}

export function makeRodView(canvas: HTMLCanvasElement): RodView {
  return new View(canvas);
}
