/** What a client does wrong costs it its own connection at most: bad input gets a named error and loses nothing. */
import { connect } from "node:net";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { bench, type Bench } from "./support.ts";

let made: Bench | null = null;
afterEach(async () => {
  await made?.close();
  made = null;
});

function raw(socket: string, query: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const opened = new WebSocket(`ws://device/device?${query}`, { createConnection: () => connect(socket), perMessageDeflate: false });
    opened.once("open", () => resolve(opened));
    opened.once("error", reject);
  });
}

const QUERY = { viewer: "role=viewer", input: "role=input", control: `role=control&instance=${randomUUID()}&since=5` } as const;
const VERBS = [
  "BB_DEVICE",
  "BB_DEVICE ",
  "m,",
  "m2,",
  "kd,",
  "ku,",
  "co,end,",
  "CLIENT_FRAME_ACK ",
  "SETTINGS,",
  "START_VIDEO",
  "STOP_VIDEO",
  "REQUEST_KEYFRAME",
  "START_STILLS",
  "STOP_STILLS",
  "kr",
  "js,",
  "_gz,1",
];
const TYPES = [
  "control",
  "input",
  "text",
  "paste",
  "owner",
  "record",
  "open",
  "touch",
  "screenshot",
  "tree",
  "settle",
  "result",
  "stats",
  "nothing",
];
/** Broken in every way that a message can be: the verb, the JSON, the fields, the values. */
const message = fc.oneof(
  fc.string({ maxLength: 200, unit: "binary" }),
  fc.tuple(fc.constantFrom(...VERBS), fc.string({ maxLength: 60 })).map(([verb, rest]) => verb + rest),
  fc
    .record(
      {
        id: fc.oneof(fc.string({ maxLength: 80 }), fc.integer()),
        type: fc.constantFrom(...TYPES),
        control: fc.jsonValue(),
        input: fc.jsonValue(),
        contacts: fc.jsonValue(),
        owner: fc.jsonValue(),
        text: fc.jsonValue(),
        url: fc.jsonValue(),
        generation: fc.jsonValue(),
        quietMs: fc.jsonValue(),
        maxMs: fc.constant(1),
      },
      { requiredKeys: [] },
    )
    .map((value) => `BB_DEVICE ${JSON.stringify(value)}`),
);

describe("malformed messages", () => {
  it.each(["viewer", "input", "control"] as const)(
    "10,000 of them on %s: the connection stays, everyone else notices nothing, and the device got nothing mad",
    async (role) => {
      made = await bench();
      const witness = await made.connect("viewer");
      const bad = await raw(made.server.socket, QUERY[role]);
      let answers = 0;
      bad.on("message", () => answers++);
      for (const text of fc.sample(message, { numRuns: 10_000, seed: 7 })) bad.send(text);
      const over = new Promise<void>((resolve) =>
        bad.on("message", (data) => (String(data).includes('"id":"the-last-one"') ? resolve() : undefined)),
      );
      bad.send('BB_DEVICE {"id":"the-last-one","type":"tree"}');
      await over;
      expect(bad.readyState).toBe(WebSocket.OPEN);
      expect(answers).toBeGreaterThan(100);
      expect((await witness.client.request({ type: "tree" })).ok).toBe(true);
      expect(made.box.controls().every((action) => ["home", "back", "recents", "lock", "wake", "reboot"].includes(action))).toBe(true);
      bad.terminate();
    },
    60_000,
  );

  it.each([
    ["a message over its limit", (socket: WebSocket) => socket.send("x".repeat(1024 * 1024 + 1)), 1009],
    ["text that is not UTF-8", (socket: WebSocket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false }), 1007],
  ])("%s ends the connection with its code, and no other", async (_name, send, code) => {
    made = await bench();
    const witness = await made.connect("viewer");
    const bad = await raw(made.server.socket, "role=input");
    const closed = new Promise<number>((resolve) => bad.once("close", (c) => resolve(c)));
    send(bad);
    expect(await closed).toBe(code);
    expect(witness.client.open).toBe(true);
  });

  it("a client that is reset in the middle of its upgrade, or speaks no HTTP, ends alone", async () => {
    made = await bench();
    for (const text of [
      "GET /device?role=viewer HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
      "\x00\x01\x02garbage\r\n\r\n",
      "GET /device?role=viewer HTTP/1.1\r\nHost: x\r\n\r\n",
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(made?.server.socket ?? "", () => {
          socket.write(text, () => socket.destroy());
        });
        socket.on("close", () => resolve());
      });
    }
    expect((await (await made.connect("viewer")).client.request({ type: "tree" })).ok).toBe(true);
  });
});
