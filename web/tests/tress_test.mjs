// Fibres of tresses: where the shader puts them, what they cost, and that they are seen.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, distance, expect, openPage, pixels, runCommand, skip, sleep, test, until } from "./harness.mjs";

test("the shader's fibres are where the formula of the program has them", async ({ program, browser, folder }) => {
  const run = join(folder, "tress"), sentences = join(dirname(program), "tendril_tests");
  if (!existsSync(sentences)) skip("the C++ tests, which make the run, are not built");
  await runCommand(sentences, ["--gtest_filter=*a run with a tress records its guides alone*"], { TENDRIL_TRESS_RUN: run });
  const wanted = JSON.parse(readFileSync(join(run, "fibres.json"), "utf8"));
  const page = await openPage(browser, `file://${join(run, "index.html")}`);
  await page.waitForSelector('input[aria-label="Timeline"]');
  await page.keyboard.press("End");
  await until("at the end", async () => Math.abs((await ask(page, "time")) - 0.1) < 1e-6);
  await sleep(300);
  for (const direct of [false, true]) { // from samples of the guides, and as cards without float pictures do it
    const found = await ask(page, "fibres", 1000, direct);
    expect(found.length === wanted.length && wanted.length === 3 * 40 * (90 + 20), `${found.length} numbers, not ${wanted.length}`);
    // Frames have 16-bit orientations and 32-bit places: errors of spread/32767 = 1.5e-6 m, and some 1e-7 of the scene's two metres.
    let worst = 0, moved = 0;
    for (let i = 0; i < wanted.length; i += 3) {
      worst = Math.max(worst, distance(found.slice(i, i + 3), wanted.slice(i, i + 3)));
      moved = Math.max(moved, distance(wanted.slice(i, i + 3), wanted.slice(0, 3)));
    }
    expect(moved > 1, "the fibres lie all in one place");
    expect(worst < 5e-6, `a point is ${worst} m from where it should be`);
  }
  expect((await ask(page, "drawnFibres")) === 110 && (await ask(page, "drawnEdges")) === 0, "not all fibres are drawn, or guides twice");
  // Seen: where a fibre of the ring is, the picture is as dark as hair; some way from it, in one direction at least, as light as the background.
  const picture = await pixels(page), at = await ask(page, "project", wanted.slice(3 * 40 * 95, 3 * 40 * 95 + 3));
  const near = [-2, -1, 0, 1, 2].flatMap((dx) => [-2, -1, 0, 1, 2].map((dy) => picture(at.x + dx, at.y + dy)[0]));
  const far = [[90, 0], [-90, 0], [0, 90], [0, -90]].map(([dx, dy]) => picture(at.x + dx, at.y + dy)[0]);
  expect(Math.min(...near) < 150 && Math.max(...far) > 190, `no fibre is seen where one should be: ${Math.min(...near)}, ${far}`);
  await page.close();
});
