// Where the rods are drawn: one canvas, or one beside the other with linked cameras, each with its legend.
import { makeRodView, type Camera, type Legend, type Look, type RodView, type Room } from "../draw/rod_view";
import type { Description, FrameData, Vec3 } from "../protocol";
import type { Layout, Words } from "./address";
import { Compass } from "./compass";
import { colourings } from "./address";
import { el, remember, remembered, setHidden, setText, short, withUnit } from "./dom";
import { onTheme, theme } from "./theme";

export interface Pane { box: HTMLElement; canvas: HTMLCanvasElement; view: RodView; first: number; caption: HTMLElement; legend: LegendBox; compass: Compass; lost: HTMLElement; forces: HTMLElement }

class LegendBox {
  readonly element = el("div", { class: "legend", role: "img" });
  private readonly title = el("div", { class: "legend-title" });
  private readonly bar = el("div", { class: "legend-bar" });
  private readonly ticks = el("div", { class: "legend-ticks" });
  private colours = "";

  constructor() {
    this.element.append(this.title, this.bar, this.ticks);
  }
  // Whether it reads differently now.
  update(legend: Legend | null): boolean {
    setHidden(this.element, !legend);
    if (!legend) return false;
    setText(this.title, legend.unit ? `${legend.title} [${legend.unit}]` : legend.title);
    const colours = legend.colours.join(",");
    if (colours !== this.colours) this.bar.style.background = `linear-gradient(to right, ${(this.colours = colours)})`;
    const marks = [legend.low, (legend.low + legend.high) / 2, legend.high].map((value) => short(value, 2));
    if (this.ticks.childElementCount !== 3) this.ticks.replaceChildren(...marks.map((mark) => el("span", {}, mark)));
    marks.forEach((mark, k) => setText(this.ticks.children[k]!, mark));
    const words = `${legend.title} from ${marks[0]} to ${marks[2]} ${legend.unit}`;
    const changed = this.element.getAttribute("aria-label") !== words;
    if (changed) this.element.setAttribute("aria-label", words);
    return changed;
  }
}

function pointsOf({ origin }: Description, { positions: p }: FrameData): Vec3[] {
  return Array.from({ length: p.length / 3 }, (_, k): Vec3 => [p[3 * k]! + origin[0], p[3 * k + 1]! + origin[1], p[3 * k + 2]! + origin[2]]);
}

export class Stage {
  readonly element = el("div", { class: "stage" });
  panes: Pane[] = [];
  look: Look;
  private runs: Description[] = [];
  private frames: FrameData[] = []; // the last of each run
  private placed = false; // the camera has been set for these runs
  untouched = true; // and not by the user
  private begins = true; // it has been set for the start, with room to swing
  private awakeUntil = 0;
  private undrawn = false; // something has changed since the last picture
  private legendAt = 0;
  onDraw: () => void = () => {};
  touches = false; // a frame of this scene had contacts
  onContacts: (possible: boolean) => void = () => {};
  motion: (run: number) => Vec3[] = () => []; // points that shall fit into the picture besides those of the frame shown, absolute [m]
  follows = false; // steps back when rods leave the picture, as long as the user has not moved the view himself
  private trail: Vec3[] = []; // where they have been, then
  reserved = { top: 0, bottom: 0 }; // fractions of the picture's height that writing in it takes

  constructor(words: Words) {
    const kept = remembered("colour");
    this.look = {
      colouring: words.colour ?? colourings.find((name) => name === kept) ?? "none",
      thickness: 1, frames: false, contacts: words.contacts ?? !words.plain, dark: theme() === "dark",
    };
    onTheme(() => this.setLook({ dark: theme() === "dark" }));
    new ResizeObserver(() => {
      for (const pane of this.panes) pane.view.resize();
      if (this.placed && this.untouched) this.place(this.begins); // plots and panels find their place after the first picture
      this.draw(performance.now()); // at once: a resized canvas is empty
    }).observe(this.element);
    for (const kind of ["pointerdown", "pointermove", "wheel"]) this.element.addEventListener(kind, () => this.wake(), { passive: true });
    const tick = (now: number): void => {
      requestAnimationFrame(tick);
      this.onDraw();
      if (this.undrawn || now < this.awakeUntil) this.draw(now); // on a busy machine the next tick may come when it would rest already
    };
    requestAnimationFrame(tick);
  }

  // The drawing ends where the foot of the page begins.
  stayAbove(foot: HTMLElement): void {
    new ResizeObserver(() => this.element.style.setProperty("--foot", `${foot.offsetHeight ? this.element.parentElement!.clientHeight - foot.offsetTop : 0}px`)).observe(foot);
  }
  // Boxes are joined and take in the whole motion, as far as it is known: linked cameras see all of each run, and the ground lies below it.
  setRuns(runs: Description[], layout: Layout, captions: [string, string][] = []): void {
    const low: Vec3 = [Infinity, Infinity, Infinity], high: Vec3 = [-Infinity, -Infinity, -Infinity];
    const take = (value: number, k: number): void => { low[k] = Math.min(low[k]!, value); high[k] = Math.max(high[k]!, value); };
    runs.forEach((run, index) => {
      run.low.forEach(take);
      run.high.forEach(take);
      for (const point of this.motion(index)) point.forEach(take);
    });
    if (this.runs.length && this.runs[0]!.name !== runs[0]!.name) this.touches = false;
    this.runs = runs.map((run) => ({ ...run, low, high }));
    this.onContacts(this.touches || runs.some((run) => run.obstacles.length > 0));
    const groups = layout === "side" ? this.runs.map((run) => [run]) : [this.runs];
    if (groups.length !== this.panes.length) this.rebuild(groups.length);
    this.panes.forEach((pane, k) => {
      pane.view.setRuns(groups[k]!);
      pane.view.setLook(this.look);
      const [name, facts] = layout === "side" ? captions[k] ?? ["", ""] : ["", ""];
      pane.caption.replaceChildren(el("strong", {}, name), el("span", {}, facts));
      setHidden(pane.caption, !name);
    });
    this.frames = [];
    this.trail = [];
    this.placed = false;
  }

  private rebuild(count: number): void {
    for (const pane of this.panes) pane.view.dispose();
    this.panes = [];
    this.element.replaceChildren();
    for (let k = 0; k < count; k++) {
      const canvas = el("canvas", { "aria-label": count > 1 ? `drawing of run ${k + 1}` : "drawing", role: "img", tabindex: "-1" });
      const caption = el("div", { class: "caption" });
      const legend = new LegendBox();
      const compass = new Compass(), forces = el("div", { class: "forces" });
      const lost = el("button", { type: "button", class: "lost", hidden: true, onclick: () => this.fit() });
      const box = el("div", { class: "pane" }, canvas, compass.element, forces, el("div", { class: "under" }, caption, legend.element), lost);
      this.element.append(box); // before the view measures its canvas
      const view = makeRodView(canvas);
      view.onCamera((camera) => {
        for (const other of this.panes) if (other.view !== view) other.view.setCamera(camera);
        this.untouched = false;
        this.wake();
      });
      this.panes.push({ box, canvas, view, first: k, caption, legend, compass, lost, forces });
    }
  }

  private paneOf(run: number): [Pane, number] {
    return this.panes.length > 1 ? [this.panes[run]!, 0] : [this.panes[0]!, run];
  }
  show(run: number, frame: FrameData): void {
    const [pane, index] = this.paneOf(run);
    pane.view.show(index, frame);
    this.frames[run] = frame;
    if (frame.contacts.length && !this.touches) this.onContacts(this.touches = true);
    for (const other of this.panes) if (other !== pane) other.view.alongside(this.frames.filter((one, k) => one && this.paneOf(k)[0] !== other));
    this.wake();
    if (this.placed || this.runs.some((_, k) => !this.frames[k])) return;
    this.place(true);
  }
  setLook(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    if (change.colouring) remember("colour", change.colouring);
    for (const pane of this.panes) pane.view.setLook(this.look);
    this.legendAt = 0;
    this.wake();
  }
  // All of the rods, now and wherever they are known to go, is seen and no panel hides any; all cameras are the first one's.
  fit(): void {
    this.place(false);
  }
  private place(begins: boolean): void {
    const pane = this.panes[0];
    if (!pane || !this.frames.length) return;
    const points = this.runs.flatMap((run, k) => [...this.motion(k), ...this.trail, ...(this.panes.length > 1 && this.frames[k] ? pointsOf(run, this.frames[k]!) : [])]);
    pane.view.fit(this.rooms(pane), points, begins);
    this.setCamera(pane.view.camera());
    this.untouched = true;
    this.begins = begins;
  }
  private panels(): Element[] {
    return [...(this.element.parentElement?.querySelectorAll(":scope > .panel") ?? [])];
  }
  // What the panels leave of a pane, in fractions of it: between them, or below one or both.
  private rooms({ canvas, box: element }: Pane): Room[] {
    const box = canvas.getBoundingClientRect();
    let left = 0, right = 1, underLeft = 0, underRight = 0;
    for (const panel of this.panels()) {
      const at = panel.getBoundingClientRect();
      if (!at.width || at.top - box.top > 0.5 * box.height) continue; // not shown, or at the foot
      const [from, to] = [at.left - box.left, at.right - box.left].map((x) => x / box.width) as [number, number], bottom = (at.bottom - box.top) / box.height;
      if (from < 1 - to) { left = Math.max(left, to); underLeft = Math.max(underLeft, bottom); }
      else { right = Math.min(right, from); underRight = Math.max(underRight, bottom); }
    }
    const written = element.querySelector(".under")!.getBoundingClientRect().height / box.height; // caption and legend
    const made = [{ left, right, top: 0 }, { left: 0, right: 1, top: Math.max(underLeft, underRight) }, { left, right: 1, top: underRight }, { left: 0, right, top: underLeft }]
      .map((room): Room => ({ ...room, top: Math.max(room.top, this.reserved.top), bottom: 1 - Math.max(written, this.reserved.bottom) }));
    const wide = made.filter((room) => room.right - room.left > 0.25 && room.bottom - room.top > 0.25);
    return (wide.length ? wide : [{ left: 0, right: 1, top: 0, bottom: 1 }])
      .map(({ left, right, top, bottom }) => { // some air around
        const x = 0.05 * (right - left), y = 0.07 * (bottom - top);
        return { left: left + x, right: right - x, top: top + y, bottom: bottom - y };
      });
  }
  camera(): Camera | null {
    return this.panes[0]?.view.camera() ?? null;
  }
  setCamera(camera: Camera, untouched = false): void {
    this.placed = true;
    this.untouched = untouched;
    for (const pane of this.panes) pane.view.setCamera(camera);
    this.wake();
  }
  // Drawing goes on for a while after anything has changed (colours and camera settle smoothly), then rests.
  wake(): void {
    this.awakeUntil = performance.now() + 700;
    this.undrawn = true;
  }
  draw(now: number): void {
    this.undrawn = false;
    for (const pane of this.panes) {
      pane.view.draw();
      pane.compass.update(pane.view);
      this.showForces(pane);
    }
    if (now - this.legendAt < 150) return;
    this.legendAt = now;
    for (const pane of this.panes) if (pane.legend.update(pane.view.legend())) this.wake(); // its range still settles
    for (const pane of this.panes) this.lookForRods(pane);
  }
  // How strongly hands (and couplings) pull, beside each.
  private showForces(pane: Pane): void {
    const labels: { x: number; y: number; text: string }[] = [];
    this.runs.forEach(({ origin }, k) => {
      const hands = this.frames[k]?.hands;
      if (!hands || this.paneOf(k)[0] !== pane) return;
      for (let h = 0; h + 8 < hands.length && labels.length < 16; h += 9) {
        const at = [0, 1, 2].map((i) => hands[h + i]! + origin[i]!) as Vec3;
        if (pane.view.inside(at)) labels.push({ ...pane.view.project(at), text: withUnit(Math.hypot(hands[h + 6]!, hands[h + 7]!, hands[h + 8]!), "N", 2) });
      }
    });
    const { forces } = pane;
    while (forces.childElementCount > labels.length) forces.lastElementChild!.remove();
    while (forces.childElementCount < labels.length) forces.append(el("span", { class: "force" }));
    labels.forEach(({ x, y, text }, k) => {
      const label = forces.children[k] as HTMLElement;
      label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      setText(label, text);
    });
  }
  // Takes in where the rods are now, unless they fly away: then the user is told.
  private follow({ low, high }: Description, points: Vec3[]): boolean {
    const size = Math.hypot(...high.map((x, k) => x - low[k]!));
    const near = points.filter((point) => point.every((x, k) => x > low[k]! - 2 * size && x < high[k]! + 2 * size));
    if (!this.trail.length) for (let k = 0; k < 8; k++) this.trail.push([0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i]!) as Vec3); // it steps back, never closer
    this.trail.push(...near);
    if (this.trail.length > 1500) this.trail = this.trail.filter((_, k) => k % 2 === 0);
    if (near.length) this.place(this.begins);
    return near.length > 0;
  }
  // Says so when the rods have left the picture or gone behind panels: none is seen, or less than half of them where the user has not gone there himself.
  private lookForRods(pane: Pane): void {
    let seen = 0, all = 0, followed = false;
    const held = this.element.classList.contains("holding"); // whoever pulls at a rod needs a view that stands still
    const { left, top } = pane.canvas.getBoundingClientRect(), panels = this.panels().map((panel) => panel.getBoundingClientRect());
    const visible = (point: Vec3): boolean => {
      if (!pane.view.inside(point)) return false;
      const at = pane.view.project(point), x = at.x + left, y = at.y + top;
      return !panels.some((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
    };
    this.runs.forEach((run, k) => {
      if (!this.frames[k] || this.paneOf(k)[0] !== pane) return;
      const points = pointsOf(run, this.frames[k]!), every = Math.max(1, Math.floor(points.length / 60));
      for (let n = 0; n < points.length; n += every, all++) if (visible(points[n]!)) seen++;
      if (this.follows && this.untouched && seen < all && !held) followed = this.follow(run, points.filter((_, n) => n % every === 0));
    });
    const gone = !followed && all > 0 && (seen === 0 || (this.untouched && 2 * seen < all));
    if (gone) setText(pane.lost, `${seen ? "Most of the rod is outside" : "The rod has left"} the picture. Show it (F)`);
    setHidden(pane.lost, !gone);
  }
  // Absolute point -> pixel of the window.
  pixel(run: number, point: Vec3): { x: number; y: number } {
    const [pane] = this.paneOf(run);
    const box = pane.canvas.getBoundingClientRect();
    const at = pane.view.project(point);
    return { x: box.left + at.x, y: box.top + at.y };
  }
}
