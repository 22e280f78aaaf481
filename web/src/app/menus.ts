// Scene, method and step of a live view; choosing any starts the scene again at t = 0.
import type { Description, MethodEntry, SceneEntry, ToProgram } from "../protocol";
import { el, seconds } from "./dom";

// 1, 2, 5 times powers of ten around the step in use.
function stepsAround(step: number): number[] {
  const low = Math.floor(Math.log10(step / 10));
  const ladder = [0, 1, 2].flatMap((k) => [1, 2, 5].map((times) => Number((times * 10 ** (low + k)).toPrecision(3))));
  return [...new Set([...ladder, Number(step.toPrecision(6))])].sort((a, b) => a - b);
}

export class Menus {
  private readonly scene = el("select", { "aria-label": "Scene", onchange: () => { this.forget(); this.send({ do: "open", scene: this.scene.value }); } });
  private readonly method = el("select", { "aria-label": "Method", onchange: () => this.open(this.chosen) });
  private readonly step = el("select", { "aria-label": "Step", onchange: () => this.open(this.chosenStep()) });
  readonly element = el("div", { class: "menus" },
    el("label", {}, "Scene", this.scene), el("label", {}, "Method", this.method), el("label", {}, "Step", this.step));
  private entries: MethodEntry[] = [];
  // The step the user chose himself; null: the scene's own holds.
  private chosen: { scene: string; step: number | "auto" } | null = null;
  private before: Menus["chosen"] = null; // until the program has taken the last choice

  constructor(private readonly send: (message: ToProgram) => void) {}

  setLists(scenes: SceneEntry[], methods: MethodEntry[]): void {
    this.entries = methods;
    this.scene.replaceChildren(...scenes.map((scene) => el("option", { value: scene.name }, scene.title)));
  }
  setDescription(description: Description): void {
    if (![...this.scene.options].some((option) => option.value === description.name)) this.scene.append(el("option", { value: description.name }, description.title));
    this.scene.value = description.name;

    this.method.replaceChildren(...description.methods.map(({ name, problems }) => {
      const entry = this.entries.find((one) => one.name === name);
      return el("option", { value: name, disabled: problems.length > 0, title: problems.join("\n") || entry?.summary }, problems.length ? `${name} (cannot run this)` : name);
    }));
    this.method.value = description.method;
    const unable = description.methods.filter((one) => one.problems.length);
    this.method.title = [this.entries.find((one) => one.name === description.method)?.title, ...unable.map((one) => `${one.name}: ${one.problems.join("; ")}`)].filter(Boolean).join("\n");

    if (this.chosen?.scene !== description.name) this.chosen = null;
    this.before = this.chosen;
    const stable = description.stable_step ?? 0;
    const kind = this.chosen ? this.chosen.step : "scene", now = ` (${seconds(description.step)})`;
    this.step.replaceChildren(
      el("option", { value: "scene" }, `as the scene says${kind === "scene" ? now : ""}`), el("option", { value: "auto" }, `automatic${kind === "auto" ? now : ""}`),
      ...stepsAround(description.step).map((step) => {
        const unstable = stable > 0 && step > 1.0001 * stable;
        return el("option", { value: String(step), disabled: unstable, title: unstable ? `above the largest stable step, ${seconds(stable)}` : "" }, seconds(step) + (unstable ? " (unstable)" : ""));
      }));
    this.step.title = stable > 0 ? `steps above ${seconds(stable)} are unstable` : "";
    this.step.value = typeof kind === "string" ? kind : String(Number(description.step.toPrecision(6)));
  }
  // The scene is opened anew, or another one.
  forget(): void {
    this.before = this.chosen;
    this.chosen = null;
  }
  // The program could not do what was chosen: back to what holds.
  refuse(description: Description): void {
    this.chosen = this.before;
    this.setDescription(description);
  }
  private chosenStep(): Menus["chosen"] {
    const { value } = this.step;
    return value === "scene" ? null : { scene: this.scene.value, step: value === "auto" ? value : Number(value) };
  }
  private open(chosen: Menus["chosen"]): void {
    this.before = this.chosen;
    this.chosen = chosen;
    this.send({ do: "open", scene: this.scene.value, method: this.method.value, ...(chosen && { step: chosen.step }) });
  }
}
