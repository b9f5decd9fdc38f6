/** Note 063's table "When things stop and start", one row one test: real processes, kill -9, the phone's own log. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatRequest } from "#wire/device.ts";
import type { Connected } from "../support.ts";
import { entryBundle, generationOf, heldAfter, powerOf, Rig, type PhoneLog } from "./rig.ts";

const entry = entryBundle();

/** A finger and a key of a person's are down on the phone, and it says so. */
async function hold(rig: Rig, phone: PhoneLog): Promise<{ person: Connected; since: number }> {
  const person = await rig.connect("input");
  const before = await phone.last();
  person.client.send("m,300,400,1,0");
  await phone.entry((e) => e.what === "touch" && e.contacts.length === 1, before);
  person.client.send("kd,97");
  await phone.entry((e) => e.what === "key" && e.down, before);
  return { person, since: await phone.last() };
}

async function lifted(phone: PhoneLog, since: number): Promise<void> {
  await phone.entry((e) => e.what === "key" && !e.down && e.key === "a", since);
  for (;;) {
    const held = heldAfter(await phone.entries());
    if (held.fingers === 0 && held.keys.length === 0) return;
    await phone.entries(await phone.last(), 1000);
  }
}

describe("when things stop and start", () => {
  it("the server crashes: the device lives on, the server is back on the same device, what was held is lifted", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    const phone = await rig.phone();
    const pid = rig.phonePid();
    const { since } = await hold(rig, phone);
    await rig.kill();
    const startedMs = performance.now();
    await rig.start();
    const back = await rig.booted();
    await back.heard.until((h) => h.units.length > 0);
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(rig.phonePid()).toBe(pid);
    await lifted(phone, since);
    expect(generationOf(back)).toBeGreaterThan(generationOf(viewer));
    expect((await phone.entries()).filter((e) => e.what === "started")).toHaveLength(1);
  });

  it("the device crashes: it is booted once again, a second crash within five minutes leaves it failed, and the server stays up", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    const server = rig.pid;
    const first = rig.phonePid();
    const person = await rig.connect("input");
    person.client.send("m,300,400,1,0");
    process.kill(first, "SIGKILL");
    await viewer.heard.until(() => powerOf(viewer) === "booting");
    await viewer.heard.until(() => powerOf(viewer) === "booted");
    const second = rig.phonePid();
    expect(second).not.toBe(first);
    const phone = await rig.phone();
    await phone.entry((e) => e.what === "touch" && e.contacts.length === 0);
    expect(heldAfter(await phone.entries()).fingers).toBe(0);
    const units = viewer.heard.units.length;
    await viewer.heard.until((h) => h.units.length > units || h.units.some((u) => u.generation === (generationOf(viewer) & 0xffff)));
    await rig.clock({ move: 200_000 });
    process.kill(second, "SIGKILL");
    await viewer.heard.until(() => powerOf(viewer) === "failed");
    const power = viewer.heard.states().at(-1)?.state.power;
    expect(power?.is === "failed" ? power.error.words : "").toMatch(/Reboot device/);
    expect(rig.pid).toBe(server);
    const again = await rig.connect("input");
    await again.client.request({ type: "control", control: { action: "reboot" } });
    expect(powerOf(again)).toBe("booted");
  });

  it("the device crashes again after more than five minutes: it is booted again", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    for (let crash = 0; crash < 2; crash++) {
      process.kill(rig.phonePid(), "SIGKILL");
      await viewer.heard.until(() => powerOf(viewer) === "booting");
      await viewer.heard.until(() => powerOf(viewer) === "booted");
      await rig.clock({ move: 301_000 });
    }
    expect(powerOf(viewer)).toBe("booted");
  });

  it.each(["input", "control"] as const)(
    "a connection ends (%s): what it held is lifted and its queued input dropped, and all else goes on",
    async (role) => {
      const rig = new Rig(entry.path);
      await rig.start();
      const viewer = await rig.booted();
      const phone = await rig.phone();
      const pids = [rig.pid, rig.phonePid()];
      const before = await phone.last();
      if (role === "input") {
        const { person, since } = await hold(rig, phone);
        person.client.terminate();
        await lifted(phone, since);
      } else {
        const host = await rig.control();
        const owner = host.client.hello.owner.generation + 1;
        await host.client.request({ type: "owner", generation: owner, holder: "agent" });
        const generation = generationOf(host);
        const input = { type: "swipe", from: { x: 500, y: 2000, generation }, to: { x: 500, y: 300, generation }, ms: 5000 } as const;
        const swipes = Array.from({ length: 3 }, () => host.client.request({ type: "input", input, owner }));
        const touched = phone.entry((e) => e.what === "touch" && e.contacts.length === 1, before);
        // One that is refused says why, and is not waited for.
        await Promise.race([touched, Promise.all(swipes)]);
        for (const swipe of swipes) swipe.catch(() => undefined);
        host.client.terminate();
        const lift = await phone.entry((e) => e.what === "touch" && e.contacts.length === 0, before);
        // The two swipes that waited would begin at once: nothing does, though the clocks go on.
        await rig.clock({ move: 20_000 });
        expect((await phone.entries(lift.seq, 300)).filter((e) => e.what === "touch")).toEqual([]);
      }
      expect([rig.pid, rig.phonePid()]).toEqual(pids);
      expect(viewer.client.open).toBe(true);
    },
  );

  it("a viewer's connection ends: nothing of the device notices", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    const phone = await rig.phone();
    const { person } = await hold(rig, phone);
    const since = await phone.last();
    viewer.client.terminate();
    await rig.booted();
    expect((await phone.entries(since)).filter((e) => e.what === "touch" || e.what === "key")).toEqual([]);
    expect(person.client.open).toBe(true);
  });

  it("bb-box reloads, two instances at once: the later takes the lease, the earlier is told, a person keeps control", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    await rig.booted();
    const phone = await rig.phone();
    const earlier = await rig.control(1000);
    const owner = earlier.client.hello.owner.generation + 1;
    await earlier.client.request({ type: "owner", generation: owner, holder: "person" });
    const { person, since } = await hold(rig, phone);
    const later = await rig.control(2000);
    await earlier.heard.until((h) => h.closed.length > 0);
    expect(earlier.heard.kinds()).toContain("superseded");
    expect(earlier.heard.closed[0]?.code).toBe(4000);
    // The earlier instance's relay ends its input connection; the later one's comes within the 30 s.
    person.client.terminate();
    await lifted(phone, since);
    await rig.clock({ move: 20_000 });
    await rig.connect("input");
    await rig.clock({ move: 20_000 });
    expect((await rig.connect("viewer")).client.hello.owner).toEqual({ generation: owner, holder: "person" });
    expect(later.client.open).toBe(true);
    const reconnecting = await rig.control(1000);
    await reconnecting.heard.until((h) => h.closed.length > 0);
    expect(reconnecting.heard.kinds()).toContain("superseded");
  });

  it("the server's code changes: it ends in order, the device lives on, and the next one lifts what was held", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    await rig.booted();
    const phone = await rig.phone();
    const pid = rig.phonePid();
    const { since } = await hold(rig, phone);
    expect(await rig.stop()).toBe(0);
    await rig.start();
    await rig.booted();
    await lifted(phone, since);
    expect(rig.phonePid()).toBe(pid);
  });

  it.each([
    ["the box stops and starts", 60_000],
    ["a spare is claimed after hours suspended", 24 * 3_600_000],
  ])("%s: the parted clocks are seen, what was held is lifted, a key frame comes, and the device answers", async (_row, sleptMs) => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    const phone = await rig.phone();
    const pid = rig.phonePid();
    await viewer.heard.until((h) => h.units.length > 0);
    const { since } = await hold(rig, phone);
    const units = viewer.heard.units.length;
    await rig.clock({ sleep: sleptMs });
    await rig.clock({ move: 1500 });
    await lifted(phone, since);
    await viewer.heard.until((h) => h.units.slice(units).some((u) => u.key));
    expect((await viewer.client.request({ type: "tree" })).elements?.length).toBeGreaterThan(0);
    expect(rig.phonePid()).toBe(pid);
  });

  it("the machine restarts cold: the server reads its intent and boots the model that the box should run", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    await rig.booted();
    const person = await rig.connect("input");
    await person.client.request({ type: "control", control: { action: "switch", device: "Test foldable" } });
    await rig.kill();
    process.kill(rig.phonePid("Test foldable"), "SIGKILL");
    await rig.start();
    const viewer = await rig.booted();
    expect([viewer.client.hello.state.model, ...viewer.heard.states().map((s) => s.state.model)].at(-1)).toBe("Test foldable");
    expect(viewer.client.hello.bootedHere).toEqual(["Test device", "Test foldable"]);
    expect(JSON.parse(readFileSync(join(rig.home, "intent.json"), "utf8"))).toEqual({ target: "Test foldable", switching: null });
  });

  it("the device is killed with nothing saved: its next boot keeps what had reached its disk, and what was held is lifted", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const viewer = await rig.booted();
    const person = await rig.connect("input");
    const before = await rig.phone();
    const since = await before.last();
    await person.client.request({ type: "control", control: { action: "appearance", to: "dark" } });
    await before.entry((e) => e.what === "saved", since);
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 5, y: 5 }], generation: generationOf(person) }));
    await before.entry((e) => e.what === "touch" && e.contacts.length === 1);
    process.kill(rig.phonePid(), "SIGKILL");
    await viewer.heard.until(() => powerOf(viewer) === "booting");
    await viewer.heard.until(() => powerOf(viewer) === "booted");
    const phone = await rig.phone();
    expect((await phone.state())["appearance"]).toBe("dark");
    expect(heldAfter(await phone.entries()).fingers).toBe(0);
  });
});

describe("a switch killed at each step", () => {
  it("is carried on by the next server, with one device at the end, and its asker can ask for the result", async () => {
    for (const step of ["stopping", "booting", "waiting", "streaming"]) {
      const rig = new Rig(entry.path);
      await rig.start();
      const viewer = await rig.booted();
      const person = await rig.connect("input");
      person.client
        .request({ id: "the-switch", type: "control", control: { action: "switch", device: "Test foldable" } })
        .catch(() => undefined);
      await viewer.heard.until((h) => h.states().some(({ state }) => state.power.is === "switching" && state.power.step === step));
      await rig.kill();
      await rig.start();
      const back = await rig.booted();
      const model = [back.client.hello.state, ...back.heard.states().map((s) => s.state)].at(-1)?.model;
      expect([step, model]).toEqual([step, "Test foldable"]);
      // Killed after its last write the switch was over, and the answer went with the server.
      const result = await back.client.request({ id: "the-switch", type: "result" }).catch((error: { code: string }) => error);
      expect([true, "outcome-unknown"]).toContain("ok" in result ? result.ok : result.code);
      await expect(rig.phone("Test device")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
      await rig.end();
    }
  }, 60_000);
});

describe("an end in order", () => {
  it("comes within 2 s at any moment of the server's life: before the device is up, while it boots, with somebody watching", async () => {
    for (const moment of ["listening", "booting", "booted"] as const) {
      const rig = new Rig(entry.path, "busy");
      await rig.start();
      const viewer = await rig.connect("viewer");
      if (moment === "booting") await viewer.heard.until((h) => h.states().length > 0);
      if (moment === "booted") await viewer.heard.until((h) => h.units.length > 3);
      const startedMs = performance.now();
      expect(await rig.stop()).toBe(0);
      expect(performance.now() - startedMs).toBeLessThan(2000);
      await viewer.heard.until((h) => h.closed.length > 0);
      expect(viewer.heard.closed[0]).toMatchObject({ code: 1001, superseded: false });
      await rig.end();
    }
  }, 60_000);
});
