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
  private readonly scene = el("select", { "aria-label": "Scene", onchange: () => this.send({ do: "open", scene: this.scene.value }) });
  private readonly method = el("select", { "aria-label": "Method", onchange: () => this.open() });
  private readonly step = el("select", { "aria-label": "Step", onchange: () => this.open() });
  readonly element = el("div", { class: "menus" },
    el("label", {}, "Scene", this.scene), el("label", {}, "Method", this.method), el("label", {}, "Step", this.step));
  private entries: MethodEntry[] = [];
  private asked: { scene: string; step: number | "auto" } | null = null;

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
      return el("option", { value: name, disabled: problems.length > 0, title: problems.join("\n") || entry?.summary }, problems.length ? `${name} (can not run this)` : name);
    }));
    this.method.value = description.method;
    const unable = description.methods.filter((one) => one.problems.length);
    this.method.title = [this.entries.find((one) => one.name === description.method)?.title, ...unable.map((one) => `${one.name}: ${one.problems.join("; ")}`)].filter(Boolean).join("\n");

    const automatic = !this.asked || this.asked.scene !== description.name || this.asked.step === "auto";
    this.step.replaceChildren(el("option", { value: "auto" }, automatic ? `automatic (${seconds(description.step)})` : "automatic"),
      ...stepsAround(description.step).map((step) => el("option", { value: String(step) }, seconds(step))));
    this.step.value = automatic ? "auto" : String(Number(description.step.toPrecision(6)));
  }
  private open(): void {
    const step = this.step.value === "auto" ? "auto" : Number(this.step.value);
    this.asked = { scene: this.scene.value, step };
    this.send({ do: "open", scene: this.scene.value, method: this.method.value, step });
  }
}
