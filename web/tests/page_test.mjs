// What holds for the page as a whole; last, when every page has been used.
import { spawnSync } from "node:child_process";
import { complaints, expect, requests, test, web } from "./harness.mjs";

test("no page has reported an error", async () => {
  expect(complaints.length === 0, [...new Set(complaints)].join(" | "));
});

test("no request left the machine", async () => {
  const away = requests.filter((url) => !/^(https?|wss?):\/\/(127\.0\.0\.1|localhost)[:/]|^(file|data|blob):/.test(url));
  expect(requests.length > 0, "nothing was requested at all");
  expect(away.length === 0, [...new Set(away)].join(" "));
});

test("web/dist/page.html is what the sources and the lockfile give", async () => {
  const done = spawnSync(process.execPath, ["build.mjs", "--check"], { cwd: web, encoding: "utf8" });
  expect(done.status === 0, done.stderr);
});
test("the page's types are right", async () => {
  const done = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "--noEmit"], { cwd: web, encoding: "utf8" });
  expect(done.status === 0, done.stdout);
});
