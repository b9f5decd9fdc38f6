import { beforeEach, describe, expect, it } from "vitest";
import { type DecoderCallbacks, type DecoderLike, FIRST_FRAME_MS, VideoPlayer } from "#viewer/stream/player.ts";
import { ManualClock } from "../manual-clock.ts";

interface Chunk {
  readonly type: "key" | "delta";
  readonly timestamp: number;
}

class Frame {
  closed = false;
  readonly displayWidth = 100;
  readonly displayHeight = 200;
  readonly timestamp: number;
  constructor(timestamp: number) {
    this.timestamp = timestamp;
  }
  close(): void {
    this.closed = true;
  }
}

/** WebCodecs' rules as far as the player meets them: a closed decoder stays closed, a delta first is refused. */
class FakeDecoder implements DecoderLike<Chunk> {
  state = "unconfigured";
  readonly configs: string[] = [];
  readonly chunks: Chunk[] = [];
  readonly callbacks: DecoderCallbacks<Frame>;
  constructor(callbacks: DecoderCallbacks<Frame>) {
    this.callbacks = callbacks;
  }
  configure(config: { codec: string; optimizeForLatency: boolean }): void {
    expect(config.optimizeForLatency).toBe(true);
    this.configs.push(config.codec);
    this.state = "configured";
  }
  decode(chunk: Chunk): void {
    if (this.state !== "configured") throw new Error("not configured");
    this.chunks.push(chunk);
  }
  close(): void {
    if (this.state === "closed") throw new Error("closed twice");
    this.state = "closed";
  }
  /** Gives the picture of its oldest chunk. */
  output(at = this.chunks.length - 1): Frame {
    const chunk = this.chunks[at];
    if (chunk === undefined) throw new Error("nothing to give");
    const frame = new Frame(chunk.timestamp);
    this.callbacks.output(frame);
    return frame;
  }
  fail(): void {
    this.state = "closed";
    this.callbacks.error(new Error("EncodingError"));
  }
}

const KEY = new Uint8Array([1]);
let clock: ManualClock;
let decoders: FakeDecoder[];
let acks: number[];
let drawn: number[];
let keyRequests: number;
let cannotPlay: number;
let drawsNow: boolean;
let codec: string | null;
let player: VideoPlayer<Frame, Chunk>;

beforeEach(() => {
  clock = new ManualClock();
  decoders = [];
  acks = [];
  drawn = [];
  keyRequests = 0;
  cannotPlay = 0;
  drawsNow = true;
  codec = "avc1.640032";
  player = new VideoPlayer<Frame, Chunk>({
    makeDecoder: (callbacks) => {
      const decoder = new FakeDecoder(callbacks);
      decoders.push(decoder);
      return decoder;
    },
    makeChunk: ({ type, timestamp }) => ({ type, timestamp }),
    codecOf: () => codec,
    draw: (_frame, unit) => {
      if (drawsNow) drawn.push(unit.id);
      return drawsNow;
    },
    onNextFrame: clock.onNextFrame,
    after: clock.after,
    nowMs: clock.now,
    requestKeyFrame: () => {
      keyRequests += 1;
    },
    ack: (id) => acks.push(id),
    onCannotPlay: () => {
      cannotPlay += 1;
    },
  });
});

const push = (id: number, key = false): void => player.push({ id, key, generation: 1, data: KEY });
const decoder = (at = decoders.length - 1): FakeDecoder => {
  const found = decoders[at];
  if (found === undefined) throw new Error("no decoder");
  return found;
};

describe("the video player", () => {
  it("draws a picture the moment it is decoded and acknowledges it only then", () => {
    push(7, true);
    expect(acks).toEqual([]);
    const frame = decoder().output();
    expect(drawn).toEqual([7]);
    expect(acks).toEqual([7]);
    expect(frame.closed).toBe(true);
    clock.frame();
    expect(acks).toEqual([7]);
  });

  it("draws one picture in an animation frame: of those that come before the next, the newest, and closes every one", () => {
    push(1, true);
    push(2);
    push(3);
    push(4);
    const frames = [decoder().output(0), decoder().output(1), decoder().output(2)];
    expect(drawn).toEqual([1]);
    clock.frame();
    expect(drawn).toEqual([1, 3]);
    expect(acks).toEqual([1, 3]);
    frames.push(decoder().output(3));
    expect(drawn).toEqual([1, 3]);
    clock.frame();
    expect(drawn).toEqual([1, 3, 4]);
    expect(frames.every((frame) => frame.closed)).toBe(true);
  });

  it("gives strictly rising timestamps though the clock stands still", () => {
    push(1, true);
    push(2);
    push(3);
    const times = decoder().chunks.map((chunk) => chunk.timestamp);
    expect(new Set(times).size).toBe(3);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it("feeds no delta before a key unit, asks for one, and lets the delta go so that the source does not wait", () => {
    push(1);
    push(2);
    expect(decoders).toHaveLength(0);
    expect(keyRequests).toBe(1);
    expect(acks).toEqual([1, 2]);
    push(3, true);
    expect(decoder().chunks.map((chunk) => chunk.type)).toEqual(["key"]);
  });

  it("survives a decoder's error with a new decoder at the next key unit, which it asks for", () => {
    push(1, true);
    decoder().output();
    clock.frame();
    push(2);
    decoder().fail();
    expect(keyRequests).toBe(1);
    expect(acks).toEqual([1, 2]);
    push(3);
    push(4, true);
    expect(decoders).toHaveLength(2);
    decoder().output();
    clock.frame();
    expect(drawn).toEqual([1, 4]);
    expect(player.errors).toBe(1);
  });

  it("asks for key frames no oftener than every 250 ms", () => {
    for (let id = 0; id < 20; id += 1) push(id);
    expect(keyRequests).toBe(1);
    clock.move(250);
    expect(keyRequests).toBe(2);
  });

  it("keeps its decoder through a size change and configures again only for another codec string", () => {
    push(1, true);
    push(2, true);
    codec = "avc1.640033";
    push(3, true);
    expect(decoders).toHaveLength(1);
    expect(decoder().configs).toEqual(["avc1.640032", "avc1.640033"]);
  });

  it("tells that it cannot play when a key unit gave no picture in three seconds", () => {
    push(1, true);
    clock.move(FIRST_FRAME_MS - 1);
    expect(cannotPlay).toBe(0);
    clock.move(1);
    expect(cannotPlay).toBe(1);
    expect(acks).toEqual([1]);
  });

  it("counts the three seconds on through failures, so that a stream that always fails ends in stills", () => {
    push(1, true);
    clock.move(2000);
    decoder().fail();
    push(2, true);
    decoder().fail();
    clock.move(1000);
    expect(cannotPlay).toBe(1);
  });

  it("never says that it cannot play while the screen is merely still", () => {
    push(1, true);
    decoder().output();
    clock.frame();
    clock.move(60_000);
    expect(cannotPlay).toBe(0);
  });

  it("keeps a picture that may not be drawn yet and draws it when told", () => {
    drawsNow = false;
    push(1, true);
    const frame = decoder().output();
    clock.frame();
    expect(frame.closed).toBe(false);
    drawsNow = true;
    player.redraw();
    clock.frame();
    expect(drawn).toEqual([1]);
    expect(frame.closed).toBe(true);
  });

  it("lets go of what is under way when paused, and starts again at a key unit", () => {
    push(1, true);
    decoder().output();
    push(2);
    // Decoded within the first one's animation frame, so it waits for the next.
    const frame = decoder().output();
    push(3);
    player.pause();
    clock.frame();
    expect(frame.closed).toBe(true);
    expect(drawn).toEqual([1]);
    expect(acks).toEqual([1, 3]);
    expect(decoder().state).toBe("closed");
    push(4, true);
    decoder().output();
    expect(drawn).toEqual([1, 4]);
  });

  it("drops a picture of a decoder that was replaced", () => {
    push(1, true);
    const old = decoder();
    player.pause();
    push(2, true);
    const late = new Frame(old.chunks[0]?.timestamp ?? 0);
    old.callbacks.output(late);
    clock.frame();
    expect(late.closed).toBe(true);
    expect(drawn).toEqual([]);
  });

  it("passes over a key unit whose parameter sets it cannot read, and asks for another", () => {
    codec = null;
    push(1, true);
    expect(decoders).toHaveLength(0);
    expect(acks).toEqual([1]);
    expect(keyRequests).toBe(1);
  });

  it("holds no more than 64 pictures' notes for a decoder that gives nothing back", () => {
    push(0, true);
    for (let id = 1; id < 200; id += 1) push(id);
    const frame = decoder().output(0);
    clock.frame();
    expect(frame.closed).toBe(true);
    expect(drawn).toEqual([]);
    decoder().output(199);
    clock.frame();
    expect(drawn).toEqual([199]);
  });
});
