import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { makeRig } from "./rig.ts";

/** Resolves once what is written to it reaches nobody. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on("error", () => resolve());
    const write = (): void => void socket.write("x", (error) => (error ? resolve() : setImmediate(write)));
    write();
  });
}

it("nonsense of every kind costs nobody else anything", async () => {
  const { device, watch } = await makeRig();
  const good = watch();
  const bad = watch();
  await good.holder();
  await bad.holder();
  const nonsense = [
    "BB_DEVICE",
    "BB_DEVICE ",
    "BB_DEVICE {",
    "BB_DEVICE null",
    "BB_DEVICE []",
    'BB_DEVICE {"id":5}',
    `BB_DEVICE {"id":"${"x".repeat(65)}","type":"tree"}`,
    'BB_DEVICE {"id":"n","type":"owner","generation":99,"holder":"person"}',
    'BB_DEVICE {"id":"n2","type":"record","to":"start"}',
    "BB_CONTROL {}",
    "BB_DEVICE_HELLO {}",
    "CLIENT_FRAME_ACK 99999999",
    "m,1e99,NaN,-1,x",
    `m,${"9".repeat(400)},1,1,0`,
    "kd,-1",
    "\u0000",
    "x".repeat(500_000),
  ];
  for (const text of nonsense) bad.send(text);
  bad.socket.send(randomBytes(1_000));
  bad.request({ id: "still-here", type: "tree" });
  expect(await bad.answer("still-here")).toMatchObject({ ok: true });
  device.unit(1, true);
  await good.until(() => good.binary.length > 0);
  expect(device.owner).toEqual({ generation: 1, holder: "none" });
  expect(device.texts("input")).toEqual([]);
});

it("a message past its size ends its own connection alone", async () => {
  const { watch } = await makeRig();
  const good = watch();
  const bad = watch();
  await good.holder();
  await bad.holder();
  bad.send("x".repeat(1024 * 1024 + 1));
  expect((await bad.end()).code).toBe(1009);
  good.request({ id: "a", type: "tree" });
  await good.answer("a");
});

it("more requests at once than a page may have are refused busy, the rest are answered", async () => {
  const { device, watch } = await makeRig();
  const browser = watch();
  await browser.holder();
  device.silent.add("tree");
  for (let i = 0; i < 70; i++) browser.request({ id: `r${i}`, type: "tree" });
  expect(await browser.answer("r69")).toMatchObject({ error: { code: "busy" } });
  device.silent.clear();
  browser.request({ id: "r3", type: "tree" });
  expect(await browser.answer("r3")).toMatchObject({ error: { code: "busy" } });
});

it("two pages that choose the same id do not get each other's answers", async () => {
  const { device, watch } = await makeRig();
  const one = watch();
  const two = watch();
  await one.holder();
  await two.holder();
  device.silent.add("tree");
  one.request({ id: "same", type: "tree" });
  await device.heard("viewer", (text) => text.includes('"same"'));
  two.request({ id: "same", type: "tree" });
  expect(await two.answer("same")).toMatchObject({ ok: false, error: { code: "in-progress" } });
  expect(one.texts.some((text) => text.startsWith("BB_DEVICE_ANSWER"))).toBe(false);
});

it("a browser that stops reading loses its own picture; one that reads gets every unit", async () => {
  const { device, watch, host, token } = await makeRig();
  const quick = watch();
  await quick.holder();
  const slow = new WebSocket(
    `ws://127.0.0.1:${host.port}/api/boxes/local/displays/device?viewer=${randomUUID()}`,
    ["bb.panel", `bb.token.${token}`],
    {
      origin: `http://127.0.0.1:${host.port}`,
    },
  );
  await once(slow, "open");
  slow.pause();
  await device.connected("viewer");
  for (let id = 0; id < 300; id++) {
    device.unit(id, id === 0, 200_000);
    await quick.until(() => quick.binary.length > id);
    quick.send(`CLIENT_FRAME_ACK ${quick.binary.at(-1)?.readUInt16BE(2) ?? 0}`);
  }
  expect(quick.binary).toHaveLength(300);
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(200 * 1024 * 1024);
  slow.terminate();
});

it("sixty-four browsers watch a box; the next is told so", async () => {
  const { watch, host } = await makeRig();
  const browsers = Array.from({ length: 64 }, () => watch());
  await Promise.all(browsers.map((browser) => browser.holder()));
  expect(host.boxes[0]?.watching).toBe(64);
  expect(await watch().end()).toEqual({ code: 1013, reason: "Too many browsers watch this box. Close one first." });
});

it("connections that never finish asking keep nobody out: the oldest of them make place", async () => {
  const { watch, host, fetch } = await makeRig();
  const early = watch();
  await early.holder();
  const slow = Array.from({ length: 600 }, () => connect(host.port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(slow.map(async (socket) => (await once(socket, "connect"), socket.write("GET / HTTP/1.1\r\nHost: 127"))));
  await watch().holder();
  expect((await fetch("/api/boxes")).status).toBe(200);
  early.request({ id: "a", type: "tree" });
  expect(await early.answer("a")).toMatchObject({ ok: true });
  for (const socket of slow) socket.destroy();
});

it.each([
  ["speaks no HTTP", "nonsense\r\n\r\n"],
  ["is refused its upgrade", "GET /api HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
])("a connection that %s ends wholly, though the other side leaves its half open", async (_name, text) => {
  const { host } = await makeRig();
  const socket = connect({ port: host.port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  socket.write(text);
  socket.resume();
  await once(socket, "end");
  await gone(socket);
});
