import { expect, it } from "vitest";
import { makeRig, type Rig } from "./rig.ts";

async function ask(rig: Rig, body: object) {
  const response = await rig.fetch("/api/boxes/local/requests", { method: "POST", body: JSON.stringify(body) });
  return (await response.json()) as { id: string | null; ok: boolean; error?: { code: string; words: string } };
}

it("an agent's act takes control from nobody and goes under the owner's generation", async () => {
  const rig = await makeRig();
  expect(await ask(rig, { type: "control", control: { action: "home" } })).toMatchObject({ ok: true });
  expect(rig.device.owner).toEqual({ generation: 2, holder: "agent" });
  const sent = JSON.parse((rig.device.texts("control").find((text) => text.includes('"home"')) ?? "").slice(10)) as { owner: number };
  expect(sent.owner).toBe(2);
});

it("while a person has control an agent's acts are refused before they reach the server; reads and installs pass", async () => {
  const rig = await makeRig();
  const browser = rig.watch();
  await browser.holder();
  browser.send("BB_CONTROL_TAKE");
  expect(await browser.holder()).toBe("you");
  const before = rig.device.texts("control").length;
  for (const body of [
    { type: "control", control: { action: "home" } },
    { type: "input", input: { type: "tap", at: { x: 1, y: 1, generation: 3 } } },
    { type: "open", url: "https://example.com" },
  ]) {
    expect(await ask(rig, body)).toMatchObject({ ok: false, error: { code: "person-has-control" } });
  }
  expect(rig.device.texts("control")).toHaveLength(before);
  expect(await ask(rig, { type: "tree" })).toMatchObject({ ok: true });
  expect(await ask(rig, { type: "control", control: { action: "install", paths: ["/app.apk"] } })).toMatchObject({ ok: true });
});

it("the owner and recordings are the host's own, and a request of no known shape is answered bad-value", async () => {
  const rig = await makeRig();
  for (const body of [
    { type: "owner", generation: 99, holder: "person" },
    { type: "record", to: "start" },
    { type: "nonsense" },
    [],
    { type: "input" },
  ]) {
    expect(await ask(rig, body)).toMatchObject({ ok: false, error: { code: "bad-value" } });
  }
  expect(rig.device.owner.generation).toBe(1);
});

it("a request that loses its connection is asked for by its id and done once", async () => {
  const rig = await makeRig();
  await ask(rig, { type: "tree" });
  rig.device.silent.add("control");
  const answer = ask(rig, { id: "once", type: "control", control: { action: "home" } });
  await rig.device.heard("control", (text) => text.includes('"once"'));
  rig.device.done.set("once", { ok: true, ms: 4, state: rig.device.hello().state });
  const [control] = rig.device.open("control");
  control?.socket.terminate();
  await new Promise<void>((resolve) => {
    const look = () => (rig.clock.waiting > 0 && rig.host.boxes[0]?.lease.held === false ? resolve() : setImmediate(look));
    look();
  });
  await rig.clock.move(250);
  expect(await answer).toMatchObject({ id: "once", ok: true, ms: 4 });
  const about = rig.device.texts("control").filter((text) => text.includes('"once"'));
  expect(about).toHaveLength(2);
  expect(about[1]).toContain('"result"');
});

it("the control connection opens at first use and closes after ten idle minutes, and opens again", async () => {
  const rig = await makeRig();
  expect(rig.device.open("control")).toHaveLength(0);
  await ask(rig, { type: "tree" });
  const [control] = rig.device.open("control");
  expect(control?.query.get("instance")).toMatch(/^[0-9a-f-]{36}$/);
  const closed = new Promise((resolve) => control?.socket.once("close", resolve));
  await rig.clock.move(599_000);
  expect(rig.device.open("control")).toHaveLength(1);
  await rig.clock.move(1_000);
  await closed;
  await ask(rig, { type: "tree" });
  expect(rig.device.open("control")).toHaveLength(1);
});

it("a box that is away is said in the list, and an agent's request says it too", async () => {
  const rig = await makeRig({ device: false });
  // The first try says so at once: no clock moves.
  const list = rig.fetch("/api/boxes");
  expect(await (await list).json()).toMatchObject({
    boxes: [{ id: "local", device: null, away: "The device server is not running. Start it with: bb-box-device start" }],
  });
  // An agent's request waits a little: a server that was killed is there again within a second.
  const answer = ask(rig, { type: "tree" });
  await new Promise<void>((resolve) => {
    const look = () => (rig.clock.waiting > 0 ? resolve() : setImmediate(look));
    look();
  });
  await rig.clock.move(5_000);
  expect(await answer).toMatchObject({
    ok: false,
    error: { code: "failed", words: "The device server is not running. Start it with: bb-box-device start" },
  });
});
