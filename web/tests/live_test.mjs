// The live view in a browser, against the program.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ask, distance, expect, holdsUndisturbed, openPage, openScene, pixels, root, skip, sleep, startProgram, test, until } from "./harness.mjs";

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
  await drawn(page);
}
// What was last asked for has come and been drawn, however slow the machine is.
async function drawn(page) {
  await sleep(250);
  for (let k = 0; k < 4; k++) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
}
// The scene at its start, paused: how long the first picture took does not matter.
async function atStart(context, scene) {
  const page = await fresh(context, scene);
  await pause(page);
  await page.click('[aria-label="Restart"]');
  await until("the start", async () => (await status(page)).paused && (await ask(page, "time")) === 0);
  await page.keyboard.press("f"); // seen whole, as it is now
  await drawn(page);
  return page;
}
const uncovered = (page, { x, y }) => page.evaluate(([x, y]) => document.elementFromPoint(x, y)?.tagName === "CANVAS", [x, y]); // by no panel

test("the gallery lists every scene", async (context) => {
  const page = await live(context);
  await page.waitForSelector(".card");
  const cards = await page.$$eval(".card", (list) => list.map((card) => ({ name: card.dataset.scene, title: card.querySelector(".card-title").textContent, about: card.querySelector(".card-about").textContent })));
  const files = readdirSync(join(root, "scenes")).filter((name) => name.endsWith(".toml")).map((name) => name.slice(0, -5));
  expect(cards.map((card) => card.name).sort().join() === files.sort().join(), `cards ${cards.map((card) => card.name)}, files ${files}`);
  expect(cards[0].name === "trefoil" && cards.findIndex((card) => card.name === "cantilever") > 8, `the gallery begins with ${cards.slice(0, 3).map((card) => card.name)}`);
  for (const card of cards) expect(card.title && card.about.endsWith("."), `${card.name} has no title or sentence`);
  for (const card of await page.$$(".card")) { // pictures are loaded when they come into sight
    await card.scrollIntoViewIfNeeded();
    const name = await card.getAttribute("data-scene");
    await until(`the picture of ${name}`, () => card.$eval(".picture", (one) => one.tagName === "IMG" && one.complete && one.naturalWidth > 0));
  }
});

test("a scene draws, with the rod where it should be", async (context) => {
  const page = await fresh(context, "cantilever");
  const nodes = await ask(page, "nodes");
  const look = async () => ({ picture: await pixels(page), at: await ask(page, "pixels") });
  await pause(page);
  const before = await look();
  let after = before;
  const moved = () => Math.hypot(after.at[nodes - 1].x - before.at[nodes - 1].x, after.at[nodes - 1].y - before.at[nodes - 1].y);
  for (let tries = 0; tries < 12 && moved() < 60; tries++) { // it swings: where it is paused is a matter of luck
    await play(page, 0.1 + 0.03 * tries);
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
  for (let tries = 0; tries < 20 && !(await uncovered(page, await ask(page, "pixel", -2))); tries++) await play(page, 0.05).then(() => pause(page));
  // All in pixels: the hand moves in the plane that faces the camera. `side` is where the rod hangs and swings by itself, seen from the clamp.
  const start = await ask(page, "pixel", -2), clamp = await ask(page, "pixel", 0);
  expect(await uncovered(page, start), "the tip is behind a panel");
  const below = await ask(page, "project", [0, 0, -1]), swings = await ask(page, "project", [0.5, 0, -0.8]);
  const length = below.y - clamp.y, side = Math.sign(swings.x - clamp.x);
  const aside = async () => ((await ask(page, "pixel", -1)).x - (await ask(page, "pixel", 0)).x) * -side / length; // to the other side, in lengths
  expect((await aside()) < 0.1, `the tip is ${await aside()} lengths aside before it is pulled`);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.keyboard.press(" ");
  await page.mouse.move(clamp.x - side * 0.35 * length, clamp.y + 0.6 * length, { steps: 8 });
  const force = () => page.$$eval(".force", (list) => list.map((one) => one.textContent).join());
  await until("the tip has come along", async () => (await aside()) > 0.2 && /^[\d.e\u2212]+\u2009N$/.test(await force())).finally(() => page.mouse.up());
  await until("it has returned", async () => (await aside()) < 0.05 && (await force()) === "");
  await pause(page);
  const rod = await ask(page, "pixels"), camera = await ask(page, "camera");
  const places = Array.from({ length: 30 }, (_, k) => ({ x: 350 + 30 * (k % 10), y: 60 + 90 * Math.floor(k / 10) }));
  const free = places.find((p) => rod.every((q) => Math.hypot(p.x - q.x, p.y - q.y) > 70));
  expect(free, "there is no place beside the rod");
  await page.mouse.move(free.x, free.y);
  await page.mouse.down();
  await page.mouse.move(free.x + 50, free.y + 20, { steps: 4 });
  await page.mouse.up();
  await until("beside the rod the mouse turns the view", async () => JSON.stringify(await ask(page, "camera")) !== JSON.stringify(camera));
});

test("a scene with bodies and obstacles draws them", async (context) => {
  const page = await atStart(context, "wrecking_ball");
  const { bodies, obstacles } = await ask(page, "description");
  expect(bodies.map((body) => body.name).join() === "ball,lowest,second,third,barrel", `bodies ${bodies.map((body) => body.name)}`);
  expect(obstacles.length === 1 && obstacles[0].shape.plane && !obstacles[0].moves, `obstacles ${JSON.stringify(obstacles)}`);
  // Each body has one colour and is told from what is behind it: at its middle, against beside it.
  const picture = await pixels(page), size = { ball: 0.06, lowest: 0.08, second: 0.075, third: 0.07, barrel: 0.05 };
  let seen = 0;
  for (let k = 0; k < bodies.length; k++) {
    const at = await ask(page, "body", k), middle = await ask(page, "project", at);
    const beside = await ask(page, "project", [at[0], at[1], at[2] + 0.6]), metre = Math.hypot(beside.x - middle.x, beside.y - middle.y) / 0.6;
    const sides = [-1, 1].map((side) => ({ x: middle.x + side * 3.2 * size[bodies[k].name] * metre, y: middle.y }));
    if (!(await uncovered(page, middle)) || !(await uncovered(page, sides[0])) || !(await uncovered(page, sides[1]))) continue;
    seen++;
    const [here, left, right] = [middle, ...sides].map((p) => picture(p.x, p.y));
    expect(Math.max(distance(here, left), distance(here, right)) > 12, `${bodies[k].name} is not seen: ${here} in its middle, ${left} and ${right} beside it`); // another body may stand at one side
  }
  expect(seen >= 3, `only ${seen} bodies are not behind panels`);
});

test("dragging a body moves it, and what hangs on it comes along", async (context) => {
  const page = await atStart(context, "wrecking_ball"); // the ball swings down from where it began, 0.95 m above the floor, and never comes higher by itself
  const pixel = await ask(page, "project", await ask(page, "body", 0)), up = await ask(page, "project", [0.4, 0, 1.25]);
  const height = async () => (await ask(page, "body", 0))[2];
  expect((await height()) < 0.96, `the ball begins at ${await height()}`);
  await page.mouse.move(pixel.x, pixel.y);
  await page.mouse.down();
  await page.keyboard.press(" ");
  await page.mouse.move(up.x, up.y, { steps: 8 });
  await until("the ball has come along", async () => (await height()) > 1.05).finally(() => page.mouse.up());
  await pause(page);
  const ball = await ask(page, "body", 0), tip = await ask(page, "point", -1, 0);
  expect(Math.abs(Math.hypot(...ball.map((x, k) => x - tip[k])) - 0.06) < 1e-3, `the tether ends at ${tip}, the ball is at ${ball}`);
  await play(page, 0.05);
  await until("it falls when it is let go", async () => (await height()) < 0.9);
});

test("contacts have arrows, and the rod the colour of their force", async (context) => {
  const page = await fresh(context, "falling_rope");
  await until("the rope lies", async () => (await ask(page, "time")) > 2.5, 60000);
  await pause(page);
  await page.keyboard.press("f"); // where the panels leave room
  await drawn(page);
  const contacts = await ask(page, "contacts"), nodes = await ask(page, "pixels");
  expect(contacts.length > 5, `${contacts.length} contacts`);
  const weight = 0.12 * 1.6 * 9.81, carried = contacts.reduce((sum, one) => sum + one[8], 0);
  expect(Math.abs(carried - weight) < 0.3 * weight, `they carry ${carried} N of ${weight} N`);
  const box = 'select[aria-label="Colouring"]';
  expect(await page.isVisible(".check >> text=Contacts"), "there is no box for contacts");
  const changed = async (what, act, places, enough) => {
    const before = await pixels(page);
    await act();
    await until(what, async () => { const after = await pixels(page); return places.filter((p) => distance(before(p.x, p.y), after(p.x, p.y)) > 20).length > enough; });
  };
  await page.selectOption(box, "none");
  await page.click(".check >> text=Contacts"); // arrows hide the rod
  await drawn(page);
  await changed("the rod has other colours", () => page.selectOption(box, "contact"), nodes, 0.2 * nodes.length);
  const places = [];
  for (const one of contacts) {
    const foot = await ask(page, "project", one.slice(0, 3)), head = await ask(page, "project", one.slice(0, 3).map((x, k) => x + 0.06 * one[3 + k]));
    for (const t of [0.5, 0.8, 1.1]) places.push({ x: foot.x + t * (head.x - foot.x), y: foot.y + t * (head.y - foot.y) });
  }
  await changed("there are arrows", () => page.click(".check >> text=Contacts"), places, 0.2 * contacts.length);
  await page.selectOption(box, "none");
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
  let rate = 0;
  const paced = await holdsUndisturbed(async () => {
    const [time, start] = [await ask(page, "time"), Date.now()];
    await sleep(1000);
    rate = ((await ask(page, "time")) - time) / ((Date.now() - start) / 1000);
    return rate > 0.07 && rate < 0.13;
  });
  expect(paced, `it runs at ${rate} instead of 0.1`);
  await page.dblclick('input[aria-label="Speed"]');
  await until("double click: full speed", async () => (await status(page)).speed === 1);
});

test("the keys are the page's after a switch, a box, a slider or a menu was used", async (context) => {
  const page = await fresh(context, "cantilever");
  await pause(page);
  const uses = {
    switch: () => page.click('[role="switch"][aria-label="Gravity"]'),
    box: () => page.click(".check >> text=Frames"),
    slider: () => page.click('input[aria-label="Thickness"]'),
    tab: () => page.click('[role="tab"][data-group="energy"]'),
    menu: async () => { // as by the mouse: the list itself is not part of the page
      await page.dispatchEvent('select[aria-label="Colouring"]', "pointerdown");
      await page.focus('select[aria-label="Colouring"]');
      await page.selectOption('select[aria-label="Colouring"]', "curvature");
    },
  };
  if (!(await page.isVisible(".plots"))) await page.keyboard.press("p");
  for (const [name, use] of Object.entries(uses)) {
    await use();
    await sleep(50);
    const step = await ask(page, "step");
    await page.keyboard.press(".");
    await until(`a step by the keyboard after the ${name}`, async () => (await ask(page, "step")) === step + 1);
    await page.keyboard.press(" ");
    await until(`it plays by the keyboard after the ${name}`, async () => !(await status(page)).paused);
    await pause(page);
  }
  expect((await status(page)).inputs.gravity === 0, "space has used the switch again");
  await page.selectOption('select[aria-label="Colouring"]', "none");
  await page.click(".check >> text=Frames");
});

test("the panels show what a scene has", async (context) => {
  const page = await fresh(context, "perversion"); // no gravity, nothing to touch
  const { gravity, obstacles } = await ask(page, "description");
  expect(gravity.every((part) => part === 0) && !obstacles.length, "the scene has changed: take another");
  expect(!(await page.isVisible('[role="switch"][aria-label="Gravity"]')), "there is a switch for no gravity");
  expect(!(await page.isVisible(".check >> text=Contacts")), "there is a box for no contacts");
  const room = await page.$eval('select[aria-label="Colouring"]', (menu) => {
    const free = menu.cloneNode(true);
    Object.assign(free.style, { position: "absolute", width: "max-content", flex: "none" });
    menu.parentElement.append(free);
    const wide = free.getBoundingClientRect().width;
    free.remove();
    return menu.getBoundingClientRect().width - wide;
  });
  expect(room > -1, `the Colour menu is ${-room} px too narrow`);
  await fresh(context, "reeds");
  const folds = await page.$$eval(".fold", (list) => list.map((fold) => fold.open));
  expect(folds.length === 16 && !folds.includes(true), `${folds.length} folded clamps`);
  await page.keyboard.press("]");
  await until("the selected clamp is unfolded", async () => (await page.$$(".fold[open] .input.selected")).length === 1);
  await until("the plot leaves out what is always zero", async () => (await ask(page, "plotted")).every((chart) => !chart.labels.includes("contact")));
});

test("a recording begun late shows its own span of time", async (context) => {
  const page = await fresh(context, "cantilever");
  await until("t = 0.5 s", async () => (await ask(page, "time")) > 0.5);
  await page.click('[aria-label="Record"]');
  await until("it records", async () => (await status(page)).recording);
  await sleep(600);
  await page.click('[aria-label="Stop recording"]');
  const recorded = await until("recorded", async () => !(await status(page)).recording && (await status(page)).recorded, 15000);
  const folder = resolve(root, recorded);
  try {
    await page.waitForSelector(".notice >> text=Recorded");
    await page.keyboard.press("r");
    await until("started again", async () => (await ask(page, "time")) < 0.3);
    await sleep(500);
    expect((await page.$$(".notice")).length === 0, "the notice has come back");

    const replay = await openPage(context.browser, `file://${join(folder, "index.html")}`);
    await replay.waitForSelector('input[aria-label="Timeline"]');
    const timeline = () => replay.$eval('input[aria-label="Timeline"]', (slider) => ({ low: Number(slider.min), high: Number(slider.max), now: Number(slider.value) }));
    const first = await ask(replay, "time"), start = await timeline();
    const records = /id="frames-0">([^<]*)</.exec(readFileSync(join(folder, "index.html"), "utf8"))[1].trim().slice(0, 64);
    expect(first > 0.4 && first === Buffer.from(records, "base64").readDoubleLE(4 + 8), `it begins at ${first} s`);
    const near = (a, b) => Math.abs(a - b) < 1e-9; // the browser rounds a slider's number
    expect(near(start.low, first) && near(start.now, first), `the timeline begins at ${start.low} s and shows ${start.now} s, the first frame is at ${first} s`);
    expect((await replay.textContent('output[aria-label="Time"]')).includes(first.toFixed(3)), "the clock shows another time");
    const frames = Number(/(\d+) frames/.exec(await replay.textContent(".facts"))?.[1]);
    expect(frames > 10 && start.high > first + 0.2, `${frames} frames until ${start.high} s`);
    await replay.keyboard.press("End");
    await until("at the end", async () => near((await timeline()).now, start.high));
    await replay.keyboard.press("Home");
    await until("at the start", async () => (await ask(replay, "time")) === first && near((await timeline()).now, first));
    await replay.close();
  } finally {
    if (basename(dirname(folder)) === "runs") rmSync(folder, { recursive: true, force: true });
  }
});

test("opening a scene again, or with another method, keeps the scene's own step", async (context) => {
  const page = await fresh(context, "cantilever");
  const first = await ask(page, "description");
  const shown = () => page.$eval('select[aria-label="Step"]', (menu) => menu.selectedOptions[0].textContent);
  const again = async (what, act) => {
    const { generation } = await ask(page, "description");
    await act();
    return until(what, async () => { const now = await ask(page, "description"); return now && now.generation !== generation && (await ask(page, "time")) !== null && now; });
  };
  const choose = (menu) => page.$eval(`select[aria-label="${menu}"]`, (one) => one.dispatchEvent(new Event("change", { bubbles: true })));
  expect(/^as the scene says \(/.test(await shown()), `the step reads ${await shown()}`);
  for (const menu of ["Scene", "Method"]) expect((await again(menu, () => choose(menu))).step === first.step, `${menu} chosen again changes the step`);
  const half = Number((first.step / 2).toPrecision(1));
  const value = await page.$eval('select[aria-label="Step"]', (menu, wanted) => [...menu.options].map((one) => one.value).filter((one) => Number(one) > 0).sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0], half);
  const finer = await again("another step", () => page.selectOption('select[aria-label="Step"]', value));
  expect(Math.abs(finer.step - Number(value)) < 1e-6 * finer.step, `${finer.step} instead of ${value}`);
  expect((await again("Method", () => choose("Method"))).step === finer.step, "a step the user chose is lost with the method");
  expect((await again("as the scene says", () => page.selectOption('select[aria-label="Step"]', "scene"))).step === first.step, "the scene's step does not come back");
});

test("switching the method keeps the scene", async (context) => {
  let page = await fresh(context, "cantilever"); // moves: strands cannot
  for (const method of (await ask(page, "description")).methods.filter((one) => one.problems.length)) {
    const option = await page.$eval(`select[aria-label="Method"] option[value="${method.name}"]`, (one) => ({ disabled: one.disabled, title: one.title }));
    expect(option.disabled && option.title.length > 0, `${method.name} can be chosen, or nothing says why not`);
  }
  page = await fresh(context, "suture"); // equilibria: strands and der can
  await until("it has gone some way", async () => (await ask(page, "time")) > 2); // a busy machine may look late
  const description = await ask(page, "description");
  const other = description.methods.find((method) => method.name !== description.method && !method.problems.length);
  expect(other, `only ${description.method} can run ${description.name}`);
  await page.selectOption('select[aria-label="Method"]', other.name);
  await until(other.name, async () => (await ask(page, "description"))?.method === other.name && (await ask(page, "time")) !== null);
  expect((await ask(page, "description")).name === description.name, "another scene");
  expect((await ask(page, "time")) < 2, "it did not start again");
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
