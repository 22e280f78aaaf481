// Pictures of the harness: node dev/shots.mjs [--size 1280x720] [name=hash ...] -> build/shots/NAME.png. Fails on any console error or request.
import { chromium } from "playwright-core";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
const ALL = {
  ribbon: "scene=ribbon", ribbon_dark: "scene=ribbon&theme=dark&colour=twist", helix: "scene=helix", helix_frames: "scene=helix&frames&theme=dark", knot: "scene=knot",
  knot_dark: "scene=knot&theme=dark&colour=curvature", coil: "scene=coil&colour=twist", hairs: "scene=hairs", hairs_dark: "scene=hairs&theme=dark", ring: "scene=ring&colour=tension",
  crane: "scene=crane&contacts", crane_dark: "scene=crane&theme=dark&colour=moment", tiny: "scene=tiny", elastica: "scene=elastica&colour=curvature", tress: "scene=tress", overlay: "scene=elastica,elastica,elastica&time=1",
};
const args = process.argv.slice(2);
const at = args.indexOf("--size");
const [width, height] = (at >= 0 ? args.splice(at, 2)[1] : "1280x720").split("x").map(Number);
const wanted = args.length ? args.map((a) => (a.includes("=") ? [a.slice(0, a.indexOf("=")), a.slice(a.indexOf("=") + 1)] : [a, ALL[a]])) : Object.entries(ALL);
const out = fileURLToPath(new URL("../build/shots/", import.meta.url));
const page_at = new URL("../build/harness.html", import.meta.url).href;
await mkdir(out, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
let bad = 0;
for (const [name, hash] of wanted) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.on("console", (message) => { if (message.type() === "error") { ++bad; console.error(`${name}: ${message.text()}`); } });
  page.on("pageerror", (error) => { ++bad; console.error(`${name}: ${error}`); });
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) { ++bad; console.error(`${name}: asked for ${request.url()}`); } });
  await page.goto(`${page_at}#${hash}`);
  await page.waitForFunction(() => globalThis.measured && globalThis.measured().pictures > 12, null, { timeout: 60000 });
  const { cpu, fps } = await page.evaluate(() => globalThis.measured());
  await page.screenshot({ path: `${out}${name}.png` });
  console.log(`${name}: ${cpu.toFixed(2)} ms script per picture, ${fps.toFixed(1)} pictures/s`);
  await page.close();
}
await browser.close();
process.exit(bad ? 1 : 0);
