// A slider for every input of a scene, folded by clamp where there are many; gravity, a factor, is a switch. One input that turns a clamp is selected for the keyboard.
import type { InputDescription, ToProgram, Vec3 } from "../protocol";
import { el, perFrame, short } from "./dom";

const mostOpen = 6; // clamps; the inputs of more are folded

interface Control { input: InputDescription; element: HTMLElement; set(value: number | Vec3): void; usedAt: number }

export class Inputs {
  readonly element = el("section", { class: "group", "aria-label": "Inputs" });
  private controls: Control[] = [];
  private turns: Control[] = [];
  private selected = 0;
  private values = new Map<string, number | Vec3>();

  constructor(private readonly send: (message: ToProgram) => void) {}

  setInputs(inputs: InputDescription[]): void {
    this.values = new Map(inputs.map((input) => [input.name, input.value]));
    this.controls = inputs.map((input) => (input.name === "gravity" || input.kind === "switch" ? this.makeSwitch(input) : this.makeSliders(input)));
    this.turns = this.controls.filter((control) => control.input.kind === "number" && /\.turn$/.test(control.input.name));
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
  // By the keyboard: turns the selected clamp.
  turn(by: number): void {
    const control = this.turns[this.selected];
    if (!control) return;
    const { name, low, high } = control.input;
    const value = Math.min(high, Math.max(low, (this.values.get(name) as number) + by));
    this.use(control, Number(value.toFixed(6)));
    control.set(value);
    this.unfold();
  }
  select(by: number): void {
    if (!this.turns.length) return;
    this.selected = (this.selected + by + this.turns.length) % this.turns.length;
    this.showSelected();
    this.unfold();
  }
  // The selected control is seen; of folded clamps only its own is left open.
  private unfold(): void {
    const element = this.turns[this.selected]?.element, own = element?.closest("details");
    if (!element || !own) return;
    for (const fold of this.element.querySelectorAll("details")) fold.open = fold === own;
    own.scrollIntoView({ block: "nearest" });
  }
  private showSelected(): void {
    this.turns.forEach((control, k) => control.element.classList.toggle("selected", k === this.selected && this.turns.length > 0));
  }
  private use(control: Control, value: number | Vec3): void {
    control.usedAt = performance.now();
    this.values.set(control.input.name, value);
    const turn = this.turns.indexOf(control);
    if (turn >= 0 && turn !== this.selected) { this.selected = turn; this.showSelected(); }
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
      const range = { min: input.low, max: input.high, step: "any", "aria-label": label };
      const slider = el("input", { type: "range", ...range, title: "double click: back to the start" });
      const field = el("input", { type: "number", ...range, "aria-label": `${label} value`, class: "value" });
      const show = (value: number): void => {
        now[k] = value;
        slider.value = String(value);
        if (document.activeElement !== field) field.value = String(Number(value.toPrecision(4)));
      };
      const change = (value: number): void => {
        if (!Number.isFinite(value)) return;
        show(Math.min(input.high, Math.max(input.low, value)));
        control.usedAt = performance.now(); // at once: what the program says meanwhile is older
        send(undefined);
      };
      slider.addEventListener("input", () => change(Number(slider.value)));
      slider.addEventListener("dblclick", () => change(initial));
      field.addEventListener("change", () => change(Number(field.value)));
      show(initial);
      return { show, row: el("div", { class: "row" }, start.length > 1 && el("span", { class: "axis" }, "xyz"[k]!), slider, field) };
    });
    const unit = input.unit ? ` [${input.unit}]` : "";
    const control: Control = {
      input, usedAt: 0,
      set: (value) => ([] as number[]).concat(value).forEach((one, k) => parts[k]?.show(one)),
      element: el("div", { class: "input", title: `${input.name}: ${short(input.low)} to ${short(input.high)} ${input.unit}${/^clamp\./.test(input.name) ? ", added to the scene's own motion" : ""}` },
        el("div", { class: "name" }, input.label + unit), ...parts.map((part) => part.row)),
    };
    return control;
  }
}
