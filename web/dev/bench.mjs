// What one picture costs, by what is drawn: node dev/bench.mjs [hash ...]. Script: the page's own time (least of several). Total: processor time of the
// whole browser per picture, software rasteriser included, so that other load on the machine does not count.
import { chromium } from "playwright-core";
import { readFileSync, readdirSync } from "node:fs";

const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const server = await chromium.launchServer({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const browser = await chromium.connect(server.wsEndpoint());

function processorTime() { // ms, of the browser and all it started
  const parent = new Map(), used = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const words = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      parent.set(+name, +words[1]);
      used.set(+name, 10 * (+words[11] + +words[12]));
    } catch { /* it ended */ }
  }
  let sum = 0;
  for (const pid of used.keys()) for (let p = pid; p; p = parent.get(p) ?? 0) if (p === server.process().pid) { sum += used.get(pid); break; }
  return sum;
}

const PICTURES = 8;
for (const hash of process.argv.length > 2 ? process.argv.slice(2) : ["scene=knot", "scene=coil&colour=twist", "scene=hairs", "scene=tress"]) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.on("console", (message) => { if (message.type() === "error") console.error(message.text()); });
  await page.goto(new URL("../build/harness.html", import.meta.url).href + `#${hash}&once`);
  await page.waitForFunction(() => globalThis.measured);
  const draw = (mode) => page.evaluate(([mode, pictures]) => {
    const { view, made } = globalThis, gl = view.renderer.getContext(), pixel = new Uint8Array(4);
    let script = Infinity, show = Infinity;
    if (mode === "rods") view.background.mesh.visible = false;
    if (mode !== "all" && mode !== "no shadow") { view.ground.mesh.material.visible = false; }
    for (let i = 0; i < pictures; ++i) {
      const start = performance.now();
      view.show(0, made[i % made.length][0]);
      const shown = performance.now();
      view.render(mode === "all" ? view.quality.shadow : 0, view.quality.vertices, view.quality.bestFibres);
      const drawn = performance.now();
      script = Math.min(script, drawn - start);
      show = Math.min(show, shown - start);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
    return { script, show, detail: JSON.stringify(view.runs[0].rods.detail) };
  }, [mode, PICTURES]);
  console.log(hash);
  for (const mode of ["all", "no shadow", "no ground", "rods"]) {
    await draw(mode);
    const before = processorTime();
    const { script, show, detail } = await draw(mode);
    console.log(`  ${mode}: total ${((processorTime() - before) / PICTURES).toFixed(0)} ms, script ${script.toFixed(2)} ms (show ${show.toFixed(2)}), ${detail}`);
  }
  await page.close();
}
await browser.close();
await server.close();
