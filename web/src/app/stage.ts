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
  private awakeUntil = 0;
  private legendAt = 0;
  onDraw: () => void = () => {};

  constructor(words: Words) {
    const kept = remembered("colour");
    this.look = {
      colouring: words.colour ?? colourings.find((name) => name === kept) ?? "none",
      thickness: 1, frames: false, contacts: true, dark: theme() === "dark",
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
  // Boxes are joined, so that linked cameras see all of each run.
  setRuns(runs: Description[], layout: Layout, captions: [string, string][] = []): void {
    const low = runs.reduce<Vec3>((box, run) => box.map((v, k) => Math.min(v, run.low[k]!)) as Vec3, [...runs[0]!.low]);
    const high = runs.reduce<Vec3>((box, run) => box.map((v, k) => Math.max(v, run.high[k]!)) as Vec3, [...runs[0]!.high]);
    this.runs = runs.map((run) => ({ ...run, low, high }));
    const groups = layout === "side" ? this.runs.map((run) => [run]) : [this.runs];
    if (groups.length !== this.panes.length) this.rebuild(groups.length);
    this.panes.forEach((pane, k) => {
      pane.view.setRuns(groups[k]!);
      pane.view.setLook(this.look);
      const [name, facts] = layout === "side" ? captions[k] ?? ["", ""] : ["", ""];
      pane.caption.replaceChildren(el("strong", {}, name), el("span", {}, facts));
      setHidden(pane.caption, !name);
    });
    this.fit();
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
    this.wake();
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
    if (this.panes.length > 1) this.setCamera(this.panes[0]!.view.camera());
    this.wake();
  }
  camera(): Camera | null {
    return this.panes[0]?.view.camera() ?? null;
  }
  setCamera(camera: Camera): void {
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
