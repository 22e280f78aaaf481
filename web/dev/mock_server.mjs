// A stand-in for the program, for work on the page alone: speaks docs/view.md with a made-up rod.
//   node dev/mock_server.mjs [PORT]                  live
//   node dev/mock_server.mjs --saved FILE [RUNS]     writes a page with saved runs in it
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const page = () => readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../dist/page.html"), "utf8");
const dot = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"); // a picture
const nodes = 61, edges = nodes - 1;
const values = [["kinetic", "J", "energy"], ["bending", "J", "energy"], ["twisting", "J", "energy"], ["gravity", "J", "energy"], ["total", "J", "energy"], ["total twist", "turns", "twist"],
  ["iterations", "", "solver"], ["residual", "", "solver"], ["length error", "", "solver"], ["tip.x", "m", "probe"], ["tip.y", "m", "probe"], ["tip.z", "m", "probe"]]
  .map(([name, unit, group]) => ({ name, unit, group }));
const scenes = [["swing", "A swinging rod", "A rod hangs from a clamp and swings. Watch its tip."], ["coil", "Twisted until it coils", "Turn one end and watch the twist come. It is made up."],
  ["broken", "A scene that cannot be opened", "It only shows its problems."]].map(([name, title, about]) => ({ name, title, about, method: "der" }));

export function describe(name, generation, method = "der") {
  const scene = scenes.find((one) => one.name === name) ?? scenes[0];
  return {
    generation, name, title: scene.title, about: scene.about, method, mode: "dynamics", methods: [{ name: "der", problems: [] }, { name: "compact", problems: [] }, { name: "strands", problems: ["has no inertia: der, compact can"] }],
    step: 1e-4, duration: 4, frames_per_second: 60, origin: [0, 0, 0], low: [-0.6, -0.3, -1.05], high: [0.6, 0.3, 0.05], gravity: [0, 0, -9.81],
    rods: [{ name: "beam", ring: false, nodes, edges, length: 1, section: { kind: "ellipse", a: [0.02], b: [0.012] }, material: Array.from({ length: nodes }, (_, k) => k / edges) }],
    clamps: [{ name: "left", rod: 0, material: 0, hold: ["position", "direction", "twist"] }], couplings: [],
    inputs: [{ name: "gravity", label: "gravity", kind: "number", unit: "", low: 0, high: 2, value: 1 }, { name: "clamp.left.turn", label: "turn left", kind: "number", unit: "turns", low: -10, high: 10, value: 0 },
      { name: "clamp.left.move", label: "move left", kind: "vector", unit: "m", low: -0.5, high: 0.5, value: [0, 0, 0] }],
    values, bodies: [], obstacles: [],
  };
}

// The rod at one time: bends like a swing, twists from the clamp to the tip, and follows a hand at its tip.
export function encodeFrame(generation, time, inputs, pull = [0, 0, 0], withValues = true, phase = 0) {
  const count = withValues ? values.length : 0;
  const bytes = Buffer.alloc(64 + 8 * count + 8 + 12 * nodes + 24 * edges);
  bytes.writeUInt32LE(0x31524654, 0);
  bytes.writeUInt32LE(generation, 4);
  bytes.writeDoubleLE(time, 8);
  bytes.writeDoubleLE(Math.round(time / 1e-4), 16);
  [1, nodes, edges, 0, 0, 0, 0, count, 0].forEach((n, k) => bytes.writeUInt32LE(n, 24 + 4 * k));
  const turn = inputs["clamp.left.turn"] ?? 0, move = inputs["clamp.left.move"] ?? [0, 0, 0];
  const swing = (inputs.gravity ?? 1) * 0.9 * Math.sin(3 * time + phase) * Math.exp(-0.15 * time);
  let at = 64;
  const p = [[...move]];
  for (let k = 0; k < edges; k++) {
    const s = k / edges, angle = swing * (0.4 + s), last = p[k];
    p.push([last[0] + Math.sin(angle) / edges + (pull[0] * 2 * s) / edges, last[1] + (0.15 * Math.sin(6 * s + time) + pull[1] * 2 * s) / edges, last[2] - Math.cos(angle) / edges + (pull[2] * 2 * s) / edges]);
  }
  const tip = p[edges];
  if (withValues) for (const v of [0.5 * Math.cos(3 * time) ** 2, 0.3 * swing * swing, 0.1 * turn * turn, 0.4 * Math.sin(3 * time) ** 2, 0.6, turn, 3 + Math.round(Math.sin(time)), 1e-9 * (1 + Math.abs(swing)), 1e-6 * swing, ...tip]) at = bytes.writeDoubleLE(v, at);
  at = bytes.writeUInt32LE(nodes, at);
  at = bytes.writeUInt32LE(edges, at);
  for (const point of p) for (const x of point) at = bytes.writeFloatLE(x, at);
  for (let k = 0; k < edges; k++) {
    const d = [0, 1, 2].map((i) => p[k + 1][i] - p[k][i]), length = Math.hypot(...d);
    const axis = [-d[1] / length, d[0] / length, 0], w = Math.sqrt((1 + d[2] / length) / 2 + 1e-9); // turns z onto d
    const q = [axis[0] / (2 * w), axis[1] / (2 * w), 0, w];
    const roll = 2 * Math.PI * turn * (1 - k / edges) / 2, c = Math.cos(roll), z = Math.sin(roll); // q * about z
    const full = [q[0] * c + q[1] * z, q[1] * c - q[0] * z, q[3] * z, q[3] * c], size = Math.hypot(...full);
    for (const x of full) at = bytes.writeInt16LE(Math.round((32767 * x) / size), at);
  }
  for (const of of [(s) => Math.abs(swing) * (1 + s), (s) => 2 * Math.PI * turn * (1 - s * 0.5), (s) => 2 * (1 - s), (s) => 0.1 * (1 - s)]) for (let k = 0; k < edges; k++) at = bytes.writeFloatLE(of(k / edges), at);
  return bytes;
}

export function savedPage(count = 1, outcome = "finished") {
  const saved = [], scripts = [];
  for (let k = 0; k < count; k++) {
    const frames = [], rows = [];
    for (let n = 0; n <= 240; n++) {
      const inputs = { "clamp.left.turn": n / 80 + k };
      const whole = encodeFrame(1, n / 60, inputs, undefined, true, 0.3 * k);
      const row = Buffer.alloc(8 * (1 + values.length));
      row.writeDoubleLE(n / 60, 0);
      whole.copy(row, 8, 64, 64 + 8 * values.length);
      rows.push(row);
      if (n % 2) continue;
      const frame = encodeFrame(1, n / 60, inputs, undefined, false, 0.3 * k), length = Buffer.alloc(4);
      length.writeUInt32LE(frame.length);
      frames.push(length, frame);
    }
    saved.push({ label: `swing-${k + 1}`, description: describe("swing", 1), frames: 121, recorded: 241, every: 2, rows: 241, outcome: k ? "diverged" : outcome, message: k ? "the energy grew without end at t = 4 s" : "" });
    scripts.push(`<script type="text/plain" id="frames-${k}">${Buffer.concat(frames).toString("base64")}</script>`, `<script type="text/plain" id="rows-${k}">${Buffer.concat(rows).toString("base64")}</script>`);
  }
  const json = JSON.stringify({ runs: saved }).replace(/</g, "\\u003c");
  return page().replace("<!-- tendril data -->", () => `<script type="application/json" id="tendril-runs">${json}</script>\n${scripts.join("\n")}`);
}

// more: what its descriptions and its status say besides (of a status, read anew each time).
export function serve(port = 0, more = {}) {
  const clients = new Set();
  let generation = 0, open = null, paused = false, speed = 1, time = 0, inputs = {}, pull = [0, 0, 0], hand = null, last = Date.now(), recording = null, recorded = null;
  const send = (socket, kind, data) => {
    const head = data.length < 126 ? Buffer.from([0x80 | kind, data.length]) : data.length < 65536 ? Buffer.from([0x80 | kind, 126, data.length >> 8, data.length & 255]) : null;
    if (head) socket.write(Buffer.concat([head, data]));
    else { const long = Buffer.alloc(10); long[0] = 0x80 | kind; long[1] = 127; long.writeBigUInt64BE(BigInt(data.length), 2); socket.write(Buffer.concat([long, data])); }
  };
  const say = (message, to = clients) => { for (const one of to) send(one, 1, Buffer.from(JSON.stringify(message))); };
  const status = () => say({ say: "status", generation, paused, finished: false, failed: false, message: "", speed, achieved: paused ? 0 : Math.min(speed, 4), slow: speed > 4, recording, recorded, inputs, clients: clients.size, dropped: 0, ...more.status });
  const start = (scene, method) => { generation++; open = { ...describe(scene, generation, method), ...more.description }; time = 0; paused = false; inputs = Object.fromEntries(open.inputs.map((one) => [one.name, one.value])); say({ say: "scene", ...open }); };
  const act = {
    open: (m) => (m.scene === "broken" ? say({ say: "problems", scene: "broken", problems: ["broken.toml:3:1: rod[1].section.circle.radius: got -5 m, must be > 0", "broken.toml:9:1: there is no material \"rubbr\"; did you mean rubber?"] }) : start(m.scene, m.method)),
    close: () => { open = null; say({ say: "gallery" }); }, play: () => { paused = false; }, pause: () => { paused = true; }, step: () => { paused = true; time += 1e-4; frame(); },
    restart: () => start(open.name, open.method), speed: (m) => { speed = m.value; }, input: (m) => { inputs[m.name] = m.value; }, record: (m) => { if (!m.on) recorded = recording; recording = m.on ? "runs/swing-live" : null; },
    grab: (m) => { hand = m.position; }, move: (m) => { pull = m.position.map((x, k) => x - hand[k]); }, release: () => { hand = null; },
  };
  const frame = () => { const bytes = encodeFrame(generation, time, inputs, pull); for (const one of clients) send(one, 2, bytes); };
  setInterval(() => {
    const now = Date.now();
    if (open && !paused) { time += (speed * (now - last)) / 1000; if (!hand) pull = pull.map((x) => 0.9 * x); frame(); }
    last = now;
  }, 1000 / 60);
  setInterval(status, 200);
  const server = createServer((request, response) => {
    if (request.url === "/token/") response.setHeader("content-type", "text/html").end(page());
    else if (request.url.endsWith(".png")) response.setHeader("content-type", "image/png").end(dot);
    else response.writeHead(404).end();
  });
  server.on("upgrade", (request, socket) => {
    const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`);
    clients.add(socket);
    socket.on("close", () => clients.delete(socket)).on("error", () => clients.delete(socket));
    let rest = Buffer.alloc(0);
    socket.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= 6) {
        const short = rest[1] & 127, from = short === 126 ? 8 : 6, length = short === 126 ? rest.readUInt16BE(2) : short;
        if (rest.length < from + length) return;
        const mask = rest.subarray(from - 4, from), body = Buffer.from(rest.subarray(from, from + length).map((byte, k) => byte ^ mask[k % 4]));
        const kind = rest[0] & 15;
        rest = rest.subarray(from + length);
        if (kind === 8) socket.end();
        if (kind === 1) { const message = JSON.parse(body.toString()); act[message.do]?.(message); status(); }
      }
    });
    say({ say: "welcome", version: "0.1.0", scenes, methods: [{ name: "der", title: "Discrete elastic rods", summary: "Bergou 2008" }, { name: "compact", title: "Compact", summary: "Zhao 2022" }, { name: "strands", title: "Strands", summary: "Pai 2002" }] }, [socket]);
    say(open ? { say: "scene", ...open } : { say: "gallery" }, [socket]);
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}/token/`)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "--saved") writeFileSync(process.argv[3], savedPage(Number(process.argv[4] ?? 1)));
  else console.log(await serve(Number(process.argv[2] ?? 8123)));
}
