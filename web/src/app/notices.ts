// What the user must be told: problems, failures, a lost connection.
import { el, iconButton } from "./dom";

export class Notices {
  readonly element = el("div", { class: "notices", "aria-live": "assertive" });
  private readonly shown = new Map<string, { box: HTMLElement; text: string }>();

  // One notice per key; the same words again change nothing, also after the user has closed them.
  show(key: string, kind: "bad" | "warn" | "info", title: string, lines: string[], action?: { label: string; act: () => void }): void {
    const text = [title, ...lines].join("\n");
    if (this.shown.get(key)?.text === text) return;
    this.clear(key);
    const box = el("div", { class: `notice ${kind}`, role: kind === "bad" ? "alert" : "status", "data-key": key },
      el("div", { class: "notice-text" }, el("strong", {}, title), ...lines.map((line) => el("p", {}, line)),
        action && el("button", { type: "button", onclick: action.act }, action.label)),
      el("button", { type: "button", class: "round", "aria-label": "Close", onclick: () => box.remove() }, "\u00d7"));
    this.shown.set(key, { box, text });
    this.element.append(box);
  }
  clear(key: string): void {
    this.shown.get(key)?.box.remove();
    this.shown.delete(key);
  }
  clearAll(): void {
    for (const key of [...this.shown.keys()]) this.clear(key);
  }
}

export function helpDialog(keys: [string, string][], mouse: [string, string][]): HTMLDialogElement {
  const table = (rows: [string, string][]): HTMLElement => el("dl", {}, ...rows.flatMap(([key, meaning]) => [el("dt", {}, ...key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, meaning)]));
  const dialog = el("dialog", { class: "help", "aria-label": "Help", onclick: (event: Event) => { if (event.target === dialog) dialog.close(); } },
    el("div", { class: "help-head" }, el("h2", {}, "Keys and mouse"), el("button", { type: "button", class: "round", "aria-label": "Close help", onclick: () => dialog.close() }, "\u00d7")),
    table(keys), table(mouse));
  return dialog;
}
export function toggleDialog(dialog: HTMLDialogElement): void {
  if (dialog.open) dialog.close();
  else dialog.showModal();
}
export function helpButton(dialog: HTMLDialogElement): HTMLButtonElement {
  return iconButton("help", "Help", "h", () => toggleDialog(dialog));
}
