/** The pipeline as a video source: over a stand-in for the addon, and over the addon itself. */
import { existsSync, mkdtempSync, openSync, closeSync, rmSync, writeSync, ftruncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { VideoSource } from "#drivers/driver.ts";
import type { Binding, BindingEvent, BindingFrame, BindingPipeline, BindingStats, BindingUnit } from "#native/binding.ts";
import { FramePipeline } from "#native/frame-pipeline.ts";
import { loadBinding } from "#native/load.ts";

const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A binding whose units a test hands over itself. */
function standIn(): { binding: Binding; give(key: boolean): void; keyframes(): number } {
  let onUnit: (unit: BindingUnit) => void = () => {};
  let keyframes = 0;
  let number = 0;
  const stats: BindingStats = {
    framesIn: 0,
    framesUnchanged: 0,
    framesReplaced: 0,
    framesSkipped: 0,
    unitsOut: 0,
    unitsDropped: 0,
    keyFrames: 0,
    refinements: 0,
    encoderRestarts: 0,
    bytesOut: 0,
    loadStep: 0,
  };
  class Pipeline implements BindingPipeline {
    constructor(_: unknown, take: (unit: BindingUnit) => void) {
      onUnit = take;
    }
    createRegion(): void {}
    notify(): void {}
    push(): void {}
    keyframe(): void {
      keyframes += 1;
    }
    streaming(): void {}
    setBitrate(): void {}
    still(): Promise<never> {
      return Promise.reject(new Error("there is no picture yet"));
    }
    screenshot(): Promise<never> {
      return Promise.reject(new Error("there is no picture yet"));
    }
    encoder(): null {
      return null;
    }
    stats(): BindingStats {
      return stats;
    }
    async close(): Promise<void> {}
  }
  const binding = { ...loadBinding(), Pipeline } satisfies Binding;
  return {
    binding,
    keyframes: () => keyframes,
    give(key) {
      number += 1;
      const times = { monotonicMs: number, captureMs: number, convertedMs: number, encodedMs: number };
      onUnit({ data: Buffer.from([number]), key, generation: 1, width: 2, height: 2, refinement: false, ...times });
    },
  };
}

async function take(frames: AsyncIterator<BindingUnit>, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const next = await frames.next();
    if (next.done === true) break;
    taken.push(next.value.data[0] ?? -1);
  }
  return taken;
}

describe("the stream of units", () => {
  test("comes in order, before and after the consumer waits", async () => {
    const { binding, give } = standIn();
    const frames = new FramePipeline(binding).frames();
    give(true);
    give(false);
    expect(await take(frames, 2)).toEqual([1, 2]);
    const third = take(frames, 1);
    give(false);
    expect(await third).toEqual([3]);
  });

  test("is bounded: a consumer that is behind gets a key frame next, asked for once, and the loss is counted", async () => {
    const { binding, give, keyframes } = standIn();
    const pipeline = new FramePipeline(binding);
    const frames = pipeline.frames();
    for (let unit = 0; unit < 12; unit += 1) give(unit === 0);
    expect(keyframes()).toBe(1);
    expect(pipeline.stats().unitsDropped).toBe(12);
    give(true);
    give(false);
    expect(await take(frames, 2)).toEqual([13, 14]);
  });

  test("drops what waits when a key frame finds the queue full, and asks for none", async () => {
    const { binding, give, keyframes } = standIn();
    const pipeline = new FramePipeline(binding);
    for (let unit = 0; unit < 8; unit += 1) give(unit === 0);
    give(true);
    expect(await take(pipeline.frames(), 1)).toEqual([9]);
    expect([keyframes(), pipeline.stats().unitsDropped]).toEqual([0, 8]);
  });

  test("has one consumer: a newer one ends the one that waits, gets every unit from then on, and ends with close()", async () => {
    const { binding, give } = standIn();
    const pipeline = new FramePipeline(binding);
    const first = pipeline.frames();
    const waiting = first.next();
    const second = pipeline.frames();
    expect(await waiting).toEqual({ done: true, value: undefined });
    give(true);
    expect(await take(second, 1)).toEqual([1]);
    // The end of one that was superseded is not the end of the one after it.
    await first.return?.();
    const next = take(second, 1);
    give(false);
    expect(await next).toEqual([2]);
    const last = second.next();
    await pipeline.close();
    expect(await last).toEqual({ done: true, value: undefined });
    give(true);
    expect(await pipeline.frames().next()).toEqual({ done: true, value: undefined });
  });

  test("loses no unit that came in the very moment in which a newer consumer began", async () => {
    const { binding, give } = standIn();
    const pipeline = new FramePipeline(binding);
    const first = pipeline.frames().next();
    // Wakes the first; before it runs, another begins.
    give(true);
    const second = pipeline.frames();
    expect(await first).toEqual({ done: true, value: undefined });
    expect(await take(second, 1)).toEqual([1]);
  });

  test("that a consumer leaves is the next one's", async () => {
    const { binding, give } = standIn();
    const pipeline = new FramePipeline(binding);
    const first = pipeline.frames();
    const waiting = first.next();
    await first.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    give(true);
    expect(await take(pipeline.frames(), 1)).toEqual([1]);
  });
});

describe("over the addon", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "frames-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const WIDTH = 161;
  const HEIGHT = 91;
  let seq = 0;
  const frame = (over: Partial<BindingFrame> = {}): BindingFrame => {
    seq += 1;
    return { width: WIDTH, height: HEIGHT, format: "rgb888", generation: 1, seq, captureMs: now(), ...over };
  };
  const grey = (value: number): Buffer => Buffer.alloc(WIDTH * HEIGHT * 3, value);

  test("a frame in shared memory becomes a key unit with clocks in order, a still and a screenshot", async () => {
    const events: BindingEvent[] = [];
    const pipeline = new FramePipeline(loadBinding(), { onEvent: (event) => events.push(event) });
    const source: VideoSource = pipeline;
    const path = join(folder, "region");
    pipeline.createRegion(path, WIDTH * HEIGHT * 3);
    const file = openSync(path, "r+");
    writeSync(file, grey(200), 0, WIDTH * HEIGHT * 3, 0);
    closeSync(file);
    const frames = source.frames()[Symbol.asyncIterator]();
    source.streaming(true);
    const sent = frame({ generation: 5 });
    pipeline.notify(sent);
    const { value: unit } = await frames.next();
    expect(unit).toMatchObject({ key: true, generation: 5, width: WIDTH, height: HEIGHT, refinement: false });
    const at = [unit.captureMs, unit.convertedMs, unit.encodedMs, unit.monotonicMs, now()];
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(unit.captureMs).toBeCloseTo(sent.captureMs, 2);
    expect([...unit.data.subarray(0, 4)]).toEqual([0, 0, 0, 1]);
    expect((unit.data[4] ?? 0) & 31).toBe(7);
    expect(source.encoder()).toEqual({ name: expect.any(String), version: expect.any(String) });
    source.keyframe();
    // A refinement of the still picture may come before it.
    for (let next = await frames.next(); next.value?.key !== true; next = await frames.next()) expect(next.value?.refinement).toBe(true);

    const still = await source.still();
    expect(still).toMatchObject({ width: WIDTH, height: HEIGHT, generation: 5 });
    expect([...still.png.subarray(1, 4)].map((code) => String.fromCharCode(code)).join("")).toBe("PNG");
    expect(await pipeline.screenshot(40)).toMatchObject({ width: 40, height: 23 });
    const stats = source.stats();
    expect(stats).toMatchObject({ framesIn: 1, keyFrames: 2, unitsDropped: 0 });
    expect(stats.unitsOut - stats.refinements).toBe(2);
    await pipeline.close();
    expect(existsSync(path)).toBe(false);
    expect(events.map((event) => event.kind).toSorted()).toEqual(["changed", "encoder"]);
  });

  test("what makes no sense is an error in words and loses nothing", async () => {
    const binding = loadBinding();
    const pipeline = new FramePipeline(binding);
    pipeline.createRegion(join(folder, "words"), WIDTH * HEIGHT * 3);
    expect(() => pipeline.createRegion(folder, 100)).toThrow(/exists already/);
    expect(() => pipeline.notify(frame())).toThrow(/do not fit/);
    pipeline.createRegion(join(folder, "words"), WIDTH * HEIGHT * 3);
    expect(() => pipeline.notify(frame({ width: WIDTH + 1 }))).toThrow(/do not fit the shared-memory file/);
    for (const wrong of [
      { width: -1 },
      { width: 1.5 },
      { height: Number.NaN },
      { generation: 2 ** 32 },
      { seq: -1 },
      { captureMs: Infinity },
    ]) {
      expect(() => pipeline.notify(frame(wrong))).toThrow(/must be a/);
    }
    expect(() => pipeline.push(frame(), grey(1).subarray(1))).toThrow(/needs \d+ bytes, not \d+/);
    expect(() => pipeline.setBitrate(7)).toThrow(/bit rate/);
    await expect(pipeline.still()).rejects.toThrow("there is no picture yet");
    await expect(pipeline.screenshot()).rejects.toThrow("there is no picture yet");
    expect(() => new FramePipeline(binding, { bitsPerSecond: -1 })).toThrow(/bit rate/);
    pipeline.push(frame(), grey(50));
    pipeline.streaming(true);
    expect((await pipeline.frames().next()).value).toMatchObject({ key: true });
    await expect(pipeline.still(0)).rejects.toThrow(/longest edge/);
    await expect(pipeline.still(-1)).rejects.toThrow(/longestEdge must be a whole number/);
    await pipeline.close();
  });

  test("an encoder that this machine does not have is told in words, and the screen's changes still are", async () => {
    const events: BindingEvent[] = [];
    let told: () => void = () => {};
    const both = new Promise<void>((resolve) => (told = resolve));
    const pipeline = new FramePipeline(loadBinding(), {
      encoder: "openh264",
      openh264Path: join(folder, "no-such-library.so"),
      onEvent(event) {
        events.push(event);
        if (new Set(events.map(({ kind }) => kind)).size === 2) told();
      },
    });
    pipeline.streaming(true);
    pipeline.push(frame(), grey(10));
    await both;
    expect(events.find((event) => event.kind === "changed")).toMatchObject({ monotonicMs: expect.any(Number) });
    expect(events.find((event) => event.kind === "encoder-failed")).toMatchObject({ words: expect.stringContaining("no-such-library.so") });
    expect(pipeline.encoder()).toBeNull();
    await pipeline.close();
  });

  test("a region that shrinks is told in words and the process lives", async () => {
    let told: (event: BindingEvent) => void = () => {};
    const failed = new Promise<BindingEvent>((resolve) => (told = resolve));
    const pipeline = new FramePipeline(loadBinding(), {
      onEvent: (event) => {
        if (event.kind === "region-failed") told(event);
      },
    });
    const path = join(folder, "shrinks");
    pipeline.createRegion(path, WIDTH * HEIGHT * 3);
    const file = openSync(path, "r+");
    ftruncateSync(file, 10);
    closeSync(file);
    pipeline.notify(frame());
    expect(await failed).toMatchObject({ words: expect.stringContaining("shrank to 10 bytes") });
    await pipeline.close();
  });

  test("encoders() says of each encoder its version or why it cannot be opened", () => {
    for (const { name, version, why } of loadBinding().encoders()) {
      expect(["x264", "openh264", "openh264-source"]).toContain(name);
      expect([typeof version, typeof why].toSorted()).toEqual(["object", "string"]);
    }
  });
});
