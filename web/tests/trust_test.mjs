// What the live view says of a simulation that must not be trusted; by a stand-in for the program, which says whatever is asked of it.
import { serve } from "../dev/mock_server.mjs";
import { expect, openPage, openScene, sleep, test, until } from "./harness.mjs";

test("steps above the stable one cannot be chosen, and the menu says why", async ({ browser }) => {
  const page = await openPage(browser, await serve(0, { description: { step: 1e-4, stable_step: 1.5e-4 } }));
  await openScene(page, "swing");
  const steps = await page.$$eval('select[aria-label="Step"] option', (list) => list.map((one) => ({ value: Number(one.value), text: one.textContent, disabled: one.disabled, title: one.title })));
  const numbers = steps.filter((one) => one.value > 0);
  expect(numbers.some((one) => one.value > 1.5e-4) && numbers.some((one) => one.value < 1.5e-4), `the menu offers ${numbers.map((one) => one.value)}`);
  for (const one of numbers) {
    const above = one.value > 1.5e-4;
    expect(one.disabled === above && /unstable/.test(one.text) === above && /stable/.test(one.title) === above, `${one.text}: ${one.disabled ? "cannot" : "can"} be chosen`);
  }
  await page.close();
});

test("retries and the energy error are shown, in red when they are bad, with the reason", async ({ browser }) => {
  const more = { status: { suspect: null, retries: 0, energy_error: 1e-6 } };
  const page = await openPage(browser, await serve(0, more));
  await openScene(page, "swing");
  const energy = 'output[aria-label="Energy error"]', text = (selector) => page.textContent(selector), colour = () => page.$eval(energy, (one) => getComputedStyle(one).color);
  await until("a good energy error", async () => (await text(energy)) === "energy error 0\u2009%");
  const calm = await colour();
  expect(!(await page.$(".bar.suspect")) && !(await page.$(".notice")) && !/retr/.test(await text('output[aria-label="Status"]')), "it warns of nothing");
  more.status = { suspect: "12 steps were taken again", retries: 12, energy_error: -0.13 };
  await page.waitForSelector(".notice.bad >> text=12 steps were taken again");
  expect((await text(energy)) === "energy error \u221213\u2009%", await text(energy));
  const [r, g, b] = (await colour()).match(/\d+/g).map(Number);
  expect((await colour()) !== calm && r > 1.5 * g && r > 1.5 * b, `a bad energy error is written in ${await colour()}`);
  expect(await page.$(".bar.suspect"), "the bar is not marked");
  expect(/12 retries/.test(await text('output[aria-label="Status"]')), await text('output[aria-label="Status"]'));
  more.status = { suspect: null, energy_error: null };
  await until("what is not known is not shown", async () => !(await page.isVisible(energy)) && !(await page.$(".bar.suspect")) && !(await page.$(".notice.bad")));
  await page.close();
});

test("the bar is as high whatever the status says", async ({ browser }) => {
  const more = { status: {} };
  const page = await openPage(browser, await serve(0, more)); // 1000 px wide
  await openScene(page, "swing");
  const height = () => page.$eval(".bar", (bar) => bar.getBoundingClientRect().height), before = await height();
  Object.assign(more.status, { slow: true, achieved: 0.0123, clients: 3, dropped: 12, retries: 1234, energy_error: -0.123 });
  await until("a long status", async () => /slow: .*bad messages/.test(await page.textContent('output[aria-label="Status"]')));
  await sleep(100);
  expect((await height()) === before, `the bar grows from ${before} to ${await height()} px`);
  await page.close();
});
