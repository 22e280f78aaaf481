// Pictures of the page with made-up data, to look at: node dev/look.mjs FOLDER
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { savedPage, serve } from "./mock_server.mjs";

const folder = process.argv[2] ?? "build/look";
mkdirSync(folder, { recursive: true });
const address = await serve(0);
for (const count of [1, 2]) writeFileSync(join(folder, `saved${count}.html`), savedPage(count));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"] });
const open = async (size, dark) => {
  const page = await browser.newPage({ viewport: size, colorScheme: dark ? "dark" : "light" });
  page.on("console", (message) => { if (message.type() === "error") console.log("console:", message.text()); });
  page.on("pageerror", (problem) => console.log("page error:", problem.message));
  return page;
};
const laptop = { width: 1280, height: 760 }, phone = { width: 390, height: 800 };
const shot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });
const only = process.argv[3];
for (const [size, sizeName] of [[laptop, "laptop"], [phone, "phone"]])
  for (const dark of [false, true]) {
    const name = `${sizeName}-${dark ? "dark" : "light"}`;
    if (only && !name.includes(only)) continue;
    const page = await open(size, dark);
    await page.goto(address);
    await page.waitForSelector(".card");
    await page.waitForTimeout(300);
    await shot(page, `${name}-gallery`);
    await page.click('[data-scene="swing"]');
    await page.waitForTimeout(1500);
    for (let k = 0; k < 30; k++) await page.keyboard.press("]");
    await page.waitForTimeout(1500);
    await shot(page, `${name}-live`);
    if (size === phone) { await page.click('[aria-label="Controls"]:visible'); await page.waitForTimeout(300); await shot(page, `${name}-live-side`); }
    await page.evaluate(() => [...document.querySelectorAll("button")].find((one) => one.ariaLabel === "All scenes").click());
    for (const count of [1, 2]) {
      await page.goto(`file://${process.cwd()}/${folder}/saved${count}.html#colour=twist`);
      await page.waitForTimeout(800);
      await page.keyboard.press("End");
      await page.waitForTimeout(800);
      await shot(page, `${name}-replay${count}`);
      if (count === 2) { await page.keyboard.press("o"); await page.waitForTimeout(600); await shot(page, `${name}-overlay`); }
    }
    await page.close();
  }
await browser.close();
process.exit(0);
