import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DeviceError } from "#core/errors.ts";
import { FakeBox } from "./fake-driver.ts";
import { agent, benches, booted, generationOf, never, refused, settled } from "./support.ts";

const { held, open } = benches();

describe("the device's life", () => {
  it("is booted once again after a crash, and left failed after a second within five minutes", async () => {
    const { bench, clock, box } = await held();
    const viewer = await bench.connect("viewer");
    box.driver?.crash();
    await viewer.heard.until((h) => h.states().some((s) => s.state.power.is === "booting"));
    await box.until(() => box.count("attach") === 2);
    await viewer.heard.until((h) => h.states().at(-1)?.state.power.is === "booted");
    await clock.move(200_000);
    box.driver?.crash("It fell over.");
    await viewer.heard.until((h) => h.states().at(-1)?.state.power.is === "failed");
    expect(viewer.heard.states().at(-1)?.state.power).toMatchObject({
      error: { code: "device-exited", words: expect.stringMatching(/Reboot device/) },
    });
    expect(box.count("attach")).toBe(2);
    const person = await bench.connect("input");
    await person.client.request({ type: "control", control: { action: "reboot" } });
    expect(box.count("attach")).toBe(3);
  });

  it("is booted also when it ends by itself while it is rebooted, and that counts as a crash", async () => {
    const { bench, clock, box } = await held();
    const person = await bench.connect("input");
    box.hooks.control = () => {
      box.driver?.crash();
      return Promise.reject(new DeviceError("not-booted", "No device is attached."));
    };
    const { state } = await person.client.request({ type: "control", control: { action: "reboot" } });
    expect(state.power.is).toBe("booted");
    expect(box.count("attach")).toBe(2);
    await clock.move(200_000);
    box.driver?.crash();
    await person.heard.until((h) => h.states().at(-1)?.state.power.is === "failed");
  });

  it("is left failed by a reboot that fails while it runs", async () => {
    const { bench, box } = await held();
    const person = await bench.connect("input");
    box.hooks.control = () => Promise.reject(new DeviceError("failed", "It does not go down."));
    await expect(person.client.request({ type: "control", control: { action: "reboot" } })).rejects.toThrow("It does not go down.");
    expect(person.heard.states().at(-1)?.state.power).toMatchObject({ is: "failed" });
  });

  it("is booted again after a second crash that comes later than five minutes", async () => {
    const { clock, box } = await held();
    box.driver?.crash();
    await box.until(() => box.count("attach") === 2);
    await settled();
    await clock.move(301_000);
    box.driver?.crash();
    await box.until(() => box.count("attach") === 3);
  });

  it("switches also when the old one ends by itself as it is about to be stopped", async () => {
    const { bench, box } = await held();
    const a = await agent(bench);
    box.hooks.shutdown = () => {
      box.driver?.crash();
      return Promise.reject(new DeviceError("not-booted", "No device is attached."));
    };
    box.geometry = { physical: "upright", content: "upright", video: { width: 2208, height: 1840 }, screen: "inner" };
    const { state } = await a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner });
    expect(state).toMatchObject({ model: "Test foldable", power: { is: "booted" } });
    expect(box.running).toEqual(["Test foldable"]);
  });

  it("switches in place: the old one stopped before the new one boots, its intent on the disk before each step", async () => {
    const bench = await open();
    const a = await agent(bench);
    const steps: string[] = [];
    const read = (): string => {
      const { target, switching } = JSON.parse(readFileSync(join(bench.home, "intent.json"), "utf8")) as {
        target: string;
        switching: { step: string } | null;
      };
      return `${target} ${switching?.step ?? "-"}`;
    };
    bench.box.hooks.shutdown = () => {
      steps.push(`shutdown ${read()}`);
      return Promise.resolve();
    };
    bench.box.hooks.attach = () => {
      steps.push(`attach ${read()}`);
      return Promise.resolve();
    };
    bench.box.geometry = { physical: "upright", content: "upright", video: { width: 2208, height: 1840 }, screen: "inner" };
    const { state } = await a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner });
    expect(state).toMatchObject({ model: "Test foldable", form: "foldable", power: { is: "booted" }, geometry: { screen: "inner" } });
    expect(steps).toEqual(["shutdown Test foldable stopping", "attach Test foldable booting"]);
    expect(read()).toBe("Test foldable -");
    expect(bench.box.running).toEqual(["Test foldable"]);
    // Those who are connected are told too, since no new HELLO comes to them.
    expect(a.heard.states().at(-1)?.bootedHere).toEqual(["Test device", "Test foldable"]);
    expect((await bench.connect("viewer")).client.hello.bootedHere).toEqual(["Test device", "Test foldable"]);
  });

  it("boots the old model again, in 063's words, when the new one does not come up in 120 s", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.hooks.attach = (native) => (native === "Test foldable" ? never() : Promise.resolve());
    const asked = a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner });
    const failed = asked.then(
      () => null,
      (error: unknown) => error as DeviceError,
    );
    await box.until(() => box.count("shutdown") === 1);
    await settled();
    await expect(a.client.request({ type: "control", control: { action: "home" }, owner: a.owner })).rejects.toEqual(refused("busy"));
    await clock.move(121_000);
    const error = await failed;
    expect(error?.words).toMatch(/^Could not start the Test foldable: .*The Test device is booted again\.$/);
    expect(box.running).toEqual(["Test device"]);
  });

  it("boots the old model once more when it ends as it comes back from a failed switch", async () => {
    const { bench, box } = await held();
    const a = await agent(bench);
    box.hooks.attach = (native) =>
      native === "Test foldable" ? Promise.reject(new DeviceError("failed", "It does not boot.")) : Promise.resolve();
    box.hooks.readBack = () => {
      delete box.hooks.readBack;
      box.driver?.crash();
      return Promise.resolve(box.readBackValue);
    };
    await expect(
      a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner }),
    ).rejects.toMatchObject({ words: expect.stringMatching(/The Test device is booted again\.$/) });
    await box.until(() => box.count("attach") === 3);
    expect(box.running).toEqual(["Test device"]);
  });

  it.each(["stopping", "booting", "waiting", "streaming"] as const)(
    "carries on a switch from %s, and never has a second device",
    async (step) => {
      const box = new FakeBox();
      const first = await open({ box });
      await first.server.close();
      if (step !== "stopping") box.running = step === "booting" ? [] : ["Test foldable"];
      const switching = { id: "the-switch", from: "Test device", step, since: 1 };
      writeFileSync(join(first.home, "intent.json"), JSON.stringify({ target: "Test foldable", switching }));
      const made = await open({ box, home: first.home, early: true });
      await booted(made);
      const { client } = await made.control();
      expect(client.hello.state.model).toBe("Test foldable");
      expect(box.running).toEqual(["Test foldable"]);
      expect(await client.request({ id: "the-switch", type: "result" })).toMatchObject({ ok: true });
    },
  );

  it("reattaches after a restart, and lifts everything first", async () => {
    const bench = await open();
    const before = bench.box.told.length;
    await bench.restart();
    await booted(bench);
    const after = bench.box.told.slice(before).filter((t) => t.what !== "detach");
    expect(after[0]).toMatchObject({ what: "attach", how: "reattached" });
    expect(after[1]).toEqual({ what: "touch", contacts: [] });
  });

  it("resumes when the clocks part by more than 5 s: lifted, the driver told, a key frame", async () => {
    const { bench, clock, box } = await held();
    const viewer = await bench.connect("viewer");
    await settled();
    await clock.move(2000);
    const before = { touches: box.touches().length, keys: box.forcedKeys };
    clock.sleep(4_000);
    await clock.move(2000);
    expect(box.count("resumed")).toBe(0);
    clock.sleep(3_600_000);
    await clock.move(2000);
    expect(box.count("resumed")).toBe(1);
    expect(box.touches().length).toBe(before.touches + 1);
    expect(box.forcedKeys).toBeGreaterThan(before.keys);
    await viewer.heard.until((h) => h.units.length > 0);
  });

  it("answers a read that the device never answers, and a touch that hangs holds up none that come later", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.hooks.tree = () => never();
    const tree = a.client.request({ type: "tree" }).catch((error: unknown) => error as DeviceError);
    await settled();
    await clock.move(16_000);
    expect((await tree) as DeviceError).toMatchObject({ code: "failed", words: expect.stringMatching(/did not answer within 15 s/) });
    let hang = true;
    box.hooks.touch = () => (hang ? never() : Promise.resolve());
    const generation = generationOf(a);
    const tap = (x: number) => a.client.request({ type: "input", input: { type: "tap", at: { x, y: 1, generation } }, owner: a.owner });
    const first = tap(1).catch((error: unknown) => error);
    await settled();
    hang = false;
    await clock.move(6_000);
    await first;
    const second = tap(2);
    await settled();
    await clock.move(1_000);
    expect((await second).ok).toBe(true);
  });

  it("says why a device does not boot, and stays up", async () => {
    const box = new FakeBox();
    box.hooks.attach = () => Promise.reject(new DeviceError("failed", "There is no room for it."));
    const bench = await open({ box, early: true });
    const viewer = await bench.connect("viewer");
    await viewer.heard.until((h) => [viewer.client.hello.state, ...h.states().map((s) => s.state)].at(-1)?.power.is === "failed");
    await expect(viewer.client.request({ type: "screenshot" })).rejects.toEqual(refused("not-booted"));
  });

  it("opens links and refuses what is none", async () => {
    const bench = await open();
    const person = await bench.connect("input");
    expect((await person.client.request({ type: "open", url: "https://example.org/x" })).ok).toBe(true);
    await expect(person.client.request({ type: "open", url: "example.org" })).rejects.toEqual(refused("bad-value"));
    await expect(person.client.request({ type: "open", url: "file:///etc/passwd" })).rejects.toEqual(refused("bad-value"));
    expect(bench.box.told.filter((t) => t.what === "open")).toEqual([{ what: "open", url: "https://example.org/x" }]);
  });
});
