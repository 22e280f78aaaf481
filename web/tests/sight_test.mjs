// What one sees first, no key pressed: the rods are in the picture, and so is where they go.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { ask, expect, openPage, runProgram, sleep, startProgram, test, until } from "./harness.mjs";

const beam = ["cantilever", "--until", "1", "--quiet"];
const made = new Map();
async function run({ program, folder }, name, ...words) {
  if (!made.has(name)) await runProgram(program, "run", ...words, "-o", join(folder, name));
  made.set(name, join(folder, name));
  return made.get(name);
}
const opened = async (context, name, options) => {
  const page = await openPage(context.browser, `file://${name.endsWith(".html") ? name : join(name, "index.html")}`, options);
  await page.waitForSelector('input[aria-label="Timeline"]');
  await sleep(300); // panels find their places
  return page;
};
// Pixels of a rod's nodes, the pane they are drawn in, and the panels that could hide them.
async function seen(page, run = 0) {
  const pane = await page.$$eval(".pane", (list, k) => { const { left, top, right, bottom } = list[Math.min(k, list.length - 1)].getBoundingClientRect(); return { left, top, right, bottom }; }, run);
  const panels = await page.$$eval(".scene > .panel", (list) => list.map((one) => { const { left, top, right, bottom, width } = one.getBoundingClientRect(); return { left, top, right, bottom, width }; }).filter((one) => one.width > 0));
  const points = await ask(page, "pixels", 0, run), xs = points.map((p) => p.x), ys = points.map((p) => p.y);
  const inside = (p, box) => p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom;
  return { pane, points, outside: points.filter((p) => !inside(p, pane)).length, hidden: points.filter((p) => panels.some((panel) => inside(p, panel))).length,
    wide: Math.max(...xs) - Math.min(...xs), high: Math.max(...ys) - Math.min(...ys) };
}
async function allSeen(page, what, run = 0, least = 0.25) {
  const { pane, outside, hidden, wide, high, points } = await seen(page, run);
  expect(outside === 0 && hidden === 0, `${what}: ${outside} of ${points.length} nodes are outside the picture, ${hidden} behind panels`);
  expect(Math.max(wide / (pane.right - pane.left), high / (pane.bottom - pane.top)) > least, `${what}: the rod is ${wide.toFixed(0)} x ${high.toFixed(0)} px`);
}

test("a run that grows far beyond its first frame opens with the rod in sight", async (context) => {
  const page = await opened(context, await run(context, "perversion", "perversion", "--until", "6", "--quiet", "--set", "time.frames_per_second=10"));
  await allSeen(page, "at the start", 0, 0.04); // a short coil: it becomes six times as long
  await page.keyboard.press("End");
  await until("at the end", async () => (await ask(page, "time")) > 5.9);
  await allSeen(page, "at the end", 0, 0.35);
  expect(!(await page.isVisible(".lost")), "it says that the rod has left the picture");
  await page.close();
});

test("two runs side by side open with both rods whole", async (context) => {
  const folders = [await run(context, "beam", ...beam), await run(context, "stiffer", ...beam, "--set", "material.rubber.young_modulus=5e7")];
  const file = join(context.folder, "both.html");
  await runProgram(context.program, "view", ...folders, "-o", file);
  const page = await opened(context, file, { viewport: { width: 1280, height: 760 } });
  expect((await ask(page, "panes")) === 2, "they do not stand side by side");
  for (const key of ["Home", "End"]) {
    await page.keyboard.press(key);
    await sleep(200);
    for (const k of [0, 1]) await allSeen(page, `run ${k + 1}, ${key}`, k);
  }
  // Overlaid: the list of the runs says which colour is which.
  await page.keyboard.press("o");
  await until("overlaid", async () => (await ask(page, "panes")) === 1);
  for (const k of [0, 1]) await allSeen(page, `run ${k + 1}, overlaid`, k);
  const colours = await page.$$eval(".facts li .swatch", (list) => list.filter((one) => one.getBoundingClientRect().width > 5).map((one) => getComputedStyle(one).backgroundImage));
  expect(colours.length === 2 && colours[0] !== colours[1] && colours.every((one) => /rgb/.test(one)), `swatches ${colours}`);
  await page.close();
});

test("statics open at their result, and show the load instead of a time", async (context) => {
  const page = await opened(context, await run(context, "hanging", "cantilever", "--quiet", "--set", "time.mode=statics"));
  const tip = await ask(page, "point", -1);
  expect(tip[2] < -0.3, `the tip is at ${tip}: it does not hang`);
  expect(/^load 100\u2009%/.test(await page.textContent('output[aria-label="Time"]')), await page.textContent('output[aria-label="Time"]'));
  expect(/^load/.test(await page.textContent(".u-legend .u-series")), `the plots are over ${await page.textContent(".u-legend .u-series")}`);
  await allSeen(page, "the result");
  // The bar is as long as it says, at the depth of the point that the view turns about.
  const { position, target } = await ask(page, "camera"), ahead = target.map((x, k) => x - position[k]), level = [ahead[1], -ahead[0], 0];
  const label = await page.textContent(".scale-label"), [, number, unit] = /^([\d.]+)\u2009(mm|cm|m)$/.exec(label), metres = Number(number) * { mm: 1e-3, cm: 1e-2, m: 1 }[unit];
  const [from, to] = [await ask(page, "project", target), await ask(page, "project", target.map((x, k) => x + (metres * level[k]) / Math.hypot(...level)))];
  const long = await page.$eval(".compass .scale", (path) => path.getBBox().width);
  expect(Math.abs(long - Math.hypot(to.x - from.x, to.y - from.y)) < 1, `${label} are ${Math.hypot(to.x - from.x, to.y - from.y)} px, the bar is ${long} px`);
  await page.keyboard.press("Home");
  await until("unloaded", async () => /^load 0\u2009%/.test(await page.textContent('output[aria-label="Time"]')));
  await page.close();
});

test("clock, picture and read-out show the same moment", async (context) => {
  const page = await opened(context, await run(context, "beam", ...beam));
  const timeline = await page.locator('input[aria-label="Timeline"]').boundingBox();
  for (const share of [0.27, 0.5021, 0.731, 0.98]) { // most of these lie between two frames
    await page.mouse.click(timeline.x + share * timeline.width, timeline.y + timeline.height / 2);
    const reads = async () => Number(/t = ([\d.]+)/.exec(await page.textContent('output[aria-label="Time"]'))[1]);
    await until("it has gone there", async () => Math.abs((await reads()) - share) < 0.03);
    const clock = await reads(), frame = await ask(page, "time"), [{ read }] = await ask(page, "plotted");
    expect(Math.abs(clock - frame) < 6e-4 && Math.abs(read - frame) < 6e-4, `the clock says ${clock} s, the picture is of ${frame} s, the plot reads ${read} s`);
  }
  await page.close();
});

test("a small run keeps all its frames, whatever touches or holds it", async (context) => {
  const page = await opened(context, await run(context, "curl", "tugged_curl", "--quiet"));
  const facts = await page.textContent(".facts");
  expect(/\d+ frames/.test(facts) && !/thinned/.test(facts), facts);
  await page.close();
});

test("tendril render writes title, time and legend into a picture", async (context) => {
  const folder = await run(context, "beam", ...beam), file = join(context.folder, "a.png");
  await runProgram(context.program, "render", folder, "-o", file, "--size", "480x300", "--colour", "curvature", "--time", "0.5", "--theme", "light", "--quiet");
  const page = await context.browser.newPage();
  const dark = await page.evaluate(async (text) => { // dark letters in parts of the picture
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const count = (x, y, width, height) => { const { data } = context.getImageData(x, y, width, height); let n = 0; for (let k = 0; k < data.length; k += 4) if (data[k] + data[k + 1] + data[k + 2] < 240) n++; return n; };
    return { title: count(0, 0, 240, 30), time: count(360, 270, 120, 30), legend: count(0, 255, 200, 45), above: count(300, 0, 180, 30) };
  }, readFileSync(file).toString("base64"));
  await page.close();
  expect(dark.title > 60 && dark.time > 30 && dark.legend > 60, `dark pixels: ${JSON.stringify(dark)}`);
  expect(dark.above < 20, "the counted pixels are not letters");
});

test("a live scene opens whole, the view follows what leaves it, and what is out of sight is missed: F brings it back", async (context) => {
  const { address, stop } = await startProgram(context.program, "whip");
  try {
    const page = await openPage(context.browser, address, { viewport: { width: 1280, height: 720 } });
    await until("frames", async () => (await ask(page, "time")) !== null);
    await page.keyboard.press(" ");
    await until("paused", async () => (await ask(page, "status")).paused);
    await page.keyboard.press("r");
    await until("at the start", async () => (await ask(page, "time")) === 0);
    await sleep(400);
    await allSeen(page, "at the start", 0, 0.1);
    expect(!(await page.isVisible(".lost")), "it is missed though it is there");
    await page.keyboard.press(" ");
    await page.fill('input[aria-label^="move"][aria-label$="x value"]', "3"); // as far as it goes
    await page.keyboard.press("Enter");
    await until("it has gone there", async () => (await ask(page, "point", 0))[0] > 1.2, 40000);
    await until("the view has followed", async () => { const { outside, hidden } = await seen(page); return outside === 0 && hidden === 0; });
    await page.mouse.move(500, 300); // the user himself goes where there is nothing
    for (let k = 0; k < 12; k++) await page.mouse.wheel(0, -400);
    await page.waitForSelector(".lost:not([hidden])");
    expect(/picture.*F/.test(await page.textContent(".lost")), await page.textContent(".lost"));
    await page.click(".lost");
    await until("it is back", async () => (await seen(page)).outside === 0 && !(await page.isVisible(".lost")));
    await page.close();
  } finally { await stop(); }
});

test("the ground is never above the rod, and no file name is in the method's tooltip", async (context) => {
  const { address, stop } = await startProgram(context.program, "cantilever");
  try {
    const page = await openPage(context.browser, address);
    await until("frames", async () => (await ask(page, "time")) !== null);
    const tooltip = await page.$eval('select[aria-label="Method"]', (menu) => [menu, ...menu.options].map((one) => one.title).join("\n"));
    expect(/strands/.test(tooltip) && !/\.toml|:\d+:\d+|\/\w+\//.test(tooltip), tooltip);
    const clamp = await ask(page, "aboveGround", 0);
    let lowest = Infinity;
    await until("the tip has swung down", async () => { lowest = Math.min(lowest, await ask(page, "aboveGround", -1)); return (await ask(page, "time")) > 1; });
    expect(clamp > 0.85 && lowest > -1e-3, `the clamp is ${clamp} m above the ground, and the tip of the rod of 1 m comes to ${lowest} m`);
    await page.close();
  } finally { await stop(); }
});
