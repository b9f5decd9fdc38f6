import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { makeRig } from "./rig.ts";

it("a browser hears HELLO first, then the mode, then who has control; then video from a key unit under the host's own ids", async () => {
  const { device, watch } = await makeRig();
  const browser = watch();
  await browser.next("BB_CONTROL ");
  expect(browser.texts[0]).toMatch(/^BB_DEVICE_HELLO /);
  expect(browser.texts[1]).toBe("MODE websockets");
  device.unit(4_000, false);
  device.unit(4_001, true);
  await browser.until(() => browser.binary.length === 1);
  expect(browser.binary[0]?.readUInt8(1)).toBe(1);
  expect(browser.binary[0]?.readUInt16BE(2)).toBe(1);
  await device.heard("viewer", (text) => text === "CLIENT_FRAME_ACK 4001");
});

it("from nobody, the first press takes control, and arrives only once the device server knows", async () => {
  const { device, watch } = await makeRig();
  const browser = watch();
  expect(await browser.holder()).toBe("none");
  await device.connected("input");
  browser.send("m,5,5,0,0");
  browser.send("m,10,20,1,0");
  browser.send("m,11,20,1,0");
  browser.send("m,11,20,0,0");
  await device.heard("input", (text) => text === "m,11,20,0,0");
  expect(device.texts("input")).toEqual(["m,10,20,1,0", "m,11,20,1,0", "m,11,20,0,0"]);
  expect(device.owner).toEqual({ generation: 2, holder: "person" });
  expect(await browser.holder()).toBe("you");
});

it("while the agent has control a press sends nothing, and a control takes it and then works", async () => {
  const { device, watch } = await makeRig();
  const browser = watch();
  await device.connected("control");
  await browser.holder();
  device.setOwner({ generation: 50, holder: "agent" });
  expect(await browser.holder()).toBe("agent");
  await device.connected("input");
  browser.send("m,10,20,1,0");
  browser.send("kd,97");
  browser.request({ id: "t", type: "text", text: "a" });
  expect(await browser.answer("t")).toMatchObject({ ok: false, error: { code: "superseded" } });
  browser.request({ id: "c", type: "control", control: { action: "home" } });
  expect(await browser.answer("c")).toMatchObject({ ok: true });
  expect(device.owner.holder).toBe("person");
  expect(device.texts("input").filter((text) => text.startsWith("m,") || text.startsWith("kd"))).toEqual([]);
});

it("a watcher's input and requests are dropped while another has control; taking it over tells both", async () => {
  const { device, watch } = await makeRig();
  const one = watch();
  const two = watch();
  await device.connected("input");
  await one.holder();
  await two.holder();
  one.send("BB_CONTROL_TAKE");
  expect(await one.holder()).toBe("you");
  expect(await two.holder()).toBe("other");
  two.send("m,1,1,1,0");
  two.request({ id: "p", type: "paste", text: "secret" });
  expect(await two.answer("p")).toMatchObject({ error: { code: "person-has-control" } });
  two.send("BB_CONTROL_BACK");
  one.request({ id: "tap", type: "control", control: { action: "home" } });
  await one.answer("tap");
  expect(device.texts("input").some((text) => text.startsWith("m,") || text.includes("secret"))).toBe(false);
  expect(device.owner.holder).toBe("person");
  two.send("BB_CONTROL_TAKE");
  expect(await two.holder()).toBe("you");
  expect(await one.holder()).toBe("other");
  two.send("BB_CONTROL_BACK");
  expect(await one.holder()).toBe("agent");
});

it("reads need no control and answers go to the browser that asked", async () => {
  const { device, watch } = await makeRig();
  const one = watch();
  const two = watch();
  await device.connected("control");
  await one.holder();
  await two.holder();
  device.setOwner({ generation: 50, holder: "agent" });
  expect(await one.holder()).toBe("agent");
  expect(await two.holder()).toBe("agent");
  one.request({ id: "shot", type: "screenshot" });
  expect(await one.answer("shot")).toMatchObject({ ok: true });
  two.request({ id: "tree", type: "tree" });
  await two.answer("tree");
  expect(one.texts.concat(two.texts).some((text) => text.startsWith("BB_DEVICE_ANSWER"))).toBe(false);
  expect(device.owner.holder).toBe("agent");
});

it("the device's clipboard goes to the browser with control alone", async () => {
  const { device, watch } = await makeRig();
  const one = watch();
  const two = watch();
  await device.connected("input");
  await one.holder();
  await two.holder();
  one.send("BB_CONTROL_TAKE");
  await one.holder();
  device.say("input", "clipboard,aGVsbG8=");
  device.say("viewer", `BB_DEVICE_TOUCH {"contacts":[],"by":"agent","generation":3}`);
  await one.next("clipboard,");
  await two.next("BB_DEVICE_TOUCH");
  expect(two.texts.some((text) => text.startsWith("clipboard"))).toBe(false);
});

it("a person whose browser is gone keeps control for thirty seconds, lifted at once; then it goes back in words", async () => {
  const { device, watch, clock, host, logs } = await makeRig();
  const viewer = randomUUID();
  const browser = watch(viewer);
  const other = watch();
  await other.holder();
  browser.send("BB_CONTROL_TAKE");
  await browser.until(() => browser.texts.some((text) => text.includes('"you"')));
  const first = await device.connected("input");
  browser.socket.close();
  await new Promise((resolve) => first.socket.once("close", resolve));
  await device.connected("input");
  await clock.move(29_000);
  expect(device.owner.holder).toBe("person");
  const back = watch(viewer);
  expect(await back.holder()).toBe("you");
  await clock.move(60_000);
  expect(device.owner.holder).toBe("person");
  back.socket.close();
  await new Promise<void>((resolve) => {
    const look = () => (host.boxes[0]?.watching === 1 ? resolve() : setImmediate(look));
    look();
  });
  await clock.move(30_000);
  await other.until(() => other.texts.some((text) => text.startsWith('BB_CONTROL {"holder":"none"')));
  expect(device.owner.holder).toBe("none");
  expect(logs.join("\n")).toMatch(/away for 30 s, so control is handed back/);
});

it("control outlives a restart of the host, which goes one above the owner it finds", async () => {
  const { device, watch, host, again } = await makeRig();
  const viewer = randomUUID();
  const browser = watch(viewer);
  await browser.holder();
  browser.send("BB_CONTROL_TAKE");
  expect(await browser.holder()).toBe("you");
  const { generation } = device.owner;
  await host.close();
  await again();
  const back = watch(viewer);
  await back.until(() => back.texts.some((text) => text === `BB_CONTROL {"holder":"you","generation":${generation + 1}}`));
  expect(device.owner).toEqual({ generation: generation + 1, holder: "person" });
});

it("an earlier host's agent ended with it: after a start nobody has control, and a press takes it", async () => {
  const { device, watch } = await makeRig();
  device.owner = { generation: 9, holder: "agent" };
  const browser = watch();
  await browser.until(() => browser.texts.includes('BB_CONTROL {"holder":"none","generation":10}'));
  expect(device.owner).toEqual({ generation: 10, holder: "none" });
});

it("a killed device server: browsers are told, connect again, and go on from a key unit without waiting for the clock", async () => {
  const { device, watch, socket } = await makeRig();
  const viewer = randomUUID();
  const browser = watch(viewer);
  await browser.holder();
  await device.kill();
  expect((await browser.end()).code).toBe(1012);
  const back = watch(viewer);
  await new Promise((resolve) => back.socket.once("open", resolve));
  await device.listen(socket);
  await back.next("BB_DEVICE_HELLO");
  await device.connected("viewer");
  device.unit(0, true);
  await back.until(() => back.binary.length > 0);
});

it("a device server that does not come back: the browser is told why after three seconds", async () => {
  const { watch, clock, host } = await makeRig({ device: false });
  const browser = watch();
  await new Promise((resolve) => browser.socket.once("open", resolve));
  await new Promise<void>((resolve) => {
    const look = () => (host.boxes[0]?.info().away !== null ? resolve() : setImmediate(look));
    look();
  });
  await clock.move(3_000);
  expect(await browser.end()).toEqual({ code: 1013, reason: "The device server is not running. Start it with: bb-box-device start" });
});

it("a later bb-box takes the lease: browsers hear of it once and this host never asks for it again", async () => {
  const { device, watch, again } = await makeRig();
  const browser = watch();
  await browser.holder();
  await device.connected("control");
  await again();
  const later = watch();
  await later.holder();
  expect((await browser.end()).code).toBe(4000);
  expect(browser.texts.at(-1)).toBe("BB_DEVICE_SUPERSEDED {}");
  expect(device.open("control")).toHaveLength(1);
});

it("a device server of another protocol is said, to browsers, lists and agents, and shown as nothing", async () => {
  const { device, watch, fetch: ask } = await makeRig();
  device.protocol = { min: 8, max: 9 };
  const words = "This machine's device server is too new for this host: update the host.";
  expect(await watch().end()).toEqual({ code: 1013, reason: words });
  const answer = await ask("/api/boxes/local/requests", { method: "POST", body: JSON.stringify({ type: "tree" }) });
  expect(await answer.json()).toMatchObject({ ok: false, error: { code: "failed", words } });
  expect(await (await ask("/api/boxes")).json()).toMatchObject({ boxes: [{ device: null, away: words }] });
});

it("stills go to the browser that asked for them, over a connection of their own", async () => {
  const { device, watch } = await makeRig();
  const one = watch();
  const two = watch();
  await one.holder();
  await two.holder();
  one.send("START_STILLS");
  await device.heard("viewer", (text) => text === "START_STILLS");
  const [stills] = device.connections.filter((connection) => connection.heard.includes("START_STILLS"));
  stills?.socket.send(`BB_DEVICE_STILL {"png":"AAAA","generation":3}`);
  await one.next("BB_DEVICE_STILL");
  expect(two.texts.some((text) => text.startsWith("BB_DEVICE_STILL"))).toBe(false);
  one.send("STOP_STILLS");
  await new Promise((resolve) => stills?.socket.once("close", resolve));
});

it("video stops at the source when every browser is hidden", async () => {
  const { device, watch } = await makeRig();
  const browser = watch();
  await browser.holder();
  browser.send("STOP_VIDEO");
  await browser.next("VIDEO_STOPPED");
  await device.heard("viewer", (text) => text === "STOP_VIDEO");
  browser.send("START_VIDEO");
  await browser.next("VIDEO_STARTED");
  await device.heard("viewer", (text) => text === "START_VIDEO");
});
