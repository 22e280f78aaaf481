// What the browser tests share: a list of tests, the program, pages that are watched, pixels.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const web = join(dirname(fileURLToPath(import.meta.url)), "..");
export const root = join(web, "..");
export const tests = [];
export function test(name, run) {
  tests.push({ name, run });
}
export class Skipped extends Error {}
export function skip(why) {
  throw new Skipped(why);
}
export function expect(holds, why) {
  if (!holds) throw new Error(why);
}
export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Until `ask` gives something true; the error says what it gave last.
export async function until(what, ask, ms = 20000) {
  const end = Date.now() + ms;
  let last;
  while (Date.now() < end) {
    last = await ask();
    if (last) return last;
    await sleep(30);
  }
  throw new Error(`${what}: not within ${ms} ms (last: ${JSON.stringify(last)})`);
}

// Whether `attempt` (an asynchronous question) holds within twelve tries. Tries in which this process itself was woken late say
// nothing: other programs took the processor. Where that is so in nearly all, nothing is judged and a line says so.
export async function holdsUndisturbed(attempt) {
  let failures = 0;
  for (let tries = 0; tries < 12; tries++) {
    let late = 0, last = Date.now();
    const witness = setInterval(() => { const now = Date.now(); late += Math.max(0, now - last - 12); last = now; }, 10);
    const holds = await attempt().finally(() => clearInterval(witness));
    if (holds) return true;
    if (late < 30 && ++failures === 3) return false;
  }
  console.log("not judged: other programs took the processor in nearly all tries");
  return true;
}

// A running program that says its address; `stop` ends it and waits.
const running = new Set();
export async function startProgram(program, ...words) {
  const child = spawn(program, ["view", ...words, "--no-browser"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let said = "", complained = "";
  child.stdout.on("data", (data) => { said += data; });
  child.stderr.on("data", (data) => { complained += data; });
  const ended = new Promise((done) => child.on("exit", (code) => { running.delete(child); done(code); }));
  const find = () => /http:\/\/[^\s]+\/[0-9a-f]{32}\//.exec(said)?.[0] ?? (child.exitCode === null ? null : "ended");
  const address = await until("the address on stdout", find, 10000).catch((problem) => { throw new Error(`${problem.message}; stdout: ${said}; stderr: ${complained}`); });
  if (address === "ended") throw new Error(`tendril view ${words.join(" ")} ended with ${child.exitCode}: ${complained || said}`);
  return { address, stop: () => { child.kill("SIGTERM"); return ended; } };
}
export function stopAll() {
  for (const child of running) child.kill("SIGKILL");
}
export function runCommand(command, words, environment = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, words, { cwd: root, stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...environment } });
    let complained = "";
    child.stderr.on("data", (data) => { complained += data; });
    child.on("exit", (code) => (code === 0 ? done() : fail(new Error(`${basename(command)} ${words.join(" ")} ended with ${code}: ${complained}`))));
  });
}
export const runProgram = (program, ...words) => runCommand(program, words);

// Pages whose errors and requests are written down.
export const complaints = [];
export const requests = [];
export function watch(page) {
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (problem) => complaints.push(problem.message));
  page.on("request", (request) => requests.push(request.url()));
  page.on("websocket", (socket) => requests.push(socket.url()));
  return page;
}
export async function openPage(browser, address, options = {}) {
  const page = watch(await browser.newPage({ viewport: { width: 1000, height: 560 }, colorScheme: "light", ...options }));
  page.setDefaultTimeout(30000);
  if (process.env.TENDRIL_PAGE) await replacePage(page, address);
  await page.goto(address);
  return page;
}
// TENDRIL_PAGE=dist/page.html: tries that page with a program (or a run) that carries another one.
async function replacePage(page, address) {
  const html = readFileSync(process.env.TENDRIL_PAGE, "utf8");
  await page.route((url) => url.href.replace(/#.*/, "") === address.replace(/#.*/, ""), async (route) => {
    const given = address.startsWith("file:") ? readFileSync(new URL(address), "utf8") : await (await route.fetch()).text();
    const data = given.match(/<script type="(application\/json|text\/plain)" id="(tendril-runs|frames-\d+|rows-\d+)">[^<]*<\/script>/g) ?? [];
    await route.fulfill({ contentType: "text/html; charset=utf-8", body: html.replace("<!-- tendril data -->", () => data.join("\n")) });
  });
}
// window.tendril of the page: ask(page, "pixel", -1).
export function ask(page, name, ...words) {
  return page.evaluate(([hook, given]) => { const found = window.tendril?.[hook]; return typeof found === "function" ? found(...given) : found; }, [name, words]);
}
export async function openScene(page, name) {
  await page.click(`[data-scene="${name}"]`);
  await until(`frames of ${name}`, async () => (await ask(page, "description"))?.name === name && (await ask(page, "time")) !== null);
}
// A screenshot as a function (x, y) -> [r, g, b].
export async function pixels(page) {
  const png = (await page.screenshot()).toString("base64");
  const { width, data } = await page.evaluate(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))])); // fetch of data: is against the page's policy
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const bytes = context.getImageData(0, 0, image.width, image.height).data;
    let binary = "";
    for (let from = 0; from < bytes.length; from += 32768) binary += String.fromCharCode(...bytes.subarray(from, from + 32768));
    return { width: image.width, data: btoa(binary) };
  }, png);
  const bytes = Buffer.from(data, "base64");
  return (x, y) => [...bytes.subarray(4 * (Math.round(y) * width + Math.round(x)), 4 * (Math.round(y) * width + Math.round(x)) + 3)];
}
export const distance = (a, b) => Math.hypot(...a.map((value, k) => value - b[k]));
