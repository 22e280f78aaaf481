// Orbit, pan and zoom with damping, in drawing units, about a free "up". Left: orbit; right, middle or shift: pan; wheel: zoom to the cursor.
import { PerspectiveCamera, Vector3 } from "three";

interface Pose { azimuth: number; elevation: number; distance: number; target: Vector3 }

export class Orbit {
  enabled = true;
  changed: () => void = () => {};
  private up = new Vector3(0, 0, 1);
  private e1 = new Vector3(1, 0, 0);
  private e2 = new Vector3(0, 1, 0);
  private wanted: Pose = { azimuth: -1, elevation: 0.35, distance: 3, target: new Vector3() };
  private now: Pose = { ...this.wanted, target: new Vector3() };
  private pointers = new Map<number, { x: number; y: number }>();
  private removers: (() => void)[] = [];

  constructor(private canvas: HTMLCanvasElement, private camera: PerspectiveCamera) {
    canvas.style.touchAction = "none";
    const listen = <K extends keyof HTMLElementEventMap>(name: K, act: (event: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions) => {
      canvas.addEventListener(name, act as EventListener, options);
      this.removers.push(() => canvas.removeEventListener(name, act as EventListener));
    };
    listen("pointerdown", (event) => {
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      canvas.setPointerCapture(event.pointerId);
    });
    listen("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"] as const) listen(name, (event) => this.pointers.delete(event.pointerId));
    listen("wheel", (event) => {
      event.preventDefault();
      if (!this.enabled) return;
      const lines = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 400 : 1;
      this.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.0016), event.clientX, event.clientY);
    }, { passive: false });
    listen("contextmenu", (event) => event.preventDefault());
  }

  setUp(up: Vector3): void {
    this.up.copy(up).normalize();
    const start = Math.abs(this.up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    this.e1.copy(start).addScaledVector(this.up, -start.dot(this.up)).normalize();
    this.e2.crossVectors(this.up, this.e1);
  }
  // World axes of the ground plane.
  axes(): [Vector3, Vector3] { return [this.e1, this.e2]; }

  set(position: Vector3, target: Vector3): void {
    const away = position.clone().sub(target);
    const distance = Math.max(away.length(), 1e-6);
    away.divideScalar(distance);
    const elevation = Math.asin(Math.max(-1, Math.min(1, away.dot(this.up))));
    const azimuth = Math.atan2(away.dot(this.e2), away.dot(this.e1));
    this.jump({ azimuth, elevation, distance, target });
  }
  jump(pose: Pose): void {
    this.wanted = { ...pose, target: pose.target.clone() };
    this.now = { ...pose, target: pose.target.clone() };
    this.apply();
  }
  get target(): Vector3 { return this.now.target; }
  get distance(): number { return this.now.distance; }

  direction(azimuth: number, elevation: number): Vector3 {
    return new Vector3().addScaledVector(this.e1, Math.cos(elevation) * Math.cos(azimuth)).addScaledVector(this.e2, Math.cos(elevation) * Math.sin(azimuth))
      .addScaledVector(this.up, Math.sin(elevation));
  }

  // Goes on towards what the mouse wants; true while it moves.
  update(seconds: number): boolean {
    const share = 1 - Math.exp(-seconds / 0.055);
    const { now, wanted } = this;
    const away = Math.abs(wanted.azimuth - now.azimuth) + Math.abs(wanted.elevation - now.elevation) + Math.abs(Math.log(wanted.distance / now.distance))
      + wanted.target.distanceTo(now.target) / now.distance;
    if (away === 0) return false;
    const go = away < 1e-4 ? 1 : share;
    now.azimuth += go * (wanted.azimuth - now.azimuth);
    now.elevation += go * (wanted.elevation - now.elevation);
    now.distance *= (wanted.distance / now.distance) ** go;
    now.target.lerp(wanted.target, go);
    if (go === 1) this.now = { ...wanted, target: wanted.target.clone() };
    this.apply();
    this.changed();
    return true;
  }

  private apply(): void {
    const { azimuth, elevation, distance, target } = this.now;
    this.camera.position.copy(target).addScaledVector(this.direction(azimuth, elevation), distance);
    this.camera.up.copy(this.up);
    this.camera.lookAt(target);
    this.camera.updateMatrixWorld();
  }

  private move(event: PointerEvent): void {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last.x, dy = event.clientY - last.y;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    if (this.enabled) {
      if (others.length > 0) {
        const other = others[0];
        const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (before > 0 && after > 0) this.zoom(before / after, (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
        this.pan(dx / 2, dy / 2);
      } else if (event.buttons & 6 || event.shiftKey || event.ctrlKey) this.pan(dx, dy);
      else {
        const turn = 5.2 / Math.max(200, this.canvas.clientHeight);
        this.wanted.azimuth -= dx * turn;
        this.wanted.elevation = Math.max(-1.56, Math.min(1.56, this.wanted.elevation + dy * turn));
      }
    }
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  private perPixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.wanted.distance) / Math.max(1, this.canvas.clientHeight);
  }
  private pan(dx: number, dy: number): void {
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0), up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.wanted.target.addScaledVector(right, -dx * this.perPixel()).addScaledVector(up, dy * this.perPixel());
  }
  private zoom(factor: number, x: number, y: number): void {
    const distance = Math.max(1e-4, Math.min(200, this.wanted.distance * factor));
    const box = this.canvas.getBoundingClientRect();
    const share = 1 - distance / this.wanted.distance;
    this.pan(-share * (x - box.left - box.width / 2), -share * (y - box.top - box.height / 2));
    this.wanted.distance = distance;
  }
  dispose(): void { for (const remove of this.removers) remove(); }
}
