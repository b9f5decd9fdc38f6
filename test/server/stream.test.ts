import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { EncodedFrame, VideoSource } from "#drivers/driver.ts";
import { FramePipeline } from "#native/frame-pipeline.ts";
import { loadBinding } from "#native/load.ts";
import { systemClock } from "#server/ports.ts";
import { VideoStream } from "#server/video/stream.ts";
import { VideoRelay } from "#relay/video-relay.ts";
import { KEYFRAME_FLOOR_MS } from "#wire/limits.ts";
import type { Seat } from "#wire/unit-hub.ts";
import { ManualClock } from "./support.ts";

/** From an order to its unit, as an encoder takes. */
const ENCODE_MS = 8;

/** A pipeline at its least lucky: every order that wants a key unit makes one of its own. */
class Source implements VideoSource {
  readonly keysAtMs: number[] = [];
  on = false;
  readonly #clock: ManualClock;
  readonly #queue: EncodedFrame[] = [];
  #waiting: ((frame: IteratorResult<EncodedFrame>) => void) | null = null;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }
  keyframe(): void {
    this.#clock.after(ENCODE_MS, () => this.push(true));
  }
  streaming(on: boolean): void {
    if (on && !this.on) this.keyframe();
    this.on = on;
  }
  /** The screen changed. */
  push(key: boolean): void {
    if (!this.on) return;
    const nowMs = this.#clock.now();
    if (key) this.keysAtMs.push(nowMs);
    const times = { monotonicMs: nowMs, captureMs: nowMs, convertedMs: nowMs, encodedMs: nowMs };
    const frame = { data: new Uint8Array(10), key, generation: 1, width: 100, height: 200, refinement: false, ...times };
    this.#waiting?.({ done: false, value: frame });
    if (this.#waiting === null) this.#queue.push(frame);
    this.#waiting = null;
  }
  frames(): AsyncIterable<EncodedFrame> {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const value = this.#queue.shift();
          return value === undefined ? new Promise((resolve) => (this.#waiting = resolve)) : Promise.resolve({ done: false, value });
        },
      }),
    };
  }
  setBitrate(): void {}
  still(): Promise<never> {
    return Promise.reject(new Error("no stills here"));
  }
  encoder(): null {
    return null;
  }
  stats(): never {
    throw new Error("no stats here");
  }
}

interface Got {
  readonly key: boolean;
  readonly atMs: number;
}

const made: VideoStream[] = [];
afterEach(() => {
  for (const stream of made.splice(0)) stream.close();
});

async function setup() {
  const clock = new ManualClock();
  const source = new Source(clock);
  const stream = new VideoStream(
    clock,
    () => undefined,
    () => undefined,
  );
  made.push(stream);
  stream.attach(source);
  await clock.move(1000);
  const viewer = (): { got: Got[]; seat: Seat } => {
    const got: Got[] = [];
    const sendBinary = (message: Uint8Array): void => void got.push({ key: message[1] === 1, atMs: clock.now() });
    return { got, seat: stream.join({ sendBinary, bufferedBytes: () => 0 }) };
  };
  return { clock, source, stream, viewer };
}

/** The device server's stream through a host's relay, on a line that takes this long each way. */
function relayed(clock: ManualClock, stream: VideoStream, lineMs: number) {
  const late = (run: () => void): void => void clock.after(lineMs, run);
  const sendBinary = (message: Uint8Array): void => {
    const copy = Uint8Array.from(message);
    late(() => relay.push(copy));
  };
  const seat = stream.join({ sendBinary, bufferedBytes: () => 0 });
  const relay: VideoRelay = new VideoRelay(
    {
      requestKey: () => late(() => seat.requestKey()),
      watched: (on) => late(() => (on ? seat.resume() : seat.pause())),
      ack: (id) => late(() => void seat.acked(id)),
    },
    clock,
  );
  const browser = () => {
    const got: Got[] = [];
    return { got, seat: relay.join({ send: (m) => void got.push({ key: m[1] === 1, atMs: clock.now() }), bufferedBytes: () => 0 }) };
  };
  return { relay, seat, browser };
}

const keysOf = (got: readonly Got[]): number => got.filter(({ key }) => key).length;
function expectFloor(atMs: readonly number[]): void {
  // An order that came just as a unit was under way has its unit a moment later.
  for (let i = 1; i < atMs.length; i++) expect((atMs[i] ?? 0) - (atMs[i - 1] ?? 0)).toBeGreaterThanOrEqual(KEYFRAME_FLOOR_MS);
}

describe("a join costs one key frame", () => {
  it("when nobody watched before, with its START_VIDEO too, and the first unit is there within 100 ms", async () => {
    const { clock, source, viewer } = await setup();
    const startMs = clock.now();
    const { got, seat } = viewer();
    seat.resume();
    await clock.move(2);
    seat.resume();
    await clock.move(ENCODE_MS + 5);
    seat.resume();
    await clock.move(1000);
    expect(source.keysAtMs).toHaveLength(1);
    expect(keysOf(got)).toBe(1);
    expect((got[0]?.atMs ?? Infinity) - startMs).toBeLessThan(100);
  });

  it("after a pause, long or short, and a pause that was short costs none", async () => {
    const { clock, source, viewer } = await setup();
    const { got, seat } = viewer();
    seat.resume();
    await clock.move(20);
    for (const pauseMs of [30, 1000]) {
      const before = source.keysAtMs.length;
      const had = got.length;
      seat.pause();
      await clock.move(pauseMs);
      const startMs = clock.now();
      seat.resume();
      await clock.move(1000);
      expect(source.keysAtMs.length - before).toBe(pauseMs < KEYFRAME_FLOOR_MS ? 0 : 1);
      expect(keysOf(got.slice(had))).toBe(1);
      expect((got[had]?.atMs ?? Infinity) - startMs).toBeLessThan(100);
    }
  });

  it("through a relay too: when its line comes up, and after a pause, with the browser's own START_VIDEO", async () => {
    const { clock, source, stream } = await setup();
    const { relay, seat, browser } = relayed(clock, stream, 1);
    // As a device server does for a viewer that connects.
    seat.resume();
    await clock.move(1);
    relay.reset();
    const { got, seat: page } = browser();
    page.resume();
    await clock.move(20);
    page.resume();
    await clock.move(1000);
    expect(source.keysAtMs).toHaveLength(1);
    expect(keysOf(got)).toBe(1);
    for (const pauseMs of [30, 1000]) {
      const before = source.keysAtMs.length;
      const had = got.length;
      page.pause();
      await clock.move(pauseMs);
      const startMs = clock.now();
      page.resume();
      page.resume();
      await clock.move(1000);
      expect(source.keysAtMs.length - before).toBeLessThanOrEqual(1);
      expect(keysOf(got.slice(had))).toBe(1);
      expect((got[had]?.atMs ?? Infinity) - startMs).toBeLessThan(100);
    }
  });

  it("when the server itself needed a picture at the same time", async () => {
    const { clock, source, stream, viewer } = await setup();
    const end = stream.keepStreaming();
    stream.forceKey();
    const { got, seat } = viewer();
    seat.resume();
    await clock.move(20);
    end();
    await clock.move(1000);
    expect(source.keysAtMs).toHaveLength(1);
    expect(keysOf(got)).toBe(1);
  });
});

it("a device that comes again while somebody watches begins with one key frame, also where its driver goes on with the same pipeline", async () => {
  const { clock, source, stream, viewer } = await setup();
  const { got, seat } = viewer();
  seat.resume();
  await clock.move(1000);
  for (const next of [source, new Source(clock)]) {
    const [before, had] = [next.keysAtMs.length, got.length];
    stream.attach(next);
    await clock.move(1000);
    expect(next.keysAtMs.length - before).toBe(1);
    expect(keysOf(got.slice(had))).toBe(1);
  }
});

it("one pipeline handed out anew shows its picture again on a still screen with nobody watching", async () => {
  const pipeline = new FramePipeline(loadBinding());
  const view = (): VideoSource => ({
    frames: () => pipeline.frames(),
    keyframe: () => pipeline.keyframe(),
    streaming: (on) => pipeline.streaming(on),
    setBitrate: (bits) => pipeline.setBitrate(bits),
    still: (edge) => pipeline.still(edge),
    encoder: () => pipeline.encoder(),
    stats: () => pipeline.stats(),
  });
  let came: () => void = () => {};
  const stream = new VideoStream(
    systemClock,
    () => undefined,
    // What refines the picture of before may still come first.
    ({ key }) => (key ? came() : undefined),
  );
  made.push(stream);
  onTestFinished(() => pipeline.close());
  const frame = { width: 64, height: 64, format: "rgb888", generation: 1, seq: 1, captureMs: systemClock.now() } as const;
  pipeline.push(frame, Buffer.alloc(64 * 64 * 3, 90));
  for (let attached = 0; attached < 5; attached++) {
    stream.attach(view());
    const end = stream.keepStreaming();
    const first = new Promise<void>((resolve) => (came = resolve));
    stream.forceKey();
    await first;
    end();
  }
});

it("frames that end by themselves are opened again, and the picture that somebody needs is asked for again", async () => {
  const { clock, source, stream } = await setup();
  let asked = 0;
  let breaks: (error: Error) => void = () => {};
  const broken: AsyncIterable<EncodedFrame> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise((_, reject) => (breaks = reject)) }),
  };
  const frames = vi.fn(() => source.frames()).mockReturnValueOnce(broken);
  stream.attach(Object.assign(Object.create(source) as VideoSource, { frames, keyframe: () => void asked++, streaming: () => undefined }));
  stream.keepStreaming();
  stream.forceKey();
  await clock.move(1000);
  // A source that begins makes one by itself; it went with the frames that broke.
  expect(asked).toBe(0);
  breaks(new Error("not now"));
  await clock.move(1000);
  expect([frames.mock.calls.length, asked]).toEqual([2, 1]);
});

it("key frames keep 250 ms apart whatever asks: viewers that come, go, pause and ask, and the server itself", async () => {
  const { clock, source, stream, viewer } = await setup();
  const steady = viewer();
  const flighty = viewer();
  for (let i = 0; i < 150; i++) {
    if (i % 3 === 0) flighty.seat.pause();
    else flighty.seat.resume();
    if (i % 50 < 20) steady.seat.resume();
    else steady.seat.pause();
    if (i % 7 === 0) steady.seat.requestKey();
    if (i % 11 === 0) stream.forceKey();
    if (i % 13 === 0) {
      const end = stream.keepStreaming();
      await clock.move(5);
      end();
    }
    source.push(false);
    await clock.move(17);
  }
  expect(source.keysAtMs.length).toBeGreaterThan(5);
  expectFloor(source.keysAtMs);
});

it("a key frame that a viewer asks for just after another is made later and never lost", async () => {
  const { clock, source, viewer } = await setup();
  const { got, seat } = viewer();
  seat.resume();
  await clock.move(50);
  seat.requestKey();
  await clock.move(50);
  expect(keysOf(got)).toBe(1);
  await clock.move(KEYFRAME_FLOOR_MS);
  expect(keysOf(got)).toBe(2);
  expectFloor(source.keysAtMs);
});

it("with nobody watching nothing is encoded, from a quarter of a second after the last key frame on", async () => {
  const { clock, source, viewer } = await setup();
  const { seat } = viewer();
  seat.resume();
  await clock.move(20);
  seat.pause();
  expect(source.on).toBe(true);
  await clock.move(KEYFRAME_FLOOR_MS);
  expect(source.on).toBe(false);
  seat.resume();
  await clock.move(1000);
  seat.leave();
  expect(source.on).toBe(false);
});
