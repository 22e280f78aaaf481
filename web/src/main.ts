import "./style.css";
import { readWords } from "./app/address";
import { savedRuns } from "./app/decode";
import { giveKeysBack } from "./app/dom";
import { exposeHooks } from "./app/hooks";
import { Live } from "./app/live";
import { Replay } from "./app/replay";
import { renderAll } from "./app/render";
import { setTheme } from "./app/theme";

const root = document.getElementById("app")!;
const words = readWords(location.hash);
if (words.theme) setTheme(words.theme, false);
giveKeysBack();

try {
  const runs = savedRuns(document);
  if (runs?.length) {
    const replay = new Replay(root, runs, words);
    exposeHooks({ replay });
    if (words.render) void renderAll(replay, words.render, words.plain);
  } else {
    exposeHooks({ live: new Live(root, words) });
  }
} catch (problem) {
  root.replaceChildren(Object.assign(document.createElement("p"), { className: "broken", textContent: `This page cannot be shown: ${problem instanceof Error ? problem.message : problem}` }));
  if (words.render) void fetch("failed", { method: "POST", body: String(problem) });
  throw problem;
}
