// The tests of the browser view: node tests/run.mjs PROGRAM [PATTERN], a pattern as of ./test: '*drag*'; several with : between them; names start with "web: "
// One line per test: `ok NAME`, `skipped NAME: why` or `FAILED NAME: why`. Exit code 1 when one failed.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Skipped, stopAll, tests, web } from "./harness.mjs";

const program = process.argv[2] && resolve(process.argv[2]);
if (!program || !existsSync(program)) {
  console.error("tests/run.mjs PROGRAM: which tendril?");
  process.exit(2);
}

// The packages are exactly the lockfile's: installed anew whenever it has changed.
function install() {
  const lock = join(web, "package-lock.json"), stamp = join(web, "node_modules/.of-lockfile"); // ./test leaves the same stamp
  if (existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock))) return;
  const done = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: web, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`npm ci failed: ${done.stderr}`);
  copyFileSync(lock, stamp);
}
install();
const globs = (process.argv[3] ?? "*").split(":").map((glob) => new RegExp(`^${glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`));
const wanted = (name) => globs.some((glob) => glob.test(name));

const { chromium } = await import("playwright-core");
for (const part of ["decode", "wire", "live", "trust", "sight", "replay", "tress", "modes", "page"]) await import(`./${part}_test.mjs`);

const folder = mkdtempSync(join(tmpdir(), "tendril-web-"));
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ...(process.env.TENDRIL_PAGE ? ["--disable-features=LocalNetworkAccessChecks"] : [])], // a replaced page comes from nowhere
});
const shared = { program, browser, folder };
let failed = 0;
try {
  for (const { name, run } of tests) {
    if (!wanted(`web: ${name}`)) continue;
    const start = Date.now();
    try {
      await run(shared);
      console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (problem) {
      if (problem instanceof Skipped) console.log(`skipped ${name}: ${problem.message}`);
      else {
        failed++;
        console.log(`FAILED ${name}: ${String(problem.message).split("\n").slice(0, 4).join(" | ")}`);
      }
    }
  }
} finally {
  await browser.close();
  stopAll();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
