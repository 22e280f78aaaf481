// Where the rods are drawn: one canvas, or one beside the other with linked cameras, each with its legend.
import { makeRodView, type Camera, type Legend, type Look, type RodView } from "../draw/rod_view";
import type { Description, FrameData, Vec3 } from "../protocol";
import type { Layout, Words } from "./address";
import { colourings } from "./address";
import { el, remember, remembered, setHidden, setText, short } from "./dom";
import { onTheme, theme } from "./theme";

export interface Pane { box: HTMLElement; canvas: HTMLCanvasElement; view: RodView; first: number; caption: HTMLElement; legend: LegendBox }

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

export class Stage {
  readonly element = el("div", { class: "stage" });
  panes: Pane[] = [];
  look: Look;
  private runs: Description[] = [];
  private frames: FrameData[] = []; // the last of each run
  private placed = false; // the camera has been set for these runs
  private awakeUntil = 0;
  private legendAt = 0;
  onDraw: () => void = () => {};
  touches = false; // a frame of this scene had contacts
  onContacts: (possible: boolean) => void = () => {};
  motion: (run: number) => FrameData[] = () => []; // frames that shall fit into the picture besides the one shown

  constructor(words: Words) {
    const kept = remembered("colour");
    this.look = {
      colouring: words.colour ?? colourings.find((name) => name === kept) ?? "none",
      thickness: 1, frames: false, contacts: words.contacts ?? !words.plain, dark: theme() === "dark",
    };
    onTheme(() => this.setLook({ dark: theme() === "dark" }));
    new ResizeObserver(() => {
      for (const pane of this.panes) pane.view.resize();
      this.draw(performance.now()); // at once: a resized canvas is empty
    }).observe(this.element);
    for (const kind of ["pointerdown", "pointermove", "wheel"]) this.element.addEventListener(kind, () => this.wake(), { passive: true });
    const tick = (now: number): void => {
      requestAnimationFrame(tick);
      this.onDraw();
      if (now < this.awakeUntil) this.draw(now);
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
      for (const { positions } of this.motion(index)) positions.forEach((value, k) => take(value + run.origin[k % 3]!, k % 3));
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
      const box = el("div", { class: "pane" }, canvas, el("div", { class: "under" }, caption, legend.element));
      this.element.append(box); // before the view measures its canvas
      const view = makeRodView(canvas);
      view.onCamera((camera) => {
        for (const other of this.panes) if (other.view !== view) other.view.setCamera(camera);
        this.wake();
      });
      this.panes.push({ box, canvas, view, first: k, caption, legend });
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
    this.placed = true; // the view has framed what it was shown first
    this.clearOfPanels();
  }
  setLook(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    if (change.colouring) remember("colour", change.colouring);
    for (const pane of this.panes) pane.view.setLook(this.look);
    this.legendAt = 0;
    this.wake();
  }
  fit(): void {
    this.panes[0]?.view.fit();
    this.clearOfPanels();
  }
  // Steps back and aside until all of the rods is seen and no panel hides any; then all cameras are the first one's.
  private clearOfPanels(): void {
    const pane = this.panes[0];
    if (!pane || !this.frames[0]) return;
    const points = this.runs.flatMap(({ origin }, run) => [this.frames[run]!, ...this.motion(run)].flatMap(({ positions: p }) =>
      Array.from({ length: p.length / 3 }, (_, k): Vec3 => [p[3 * k]! + origin[0], p[3 * k + 1]! + origin[1], p[3 * k + 2]! + origin[2]])));
    const free = this.freeSpan(pane), bottom = pane.canvas.clientHeight;
    const spans = (): { x: [number, number]; y: [number, number] } => {
      const x: [number, number] = [Infinity, -Infinity], y: [number, number] = [Infinity, -Infinity];
      for (const point of points) {
        const at = pane.view.project(point);
        x[0] = Math.min(x[0], at.x); x[1] = Math.max(x[1], at.x); y[0] = Math.min(y[0], at.y); y[1] = Math.max(y[1], at.y);
      }
      return { x, y };
    };
    const aside = (span: [number, number], low: number, high: number): number => (span[0] < low || span[1] > high ? (low + high - span[0] - span[1]) / 2 : 0); // px
    let { position, target } = pane.view.camera();
    for (let round = 0; round < 3; round++) { // perspective: once is not quite enough
      let { x, y } = spans();
      if (!Number.isFinite(x[1] - x[0] + y[1] - y[0])) break;
      const back = Math.max(1, (x[1] - x[0]) / (0.9 * (free.right - free.left)), (y[1] - y[0]) / (0.84 * bottom));
      position = position.map((value, k) => target[k]! + back * (value - target[k]!)) as Vec3;
      pane.view.setCamera({ position, target });
      ({ x, y } = spans());
      const middle = pane.view.project(target);
      const moved = pane.view.dragPoint(middle.x - aside(x, free.left, free.right), middle.y - aside(y, 0.04 * bottom, 0.96 * bottom), target);
      position = position.map((value, k) => value + moved[k]! - target[k]!) as Vec3;
      target = moved;
      pane.view.setCamera({ position, target });
    }
    this.setCamera({ position, target });
  }
  // Between the panels that stand on the first pane, in its pixels.
  private freeSpan(pane: Pane): { left: number; right: number } {
    const box = pane.canvas.getBoundingClientRect();
    let left = 0, right = box.width;
    if (this.panes.length > 1 || box.width < 760) return { left, right };
    for (const panel of this.element.parentElement?.querySelectorAll(":scope > .panel") ?? []) {
      const at = panel.getBoundingClientRect();
      if (at.width && at.left < box.width / 2 && at.right < box.width / 2) left = Math.max(left, at.right - box.left);
      else if (at.width && at.left > box.width / 2) right = Math.min(right, at.left - box.left);
    }
    return { left, right };
  }
  camera(): Camera | null {
    return this.panes[0]?.view.camera() ?? null;
  }
  setCamera(camera: Camera): void {
    this.placed = true;
    for (const pane of this.panes) pane.view.setCamera(camera);
    this.wake();
  }
  // Drawing goes on for a while after anything has changed (colours and camera settle smoothly), then rests.
  wake(): void {
    this.awakeUntil = performance.now() + 700;
  }
  draw(now: number): void {
    for (const pane of this.panes) pane.view.draw();
    if (now - this.legendAt < 150) return;
    this.legendAt = now;
    for (const pane of this.panes) if (pane.legend.update(pane.view.legend())) this.wake(); // its range still settles
  }
  // Absolute point -> pixel of the window.
  pixel(run: number, point: Vec3): { x: number; y: number } {
    const [pane] = this.paneOf(run);
    const box = pane.canvas.getBoundingClientRect();
    const at = pane.view.project(point);
    return { x: box.left + at.x, y: box.top + at.y };
  }
}
