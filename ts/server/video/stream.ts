/** The one consumer of a driver's video: units become messages, once for all viewers, and go through the hub. */
import type { EncoderInfo } from "#core/device.ts";
import type { EncodedFrame, VideoSource } from "#drivers/driver.ts";
import { encodeVideoHeader } from "#wire/frame.ts";
import { KEYFRAME_FLOOR_MS } from "#wire/limits.ts";
import { UnitHub, type HubUnit, type Seat } from "#wire/unit-hub.ts";
import { wordsOf, type Clock, type Log } from "#server/ports.ts";
import { Stages } from "./stages.ts";

interface StreamUnit extends HubUnit {
  /** Header and unit in one, made at the first sending and shared by all viewers. */
  message: Buffer | null;
  readonly frame: EncodedFrame;
}

/** Where a viewer's units go. */
export interface UnitSink {
  sendBinary(message: Uint8Array): void;
  bufferedBytes(): number;
}

/** A driver's frames ended without being asked to: opened again after this, so that a broken one does not spin. */
const REOPEN_MS = 200;

export class VideoStream {
  readonly stages = new Stages();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #hub: UnitHub<StreamUnit>;
  #source: VideoSource | null = null;
  /** Rises with each attach and detach, so that a loop of an earlier source ends. */
  #epoch = 0;
  #needed = 0;
  #watched = false;
  #streaming = false;
  /** When a key unit last came or was last asked for. */
  #keyAtMs = Number.NEGATIVE_INFINITY;
  /** It was asked for and has not come. */
  #keyComes = false;
  #cancelKey: (() => void) | null = null;
  #cancelRest: (() => void) | null = null;
  readonly #onFrame: (frame: EncodedFrame) => void;

  /** `onFrame` sees every unit before viewers do. */
  constructor(clock: Clock, log: Log, onFrame: (frame: EncodedFrame) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onFrame = onFrame;
    this.#hub = new UnitHub<StreamUnit>({
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, run),
      forceKey: () => this.forceKey(),
      watched: (on) => {
        this.#watched = on;
        this.#demand();
        return false;
      },
    });
  }

  get watching(): number {
    return this.#hub.watching;
  }

  /** A driver's video begins, or goes on after its device came back: earlier units are of another stream. */
  attach(source: VideoSource): void {
    const known = this.#source === source;
    if (!known) this.detach();
    this.#source = source;
    this.#keyCame(Number.NEGATIVE_INFINITY);
    // A driver may hand out what encodes already: rested and begun anew it makes its key unit as a new one does.
    this.#streaming = false;
    this.#ask(() => source.streaming(false));
    this.#demand();
    this.#hub.reset();
    if (!known) void this.#consume(source, this.#epoch);
  }

  detach(): void {
    this.#epoch++;
    this.#source = null;
    this.#keyCame(Number.NEGATIVE_INFINITY);
  }

  close(): void {
    this.detach();
    this.#cancelRest?.();
    this.#hub.close();
  }

  /** Encodes with no viewer too, until what this answers is called: somebody needs a picture. */
  keepStreaming(): () => void {
    this.#needed++;
    this.#demand();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#needed--;
      this.#demand();
    };
  }

  /** Which encoder makes the stream; null before the first device. */
  encoder(): EncoderInfo | null {
    return this.#ask((source) => source.encoder()) ?? null;
  }

  /** A key unit soon, whoever asked: the one that comes anyway, else a new one, 250 ms after the last at the earliest. */
  forceKey(): void {
    const waitMs = this.#floorMs();
    if (waitMs > 0) {
      if (!this.#keyComes) this.#cancelKey ??= this.#clock.after(waitMs, () => this.#makeKey());
      return;
    }
    this.#makeKey();
  }

  join(sink: UnitSink): Seat {
    const seat = this.#hub.join({
      bufferedBytes: () => sink.bufferedBytes(),
      send: (unit, id) => {
        unit.message ??= this.#message(unit, id);
        sink.sendBinary(unit.message);
      },
    });
    return {
      ...seatMethods(seat),
      acked: (id) => {
        const sendToDrawMs = seat.acked(id);
        if (sendToDrawMs !== null) this.stages.drawn(id, sendToDrawMs, this.#clock.now());
        return sendToDrawMs;
      },
    };
  }

  #message(unit: StreamUnit, id: number): Buffer {
    const { frame } = unit;
    const header = encodeVideoHeader({ key: frame.key, id, width: frame.width, generation: frame.generation });
    this.stages.sent(id, frame, this.#clock.now());
    return Buffer.concat([header, frame.data]);
  }

  /** What is left of the floor. */
  #floorMs(): number {
    return this.#keyAtMs + KEYFRAME_FLOOR_MS - this.#clock.now();
  }

  #makeKey(): void {
    this.#cancelKey?.();
    this.#cancelKey = null;
    this.#keyAsked();
    this.#ask((source) => source.keyframe());
  }

  #keyAsked(): void {
    this.#keyAtMs = this.#clock.now();
    this.#keyComes = true;
  }

  /** A source that begins makes a key unit of its own. So it rests no sooner than one may be made again: who comes back by then finds it going on. */
  #demand(): void {
    const on = this.#watched || this.#needed > 0;
    this.#cancelRest?.();
    this.#cancelRest = null;
    const restMs = on || !this.#streaming ? 0 : this.#floorMs();
    if (restMs > 0) {
      this.#cancelRest = this.#clock.after(restMs, () => this.#demand());
      return;
    }
    if (on && !this.#streaming) {
      this.stages.began(this.#clock.now());
      this.#keyAsked();
    }
    this.#streaming = on;
    this.#ask((source) => source.streaming(on));
  }

  /** A source whose device has just gone may refuse; its end is told another way, and nobody who watches is to blame. */
  #ask<T>(what: (source: VideoSource) => T): T | null {
    try {
      return this.#source === null ? null : what(this.#source);
    } catch (error) {
      this.#log("warn", `The video source refused: ${wordsOf(error)}`);
      return null;
    }
  }

  /** Nobody waits for one any more. */
  #keyCame(atMs: number): void {
    this.#keyAtMs = atMs;
    this.#keyComes = false;
    this.#cancelKey?.();
    this.#cancelKey = null;
  }

  async #consume(source: VideoSource, epoch: number): Promise<void> {
    while (epoch === this.#epoch) {
      try {
        for await (const frame of source.frames()) {
          if (epoch !== this.#epoch) return;
          if (frame.key) this.#keyCame(this.#clock.now());
          this.#onFrame(frame);
          this.#hub.push({ key: frame.key, data: frame.data, frame, message: null });
        }
      } catch (error) {
        if (epoch === this.#epoch) this.#log("error", `The video ended: ${wordsOf(error)}`);
      }
      if (epoch !== this.#epoch) return;
      await new Promise<void>((resolve) => this.#clock.after(REOPEN_MS, resolve));
      if (epoch !== this.#epoch) return;
      this.#hub.reset();
      if (this.#needed > 0) this.forceKey();
    }
  }
}

function seatMethods(seat: Seat): Omit<Seat, "acked"> {
  return {
    resume: () => seat.resume(),
    pause: () => seat.pause(),
    requestKey: () => seat.requestKey(),
    leave: () => seat.leave(),
  };
}
