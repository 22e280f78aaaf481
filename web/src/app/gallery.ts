// The scenes, one card each.
import type { SceneEntry } from "../protocol";
import { el, firstSentence, iconButton } from "./dom";
import { toggleTheme } from "./theme";

// Where there is no picture yet: a curl whose shape comes from the scene's name.
function placeholder(name: string): HTMLElement {
  let seed = 7;
  for (const letter of name) seed = (seed * 31 + letter.charCodeAt(0)) % 1009;
  const turns = 1.5 + (seed % 5) * 0.5, tall = 22 + (seed % 7) * 4, lean = ((seed % 11) - 5) * 5;
  const point = (s: number): string => {
    const phase = 2 * Math.PI * turns * s + seed;
    return `${(40 + 240 * s + 36 * Math.cos(phase)).toFixed(1)},${(100 + lean * (s - 0.5) + tall * Math.sin(phase) * Math.sin(Math.PI * (0.08 + 0.84 * s))).toFixed(1)}`;
  };
  const line = Array.from({ length: 121 }, (_, k) => point(k / 120)).join(" ");
  const box = el("div", { class: "picture placeholder", "aria-hidden": "true" });
  box.innerHTML = `<svg viewBox="0 0 320 200" preserveAspectRatio="xMidYMid slice" fill="none" stroke-linecap="round" stroke-linejoin="round">
    <polyline class="tube" points="${line}"/><polyline class="stripe" points="${line}"/></svg>`;
  return box;
}

function card(scene: SceneEntry, open: (name: string) => void): HTMLElement {
  const picture = el("img", { class: "picture", alt: "", loading: "lazy", src: `picture/${encodeURIComponent(scene.name)}.png`, onerror: () => picture.replaceWith(placeholder(scene.name)) });
  return el("li", {},
    el("button", { type: "button", class: "card", "data-scene": scene.name, "aria-label": scene.title, onclick: () => open(scene.name) },
      picture,
      el("span", { class: "card-text" },
        el("span", { class: "card-title" }, scene.title),
        el("span", { class: "card-about" }, firstSentence(scene.about)),
        el("span", { class: "card-foot" }, el("span", { class: "chip" }, scene.method), el("code", {}, `tendril view ${scene.name}`)))));
}

// The most telling ones first; a program without them shows what it has.
const first = ["trefoil", "plectoneme", "curly_hair", "hanging_chain", "ribbon", "perversion", "wrecking_ball", "falling_rope", "twisted_ring", "whip", "tugged_curl", "capstan"];

export class Gallery {
  readonly element = el("main", { class: "gallery", "aria-label": "Gallery" });
  private readonly list = el("ul", { class: "cards" });
  private readonly foot = el("footer");

  constructor(private readonly open: (name: string) => void) {
    this.element.append(
      el("header", {},
        el("div", {}, el("h1", {}, "tendril"), el("p", {}, "Thin elastic rods that bend, twist and coil. Pick a scene and pull at it.")),
        iconButton("theme", "Light or dark", "t", toggleTheme)),
      this.list, this.foot);
  }
  setScenes(scenes: SceneEntry[], version: string): void {
    const place = ({ name }: SceneEntry): number => (first.indexOf(name) + first.length + 1) % (first.length + 1); // others keep their order behind these
    this.list.replaceChildren(...[...scenes].sort((a, b) => place(a) - place(b)).map((scene) => card(scene, this.open)));
    this.foot.textContent = `tendril ${version}: ${scenes.length} scenes`;
  }
}
