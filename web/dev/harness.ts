// The drawing alone, with made-up rods. Words after # choose: scene=helix,knot colour=twist theme=dark frames contacts thickness=2 time=1 still.
import "./harness.css";
import { makeRodView, type Colouring } from "../src/draw/rod_view";
import { SCENES } from "./scenes";

const words = new Map(location.hash.slice(1).split("&").filter(Boolean).map((word) => word.split("=") as [string, string | undefined]));
const canvas = document.getElementById("canvas") as HTMLCanvasElement;
const view = makeRodView(canvas);
const runs = (words.get("scene") ?? "ribbon").split(",").map((name) => SCENES[name]());
view.setRuns(runs.map((run) => run.description));
view.setLook({
  colouring: (words.get("colour") ?? "none") as Colouring, thickness: Number(words.get("thickness") ?? 1),
  frames: words.has("frames"), contacts: words.has("contacts"), dark: words.get("theme") === "dark",
});
const start = Number(words.get("time") ?? 0);
let pictures = 0, busy = 0, began = performance.now();
// Frames are made beforehand, so that only the drawing is measured.
const made = Array.from({ length: words.has("still") ? 1 : 12 }, (_, i) => runs.map((run, r) => run.frame(start + 0.03 * i + 0.7 * r)));
function tick(): void {
  const at = performance.now();
  made[pictures % made.length].forEach((frame, r) => view.show(r, frame));
  view.draw();
  busy += performance.now() - at;
  if (++pictures === 5) { busy = 0; began = performance.now(); }
  if (!words.has("once")) requestAnimationFrame(tick);
}
addEventListener("resize", () => view.resize());
tick();
Object.assign(globalThis, {
  view, made,
  measured: () => ({ pictures, cpu: busy / Math.max(1, pictures - 5), fps: (1000 * (pictures - 5)) / (performance.now() - began) }),
});
