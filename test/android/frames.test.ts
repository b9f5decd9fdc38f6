import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import type { Outside } from "#drivers/android/outside.ts";
import type { EncodedFrame } from "#drivers/driver.ts";

import { describeWith } from "../support/needs.ts";
import { readPng } from "./png.ts";
import { FOLD_ARGS, monotonicMs, offerOf, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

/** Timers that fire when the test says so; the waits between tries stay real. */
class HeldTimers {
  readonly held = new Set<{ readonly ms: number; readonly call: () => void }>();
  later = (ms: number, call: () => void) => {
    const timer = { ms, call };
    this.held.add(timer);
    return () => void this.held.delete(timer);
  };
  /** Fires every timer of this length that waits now. */
  fire(ms: number): number {
    const due = [...this.held].filter((timer) => timer.ms === ms);
    for (const timer of due) {
      this.held.delete(timer);
      timer.call();
    }
    return due.length;
  }
}

describeWith(["python3-grpcio", "protoc", "adb"], "the emulator's frames", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  async function attached(
    args: readonly string[] = SMALL_ARGS,
    options: { readonly frames?: "auto" | "shared-memory" | "in-band"; readonly outside?: Outside } = {},
    config: Readonly<Record<string, string>> = SMALL,
  ) {
    rig.avd("Device", config);
    const peer = await rig.peer(args, { avd: "Device" });
    const { driver, record } = rig.driver(options);
    const video = driver.video();
    video.streaming(true);
    const units = video.frames()[Symbol.asyncIterator]();
    await driver.attach(await offerOf(driver, "Device"), soon());
    const unit = async () => (await units.next()).value as EncodedFrame;
    /** The next key unit; deltas before it pass. */
    const key = async () => {
      for (;;) {
        const next = await unit();
        if (next.key) return next;
      }
    };
    return { peer, driver, record, video, unit, key };
  }
  type Attached = Awaited<ReturnType<typeof attached>>;

  const streams = async ({ peer }: Attached) => {
    await peer.heard();
    return peer.feed.calls("streamScreenshot").length;
  };
  const opened = ({ peer }: Attached) => peer.feed.next((said) => said.event === "call" && said.method === "streamScreenshot");
  const logged = ({ record }: Attached, message: string) => record.feed.any((said) => said.event === "log" && said.message === message);

  /** Shows another screen; resolves when its change was told. */
  async function show({ peer, record }: Attached, page: string) {
    const changed = record.feed.next((said) => said.event === "changed");
    await peer.order("show", { page });
    await changed;
  }

  /** What the product shows is what the device shows, to the pixel. */
  async function same({ peer, driver }: Attached) {
    const path = join(rig.folder, "frame.rgb");
    const { width, height } = (await peer.order("save-frame", { path })) as unknown as { width: number; height: number };
    const shown = readPng((await driver.screenshot()).png);
    const source = readFileSync(path);
    expect([shown.width, shown.height]).toEqual([width, height]);
    expect(shown.rgb.equals(source)).toBe(true);
  }

  /** The picture that is encoded is the source's, but for what its colour space costs. */
  async function encodedIsClose({ video }: Attached) {
    const source = readFileSync(join(rig.folder, "frame.rgb"));
    const shown = readPng((await video.still()).png);
    let sum = 0;
    let count = 0;
    for (let y = 0; y < shown.height; y += 7) {
      for (let x = 0; x < shown.width; x += 5, count += 1)
        sum += Math.abs(shown.at(x, y)[1] - (source[(y * shown.width + x) * 3 + 1] ?? 0));
    }
    return sum / count < 3;
  }

  it("takes shared memory by a short measurement, and says what it measured", async () => {
    const parts = await attached();
    expect(await logged(parts, "measured the ways to a frame")).toMatchObject({
      fields: { sharedMemoryMs: expect.any(Number), inBandMs: expect.any(Number) },
    });
    expect(await logged(parts, "frames come")).toMatchObject({ fields: { transport: "shared-memory" } });
  });

  it("takes the messages where shared memory is slower each time it is measured, and not for a picture that was late once", async () => {
    const measured = ({ record }: Attached) => record.logs.filter(({ message }) => message === "measured the ways to a frame").length;
    const slow = await attached([...SMALL_ARGS, "--mmap-ms", "400"]);
    expect(await logged(slow, "frames come")).toMatchObject({ fields: { transport: "in-band" } });
    expect(measured(slow)).toBe(3);
    await same(slow);
    await slow.driver.detach();
    await slow.peer.die();
    const late = await attached([...SMALL_ARGS, "--mmap-ms", "400,0"]);
    expect(await logged(late, "frames come")).toMatchObject({ fields: { transport: "shared-memory" } });
    expect(measured(late)).toBeGreaterThanOrEqual(2);
    await show(late, "app");
    await same(late);
  });

  it("takes the messages where shared memory is not echoed", async () => {
    const parts = await attached([...SMALL_ARGS, "--refuse-mmap"]);
    expect(await logged(parts, "frames come")).toMatchObject({ fields: { transport: "in-band" } });
    await same(parts);
    const request = parts.peer.feed.calls("streamScreenshot").at(-1)?.body as Record<string, unknown>;
    expect(request.transport).toBeUndefined();
    expect((await parts.key()).width).toBe(320);
  });

  it("takes the messages where shared memory is refused, or gives nothing", async () => {
    const parts = await attached([...SMALL_ARGS, "--fail-mmap"]);
    expect(await logged(parts, "frames come")).toMatchObject({ fields: { transport: "in-band" } });
    await same(parts);
  });

  it("says what the emulator said where shared memory is forced and refused", async () => {
    const timers = new HeldTimers();
    rig.avd("Device", SMALL);
    const peer = await rig.peer([...SMALL_ARGS, "--fail-mmap"], { avd: "Device" });
    const { driver } = rig.driver({ frames: "shared-memory", outside: rig.outside({ later: timers.later }) });
    const streamed = () => peer.feed.next((said) => said.event === "call" && said.method === "streamScreenshot");
    const twice = streamed().then(streamed);
    const attaching = driver.attach(await offerOf(driver, "Device"), soon());
    await twice;
    timers.fire(10_000);
    await expect(attaching).rejects.toThrow("The emulator sent no picture within 10 s: shared memory is not supported here.");
  });

  it("makes a larger region when the device needs one", async () => {
    const parts = await attached();
    const again = opened(parts);
    await parts.peer.order("need", { bytes: 6_000_000 });
    await again;
    const region = await parts.peer.feed.any((said) => said.event === "region" && said.bytes === 6_000_000);
    expect(region.mode).toBe("0o600");
    await show(parts, "app");
    await same(parts);
  });

  it.each(["shared-memory", "in-band"] as const)(
    "opens a stream that ended again within a second, from a key frame: %s",
    async (frames) => {
      const parts = await attached(SMALL_ARGS, { frames });
      expect((await parts.unit()).key).toBe(true);
      const again = opened(parts);
      const cutMs = monotonicMs();
      await parts.peer.order("end-stream");
      await again;
      const unit = await parts.key();
      expect(unit.monotonicMs - cutMs).toBeLessThan(1_000);
      expect(unit.generation).toBe(1);
      await same(parts);
    },
  );

  it("ten seconds of nothing on a still screen: asks once, and leaves the stream as it is", async () => {
    const timers = new HeldTimers();
    const parts = await attached(SMALL_ARGS, { outside: rig.outside({ later: timers.later }) });
    const before = await streams(parts);
    const asked = parts.peer.feed.next((said) => said.event === "call" && said.method === "getScreenshot");
    expect(timers.fire(10_000)).toBe(1);
    await asked;
    await parts.driver.screenshot();
    expect(await streams(parts)).toBe(before);
    expect(parts.record.logs.some(({ message }) => message === "the frame stream is dead")).toBe(false);
  });

  it.each(["shared-memory", "in-band"] as const)(
    "ten seconds of nothing while the screen changed: the stream is dead, and opened again: %s",
    async (frames) => {
      const timers = new HeldTimers();
      const parts = await attached(SMALL_ARGS, { frames, outside: rig.outside({ later: timers.later }) });
      await parts.peer.order("hang", { on: true });
      await parts.peer.order("show", { page: "recents" });
      const again = opened(parts);
      timers.fire(10_000);
      await again;
      expect(await logged(parts, "the frame stream is dead")).toMatchObject({ fields: { answered: true } });
      await parts.peer.order("hang", { on: false });
      await show(parts, "app");
      await same(parts);
    },
  );

  it("an empty picture is a display that is off, not an error and not the end", async () => {
    const parts = await attached();
    const before = await streams(parts);
    await parts.peer.order("zero", { on: true });
    await parts.peer.heard();
    expect((await parts.driver.readBack()).awake).toBe(false);
    const changed = parts.record.feed.next((said) => said.event === "changed");
    await parts.peer.order("show", { page: "app" });
    await parts.peer.order("zero", { on: false });
    await changed;
    expect((await parts.driver.readBack()).awake).toBe(true);
    expect(await streams(parts)).toBe(before);
    await same(parts);
  });

  it("attaches to a device whose display is off", async () => {
    rig.avd("Device", SMALL);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Device" });
    await peer.order("zero", { on: true });
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Device"), soon());
    expect((await driver.readBack()).awake).toBe(false);
    const first = record.feed.next((said) => said.event === "geometry");
    await driver.control({ action: "wake" }, soon());
    await first;
    expect((await driver.screenshot()).width).toBe(320);
  });

  it("posts that change nothing are no change of the screen", async () => {
    const parts = await attached();
    const { unitsOut } = parts.video.stats();
    const changes = parts.record.feed.all.filter((said) => said.event === "changed").length;
    await parts.peer.order("repost", { times: 10 });
    await show(parts, "recents");
    const stats = parts.video.stats();
    expect(stats.framesUnchanged + stats.framesReplaced).toBeGreaterThan(0);
    expect(parts.record.feed.all.filter((said) => said.event === "changed").length).toBe(changes + 1);
    expect(stats.unitsOut).toBeLessThan(unitsOut + 10);
  });

  it("a fold and a turn each come as a key frame of a new generation at the new size", async () => {
    const parts = await attached(FOLD_ARGS, {}, PIXEL_FOLD);
    expect(await parts.unit()).toMatchObject({ key: true, width: 2208, height: 1840, generation: 1 });
    const closed = parts.key();
    await parts.driver.control({ action: "posture", to: "closed" }, soon());
    expect(await closed).toMatchObject({ width: 1080, height: 2092, generation: 2 });
    const turned = parts.key();
    await parts.driver.control({ action: "rotate", to: "turned-left" }, soon());
    expect(await turned).toMatchObject({ width: 2092, height: 1080, generation: 3 });
  });

  it("a screen that tears while it moves is whole once it is still", async () => {
    const parts = await attached();
    await parts.peer.order("tear", { on: true });
    await parts.peer.order("busy", { fps: 60 });
    for (let seen = 0; seen < 60; seen += 1) await parts.unit();
    await parts.peer.order("busy", { fps: 0 });
    // Each change may be the last: what is shown then must be what the device shows. A torn picture that stays ends this by the test's time.
    for (;;) {
      const next = parts.record.feed.next((said) => said.event === "changed");
      const whole = await same(parts).then(
        () => true,
        () => false,
      );
      if (whole && (await encodedIsClose(parts))) return;
      await next;
    }
  });

  it("removes the regions of servers that were killed, and no other's", async () => {
    const { writeFileSync, existsSync } = await import("node:fs");
    const dead = join(rig.run, "region-999999-1.rgb");
    const other = join(rig.run, `region-${process.ppid}-1.rgb`);
    writeFileSync(dead, "");
    writeFileSync(other, "");
    await attached();
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(other)).toBe(true);
  });
});
