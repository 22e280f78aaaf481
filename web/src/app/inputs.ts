// A slider for every input of a scene, folded by clamp where there are many; gravity, a factor, is a switch. Positions stay where they are put; speeds are levers, which
// go back to zero when they are let go. One that turns, runs or moves along an axis is selected for the keyboard.
import type { InputDescription, ToProgram, Vec3 } from "../protocol";
import { el, perFrame, short } from "./dom";

const mostOpen = 6; // clamps; the inputs of more are folded

interface Control { input: InputDescription; element: HTMLElement; set(value: number | Vec3): void; usedAt: number; rows?: HTMLElement[] }
interface Keyed { control: Control; part: number | null; element: HTMLElement } // part: of a vector, its axis
const bound = (limit: number | Vec3, part: number | null): number => (typeof limit === "number" ? limit : limit[part ?? 0]!);
const moves = ({ low, high }: InputDescription, part: number): boolean => bound(low, part) < bound(high, part);
const isLever = (input: InputDescription): boolean => /\.speed$/.test(input.name); // a speed: nobody wants it to go on when it is let go

export class Inputs {
  readonly element = el("section", { class: "group", "aria-label": "Inputs" });
  private controls: Control[] = [];
  private keyed: Keyed[] = [];
  private selected = 0;
  private values = new Map<string, number | Vec3>();

  constructor(private readonly send: (message: ToProgram) => void) {}

  setInputs(inputs: InputDescription[]): void {
    this.values = new Map(inputs.map((input) => [input.name, input.value]));
    this.controls = inputs.map((input) => (input.name === "gravity" || input.kind === "switch" ? this.makeSwitch(input) : this.makeSliders(input)));
    this.keyed = this.controls.flatMap((control): Keyed[] => {
      if (control.input.kind === "number" && /\.(turn|speed)$/.test(control.input.name)) return [{ control, part: null, element: control.element }];
      if (control.input.kind === "vector" && /^body\./.test(control.input.name)) return control.rows!.map((element, part) => ({ control, part, element })).filter(({ part }) => moves(control.input, part));
      return [];
    });
    this.selected = 0;
    this.element.hidden = !inputs.length;
    this.element.replaceChildren(el("h2", {}, "Inputs"), ...this.arranged());
    this.showSelected();
  }
  private arranged(): HTMLElement[] {
    const clampOf = ({ input }: Control): string | null => /^clamp\.(?:(.*)\.)?[^.]+$/.exec(input.name)?.slice(1).map((name) => name ?? "")[0] ?? null;
    const clamps = [...new Set(this.controls.map(clampOf).filter((clamp) => clamp !== null))];
    if (clamps.length <= mostOpen) return this.controls.map((control) => control.element);
    const inside = (clamp: string | null): HTMLElement[] => this.controls.filter((control) => clampOf(control) === clamp).map((control) => control.element);
    return [...inside(null), ...clamps.map((clamp) => el("details", { class: "fold" }, el("summary", {}, /^clamp/.test(clamp) ? clamp : `clamp ${clamp}`), ...inside(clamp)))];
  }
  // What the program says; a control that was just used keeps what the user said.
  update(values: Record<string, number | Vec3>): void {
    for (const control of this.controls) {
      const value = values[control.input.name];
      if (value === undefined || performance.now() - control.usedAt < 600) continue;
      this.values.set(control.input.name, value);
      control.set(value);
    }
  }
  // By the keyboard: the selected one, by turns or in steps of its range.
  turn(by: number): void {
    const keyed = this.keyed[this.selected];
    if (!keyed) return;
    const { control, part } = keyed, { name, unit } = control.input, low = bound(control.input.low, part), high = bound(control.input.high, part);
    const now = this.values.get(name)!, old = part === null ? (now as number) : (now as Vec3)[part]!;
    const value = Number(Math.min(high, Math.max(low, old + by * (unit === "turns" ? 1 : 1.25 * (high - low)))).toFixed(6));
    const next = part === null ? value : ((now as Vec3).map((one, k) => (k === part ? value : one)) as Vec3);
    this.use(control, next, part);
    control.set(next);
    this.unfold();
  }
  select(by: number): void {
    if (!this.keyed.length) return;
    this.selected = (this.selected + by + this.keyed.length) % this.keyed.length;
    this.showSelected();
    this.unfold();
  }
  // The selected control is seen; of folded clamps only its own is left open.
  private unfold(): void {
    const element = this.keyed[this.selected]?.element, own = element?.closest("details");
    if (!element || !own) return;
    for (const fold of this.element.querySelectorAll("details")) fold.open = fold === own;
    own.scrollIntoView({ block: "nearest" });
  }
  private showSelected(): void {
    this.keyed.forEach(({ element }, k) => element.classList.toggle("selected", k === this.selected));
  }
  private use(control: Control, value: number | Vec3, part: number | null = null): void {
    control.usedAt = performance.now();
    this.values.set(control.input.name, value);
    const used = this.keyed.findIndex((one) => one.control === control && (part === null || one.part === part));
    if (used >= 0 && used !== this.selected && this.keyed[this.selected]?.control !== control) { this.selected = used; this.showSelected(); }
    this.send({ do: "input", name: control.input.name, value });
  }

  private makeSwitch(input: InputDescription): Control {
    const name = input.name === "gravity" ? "Gravity" : `joint ${input.label.replace(/^on /, "")} holds`;
    const box = el("input", { type: "checkbox", role: "switch", "aria-label": name, onchange: () => this.use(control, box.checked ? 1 : 0) });
    const control: Control = {
      input, usedAt: 0, set: (value) => { box.checked = value !== 0; },
      element: el("label", { class: "row switch" }, el("span", { class: "name" }, name), box),
    };
    control.set(input.value);
    return control;
  }

  private makeSliders(input: InputDescription): Control {
    const start = ([] as number[]).concat(input.value);
    const now = [...start];
    const send = perFrame(() => this.use(control, now.length === 1 ? now[0]! : ([...now] as Vec3)));
    const parts = start.map((initial, k) => {
      const label = start.length > 1 ? `${input.label} ${"xyz"[k]}` : input.label;
      const low = bound(input.low, k), high = bound(input.high, k), lever = isLever(input);
      const range = { min: low, max: high, step: "any", "aria-label": label };
      const slider = el("input", { type: "range", ...range, title: lever ? "a lever: back to 0 when it is let go; type a number to keep it running" : "double click: back to the start" });
      const field = el("input", { type: "number", ...range, "aria-label": `${label} value`, class: "value" });
      const show = (value: number): void => {
        now[k] = value;
        slider.value = String(value);
        if (document.activeElement !== field) field.value = String(Number(value.toPrecision(4)));
      };
      const change = (value: number): void => {
        if (!Number.isFinite(value)) return;
        show(Math.min(high, Math.max(low, value)));
        control.usedAt = performance.now(); // at once: what the program says meanwhile is older
        send(undefined);
      };
      slider.addEventListener("input", () => change(Number(slider.value)));
      if (lever) slider.addEventListener("pointerdown", () => { // wherever the pointer is by then, and after the slider's own last word
        const back = (): void => { removeEventListener("pointerup", back, true); removeEventListener("pointercancel", back, true); setTimeout(() => change(0)); };
        addEventListener("pointerup", back, true);
        addEventListener("pointercancel", back, true);
      });
      slider.addEventListener("dblclick", () => change(lever ? 0 : initial));
      field.addEventListener("change", () => change(Number(field.value)));
      show(initial);
      return { show, row: el("div", { class: "row", hidden: start.length > 1 && !moves(input, k) }, start.length > 1 && el("span", { class: "axis" }, "xyz"[k]!), slider, field) };
    });
    const unit = input.unit ? ` [${input.unit}]` : "";
    const control: Control = {
      input, usedAt: 0, rows: parts.map((part) => part.row),
      set: (value) => ([] as number[]).concat(value).forEach((one, k) => parts[k]?.show(one)),
      element: el("div", { class: "input", title: `${input.name}: ${start.map((_, k) => k).filter((k) => start.length === 1 || moves(input, k)).map((k) => `${short(bound(input.low, k))} to ${short(bound(input.high, k))}`).filter((text, k, all) => all.indexOf(text) === k).join(", ")} ${input.unit}${/^clamp\./.test(input.name) ? ", added to the scene's own motion" : ""}` },
        el("div", { class: "name" }, input.label + unit), ...parts.map((part) => part.row)),
    };
    return control;
  }
}
