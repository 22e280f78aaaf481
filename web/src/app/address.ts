// The words after # in the address: docs/view.md.
import type { Camera, Colouring } from "../draw/rod_view";

export interface Words {
  time?: number;
  colour?: Colouring;
  theme?: "light" | "dark";
  camera?: Camera;
  layout?: Layout;
  plain: boolean;
  contacts?: boolean;
  render?: { fps: number; width: number; height: number; from: number; to: number };
}
export type Layout = "overlay" | "side";
export const colourings: Colouring[] = ["twist", "curvature", "tension", "moment", "contact", "none"];

function numbers(text: string, count: number): number[] | undefined {
  const list = text.split(",").map(Number);
  return list.length === count && list.every(Number.isFinite) ? list : undefined;
}

export function readWords(hash: string): Words {
  const words: Words = { plain: false };
  for (const word of decodeURIComponent(hash.replace(/^#/, "")).split(/[&;\s]+/)) {
    const [name, value = ""] = word.split(/=(.*)/s);
    if (name === "plain") words.plain = true;
    if (name === "contacts") words.contacts = value !== "off";
    if (name === "time") words.time = numbers(value, 1)?.[0];
    if (name === "colour" && colourings.includes(value as Colouring)) words.colour = value as Colouring;
    if (name === "theme" && (value === "light" || value === "dark")) words.theme = value;
    if (name === "layout" && (value === "overlay" || value === "side")) words.layout = value;
    if (name === "camera") {
      const n = numbers(value, 6);
      if (n) words.camera = { position: [n[0]!, n[1]!, n[2]!], target: [n[3]!, n[4]!, n[5]!] };
    }
    if (name === "render") {
      const n = numbers(value, 5);
      if (n && n[0]! > 0) words.render = { fps: n[0]!, width: n[1]!, height: n[2]!, from: n[3]!, to: n[4]! };
    }
  }
  return words;
}
