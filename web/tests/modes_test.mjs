// Natural modes: a run whose timeline has a section for each of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, distance, expect, openPage, runProgram, test, until } from "./harness.mjs";

test("a menu leads to each natural mode, which swings over and over", async ({ program, browser, folder }) => {
  const run = join(folder, "modes");
  await runProgram(program, "modes", "cantilever", "--method", "compact", "--count", "3", "-o", run);
  const { modes } = JSON.parse(readFileSync(join(run, "modes.json"), "utf8"));
  expect(modes.length === 3 && modes[0].frequency > 0 && modes[2].frequency >= modes[0].frequency, JSON.stringify(modes.map((mode) => mode.frequency)));
  const page = await openPage(browser, `file://${join(run, "index.html")}`);
  await page.waitForSelector('select[aria-label="Mode"]');
  const labels = await page.$$eval('select[aria-label="Mode"] option', (options) => options.map((option) => option.textContent));
  expect(labels.length === 3 && labels.every((label, k) => label.startsWith(`mode ${k + 1}: `) && label.endsWith("Hz")), labels.join(" | "));
  const rest = await ask(page, "point", -1);
  await page.selectOption('select[aria-label="Mode"]', "2");
  await until("it is in the third section and has moved", async () => (await ask(page, "time")) > 6.1 && distance(await ask(page, "point", -1), rest) > 1e-3);
  await page.click('[aria-label="Pause"]');
  await page.keyboard.press("Home");
  await until("the menu follows the timeline", async () => (await page.$eval('select[aria-label="Mode"]', (menu) => menu.value)) === "0");
  await page.close();
});
