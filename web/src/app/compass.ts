// In the corner of a drawing: where x, y and z point, and how long something is.
import { roundStep } from "../draw/ground";
import type { RodView } from "../draw/rod_view";
import type { Vec3 } from "../protocol";
import { withUnit } from "./dom";

const arm = 24, middle = { x: 30, y: 34 }; // px
const bar = { left: 72, bottom: 58, longest: 110 };
const axes: [string, string, Vec3][] = [["x", "#d1442a", [1, 0, 0]], ["y", "#2e9e63", [0, 1, 0]], ["z", "#3c6fd1", [0, 0, 1]]];

// A round length that is at most so many pixels, at so many pixels per metre.
export function scaleBar(perMetre: number, longest: number): { pixels: number; label: string } {
  const metres = roundStep(longest / perMetre);
  const [unit, size] = metres >= 1000 ? ["km", 1e3] : metres >= 1 ? ["m", 1] : metres >= 0.01 ? ["cm", 1e-2] : metres >= 1e-3 ? ["mm", 1e-3] : ["\u00b5m", 1e-6];
  return { pixels: metres * perMetre, label: withUnit(Number((metres / size).toPrecision(6)), unit) };
}

function made<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

export class Compass {
  readonly element = made("svg", { class: "compass", role: "img" });
  private readonly arms = axes.map(([name, colour]) => ({ line: made("line", { x1: middle.x, y1: middle.y, stroke: colour }), text: made("text", { "text-anchor": "middle", "dominant-baseline": "central" }), name }));
  private readonly scale = made("path", { class: "scale", fill: "none", "stroke-width": 1.5 });
  private readonly label = made("text", { x: bar.left, y: bar.bottom - 9, class: "scale-label" });
  private last = "";

  constructor() {
    for (const { line, text, name } of this.arms) {
      text.textContent = name;
      this.element.append(line, text);
    }
    this.element.append(this.scale, this.label);
  }
  update(view: RodView): void {
    const perMetre = view.perMetre(), { position, target } = view.camera();
    const now = [perMetre, ...position, ...target].join();
    if (now === this.last || !(perMetre > 0)) return;
    this.last = now;
    const from = view.project(target), short = 1e-2 * arm / perMetre; // [m]: so near that perspective does not matter
    axes.forEach(([, , axis], k) => {
      const tip = view.project(target.map((x, i) => x + short * axis[i]!) as Vec3), { line, text } = this.arms[k]!;
      const dx = (tip.x - from.x) * 1e2, dy = (tip.y - from.y) * 1e2, size = Math.hypot(dx, dy), out = size > 1 ? (size + 8) / size : 0;
      line.setAttribute("x2", String(middle.x + dx));
      line.setAttribute("y2", String(middle.y + dy));
      text.setAttribute("x", String(middle.x + out * dx));
      text.setAttribute("y", String(middle.y + out * dy));
    });
    const { pixels, label } = scaleBar(perMetre, bar.longest);
    this.scale.setAttribute("d", `M${bar.left} ${bar.bottom - 4}v4h${pixels.toFixed(1)}v-4`);
    this.label.textContent = label;
    this.element.setAttribute("aria-label", `axes; the bar is ${label} long, as deep as the middle of the view`);
  }
}
