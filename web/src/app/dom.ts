// A few small helpers for plain DOM, and how numbers are written.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

// Properties starting with "on" are listeners, the others attributes (true: present, false, null or undefined: absent).
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

// Only writes what has changed: status arrives several times a second.
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
export function setHidden(node: HTMLElement, hidden: boolean): void {
  if (node.hidden !== hidden) node.hidden = hidden;
}

const paths: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 4.5h4v15H6zM14 4.5h4v15h-4z",
  step: "M5 4.5v15l10-7.5zM17 4.5h3v15h-3z",
  restart: "M12 5a7.5 7.5 0 1 1-7.2 5.4l2.4.7A5 5 0 1 0 12 7.5v3.5L6.5 6.2 12 1.5z",
  record: "M12 5.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 1 1 0-13z",
  stop: "M6 6h12v12H6z",
  loop: "M7 7h9V4l5 4.5-5 4.5v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  back: "M14.5 5 16.5 7l-5 5 5 5-2 2-7-7z",
  fit: "M4 4h6v2.2H6.2V10H4zM14 4h6v6h-2.2V6.2H14zM4 14h2.2v3.8H10V20H4zM17.8 14H20v6h-6v-2.2h3.8z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18zm0 2.2v13.6a6.8 6.8 0 0 1 0-13.6z",
  help: "M12 3a9 9 0 1 1 0 18 9 9 0 1 1 0-18zm0 2.1a6.9 6.9 0 1 0 0 13.8 6.9 6.9 0 1 0 0-13.8zM10.9 15.5h2.2v2.2h-2.2zM12 6.6c2 0 3.4 1.2 3.4 3 0 2.2-2.4 2.3-2.4 4.4h-2c0-3 2.3-3.1 2.3-4.4 0-.7-.5-1.2-1.3-1.2s-1.4.6-1.4 1.5H8.6c0-2 1.4-3.3 3.4-3.3z",
  plots: "M4 4h2.2v13.8H20V20H4zM8 14l3.5-5 3 2.5L19 5.5l1.6 1.2-5.7 7.8-3-2.5L9.6 15.2z",
  panel: "M4 6h10v2H4zM18 6h2v2h-2zM15 4.5h2v5h-2zM4 11h3v2H4zM11 11h9v2h-9zM8 9.5h2v5H8zM4 16h8v2H4zM16 16h4v2h-4zM13 14.5h2v5h-2z",
};
export function icon(name: string): HTMLElement {
  const span = el("span", { class: "icon", "aria-hidden": "true" });
  span.innerHTML = `<svg viewBox="0 0 24 24" width="18" height="18"><path fill="currentColor" fill-rule="evenodd" d="${paths[name]}"/></svg>`;
  return span;
}
export function setIcon(button: HTMLElement, name: string): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.querySelector(".icon")?.replaceWith(icon(name));
}
export function iconButton(name: string, label: string, key: string, act: () => void): HTMLButtonElement {
  const button = el("button", { type: "button", class: "round", "aria-label": label, title: key ? `${label} (${key})` : label, onclick: act,
    onpointerdown: (event: Event) => event.preventDefault() }, icon(name)); // a click does not take the keyboard away
  button.dataset.icon = name;
  return button;
}

// 0.00012 -> "1.2e-4", 1234567 -> "1.23e6", else at most `digits` significant ones.
export function short(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e").replace("-", "\u2212");
  return String(Number(value.toPrecision(digits))).replace("-", "\u2212");
}
export function withUnit(value: number, unit: string, digits = 3): string {
  return unit ? `${short(value, digits)}\u2009${unit}` : short(value, digits);
}
// Times and steps with a prefix: 1e-4 -> "100 µs".
export function seconds(value: number): string {
  if (value === 0) return "0\u2009s";
  const size = Math.abs(value);
  if (size < 1e-3) return `${short(value * 1e6)}\u2009\u00b5s`;
  if (size < 1) return `${short(value * 1e3)}\u2009ms`;
  return `${short(value)}\u2009s`;
}
// Numbers along an axis, `step` apart: as many digits as tell one from the next, none more.
export function tickLabels(marks: number[], step: number): string[] {
  const most = Math.max(...marks.map(Math.abs)), power = most > 0 ? Math.floor(Math.log10(most)) : 0;
  const digits = (unit: number): number => { // after the point, in so large units
    for (let d = 0, size = step / unit; d < 12; d++, size *= 10) if (Math.abs(size - Math.round(size)) < 1e-3 * size) return d;
    return 12;
  };
  const plain = power >= -3 && power < 5, unit = plain ? 1 : 10 ** power;
  return marks.map((mark) => {
    const text = Math.abs(mark) < 1e-6 * step ? "0" : `${(mark / unit).toFixed(digits(unit))}${plain ? "" : `e${power}`}`;
    return text.replace(/-/g, "\u2212");
  });
}
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim();
}

// What the user chose, kept over visits where the browser allows it (it does not for files).
export function remembered(name: string): string | null {
  try { return localStorage.getItem(`tendril.${name}`); } catch { return null; }
}
export function remember(name: string, value: string): void {
  try { localStorage.setItem(`tendril.${name}`, value); } catch { /* not kept, then */ }
}

// Calls `act` at most once per animation frame, with the last argument.
export function perFrame<T>(act: (value: T) => void): (value: T) => void {
  let waiting = false;
  let last: T;
  return (value) => {
    last = value;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; act(last); });
  };
}
// Whether the element in focus wants this key for itself.
export function takesKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target as HTMLElement;
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") return event.key === " " || event.key === "Enter";
  if (!(target instanceof HTMLInputElement)) return false;
  if (target.type === "checkbox") return event.key === " ";
  return target.type !== "range" || /^(Arrow|Page|Home|End)/.test(event.key);
}
// What the mouse or a finger has used gives the keyboard back to the page; what was reached by the keyboard keeps it. A number typed in is finished by Enter.
export function giveKeysBack(): void {
  let byPointer = false;
  document.addEventListener("pointerdown", () => { byPointer = true; }, true);
  document.addEventListener("keydown", (event) => {
    byPointer = false;
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.type === "number") event.target.blur();
  }, true);
  const giveBack = (): void => {
    if (!byPointer) return;
    setTimeout(() => { // after a label has given the focus to its control
      const focus = document.activeElement;
      if (focus instanceof HTMLElement && focus.matches("select, button, summary, input[type=checkbox], input[type=range]") && !focus.closest("dialog")) focus.blur();
    });
  };
  document.addEventListener("change", giveBack);
  document.addEventListener("click", (event) => { if (!(event.target instanceof Element && event.target.closest("select, option"))) giveBack(); });
}
// Keys -> what they do, while `active`.
export function listenToKeys(keys: Record<string, (event: KeyboardEvent) => void>, active: () => boolean): void {
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!act || takesKey(event) || !active() || (document.querySelector("dialog[open]") && event.key !== "h")) return;
    event.preventDefault();
    act(event);
  });
}
