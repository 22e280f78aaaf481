// Saved runs in a browser: from a file, and several at once.
import { createServer } from "node:http";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, distance, expect, openPage, pixels, runCommand, runProgram, sleep, startProgram, test, until } from "./harness.mjs";

let made = null;
async function runs({ program, folder }) {
  if (made) return made;
  made = [join(folder, "plain"), join(folder, "damped")];
  await runProgram(program, "run", "cantilever", "-o", made[0], "--until", "1", "--quiet");
  await runProgram(program, "run", "cantilever", "-o", made[1], "--until", "1", "--quiet", "--set", "rod[0].damping.mass=8");
  return made;
}
let rope = null;
async function ropeRun({ program, folder }) {
  if (!rope) await runProgram(program, "run", "falling_rope", "-o", (rope = join(folder, "rope")), "--until", "1", "--quiet");
  return rope;
}
const at = (page) => page.$eval('input[aria-label="Timeline"]', (slider) => Number(slider.value));

test("a run's index.html plays from disk, with timeline and plots", async (context) => {
  const [folder] = await runs(context);
  const file = join(folder, "index.html");
  expect(statSync(file).size < 50e6, "index.html is larger than 50 MB");
  const page = await openPage(context.browser, `file://${file}`);
  await page.waitForSelector('input[aria-label="Timeline"]');
  expect((await ask(page, "time")) === 0, "it does not start at the start");
  const before = await pixels(page), tip = await ask(page, "pixel", -1);

  const timeline = await page.locator('input[aria-label="Timeline"]').boundingBox();
  await page.mouse.click(timeline.x + timeline.width / 2, timeline.y + timeline.height / 2);
  await until("scrubbed to the middle", async () => Math.abs((await ask(page, "time")) - 0.5) < 0.05);
  await sleep(400);
  const after = await pixels(page), now = await ask(page, "pixel", -1);
  expect(Math.hypot(now.x - tip.x, now.y - tip.y) > 30, "the tip has not moved");
  expect(distance(before(tip.x - 2, tip.y), after(tip.x - 2, tip.y)) > 25 && distance(before(now.x, now.y), after(now.x, now.y)) > 25, "the picture has not changed where the tip was and is");

  const plotted = async () => (await ask(page, "plotted"))[0];
  await page.click('[role="tab"][data-group="energy"]');
  const chart = await plotted();
  expect(chart.labels.includes("kinetic") && chart.labels.includes("total"), `the plot shows ${chart.labels}`);
  expect(chart.data[0].length >= 60 && Math.abs(chart.data[0].at(-1) - 1) < 0.02, `${chart.data[0].length} rows until ${chart.data[0].at(-1)}`);
  expect(Math.max(...chart.data[1 + chart.labels.indexOf("kinetic")]) > 0, "the rod never moves in the plot");
  expect(Math.abs(chart.marker - (await at(page))) < 1e-9, "the plot's line is not at the time shown");

  const over = await page.locator(".u-over").first().boundingBox();
  await page.mouse.click(over.x + 0.8 * over.width, over.y + over.height / 2);
  await until("a click in the plot goes there", async () => Math.abs((await at(page)) - 0.8) < 0.05);
  await page.keyboard.press("Home");
  await until("at the start", async () => (await at(page)) === 0);
  await page.keyboard.press("ArrowRight");
  await until("one frame on", async () => Math.abs((await ask(page, "time")) - 1 / 60) < 1e-3);
  await page.click('[aria-label="Play"]');
  await until("it plays to the end and stops", async () => (await at(page)) > 0.99 && (await page.isVisible('[aria-label="Play"]')), 15000);
  await page.close();
});

test("two runs side by side and overlaid, with one time and one camera", async (context) => {
  const folders = await runs(context);
  const { address, stop } = await startProgram(context.program, ...folders);
  try {
    const page = await openPage(context.browser, `${address}#time=0.5`);
    await page.waitForSelector('input[aria-label="Timeline"]');
    expect((await ask(page, "panes")) === 2, "they do not stand side by side");
    for (const run of [0, 1]) expect(Math.abs((await ask(page, "time", run)) - 0.5) < 0.02, `run ${run + 1} is at another time`);
    const [one, two] = [await ask(page, "point", -1, 0, 0), await ask(page, "point", -1, 0, 1)];
    expect(distance(one, two) > 0.02, "the two runs are the same");
    const before = await ask(page, "camera", 1);
    await page.mouse.move(60, 150);
    await page.mouse.down();
    await page.mouse.move(120, 170, { steps: 4 });
    await page.mouse.up();
    await until("the second camera follows the first", async () => {
      const cameras = [await ask(page, "camera", 0), await ask(page, "camera", 1)];
      return distance(cameras[1].position, before.position) > 0.01 && distance(cameras[0].position, cameras[1].position) < 1e-4;
    });
    const [left, right] = [await ask(page, "pixel", -1, 0, 0), await ask(page, "pixel", -1, 0, 1)];
    expect(left.x < 500 && right.x > 500, `the tips are at ${left.x} and ${right.x}`);
    await page.click('[data-layout="overlay"]');
    await until("overlaid", async () => (await ask(page, "panes")) === 1);
    await sleep(500);
    const picture = await pixels(page);
    for (const run of [0, 1]) {
      const middle = await ask(page, "pixel", 30, 0, run);
      const beside = [[0, -40], [40, 0]].map(([dx, dy]) => distance(picture(middle.x, middle.y), picture(middle.x + dx, middle.y + dy))); // one of them may be on the rod too
      expect(Math.max(...beside) > 20, `run ${run + 1} is not seen where it should be`);
    }
    await page.close();
  } finally { await stop(); }
});

test("render= draws pictures one after another and posts them", async (context) => {
  const [folder] = await runs(context);
  const html = readFileSync(join(folder, "index.html"));
  const posted = new Map();
  const server = createServer((request, response) => {
    if (request.method === "GET") { response.setHeader("content-type", "text/html; charset=utf-8").end(html); return; }
    const parts = [];
    request.on("data", (part) => parts.push(part)).on("end", () => { posted.set(request.url, Buffer.concat(parts)); response.end(); });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    const page = await openPage(context.browser, `http://127.0.0.1:${server.address().port}/x/#render=10,320,200,0.2,0.5&colour=curvature&theme=dark`);
    await until("done", () => posted.has("/x/done") || posted.has("/x/failed"), 15000);
    expect(!posted.has("/x/failed"), `it failed: ${posted.get("/x/failed")}`);
    expect([...posted.keys()].join() === "/x/picture/0,/x/picture/1,/x/picture/2,/x/picture/3,/x/done", [...posted.keys()].join());
    for (let k = 0; k < 4; k++) {
      const png = posted.get(`/x/picture/${k}`);
      expect(png.subarray(1, 4).toString() === "PNG" && png.readUInt32BE(16) === 320 && png.readUInt32BE(20) === 200, `picture ${k} is not a PNG of 320 x 200`);
      if (k) expect(!png.equals(posted.get(`/x/picture/${k - 1}`)), `picture ${k} is the one before`);
    }
    await page.close();
  } finally { server.close(); }
});

test("a saved run shows its obstacles and contacts", async (context) => {
  const page = await openPage(context.browser, `file://${join(await ropeRun(context), "index.html")}`);
  await page.waitForSelector('input[aria-label="Timeline"]');
  const { obstacles } = await ask(page, "description");
  expect(obstacles.length === 4, `${obstacles.length} obstacles`);
  expect((await ask(page, "contacts")).length === 0, "it touches something before it falls");
  await page.keyboard.press("End");
  await until("at the end", async () => (await ask(page, "time")) > 0.99);
  const contacts = await ask(page, "contacts");
  expect(contacts.length > 3, `${contacts.length} contacts`);
  expect(contacts.every((one) => Math.abs(Math.hypot(...one.slice(3, 6)) - 1) < 1e-4 && one[9] > -0.009 * 0.02), "normals are not units, or things overlap");
  await page.close();
});

// A frame of one rod with a node more, in the middle of its first edge; bytes as docs/view.md has them.
function withOneNodeMore(frame, material) {
  const nodes = frame.readUInt32LE(28), edges = frame.readUInt32LE(32);
  expect([24, 36, 40, 44, 48, 52, 56].map((at) => frame.readUInt32LE(at)).join() === "1,0,0,0,0,0,0", "the frame is not of one plain rod");
  const parts = [], f32 = (values) => { const out = Buffer.alloc(4 * values.length); values.forEach((v, k) => out.writeFloatLE(v, 4 * k)); return out; };
  const head = Buffer.from(frame.subarray(0, 64)), spans = Buffer.alloc(8);
  [[28, nodes + 1], [32, edges + 1], [56, 1]].forEach(([at, count]) => head.writeUInt32LE(count, at));
  spans.writeUInt32LE(nodes + 1, 0), spans.writeUInt32LE(edges + 1, 4);
  let at = 72;
  const positions = Array.from({ length: 3 * nodes }, (_, k) => frame.readFloatLE(at + 4 * k));
  at += 12 * nodes;
  parts.push(f32([...positions.slice(0, 3), ...[0, 1, 2].map((k) => (positions[k] + positions[k + 3]) / 2), ...positions.slice(3)]));
  parts.push(f32([material[0], (material[0] + material[1]) / 2, ...material.slice(1)]));
  parts.push(frame.subarray(at, at + 8), frame.subarray(at, at + 8 * edges));
  at += 8 * edges;
  for (let k = 0; k < 4; k++, at += 4 * edges) parts.push(frame.subarray(at, at + 4), frame.subarray(at, at + 4 * edges));
  expect(at === frame.length, "the frame has more parts than this test knows");
  return Buffer.concat([head, spans, ...parts]);
}

test("a run whose nodes come and go plays on: every second frame has a node more", async (context) => {
  const [folder] = await runs(context);
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const [whole, text] = /<script type="text\/plain" id="frames-0">([^<]*)<\/script>/.exec(html);
  const { material, nodes } = JSON.parse(/id="tendril-runs">([^<]*)<\/script>/.exec(html)[1]).runs[0].description.rods[0];
  const bytes = Buffer.from(text, "base64"), records = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at), frame = bytes.subarray(at + 4, at + 4 + length), sized = Buffer.alloc(4);
    const now = (records.length / 2) % 2 ? withOneNodeMore(frame, material) : frame;
    sized.writeUInt32LE(now.length);
    records.push(sized, now);
    at += 4 + length;
  }
  const file = join(folder, "varying.html");
  writeFileSync(file, html.replace(whole, () => whole.replace(text, () => Buffer.concat(records).toString("base64"))));
  const page = await openPage(context.browser, `file://${file}`);
  const plain = await openPage(context.browser, `file://${join(folder, "index.html")}`);
  for (const one of [page, plain]) await one.waitForSelector('input[aria-label="Timeline"]');
  for (let k = 1; k <= 6; k++) {
    for (const one of [page, plain]) await one.keyboard.press("ArrowRight");
    for (const one of [page, plain]) await until(`frame ${k}`, async () => Math.abs((await ask(one, "time")) - k / 60) < 1e-3);
    const [tip, wanted] = [await ask(page, "point", -1), await ask(plain, "point", -1)];
    expect(distance(tip, wanted) < 1e-6, `the tip of frame ${k} is at ${tip}, not ${wanted}`);
    const before = await ask(page, "point", k % 2 ? nodes - 1 : nodes - 2), there = await ask(plain, "point", nodes - 2);
    expect(distance(before, there) < 1e-6, `frame ${k} has not the nodes it should have`);
  }
  for (const one of [page, plain]) await one.close();
});

// Recorded, interrupted and resumed by the method of testing/fake_method.h, which no tendril knows: every tenth step a node comes
// or goes in the middle of an edge. The sentence of src/run/varying_nodes_test.cpp writes it.
let varying = null;
async function varyingRun({ program, folder }) {
  if (varying) return varying;
  const tests = join(dirname(program), "tendril_tests");
  expect(existsSync(tests), `${tests} is not there: it records the run`);
  const made = join(folder, "varying");
  await runCommand(tests, ["--gtest_filter=view.a run whose nodes come and go is recorded, interrupted, resumed*"], { TENDRIL_VARYING_RUN: made });
  expect(existsSync(join(made, "index.html")), "the sentence that records the run has not run");
  return (varying = made);
}
// 200 frames per second, 1000 steps: the node came at the steps 10, 30, 50 ... and went at 20, 40 ...
const hasMore = (frame) => Math.floor((5 * frame) / 10) % 2 === 1;
const edgeWithNode = (frame) => Math.floor((5 * frame) / 10) % 4;

async function seeNodesComeAndGo(page, folder, last) {
  const [names, ...rows] = readFileSync(join(folder, "probes.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  const tipAt = names.indexOf("tip.x [m]"), drawn = [];
  expect(rows.length === 61 && tipAt > 0, `${rows.length} rows of ${names}`);
  await page.waitForSelector('input[aria-label="Timeline"]');
  await page.keyboard.press("Home");
  for (let k = 0; k <= last; k++) {
    if (k) await page.keyboard.press("ArrowRight");
    await until(`frame ${k}`, async () => Math.abs((await ask(page, "time")) - k / 200) < 1e-4);
    const nodes = hasMore(k) ? 6 : 5;
    expect((await ask(page, "nodes")) === nodes, `frame ${k} has ${await ask(page, "nodes")} nodes, not ${nodes}`);
    await until(`${nodes - 1} edges drawn of frame ${k}`, async () => (await ask(page, "drawnEdges")) === nodes - 1);
    drawn.push(await ask(page, "drawnEdges"));
    const tip = await ask(page, "point", -1), wanted = rows[k].slice(tipAt, tipAt + 3).map(Number);
    expect(distance(tip, wanted) < 1e-6, `the tip of frame ${k} is at ${tip}, not ${wanted}`);
    if (!hasMore(k)) continue;
    const node = edgeWithNode(k) + 1, [before, there, after] = [await ask(page, "point", node - 1), await ask(page, "point", node), await ask(page, "point", node + 1)];
    expect(distance(there, before.map((x, i) => (x + after[i]) / 2)) < 1e-6 && distance(before, after) > 0.2, `node ${node} of frame ${k} is at ${there}, between ${before} and ${after}`);
  }
  expect(drawn.filter((edges, k) => k && edges !== drawn[k - 1]).length === Math.floor(last / 2), `edges drawn: ${drawn}`);
  await sleep(300);
  const picture = await pixels(page), at = await ask(page, "pixels"); // the last frame has six nodes; each is seen
  for (const { x, y } of at.slice(1, -1)) expect(distance(picture(x, y), picture(x, y - 60)) > 20, `no rod at ${x}, ${y}`);
}

test("a run of the fake method, whose nodes come and go every tenth step, is drawn with the nodes of each frame: its page and view", async (context) => {
  const folder = await varyingRun(context);
  const page = await openPage(context.browser, `file://${join(folder, "index.html")}`);
  await seeNodesComeAndGo(page, folder, 30); // beyond frame 22, where the run was interrupted and resumed
  await page.close();
  const { address, stop } = await startProgram(context.program, folder);
  try {
    const viewed = await openPage(context.browser, address);
    await seeNodesComeAndGo(viewed, folder, 6);
    await viewed.close();
  } finally { await stop(); }
});
