// The crane, driven as a user drives it: sliders, keys and switches.
import { ask, expect, openPage, openScene, startProgram, test, until } from "./harness.mjs";

const rods = { left: 0, right: 1, sling: 2 };
const bodies = { trolley: 3, hook: 4, load: 5 };
const patience = 60000; // [ms] the machine may be busy: only simulated time counts

async function slide(page, label, value) {
  await page.$eval(`input[type="range"][aria-label="${label}"]`, (slider, wanted) => {
    slider.value = String(wanted);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
}
const input = async (page, name) => (await ask(page, "status")).inputs[name];
const height = async (page, body) => (await ask(page, "body", bodies[body]))[2];

test("the crane picks its load up, carries it, tilts its hook, sets it down and lets go", async ({ program, browser }) => {
  const running = await startProgram(program), page = await openPage(browser, running.address);
  await page.waitForSelector('[data-scene="crane"]');
  await openScene(page, "crane");
  const status = await ask(page, "status");
  if (status.paused) await page.click('[aria-label="Play"]');
  const resting = await height(page, "load");

  // Down: by the slider. The hook takes hold when it is near, and up it goes.
  await slide(page, "speed hoist", 1.5);
  await until("the winch was asked", async () => (await input(page, "winch.hoist.speed")) > 1.4);
  const eye = async () => (await ask(page, "body", bodies.load)).map((x, k) => x + (k === 2 ? 0.4 : 0));
  const far = async () => { const end = await ask(page, "point", -1, rods.sling), at = await eye(); return Math.hypot(...end.map((x, k) => x - at[k])); };
  await until("the sling is at the eye of the load", async () => (await far()) < 0.02, patience);
  await slide(page, "speed hoist", 0);
  await page.click('input[aria-label="joint stand holds"]');
  await until("the stand was switched", async () => (await input(page, "joint.stand.on")) === 0);
  await slide(page, "speed hoist", -1.5);
  await until("the load is lifted", async () => (await height(page, "load")) > resting + 0.8, patience);
  expect((await far()) < 0.08, `the load hangs ${await far()} m below the sling`);
  await slide(page, "speed hoist", 0);

  // Along the beam: by keys. The trolley's x is selected with the arrows.
  for (let k = 0; k < 12 && (await page.$$('.row.selected input[aria-label="move trolley x"]')).length === 0; k++) await page.keyboard.press("ArrowDown");
  expect((await page.$$('.row.selected input[aria-label="move trolley x"]')).length === 1, "no key selects the trolley's way along the beam");
  for (let k = 0; k < 4; k++) await page.keyboard.press("BracketRight");
  const asked = (await input(page, "body.trolley.move"))[0];
  expect(asked > 0.5, `the keys asked for ${asked} m`);
  await until("the trolley goes there", async () => Math.abs((await ask(page, "body", bodies.trolley))[0] - asked) < 0.05, patience);
  await until("the load follows", async () => (await ask(page, "body", bodies.load))[0] > 0.5 * asked, patience);

  // Tilt: one side of the hook goes down.
  const lean = async () => (await ask(page, "point", 1, rods.left))[2] - (await ask(page, "point", 1, rods.right))[2];
  const before = await lean();
  await slide(page, "speed tilt", 0.3);
  await until("the hook tilts", async () => (await lean()) - before > 0.06, patience);
  await slide(page, "speed tilt", 0);

  // Back, set down, let go, away.
  for (let k = 0; k < 4; k++) await page.keyboard.press("BracketLeft");
  await until("the trolley is back", async () => Math.abs((await ask(page, "body", bodies.trolley))[0]) < 0.05, patience);
  await slide(page, "speed hoist", 0.8);
  await until("the load is over the stand", async () => (await height(page, "load")) < resting + 0.3, patience);
  await page.click('input[aria-label="joint stand holds"]');
  await until("the load stands", async () => Math.abs((await height(page, "load")) - resting) < 0.03, patience);
  await slide(page, "speed hoist", 0);
  await page.click('input[aria-label="joint hook holds"]');
  await until("the hook was switched", async () => (await input(page, "joint.hook.on")) === 0);
  await slide(page, "speed hoist", -1.5);
  await until("the sling leaves the load behind", async () => (await far()) > 1 && (await height(page, "load")) < resting + 0.05, patience);
  expect(!(await ask(page, "status")).failed, `stopped: ${(await ask(page, "status")).message}`);
  await page.close();
  await running.stop();
});
