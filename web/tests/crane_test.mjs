// The crane, driven as a player does: by its sliders, levers and switches. What happened is asked of the numbers on the wire.
import { ask, expect, openPage, openScene, startProgram, test, until } from "./harness.mjs";

const body = { trolley: 0, block: 1, crate: 2 }; // as in the scene
const where = (page, name) => ask(page, "body", body[name]);
const passed = async (page, seconds) => {
  const from = await ask(page, "time");
  await until(`${seconds} s`, async () => (await ask(page, "time")) > from + seconds);
};
// Types a number where a user would, and waits until the program says that it has it.
async function give(page, label, name, value) {
  const field = page.locator(`input[aria-label="${label} value"]`);
  await field.fill(String(value));
  await field.press("Enter");
  await field.blur();
  await until(`${name} = ${value}`, async () => Math.abs([].concat((await ask(page, "status")).inputs[name])[0] - value) < 1e-9);
}
const hoist = (page, speed) => give(page, "speed hoist", "winch.hoist.speed", speed);
const travel = (page, to) => give(page, "move trolley x", "body.trolley.move", to);
async function hooks(page, on) {
  for (const side of ["left", "right"]) await page.setChecked(`input[aria-label="joint ${side}_hook holds"]`, on);
  await until("the switches", async () => { const { inputs } = await ask(page, "status"); return ["left", "right"].every((side) => inputs[`joint.${side}_hook.on`] === Number(on)); });
}
const pace = (page, times) => page.locator('input[aria-label="Speed"]').fill(String(Math.round(20 * Math.log10(times)) / 20));
async function setDown(page, height) {
  await hoist(page, 1.2);
  await until("the crate stands", async () => Math.abs((await where(page, "crate"))[2] - height) < 0.05, 60000)
    .catch(async (problem) => { throw new Error(`${problem.message}: crate ${await where(page, "crate")}, block ${await where(page, "block")}, ${JSON.stringify(await ask(page, "status"))}`); });
  await passed(page, 0.8); // the sling goes slack
  await hoist(page, 0);
}

test("the crane: a lever springs back, the trolley stays where it is put, and a crate is picked up, carried and set down", async ({ program, browser }) => {
  const running = await startProgram(program);
  const page = await openPage(browser, running.address);
  await openScene(page, "crane");
  await pace(page, 8);
  await until("the end of its own motion", async () => (await ask(page, "time")) > 13.5, 60000);
  expect((await where(page, "crate"))[2] > 1.5, `the crate does not hang: ${await where(page, "crate")}`);

  // A lever: by the mouse, held down, let go.
  await pace(page, 1);
  const slider = page.locator('input[type="range"][aria-label="speed tilt"]');
  await slider.hover();
  const box = await slider.boundingBox();
  await page.mouse.down();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + box.height / 2, { steps: 3 });
  await until("the tilt winch runs", async () => (await ask(page, "status")).inputs["winch.tilt.speed"] > 0.02);
  await page.mouse.up();
  await until("the lever is back", async () => (await ask(page, "status")).inputs["winch.tilt.speed"] === 0 && Number(await slider.inputValue()) === 0);

  // Set down, unhooked: the hook goes up without the crate.
  await pace(page, 8);
  await setDown(page, 0.6);
  await hooks(page, false);
  const low = (await where(page, "block"))[2];
  await hoist(page, -1.2);
  await until("the block rises", async () => (await where(page, "block"))[2] > Math.max(low + 1, 4.6), 60000);
  await hoist(page, 0);
  expect((await where(page, "crate"))[2] < 0.62, "an unhooked crate was lifted");

  // There and back: the slider keeps what it was given, and the trolley goes there.
  for (const to of [1, 0]) {
    await travel(page, to);
    await until(`the trolley at ${to}`, async () => Math.abs((await where(page, "trolley"))[0] - to) < 0.01);
    const shown = Number(await page.locator('input[type="range"][aria-label="move trolley x"]').inputValue());
    expect(Math.abs(shown - to) < 1e-6, `the slider shows ${shown} instead of ${to}`);
  }

  // Picked up by the switches.
  await pace(page, 1);
  await hoist(page, 0.6);
  await until("the hooks are near the crate", async () => (await where(page, "block"))[2] < 3.65, 60000); // the crate's top is at 1.2, a leg 2.4 long: they lie on it
  await hoist(page, 0);
  await hooks(page, true);
  await passed(page, 1);
  await pace(page, 8);
  const start = await where(page, "crate");
  await hoist(page, -1.2);
  await until("the crate is lifted", async () => (await where(page, "crate"))[2] > start[2] + 1, 30000)
    .catch(async (problem) => { throw new Error(`${problem.message}: crate ${start}, ends of the legs ${await ask(page, "point", -1, 2)} and ${await ask(page, "point", -1, 3)}`); });
  await hoist(page, 0);

  // Carried and set down elsewhere.
  await travel(page, -4);
  await until("the trolley at -4", async () => Math.abs((await where(page, "trolley"))[0] + 4) < 0.01);
  await setDown(page, 0.6);
  const [x, y, height] = await where(page, "crate"); // it swings by a metre when the trolley stops
  expect(Math.abs(x + 4) < 2 && Math.abs(y) < 1 && Math.abs(height - 0.6) < 0.02, `the crate stands at ${[x, y, height]}`);
  const status = await ask(page, "status");
  expect(!status.failed && status.suspect === null, `failed: ${status.failed}, suspect: ${status.suspect}, energy error ${status.energy_error}`);
  await page.close();
  await running.stop();
});
