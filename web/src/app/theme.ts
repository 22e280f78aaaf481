// Light or dark: as the system says, unless the user (or the address) chose.
import { remember, remembered } from "./dom";

export type Theme = "light" | "dark";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let chosen: Theme | null = remembered("theme") === "dark" ? "dark" : remembered("theme") === "light" ? "light" : null;

export function theme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}
function apply(): void {
  document.documentElement.dataset.theme = theme();
  for (const act of listeners) act();
}
export function setTheme(wanted: Theme, keep = true): void {
  chosen = wanted;
  if (keep) remember("theme", wanted);
  apply();
}
export function toggleTheme(): void {
  setTheme(theme() === "dark" ? "light" : "dark");
}
export function onTheme(act: () => void): void {
  listeners.push(act);
}
export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
system.addEventListener("change", apply);
apply();
