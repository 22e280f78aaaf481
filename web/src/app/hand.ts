// Taking hold of a rod with the mouse or fingers: on a rod a drag is a hand of the program, elsewhere it turns the camera.
import type { Picked } from "../draw/rod_view";
import type { ToProgram, Vec3 } from "../protocol";
import { perFrame } from "./dom";
import type { Pane, Stage } from "./stage";

const mostHands = 8;

export class Hands {
  readonly held = new Map<number, { hand: number; through: Vec3 }>(); // by pointer

  constructor(private readonly stage: Stage, private readonly send: (message: ToProgram) => void) {
    stage.element.addEventListener("pointerdown", (event) => this.down(event), true); // before the camera hears of it
    stage.element.addEventListener("pointermove", (event) => this.move(event), true);
    for (const kind of ["pointerup", "pointercancel"]) stage.element.addEventListener(kind, (event) => this.up(event as PointerEvent), true);
  }
  releaseAll(): void {
    for (const pointer of [...this.held.keys()]) this.release(pointer);
  }

  private pick(event: PointerEvent): [Pane, Picked] | null {
    const pane = this.stage.panes.find((one) => one.canvas === event.target);
    const picked = pane?.view.pick(event.offsetX, event.offsetY);
    return pane && picked && (picked.rod >= 0 || picked.body >= 0) ? [pane, picked] : null;
  }
  private down(event: PointerEvent): void {
    if (event.button !== 0 || this.held.has(event.pointerId)) return;
    const found = this.pick(event);
    const hand = [...Array(mostHands).keys()].map((k) => k + 1).find((k) => ![...this.held.values()].some((one) => one.hand === k));
    if (!found || !hand) return;
    const [pane, picked] = found;
    event.stopPropagation();
    event.preventDefault();
    pane.canvas.setPointerCapture(event.pointerId);
    pane.view.enableOrbit(false);
    this.held.set(event.pointerId, { hand, through: picked.position });
    this.stage.element.classList.add("holding");
    const what = picked.rod >= 0 ? { rod: picked.rod, material: picked.material } : { body: picked.body };
    this.send({ do: "grab", hand, ...what, position: picked.position });
  }
  private move(event: PointerEvent): void {
    if (this.held.has(event.pointerId)) {
      event.stopPropagation();
      this.follow(event);
    } else if (event.buttons === 0) {
      this.hover(event);
    }
  }
  private readonly follow = perFrame((event: PointerEvent) => {
    const holding = this.held.get(event.pointerId);
    const pane = this.stage.panes[0];
    if (!holding || !pane) return;
    const box = pane.canvas.getBoundingClientRect();
    this.send({ do: "move", hand: holding.hand, position: pane.view.dragPoint(event.clientX - box.left, event.clientY - box.top, holding.through) });
  });
  private readonly hover = perFrame((event: PointerEvent) => {
    if (event.pointerType === "mouse") this.stage.element.classList.toggle("over-rod", !!this.pick(event));
  });
  private up(event: PointerEvent): void {
    if (!this.held.has(event.pointerId)) return;
    event.stopPropagation();
    this.release(event.pointerId);
  }
  private release(pointer: number): void {
    const holding = this.held.get(pointer);
    if (!holding) return;
    this.held.delete(pointer);
    this.send({ do: "release", hand: holding.hand });
    if (this.held.size) return;
    for (const pane of this.stage.panes) pane.view.enableOrbit(true);
    this.stage.element.classList.remove("holding");
  }
}
