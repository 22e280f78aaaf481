// Saved runs: timeline, plots over the whole run, several runs side by side or overlaid.
import { TINTS } from "../draw/rod_view";
import type { Vec3 } from "../protocol";
import type { Layout, Words } from "./address";
import { nearestTo, type Run } from "./decode";
import { el, iconButton, listenToKeys, perFrame, setHidden, setIcon, setText, short } from "./dom";
import { lookPanel } from "./look_panel";
import { helpButton, helpDialog, Notices, toggleDialog } from "./notices";
import { Plots } from "./plots";
import { Stage } from "./stage";
import { toggleTheme } from "./theme";

const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Replay {
  readonly stage: Stage;
  readonly plots = new Plots();
  readonly start: number; // a recording may have begun late
  readonly end: number;
  time: number; // of the frame shown
  private place = 0; // of the playing, between frames
  playing = false;
  loop = false;
  speed = 1;
  layout: Layout;
  private readonly still: boolean; // equilibria only

  private readonly shown: number[]; // index of the frame of each run that is drawn
  private lastTick = 0;
  private readonly page: HTMLElement;
  private readonly notices = new Notices();
  private readonly playButton = iconButton("play", "Play", "space", () => this.setPlaying(!this.playing));
  private readonly loopButton = iconButton("loop", "Loop", "l", () => this.setLoop(!this.loop));
  private readonly slider = el("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Timeline", class: "timeline" });
  private readonly clock = el("output", { class: "time", "aria-label": "Time" });
  private readonly layoutButtons = el("div", { class: "tabs", role: "group", "aria-label": "Layout" });
  private readonly help = helpDialog([
    ["space", "play or pause"], ["\u2190 \u2192", "one frame (with shift ten)"], ["home end", "to the start or the end"], ["- +", "slower, faster"], ["l", "loop"], ["o", "side by side or overlaid"],
    ["f", "fit the scene into the picture"], ["p", "plots"], ["t", "light or dark"], ["h", "this help"],
  ], [["drag", "turn the view"], ["right-drag", "move the view"], ["wheel", "zoom"], ["click", "in a plot: go to that time"]]);
  // Which section of the timeline is shown, where it has any; choosing one plays it over and over.
  private readonly sectionMenu = el("select", { "aria-label": "Mode", onchange: () => this.playSection(Number(this.sectionMenu.value)) });
  private section: { from: number; to: number } | null = null;
  private readonly speedMenu = el("select", { "aria-label": "Speed", onchange: () => { this.speed = Number(this.speedMenu.value); } },
    ...speeds.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${short(speed)}\u00d7`)));

  constructor(root: HTMLElement, readonly runs: Run[], words: Words) {
    this.stage = new Stage(words);
    const recorded = runs.some((run) => run.times.length) ? runs.filter((run) => run.times.length) : runs;
    this.start = this.time = Math.min(...recorded.map((run) => run.start));
    this.end = Math.max(...recorded.map((run) => run.end));
    this.shown = runs.map(() => -1);
    this.still = runs.every((run) => run.description.mode !== "dynamics");
    const paths = runs.map(pathOf);
    this.stage.motion = (run) => paths[run]!;
    this.stage.touches = runs.some((run) => run.touches);
    this.layout = words.layout ?? "side";
    if (this.end - this.start < 0.5) this.chooseSpeed(0.1);
    const panelButton = iconButton("panel", "Controls", "", () => this.page.classList.toggle("show-side"));
    panelButton.classList.add("narrow-only");
    const foot = el("div", { class: "foot" }, this.plots.element,
      el("div", { class: "bar panel", role: "toolbar", "aria-label": "Playing" },
        el("div", { class: "buttons" }, iconButton("restart", "To the start", "home", () => this.seek(this.start)), this.playButton, this.loopButton),
        this.slider, this.clock, runs[0]!.description.sections ? this.sectionMenu : false, this.speedMenu,
        el("div", { class: "buttons end" }, panelButton, iconButton("plots", "Plots", "p", () => this.plots.toggle()), iconButton("fit", "Fit", "f", () => this.stage.fit()),
          iconButton("theme", "Light or dark", "t", toggleTheme), helpButton(this.help))));
    this.page = el("main", { class: `scene replay${words.plain ? " plain" : ""}`, "aria-label": "Replay" }, this.stage.element, this.head(),
      el("aside", { class: "side panel", "aria-label": "Controls" }, lookPanel(this.stage)), foot);
    this.stage.stayAbove(foot);
    this.sectionMenu.append(...(runs[0]!.description.sections ?? []).map(({ label }, k) => el("option", { value: k }, label)));
    root.append(this.page, this.notices.element, this.help);
    this.slider.min = String(this.start);
    this.slider.max = String(this.end > this.start ? this.end : this.start + 1);
    this.slider.addEventListener("input", () => this.scrub(Number(this.slider.value)));
    if (this.loads()) this.plots.clock = { label: "load", unit: "%", factor: 100 / runs[0]!.description.duration };
    this.plots.onSeek = (time) => this.seek(time);
    this.plots.setValues(runs.map((run) => run.description.values), runs.map((run) => {
      const columns = new Map<number, Float64Array>();
      const column = (index: number): Float64Array => columns.get(index) ?? columns.set(index, run.column(1 + index)).get(index)!;
      return { times: run.column(0), column };
    }), runs.map((run) => run.saved.label));
    this.setLayout(this.layout);
    if (words.camera) this.stage.setCamera(words.camera);
    this.tell();
    this.seek(words.time ?? (this.still ? this.end : this.start)); // of equilibria the result is at the end
    this.stage.onDraw = () => this.tick();
    this.listen();
  }

  private head(): HTMLElement {
    const first = this.runs[0]!.description;
    const several = this.runs.length > 1;
    const swatch = (k: number): HTMLElement => el("span", { class: "swatch", "aria-hidden": "true", style: `background: linear-gradient(to right, ${TINTS[k % TINTS.length]!.join(" 50%, ")} 50%)` });
    const facts = this.runs.map((run, k) => el("li", {}, several && swatch(k), el("strong", {}, run.saved.label), ` ${factsOf(run)}`));
    const same = this.runs.every((run) => run.description.title === first.title);
    const title = same ? first.title : this.runs.map((run) => run.description.title).join(" and ");
    document.title = `${title} \u2013 tendril`;
    if (several) this.layoutButtons.append(...(["side", "overlay"] as Layout[]).map((layout) =>
      el("button", { type: "button", "data-layout": layout, onclick: () => this.setLayout(layout) }, layout === "side" ? "Side by side" : "Overlaid")));
    return el("header", { class: "head panel" }, el("h1", {}, title), el("p", { class: "about" }, same ? first.about : ""), el("ul", { class: "facts" }, ...facts), several && this.layoutButtons);
  }
  // What the user must know of these runs before believing the picture.
  private tell(): void {
    this.runs.forEach((run, k) => {
      const { label, outcome, message } = run.saved;
      const name = this.runs.length > 1 ? `${label}: ` : "";
      if (outcome === "interrupted") this.notices.show(`failed-${k}`, "warn", `${name}this run was interrupted`, [message || `What it recorded up to t = ${short(run.end)} s is here.`]);
      else if (failed(outcome)) this.notices.show(`failed-${k}`, "bad", name + (outcomes[outcome] ?? `this run ended as ${outcome}`), [message]);
      else if (message) this.notices.show(`message-${k}`, "warn", `${name}${message}`, []);
    });
  }

  private listen(): void {
    const frames = (count: number) => (event: KeyboardEvent): void => this.stepFrames(event.shiftKey ? 10 * count : count);
    const faster = (by: number) => (): void => this.chooseSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + by))]!);
    listenToKeys({
      " ": () => this.setPlaying(!this.playing), ArrowLeft: frames(-1), ArrowRight: frames(1), ",": frames(-1), ".": frames(1), Home: () => this.seek(this.start), End: () => this.seek(this.end),
      "+": faster(1), "=": faster(1), "-": faster(-1), l: () => this.setLoop(!this.loop), f: () => this.stage.fit(), p: () => this.plots.toggle(), t: toggleTheme,
      o: () => { if (this.runs.length > 1) this.setLayout(this.layout === "side" ? "overlay" : "side"); }, h: () => toggleDialog(this.help), "?": () => toggleDialog(this.help), r: () => this.seek(this.start),
    }, () => true);
  }

  setLayout(layout: Layout): void {
    const camera = this.shown[0]! >= 0 && !this.stage.untouched ? this.stage.camera() : null; // one the user has chosen stays
    this.layout = layout;
    for (const button of this.layoutButtons.children) button.setAttribute("aria-pressed", String((button as HTMLElement).dataset.layout === layout));
    this.stage.setRuns(this.runs.map((run) => run.description), layout, this.runs.length > 1 ? this.runs.map((run) => [run.saved.label, factsOf(run)]) : []);
    this.page.classList.toggle("several", layout === "side" && this.runs.length > 1);
    if (camera) this.stage.setCamera(camera);
    this.shown.fill(-1);
    this.seek(this.time);
  }
  private chooseSpeed(speed: number): void {
    this.speed = speed;
    this.speedMenu.value = String(speed);
  }
  private setLoop(on: boolean): void {
    this.loop = on;
    this.loopButton.setAttribute("aria-pressed", String(on));
  }
  setPlaying(on: boolean): void {
    if (on && this.time >= this.end) this.seek(this.start);
    this.place = this.time;
    this.playing = on;
    this.lastTick = performance.now();
    setIcon(this.playButton, on ? "pause" : "play");
    this.playButton.setAttribute("aria-label", on ? "Pause" : "Play");
  }
  private stepFrames(count: number): void {
    this.setPlaying(false);
    const run = this.runs.find((one) => one.end === this.end)!;
    const index = Math.min(run.times.length - 1, Math.max(0, run.indexAt(this.time) + count));
    this.seek(run.times[index]!);
  }
  private readonly scrub = perFrame((time: number) => this.seek(time));

  // Goes to the recorded frame nearest to that time: clock, picture and read-outs of plots show the same moment.
  seek(time: number): void {
    this.section = null;
    this.goTo(time);
    this.place = this.time;
  }
  private goTo(time: number): void {
    this.time = nearestFrame(this.runs, Math.min(this.end, Math.max(this.start, time)));
    if (Number(this.slider.value) !== this.time) this.slider.value = String(this.time);
    const text = this.clockText();
    this.slider.setAttribute("aria-valuetext", text);
    setText(this.clock, this.loads() ? text : this.start > 0 ? `${text} of ${this.start.toFixed(3)} to ${this.end.toFixed(3)}` : `${text} of ${this.end.toFixed(3)}`);
    this.runs.forEach((run, k) => {
      const index = run.indexAt(this.time);
      if (!run.times.length || this.shown[k] === index) return;
      this.shown[k] = index;
      this.stage.show(k, run.frame(index));
    });
    this.plots.mark(this.time);
    const shown = (this.runs[0]!.description.sections ?? []).findIndex(({ from, to }) => this.time >= from - 1e-9 && this.time < to - 1e-9);
    if (shown >= 0 && this.sectionMenu.value !== String(shown)) this.sectionMenu.value = String(shown);
  }
  private playSection(index: number): void {
    const section = this.runs[0]!.description.sections![index]!;
    this.seek(section.from);
    this.setPlaying(true);
    this.section = section;
  }
  // Statics have no time: their loads grow from nothing to all over the duration.
  private loads(): boolean {
    return this.runs.every((run) => run.description.mode === "statics");
  }
  clockText(): string {
    const { duration } = this.runs[0]!.description;
    return this.loads() ? `load ${short((100 * this.time) / duration)}\u2009%` : `t = ${this.time.toFixed(3)}\u2009s`;
  }
  private tick(): void {
    if (!this.playing) return;
    const now = performance.now();
    this.place += (this.speed * (now - this.lastTick)) / 1000;
    this.lastTick = now;
    if (this.section && this.place >= this.section.to) this.place = this.section.from;
    if (this.place < this.end) this.goTo(this.place);
    else if (this.loop) this.seek(this.start);
    else { this.seek(this.end); this.setPlaying(false); }
  }
  hidePanels(): void {
    this.page.classList.add("plain");
    setHidden(this.notices.element, true);
  }
}

// Where a run goes: points of some frames over all of it, absolute.
function pathOf(run: Run): Vec3[] {
  const { origin } = run.description, last = run.times.length - 1, count = Math.min(60, last + 1), path: Vec3[] = [];
  for (let k = 0; k < count; k++) {
    const { positions: p } = run.frame(Math.round((k * last) / Math.max(1, count - 1)));
    const every = 3 * Math.max(1, Math.floor(p.length / 3 / 100));
    for (let i = 0; i < p.length; i += every) if (Number.isFinite(p[i]! + p[i + 1]! + p[i + 2]!)) path.push([p[i]! + origin[0], p[i + 1]! + origin[1], p[i + 2]! + origin[2]]);
  }
  return path;
}
function factsOf({ saved, description }: Run): string {
  const kept = saved.frames < saved.recorded ? `thinned: ${saved.frames} of ${saved.recorded} frames kept, one in ${saved.every}` : `${saved.frames} frames`;
  return `${description.method} \u00b7 ${kept}`;
}
const outcomes: Record<string, string> = { diverged: "this run diverged", not_converged: "this run did not converge", suspect: "the results of this run are suspect" };
// Of all runs, the recorded time nearest to that one.
function nearestFrame(runs: Run[], time: number): number {
  let best = time, off = Infinity;
  for (const { times } of runs) {
    const found = times[nearestTo(times, time)];
    if (found !== undefined && Math.abs(found - time) < off) off = Math.abs((best = found) - time);
  }
  return best;
}
function failed(outcome: string): boolean {
  return !["finished", "complete", "completed", "ok", "fine", "stopped", ""].includes(outcome);
}
