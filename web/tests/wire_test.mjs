// The program's door: who is let in, and what happens to those who talk nonsense. Raw sockets, no browser.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { expect, holdsUndisturbed, sleep, startProgram, test, until } from "./harness.mjs";

const get = (address, headers = {}) => new Promise((done, fail) => {
  request(address, { headers }, (answer) => { answer.resume(); answer.on("end", () => done(answer.statusCode)); }).on("error", fail).end();
});

// A frame from a client, masked; kind 1 text, 2 binary.
export function clientFrame(kind, data, claimed = data.length) {
  const mask = randomBytes(4), body = Buffer.from(data.map((byte, k) => byte ^ mask[k % 4]));
  const head = claimed < 126 ? Buffer.from([0x80 | kind, 0x80 | claimed]) : claimed < 65536 ? Buffer.from([0x80 | kind, 0xfe, claimed >> 8, claimed & 255])
    : Buffer.concat([Buffer.from([0x80 | kind, 0xff]), (() => { const long = Buffer.alloc(8); long.writeBigUInt64BE(BigInt(claimed)); return long; })()]);
  return Buffer.concat([head, mask, body]);
}
// Opens a WebSocket by hand. `answer` is the status line's number; messages of each kind are counted.
export function rawSocket(address, headers = {}) {
  const url = new URL(address);
  const socket = connect(Number(url.port), url.hostname);
  const state = { socket, binary: 0, text: 0, bytes: 0, texts: [], closed: false, say: (message) => socket.write(clientFrame(1, Buffer.from(typeof message === "string" ? message : JSON.stringify(message)))) };
  const all = { Host: url.host, Upgrade: "websocket", Connection: "Upgrade", "Sec-WebSocket-Key": randomBytes(16).toString("base64"), "Sec-WebSocket-Version": 13, Origin: url.origin, ...headers };
  socket.write(`GET ${url.pathname} HTTP/1.1\r\n${Object.entries(all).filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`);
  let rest = Buffer.alloc(0), answered = false;
  state.answer = new Promise((done) => {
    socket.on("close", () => { state.closed = true; done(0); });
    socket.on("error", () => { state.closed = true; done(0); });
    socket.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      if (!answered) {
        const end = rest.indexOf("\r\n\r\n");
        if (end < 0) return;
        answered = true;
        done(Number(/^HTTP\/1.1 (\d+)/.exec(rest.toString("latin1", 0, end))?.[1]));
        rest = rest.subarray(end + 4);
      }
      while (rest.length >= 2) {
        const short = rest[1] & 127, from = short === 127 ? 10 : short === 126 ? 4 : 2;
        if (rest.length < from) return;
        const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
        if (rest.length < from + length) return;
        const kind = rest[0] & 15, body = rest.subarray(from, from + length);
        if (kind === 2) { state.binary++; state.bytes += length; }
        if (kind === 1) { state.text++; state.texts.push(JSON.parse(body.toString())); if (state.texts.length > 50) state.texts.shift(); }
        if (kind === 9) socket.write(clientFrame(10, Buffer.from(body)));
        rest = rest.subarray(from + length);
      }
    });
  });
  return state;
}

test("a wrong token, Host or Origin is refused", async ({ program }) => {
  const { address, stop } = await startProgram(program);
  try {
    const wrong = address.replace(/[0-9a-f]{32}/, (token) => (token[0] === "0" ? "1" : "0") + token.slice(1));
    expect((await get(address)) === 200, "the right address is not served");
    const refused = (status) => status >= 400 && status < 500;
    expect(refused(await get(wrong)), "a wrong token is served");
    expect(refused(await get(address.replace(/[0-9a-f]{32}\//, ""))), "no token is served");
    expect(refused(await get(address, { Host: "example.com" })), "a foreign Host is served");
    const ws = async (where, headers) => { const one = rawSocket(where, headers); const status = await one.answer; one.socket.destroy(); return status; };
    expect((await ws(`${address}ws`)) === 101, "a good WebSocket is not let in");
    expect((await ws(`${wrong}ws`)) !== 101, "a wrong token opens a WebSocket");
    for (const origin of ["http://example.com", "null", "http://127.0.0.1:1", "https://" + new URL(address).host])
      expect((await ws(`${address}ws`, { Origin: origin })) !== 101, `Origin ${origin} opens a WebSocket`);
    expect((await ws(`${address}ws`, { Host: "example.com", Origin: "http://example.com" })) !== 101, "a foreign Host opens a WebSocket");
  } finally { await stop(); }
});

test("a good client gets 60 frames per second while others send garbage", async ({ program }) => {
  const { address, stop } = await startProgram(program, "cantilever");
  const others = [];
  try {
    const good = rawSocket(`${address}ws`);
    expect((await good.answer) === 101, "the good client is not let in");
    await until("frames", () => good.binary > 30);
    const say = (act) => { const one = rawSocket(`${address}ws`); one.answer.then((status) => status === 101 && act(one)); others.push(one); return one; };
    say((one) => one.socket.pause()); // connected, never reads
    say((one) => { for (const text of ["", "{", "[]", "null", '{"do":"fly"}', '{"do":"speed","value":1e999}', '{"do":"open","scene":"../../etc/passwd"}', '{"do":"grab","hand":99,"rod":-1,"material":0,"position":[0,0]}', "\u0000".repeat(100)]) one.say(text); });
    say((one) => one.socket.write(clientFrame(2, randomBytes(1000))));
    say((one) => one.socket.write(clientFrame(1, Buffer.alloc(4 << 20, 97)))); // oversized
    say((one) => one.socket.write(clientFrame(1, Buffer.from("x"), 2 ** 40))); // claims a terabyte
    const noise = setInterval(() => {
      const port = Number(new URL(address).port), one = connect(port, "127.0.0.1", () => one.end(randomBytes(2000))); // not even HTTP
      one.on("error", () => {});
      say((other) => other.socket.write(randomBytes(500)));
    }, 150);
    let rate = 0;
    const steady = await holdsUndisturbed(async () => {
      const before = good.binary, start = Date.now();
      await sleep(2000);
      rate = (good.binary - before) / ((Date.now() - start) / 1000);
      return rate > 55 && rate < 66;
    });
    clearInterval(noise);
    expect(steady, `${rate.toFixed(1)} frames per second`);
    const dropped = await until("dropped messages are counted", () => [...good.texts].reverse().find((message) => message.say === "status")?.dropped);
    expect(dropped >= 8, `${dropped} dropped`);
    const last = [...good.texts].reverse().find((message) => message.say === "status");
    expect(!last.failed && !last.paused && last.speed === 1, `garbage changed the session: ${JSON.stringify(last)}`);
    expect(!good.closed, "the good client was closed");
  } finally {
    for (const one of others) one.socket.destroy();
    await stop();
  }
});
