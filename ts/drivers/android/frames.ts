/**
 * The emulator's pictures, into the pipeline at once: by a file that both map, or in the messages where that is refused.
 * The stream is never paused; one that died is opened again; a silent one is asked whether the screen is only still.
 */
import type { Size } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

import type { DriverGeometry } from "#drivers/driver.ts";
import type { Channel, ChannelError, Picture, PictureStream } from "./channel.ts";
import { ImageFormat_ImgFormat, ImageTransport_TransportChannel } from "./generated/emulator_controller_pb.js";
import type { Outside } from "./outside.ts";
import { capturedMs, PictureGeometry } from "./picture-geometry.ts";
import type { PicturePipeline } from "./pipeline.ts";
import { Region, removeDeadRegions } from "./region.ts";

export type Transport = "shared-memory" | "in-band";

export interface FrameParts {
  readonly pipeline: PicturePipeline;
  readonly outside: Outside;
  readonly clock: { now(): number; wall(): number };
  /** Where the region goes: a folder only this user can open. */
  readonly run: string;
  /** The longest edge of any of the device's panels, in pixels. */
  readonly extentPx: number;
  /** A foldable's outer panel, upright. */
  readonly outer: Size | null;
  readonly wanted: Transport | "auto";
  readonly geometry: (geometry: DriverGeometry) => number;
  /** A channel to the same emulator after its stream died; rejects when the emulator is gone or lets nobody in. */
  readonly revive: () => Promise<Channel>;
  readonly log: (level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

const SILENCE_MS = 10_000;
const FIRST_PICTURE_MS = 10_000;
const MAPPED_PICTURE_MS = 1_500;
/** Waits before each try to open a dead stream again: five tries fit in the second that a stall may last. */
const REOPEN_AFTER_MS = [0, 50, 100, 200, 400, 800] as const;
/** How much slower the mapping's first picture may be, and how often, before the messages are taken instead. */
const SLOWER = { factor: 2, marginMs: 30, times: 3 };

/** The last picture that was taken; null pixels: it is in the region. */
interface Shown {
  readonly size: Size;
  readonly pixels: Uint8Array | null;
}

export class Frames {
  readonly #parts: FrameParts;
  #channel: Channel | null = null;
  /** A connection of its own while raw frames fill it. */
  #frameChannel: Channel | null = null;
  #stream: PictureStream | null = null;
  #transport: Transport = "shared-memory";
  readonly #region: Region;
  readonly #geometry: PictureGeometry;
  #awake = true;
  #last: Shown | null = null;
  #stopSilence: () => void = () => {};
  #waiters: { readonly test: () => boolean; readonly done: () => void }[] = [];
  #running = false;
  #failures = 0;
  /** What the last stream ended with. */
  #why: string | null = null;
  #fresh = true;

  constructor(parts: FrameParts) {
    this.#parts = parts;
    this.#region = new Region(parts.pipeline, parts.run);
    this.#geometry = new PictureGeometry(parts.outer, parts.geometry);
  }

  /** How pictures come now. */
  get transport(): Transport {
    return this.#transport;
  }
  get geometry(): DriverGeometry | null {
    return this.#geometry.value;
  }
  get generation(): number {
    return this.#geometry.generation;
  }
  /** false: the emulator sends empty pictures, as its display is off. */
  get awake(): boolean {
    return this.#awake;
  }

  /** Opens the stream; resolves with the first picture, or when the display is off. Rejects in words. */
  async start(channel: Channel, signal: AbortSignal): Promise<void> {
    this.#channel = channel;
    this.#running = true;
    await removeDeadRegions(this.#parts.run, this.#parts.outside);
    if (this.#parts.wanted === "in-band") {
      this.#transport = "in-band";
      await this.#openAndWait(FIRST_PICTURE_MS, signal);
    } else {
      await this.#startMapped(signal);
    }
    this.#parts.log("info", "frames come", { transport: this.#transport });
  }

  /** Closes the stream. The pipeline keeps its last picture. */
  stop(): void {
    this.#running = false;
    this.#stopSilence();
    this.#stream?.stop();
    this.#stream = null;
    this.#frameChannel?.close();
    this.#frameChannel = null;
    for (const waiter of this.#waiters.splice(0)) waiter.done();
  }

  /** Opens the stream again on this channel, from a key frame: after a resume or a new token. */
  reopen(channel: Channel): void {
    this.#channel = channel;
    this.#frameChannel?.close();
    this.#frameChannel = null;
    this.#open();
  }

  /** Resolves once the test holds (asked at each picture), or rejects as the signal does. */
  until(test: () => boolean, signal: AbortSignal): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter = {
        test,
        done: () => {
          signal.removeEventListener("abort", stopped);
          if (test()) resolve();
          else reject(new DeviceError("failed", "The emulator's stream ended."));
        },
      };
      const stopped = () => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal.reason as Error);
      };
      this.#waiters.push(waiter);
      if (signal.aborted) stopped();
      else signal.addEventListener("abort", stopped, { once: true });
    });
  }

  /** Asks for one picture now and takes it as the stream's: for changes that the emulator posts no frame for. */
  async look(): Promise<void> {
    const before = this.#last;
    const picture = await this.#unary();
    // What the stream brought meanwhile is newer than what was asked for.
    if (picture !== null && this.#running && this.#last === before) this.#take(picture, picture.pixels);
  }

  async #startMapped(signal: AbortSignal): Promise<void> {
    const { wanted, log } = this.#parts;
    this.#transport = "shared-memory";
    for (let tried = 1; ; tried += 1) {
      const openedMs = this.#parts.clock.now();
      try {
        await this.#openAndWait(wanted === "auto" ? MAPPED_PICTURE_MS : FIRST_PICTURE_MS, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (wanted !== "auto") throw error;
        log("warn", "shared memory gave no picture", { words: wordsOf(error) });
        return this.#startInBand(signal);
      }
      if (this.#inBand() || wanted !== "auto" || !this.#awake) return;
      const better = await this.#better(this.#parts.clock.now() - openedMs);
      if (better === "shared-memory") return;
      // A device that has just booted has a busy machine: one late picture is not yet a slow way.
      if (better === "in-band" || tried === SLOWER.times) return this.#startInBand(signal);
    }
  }

  /** Compares what the mapping's first picture took with a picture in a message. */
  async #better(mappedMs: number): Promise<Transport | "slower"> {
    const { clock, log } = this.#parts;
    const askedMs = clock.now();
    const other = await this.#unary();
    const inBandMs = clock.now() - askedMs;
    log("info", "measured the ways to a frame", { sharedMemoryMs: round(mappedMs), inBandMs: round(inBandMs) });
    if (other !== null && (await this.#region.isEmptyBut(other.pixels))) return "in-band";
    return mappedMs > inBandMs * SLOWER.factor + SLOWER.marginMs ? "slower" : "shared-memory";
  }

  /** A method, since the compiler cannot know that a picture may have changed the field meanwhile. */
  #inBand(): boolean {
    return this.#transport === "in-band";
  }

  async #startInBand(signal: AbortSignal): Promise<void> {
    this.#transport = "in-band";
    await this.#openAndWait(FIRST_PICTURE_MS, signal);
  }

  async #openAndWait(deadlineMs: number, signal: AbortSignal): Promise<void> {
    let seen = false;
    const deadline = new AbortController();
    const stop = this.#parts.outside.later(deadlineMs, () =>
      deadline.abort(
        new DeviceError(
          "failed",
          `The emulator sent no picture within ${deadlineMs / 1000} s${this.#why === null ? "" : `: ${this.#why}`}.`,
        ),
      ),
    );
    this.#fresh = true;
    this.#open();
    try {
      await this.until(() => (seen ||= !this.#fresh), AbortSignal.any([signal, deadline.signal]));
    } finally {
      stop();
    }
  }

  #open(): void {
    const channel = this.#channel;
    if (channel === null || !this.#running) return;
    this.#stream?.stop();
    this.#fresh = true;
    const { extentPx } = this.#parts;
    const request = { format: ImageFormat_ImgFormat.RGB888, width: extentPx, height: extentPx };
    const mapped = this.#transport === "shared-memory";
    if (mapped && this.#region.bytes === 0) this.#region.make(extentPx * extentPx * 3);
    if (!mapped) this.#frameChannel ??= channel.another();
    const through = mapped ? channel : (this.#frameChannel ?? channel);
    const stream: PictureStream = through.pictures(
      mapped ? { ...request, transport: { channel: ImageTransport_TransportChannel.MMAP, handle: this.#region.handle } } : request,
      {
        picture: (picture) => this.#stream === stream && this.#fromStream(picture, mapped),
        ended: (error) => this.#stream === stream && this.#ended(error),
      },
    );
    this.#stream = stream;
    this.#watchSilence();
  }

  #fromStream(picture: Picture, mapped: boolean): void {
    const echoed = picture.format?.transport?.channel === ImageTransport_TransportChannel.MMAP;
    if (mapped && !echoed && picture.pixels.length > 0) {
      this.#parts.log("warn", "the emulator sends frames in its messages though shared memory was asked for");
      this.#transport = "in-band";
      this.#take(picture, picture.pixels);
      this.#open();
      return;
    }
    this.#take(picture, mapped ? null : picture.pixels);
  }

  /** One picture. `pixels` null: they are in the region now, and must be read before anything else happens. */
  #take(picture: Picture, pixels: Uint8Array | null): void {
    const { pipeline, log } = this.#parts;
    const width = picture.format?.width ?? 0;
    const height = picture.format?.height ?? 0;
    this.#watchSilence();
    if (width === 0 || height === 0) {
      this.#awake = false;
      this.#came();
      return;
    }
    const bytes = width * height * 3;
    if (pixels !== null && pixels.length !== bytes) {
      log("warn", "a frame's bytes are not its size's", { width, height, bytes: pixels.length });
      return;
    }
    if (pixels === null && bytes > this.#region.bytes) return this.#grow(bytes);
    this.#awake = true;
    const generation = this.#geometry.generationOf({ width, height }, picture.format?.rotation?.rotation);
    const frame = {
      width,
      height,
      format: "rgb888",
      generation,
      seq: picture.seq,
      captureMs: capturedMs(picture.timestampUs, this.#parts.clock),
    } as const;
    try {
      if (pixels === null) pipeline.notify(frame);
      else pipeline.push(frame, pixels);
    } catch (error) {
      log("error", "a frame was not taken", { words: wordsOf(error), width, height });
      return;
    }
    this.#last = { size: { width, height }, pixels };
    this.#came();
  }

  #came(): void {
    if (this.#fresh) {
      this.#fresh = false;
      this.#failures = 0;
      this.#parts.pipeline.keyframe();
    }
    const ready = this.#waiters.filter((waiter) => waiter.test());
    this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
    for (const waiter of ready) waiter.done();
  }

  #ended(error: ChannelError | null): void {
    const { log } = this.#parts;
    this.#stream = null;
    const needed = error?.failure === "precondition" ? Number(/at least (\d+)/.exec(error.details)?.[1]) : Number.NaN;
    if (Number.isSafeInteger(needed) && this.#transport === "shared-memory") return this.#grow(needed);
    if (error?.failure === "precondition" && this.#transport === "shared-memory" && this.#parts.wanted === "auto") {
      log("warn", "shared memory is refused; frames come in the messages", { words: error.details });
      this.#transport = "in-band";
      return this.#open();
    }
    this.#why = error?.details ?? null;
    log("warn", "the frame stream ended", { words: error?.message ?? "without an error" });
    void this.#openAgain();
  }

  /** A panel larger than the region. */
  #grow(bytes: number): void {
    if (!this.#region.make(bytes)) {
      this.#parts.log("warn", "the region cannot grow as asked; frames come in the messages", { bytes });
      this.#transport = "in-band";
    }
    this.#open();
  }

  async #openAgain(): Promise<void> {
    const { outside, log, revive } = this.#parts;
    const waitMs = REOPEN_AFTER_MS[Math.min(this.#failures, REOPEN_AFTER_MS.length - 1)] ?? 0;
    this.#failures += 1;
    if (waitMs > 0) await outside.wait(waitMs);
    if (!this.#running || this.#stream !== null) return;
    try {
      const channel = await revive();
      if (this.#running && this.#stream === null) this.reopen(channel);
    } catch (error) {
      // Whoever revives has told that the emulator is gone, and stops this; otherwise it is tried again.
      log("warn", "the emulator cannot be reached", { words: wordsOf(error) });
      if (this.#running) void this.#openAgain();
    }
  }

  #watchSilence(): void {
    this.#stopSilence();
    this.#stopSilence = this.#parts.outside.later(SILENCE_MS, () => void this.#askWhetherStill());
  }

  /** Ten seconds of nothing: one picture by another call tells a still screen from a dead stream. */
  async #askWhetherStill(): Promise<void> {
    const stream = this.#stream;
    const before = this.#last;
    const picture = await this.#unary();
    if (!this.#running || this.#stream !== stream || stream === null) return;
    if (picture !== null && (await this.#isLast(picture, before))) return this.#watchSilence();
    if (this.#last !== before) return this.#watchSilence();
    this.#parts.log("warn", "the frame stream is dead", { answered: picture !== null });
    stream.stop();
    this.#stream = null;
    if (picture !== null) this.#take(picture, picture.pixels);
    void this.#openAgain();
  }

  async #isLast(picture: Picture, last: Shown | null): Promise<boolean> {
    const width = picture.format?.width ?? 0;
    if (width === 0) return !this.#awake;
    if (last === null || last.size.width !== width || last.size.height !== picture.format?.height) return false;
    const pixels = last.pixels ?? (await this.#region.read(picture.pixels.length));
    return pixels !== null && Buffer.compare(pixels, picture.pixels) === 0;
  }

  async #unary(): Promise<Picture | null> {
    const { extentPx } = this.#parts;
    return (
      (await this.#channel
        ?.screenshot({ format: ImageFormat_ImgFormat.RGB888, width: extentPx, height: extentPx }, 3_000)
        .catch(() => null)) ?? null
    );
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
