// The live view in a browser, against the program.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ask, distance, expect, openPage, openScene, pixels, root, skip, sleep, startProgram, test, until } from "./harness.mjs";

// One program and one page for all of these; each opens the scene it needs.
let shared = null;
async function live({ program, browser }) {
  if (shared) return shared.page;
  const running = await startProgram(program);
  shared = { running, page: await openPage(browser, running.address) };
  return shared.page;
}
async function fresh(context, scene) {
  const page = await live(context);
  if (await ask(page, "description")) await page.click('[aria-label="All scenes"]');
  await page.waitForSelector(`[data-scene="${scene}"]`);
  await openScene(page, scene);
  return page;
}
const status = (page) => ask(page, "status");
async function play(page, seconds) {
  const from = await ask(page, "time");
  await page.click('[aria-label="Play"]');
  await until(`${seconds} s have passed`, async () => !(await status(page)).paused && (await ask(page, "time")) > from + seconds);
}
async function pause(page) {
  if (!(await status(page)).paused) await page.click('[aria-label="Pause"]');
  await until("paused", async () => (await status(page)).paused);
  await sleep(250); // the last frame is drawn
}

test("the gallery lists every scene", async (context) => {
  const page = await live(context);
  await page.waitForSelector(".card");
  const cards = await page.$$eval(".card", (list) => list.map((card) => ({ name: card.dataset.scene, title: card.querySelector(".card-title").textContent, about: card.querySelector(".card-about").textContent })));
  const files = readdirSync(join(root, "scenes")).filter((name) => name.endsWith(".toml")).map((name) => name.slice(0, -5));
  expect(cards.map((card) => card.name).sort().join() === files.sort().join(), `cards ${cards.map((card) => card.name)}, files ${files}`);
  for (const card of cards) expect(card.title && card.about.endsWith("."), `${card.name} has no title or sentence`);
  await page.waitForFunction(() => [...document.querySelectorAll(".card .picture")].every((one) => one.tagName !== "IMG" || one.complete));
});

test("a scene draws, with the rod where it should be", async (context) => {
  const page = await fresh(context, "cantilever");
  const nodes = await ask(page, "nodes");
  const look = async () => ({ picture: await pixels(page), at: await ask(page, "pixels") });
  await pause(page);
  const before = await look();
  let after = before;
  const moved = () => Math.hypot(after.at[nodes - 1].x - before.at[nodes - 1].x, after.at[nodes - 1].y - before.at[nodes - 1].y);
  for (let tries = 0; tries < 8 && moved() < 60; tries++) { // it swings: where it is paused is a matter of luck
    await play(page, 0.1);
    await pause(page);
    after = await look();
  }
  // Where the rod was and is no more, and where it is and was not, the picture has changed.
  const far = (p, rod) => rod.every((q) => Math.hypot(p.x - q.x, p.y - q.y) > 15);
  const only = [...before.at.filter((p) => far(p, after.at)), ...after.at.filter((p) => far(p, before.at))];
  const changed = only.filter((p) => distance(before.picture(p.x, p.y), after.picture(p.x, p.y)) > 25);
  expect(only.length >= 8, `only ${only.length} nodes moved`);
  expect(changed.length >= 0.9 * only.length, `${changed.length} of ${only.length} places of the rod changed their colour`);
  // Where it is in neither, it has not (shadows and ground excepted: most of it).
  const free = Array.from({ length: 60 }, (_, k) => ({ x: 345 + 29 * (k % 10), y: 40 + 50 * Math.floor(k / 10) })).filter((p) => far(p, before.at) && far(p, after.at));
  const same = free.filter((p) => distance(before.picture(p.x, p.y), after.picture(p.x, p.y)) < 25);
  expect(same.length >= 0.7 * free.length, `${free.length - same.length} of ${free.length} places away from the rod changed`);
});

test("dragging the tip sideways moves it that way, and letting go lets it return", async (context) => {
  const page = await fresh(context, "cantilever");
  await until("t = 3 s", async () => (await ask(page, "time")) > 3); // from then on it swings between x = -0.05 and 0.6 m by itself
  await pause(page); // so that the tip is still there when the mouse is
  const start = await ask(page, "pixel", -2), goal = await ask(page, "project", [-0.35, 0, -0.75]);
  const x = async () => (await ask(page, "point", -1))[0];
  expect((await x()) > -0.1, `the tip is at x = ${await x()} before it is pulled`);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.keyboard.press(" ");
  await page.mouse.move(goal.x, goal.y, { steps: 8 });
  await until("the tip has come along", async () => (await x()) < -0.2).finally(() => page.mouse.up());
  await until("it has returned", async () => (await x()) > 0);
  const camera = await ask(page, "camera");
  await page.mouse.move(450, 60);
  await page.mouse.down();
  await page.mouse.move(500, 80, { steps: 4 });
  await page.mouse.up();
  expect(JSON.stringify(await ask(page, "camera")) !== JSON.stringify(camera), "beside the rod the mouse does not turn the view");
});

test("turning a clamp shows up in the twist plot", async (context) => {
  const page = await fresh(context, "twisted_rod"); // nothing turns by itself before t = 2
  if (!(await page.isVisible(".plots"))) await page.keyboard.press("p");
  await page.click('[role="tab"][data-group="twist"]');
  for (let k = 0; k < 4; k++) await page.keyboard.press("Shift+BracketRight");
  await until("the program has turned it", async () => Math.abs((await status(page)).inputs["clamp.left.turn"]) > 0.9);
  const shown = await until("a turn of twist in the plot", async () => {
    const [chart] = await ask(page, "plotted");
    const column = chart?.data[1] ?? [];
    return Math.max(...column.map(Math.abs)) > 0.7 && chart;
  });
  const column = shown.data[1];
  expect(shown.labels.includes("rod"), `the plot shows ${shown.labels}`);
  expect(Math.abs(column[0]) < 0.05, `it did not start without twist but with ${column[0]}`);
  expect(shown.data[0].every((time, k, all) => k === 0 || time > all[k - 1]), "the times are not in order");
  const value = await page.$eval('input[aria-label="turn left"]', (slider) => Number(slider.value));
  expect(Math.abs(value - 1) < 0.02, `the slider shows ${value}`);
  await page.dblclick('input[aria-label="turn left"]');
  await until("double click turns it back", async () => Math.abs((await status(page)).inputs["clamp.left.turn"]) < 1e-3);
});

test("pause and single step", async (context) => {
  const page = await fresh(context, "cantilever");
  await pause(page);
  const [time, step] = [await ask(page, "time"), await ask(page, "step")];
  await sleep(300);
  expect((await ask(page, "time")) === time, "time goes on while paused");
  await page.click('[aria-label="Single step"]');
  await until("one step", async () => (await ask(page, "step")) === step + 1);
  const description = await ask(page, "description");
  expect(Math.abs((await ask(page, "time")) - time - description.step) < 0.01 * description.step, `the step took ${(await ask(page, "time")) - time} s instead of ${description.step}`);
  await page.keyboard.press(".");
  await until("another by the keyboard", async () => (await ask(page, "step")) === step + 2);
  expect((await status(page)).paused, "a step does not stay paused");
  await page.keyboard.press(" ");
  await until("it goes on", async () => (await ask(page, "time")) > time + 0.02);
  await page.keyboard.press("r");
  await until("restarted", async () => (await ask(page, "time")) < time + 0.02);
});

test("gravity and speed are the program's", async (context) => {
  const page = await fresh(context, "cantilever");
  await page.uncheck('[role="switch"][aria-label="Gravity"]');
  await until("gravity off", async () => (await status(page)).inputs.gravity === 0);
  await page.check('[role="switch"][aria-label="Gravity"]');
  await until("gravity on", async () => (await status(page)).inputs.gravity === 1);
  await page.$eval('input[aria-label="Speed"]', (slider) => { slider.value = "-1"; slider.dispatchEvent(new Event("input", { bubbles: true })); });
  await until("a tenth of the speed", async () => Math.abs((await status(page)).speed - 0.1) < 1e-6);
  const [time, start] = [await ask(page, "time"), Date.now()];
  await sleep(1000);
  const rate = ((await ask(page, "time")) - time) / ((Date.now() - start) / 1000);
  expect(rate > 0.07 && rate < 0.13, `it runs at ${rate} instead of 0.1`);
  await page.dblclick('input[aria-label="Speed"]');
  await until("double click: full speed", async () => (await status(page)).speed === 1);
});

test("switching the method keeps the scene", async (context) => {
  const page = await fresh(context, "cantilever");
  const description = await ask(page, "description");
  const other = description.methods.find((method) => method.name !== description.method && !method.problems.length);
  for (const method of description.methods.filter((one) => one.problems.length)) {
    const option = await page.$eval(`select[aria-label="Method"] option[value="${method.name}"]`, (one) => ({ disabled: one.disabled, title: one.title }));
    expect(option.disabled && option.title.length > 0, `${method.name} can be chosen, or nothing says why not`);
  }
  if (!other) skip(`only ${description.method} can run this scene so far`);
  await page.selectOption('select[aria-label="Method"]', other.name);
  await until(other.name, async () => (await ask(page, "description"))?.method === other.name && (await ask(page, "time")) !== null);
  expect((await ask(page, "description")).name === description.name, "another scene");
  expect((await ask(page, "time")) < 1, "it did not start again");
});

test("the page says when the program has gone", async (context) => {
  const page = await live(context);
  await until("connected", async () => (await ask(page, "state")) === "connected" && !(await page.isVisible(".connection")));
  const watched = page.listeners("console");
  page.removeAllListeners("console"); // that nobody answers is an error for the browser
  await shared.running.stop();
  await page.waitForSelector(".connection.lost");
  await page.close();
  expect(watched.length > 0, "the page was not watched");
  shared = null;
});
