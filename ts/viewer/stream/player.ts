/**
 * Plays the device's H.264: one access unit in, its picture drawn the moment it is decoded, the newest only where several fall into
 * one animation frame.
 * Errors are survived by a new decoder and a key frame; what cannot be played is told, so that stills take over.
 */
import type { VideoUnit } from "./port.ts";

/** The part of WebCodecs' VideoFrame that is used. */
export interface FrameLike {
  readonly timestamp: number;
  readonly displayWidth: number;
  readonly displayHeight: number;
  close(): void;
}

/** The part of WebCodecs' VideoDecoder that is used. */
export interface DecoderLike<C> {
  readonly state: string;
  configure(config: { codec: string; optimizeForLatency: boolean }): void;
  decode(chunk: C): void;
  close(): void;
}

export interface DecoderCallbacks<F> {
  readonly output: (frame: F) => void;
  readonly error: (error: Error) => void;
}

export interface PlayerDeps<F extends FrameLike, C> {
  readonly makeDecoder: (callbacks: DecoderCallbacks<F>) => DecoderLike<C>;
  readonly makeChunk: (unit: { type: "key" | "delta"; timestamp: number; data: Uint8Array }) => C;
  /** The codec string of a key unit's SPS; null when it has none that can be read. */
  readonly codecOf: (unit: Uint8Array) => string | null;
  /** Draws it before it returns. False: not now; the picture is kept and tried again at `redraw`. */
  readonly draw: (frame: F, unit: Pick<VideoUnit, "id" | "generation">) => boolean;
  readonly onNextFrame: (run: () => void) => () => void;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly nowMs: () => number;
  readonly requestKeyFrame: () => void;
  readonly ack: (id: number) => void;
  /** No picture came of the key units of the last three seconds. */
  readonly onCannotPlay: () => void;
}

/** A key unit that has given no picture after this long never will. */
export const FIRST_FRAME_MS = 3000;
/** Key frames are asked for no oftener; the server holds them further apart too. */
const KEY_FRAME_EVERY_MS = 250;
/** Units a decoder may hold; past this the oldest are forgotten and count as lost. */
const IN_FLIGHT_MOST = 64;
const MICROSECONDS = 1000;

interface Meta {
  readonly id: number;
  readonly generation: number;
  /** When the unit came, ms. */
  readonly atMs: number;
}

/** One stream's player. Not a decoder per size: a size change needs nothing but the next key frame. */
export class VideoPlayer<F extends FrameLike, C> {
  readonly #deps: PlayerDeps<F, C>;
  #decoder: DecoderLike<C> | null = null;
  #codec: string | null = null;
  #waitsForKey = true;
  #lastTimestampUs = -1;
  #inFlight = new Map<number, Meta>();
  #newest: { readonly frame: F; readonly meta: Meta } | null = null;
  /** A picture has been drawn since the last animation frame; the next one waits for the frame, which shows one. */
  #cancelFrame: (() => void) | null = null;
  #cancelWatch: (() => void) | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #cancelAsk: (() => void) | null = null;
  #closed = false;
  /** Pictures drawn since the start. */
  drawn = 0;
  /** Decoders that failed since the start. */
  errors = 0;
  /** From a unit's arrival to its picture on the canvas, the newest last, at most 240. ms. */
  readonly timesMs: number[] = [];

  constructor(deps: PlayerDeps<F, C>) {
    this.#deps = deps;
  }

  /** One unit, in order. */
  push(unit: VideoUnit): void {
    if (this.#closed) return;
    if (this.#waitsForKey && !unit.key) {
      // It will never be drawn. Unless it counted as done, the source would wait for it.
      this.#deps.ack(unit.id);
      this.#askForKey();
      return;
    }
    try {
      const decoder = unit.key ? this.#readyFor(unit.data) : this.#decoder;
      if (decoder === null) {
        this.#deps.ack(unit.id);
        return;
      }
      this.#waitsForKey = false;
      const timestamp = Math.max(this.#lastTimestampUs + 1, Math.round(this.#deps.nowMs() * MICROSECONDS));
      this.#lastTimestampUs = timestamp;
      this.#remember(timestamp, { id: unit.id, generation: unit.generation, atMs: this.#deps.nowMs() });
      if (unit.key) this.#watch();
      decoder.decode(this.#deps.makeChunk({ type: unit.key ? "key" : "delta", timestamp, data: unit.data }));
    } catch {
      this.#deps.ack(unit.id);
      this.#fail();
    }
  }

  /** Forgets what is under way; the next key frame begins anew. The picture stays. After a lost connection or a hidden tab. */
  pause(): void {
    this.#dropDecoder();
    this.#waitsForKey = true;
  }

  /** Draws the picture that `draw` put off. */
  redraw(): void {
    this.#draw();
  }

  close(): void {
    this.#closed = true;
    this.#dropDecoder();
  }

  #readyFor(unit: Uint8Array): DecoderLike<C> | null {
    const codec = this.#deps.codecOf(unit);
    if (codec === null) {
      this.#askForKey();
      return null;
    }
    if (this.#decoder === null || this.#decoder.state === "closed") {
      const decoder = this.#deps.makeDecoder({
        output: (frame) => this.#output(decoder, frame),
        error: () => {
          if (this.#decoder === decoder) this.#fail();
        },
      });
      this.#decoder = decoder;
      this.#codec = null;
    }
    if (this.#codec !== codec) {
      this.#decoder.configure({ codec, optimizeForLatency: true });
      this.#codec = codec;
    }
    return this.#decoder;
  }

  #remember(timestamp: number, meta: Meta): void {
    this.#inFlight.set(timestamp, meta);
    for (const oldest of this.#inFlight.keys()) {
      if (this.#inFlight.size <= IN_FLIGHT_MOST) break;
      this.#inFlight.delete(oldest);
    }
  }

  #output(from: DecoderLike<C>, frame: F): void {
    const meta = this.#inFlight.get(frame.timestamp);
    if (this.#closed || from !== this.#decoder || meta === undefined) {
      frame.close();
      return;
    }
    for (const timestamp of this.#inFlight.keys()) {
      if (timestamp > frame.timestamp) break;
      this.#inFlight.delete(timestamp);
    }
    this.#cancelWatch?.();
    this.#cancelWatch = null;
    this.#newest?.frame.close();
    this.#newest = { frame, meta };
    this.#draw();
  }

  /**
   * At once, not in the animation frame: the frame then only has to show it, and the source hears of it earlier. A second picture of one
   * frame would cost its drawing and never be seen.
   */
  #draw(): void {
    const newest = this.#newest;
    if (newest === null || this.#cancelFrame !== null || !this.#deps.draw(newest.frame, newest.meta)) return;
    this.#newest = null;
    newest.frame.close();
    this.drawn += 1;
    this.timesMs.push(this.#deps.nowMs() - newest.meta.atMs);
    if (this.timesMs.length > 240) this.timesMs.shift();
    this.#deps.ack(newest.meta.id);
    this.#cancelFrame = this.#deps.onNextFrame(() => {
      this.#cancelFrame = null;
      this.#draw();
    });
  }

  #watch(): void {
    if (this.#cancelWatch !== null) return;
    this.#cancelWatch = this.#deps.after(FIRST_FRAME_MS, () => {
      this.#cancelWatch = null;
      this.#dropDecoder();
      this.#waitsForKey = true;
      this.#deps.onCannotPlay();
    });
  }

  /** A decoder that failed is closed and cannot be mended, so the next key frame gets a new one. */
  #fail(): void {
    this.errors += 1;
    const watched = this.#cancelWatch;
    this.#cancelWatch = null;
    this.#dropDecoder();
    // The three seconds run on through failures: a stream that fails again and again is one that cannot be played.
    this.#cancelWatch = watched;
    if (this.#cancelWatch === null) this.#watch();
    this.#waitsForKey = true;
    this.#askForKey();
  }

  #dropDecoder(): void {
    const decoder = this.#decoder;
    this.#decoder = null;
    this.#codec = null;
    // The server counts what it sent: what will not be drawn is let go, or it would wait for it.
    let last: number | null = null;
    for (const meta of this.#inFlight.values()) last = meta.id;
    if (this.#newest !== null) {
      last ??= this.#newest.meta.id;
      this.#newest.frame.close();
      this.#newest = null;
    }
    this.#inFlight.clear();
    this.#cancelFrame?.();
    this.#cancelFrame = null;
    this.#cancelWatch?.();
    this.#cancelWatch = null;
    this.#cancelAsk?.();
    this.#cancelAsk = null;
    if (decoder !== null && decoder.state !== "closed") decoder.close();
    if (last !== null && !this.#closed) this.#deps.ack(last);
  }

  #askForKey(): void {
    if (this.#closed || this.#cancelAsk !== null) return;
    const waitMs = this.#askedAtMs + KEY_FRAME_EVERY_MS - this.#deps.nowMs();
    if (waitMs <= 0) {
      this.#askedAtMs = this.#deps.nowMs();
      this.#deps.requestKeyFrame();
      return;
    }
    this.#cancelAsk = this.#deps.after(waitMs, () => {
      this.#cancelAsk = null;
      if (!this.#waitsForKey || this.#closed) return;
      this.#askedAtMs = this.#deps.nowMs();
      this.#deps.requestKeyFrame();
    });
  }
}
