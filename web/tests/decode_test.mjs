// Frames and saved runs from bytes, against an encoder written apart from the decoder.
import { build } from "esbuild";
import { join } from "node:path";
import { encodeFrame } from "../dev/mock_server.mjs";
import { expect, test, web } from "./harness.mjs";

async function decoder(file = "decode.ts") {
  const built = await build({ entryPoints: [join(web, "src/app", file)], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
}
function throws(act, words) {
  try { act(); } catch (problem) { return words.test(problem.message); }
  return false;
}

// A frame with every optional part: 2 rods (3 + 2 nodes, 2 + 1 edges), a body, a moving obstacle, a contact, a hand, 2 values.
// Every number is different, in the order of docs/view.md.
function fullFrame() {
  const bytes = Buffer.alloc(64 + 16 + 16 + 60 + 20 + 24 + 48 + 12 + 28 + 28 + 40 + 36);
  bytes.writeUInt32LE(0x31524654, 0);
  bytes.writeUInt32LE(7, 4);
  bytes.writeDoubleLE(1.25, 8);
  bytes.writeDoubleLE(12500, 16);
  [2, 5, 3, 1, 1, 1, 1, 2, 3].forEach((count, k) => bytes.writeUInt32LE(count, 24 + 4 * k));
  let at = 64, next = 100;
  const floats = (count) => { for (let k = 0; k < count; k++) at = bytes.writeFloatLE(next++, at); };
  for (const value of [0.1, -2e300]) at = bytes.writeDoubleLE(value, at);
  for (const count of [3, 2, 2, 1]) at = bytes.writeUInt32LE(count, at);
  floats(15);
  floats(5);
  for (let k = 0; k < 12; k++) at = bytes.writeInt16LE(-k * 1000, at);
  floats(12); // curvature, twist, tension, moment
  floats(3);
  floats(7);
  floats(7);
  floats(10);
  floats(9);
  expect(at === bytes.length, "the test's own frame is not full");
  return bytes;
}

test("a frame's bytes become its numbers, every part in its place", async () => {
  const { decodeFrame } = await decoder();
  const frame = decodeFrame(new Uint8Array(fullFrame()));
  expect(frame.generation === 7 && frame.time === 1.25 && frame.step === 12500, "the header");
  expect(frame.values.join() === "0.1,-2e+300", `values ${frame.values}`);
  expect(JSON.stringify(frame.rods) === '[{"nodes":3,"edges":2},{"nodes":2,"edges":1}]', "the rods' counts");
  const firsts = { positions: [100, 15], material: [115, 5], curvature: [120, 3], twist: [123, 3], tension: [126, 3], moment: [129, 3], contact: [132, 3], bodies: [135, 7], obstacles: [142, 7], contacts: [149, 10], hands: [159, 9] };
  for (const [name, [first, length]] of Object.entries(firsts)) expect(frame[name].length === length && frame[name][0] === first && frame[name][length - 1] === first + length - 1, `${name}: ${frame[name]}`);
  expect(frame.orientations.length === 12 && frame.orientations[11] === -11000, "the orientations");
});

test("frames that are cut, too long or something else are refused with a sentence", async () => {
  const { decodeFrame } = await decoder();
  const whole = new Uint8Array(fullFrame());
  for (let length = 0; length < whole.length; length += 13) expect(throws(() => decodeFrame(whole.slice(0, length)), /frame/), `${length} bytes were taken for a frame`);
  expect(throws(() => decodeFrame(new Uint8Array(whole.length)), /not a frame/), "zeros were taken for a frame");
  const long = new Uint8Array(whole.length + 4);
  long.set(whole);
  expect(throws(() => decodeFrame(long), /should have/), "a frame with a tail was taken");
});

test("a saved run's records come back from base64, whatever their alignment", async () => {
  const { decodeBase64, lastAtOrBefore, Run } = await decoder();
  for (let length = 0; length < 40; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, k) => (k * 37) % 256));
    expect(Buffer.from(decodeBase64(bytes.toString("base64"))).equals(bytes), `${length} bytes`);
  }
  const records = [0, 0.5, 1].flatMap((time) => {
    const frame = encodeFrame(1, time, { "clamp.left.turn": time }, undefined, false), head = Buffer.alloc(4);
    head.writeUInt32LE(frame.length);
    return [head, frame];
  });
  const bytes = decodeBase64(Buffer.concat(records).toString("base64"));
  const saved = { label: "r", description: { values: [{}] }, frames: 3, rows: 2 };
  const run = new Run(saved, bytes, Float64Array.of(0, 5, 1, 6));
  expect(run.times.join() === "0,0.5,1" && run.end === 1, `times ${run.times}`);
  expect(run.column(0).join() === "0,1" && run.column(1).join() === "5,6", "columns of the rows");
  for (let k = 0; k < 3; k++) expect(run.frame(k).time === run.times[k] && run.frame(k).positions.length === 183, `frame ${k}`);
  expect([-1, 0, 0.49, 0.5, 0.99, 7].map((time) => run.indexAt(time)).join() === "0,0,1,1,2,2", "the frame nearest to a time");
  expect(lastAtOrBefore([], 1) === 0, "no times");
  expect(throws(() => new Run(saved, bytes.subarray(0, bytes.length - 1), new Float64Array(4)), /middle/), "a cut run was taken");
});

test("marks along an axis differ from each other, with no digit more than that takes", async () => {
  const { tickLabels } = await decoder("dom.ts");
  const reads = (marks, step, wanted) => { const said = tickLabels(marks, step).join(" "); expect(said === wanted, `${marks}: ${said}`); };
  reads([1.7395, 1.74, 1.7405], 0.0005, "1.7395 1.7400 1.7405");
  reads([0, 0.5, 1], 0.5, "0 0.5 1.0");
  reads([-20, 0, 20], 20, "\u221220 0 20");
  reads([2e-7, 2.5e-7], 5e-8, "2.0e\u22127 2.5e\u22127");
  reads([1000000, 1000001], 1, "1.000000e6 1.000001e6");
});

test("pictures of runs that are suspect or failed say so in their titles", async () => {
  const { titlesOf } = await decoder("titles.ts");
  const run = (label, outcome) => ({ saved: { label, outcome }, description: { title: "Whip" } });
  const said = (runs, panes) => titlesOf(runs, panes).join("|");
  expect(said([run("a", "fine")], 1) === "Whip", "a fine run");
  expect(said([run("a", "interrupted")], 1) === "Whip", "an interrupted run");
  expect(said([run("a", "suspect")], 1) === "Whip (suspect)", "a suspect run");
  expect(said([run("a", "fine"), run("b", "diverged"), run("c", "suspect")], 1) === "Whip (diverged, suspect)", "three overlaid");
  expect(said([run("a", "fine"), run("b", "not_converged")], 2) === "a|b (did not converge)", "two side by side");
});
