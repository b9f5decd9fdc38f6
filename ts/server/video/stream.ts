/** The one consumer of a driver's video: units become messages, once for all viewers, and go through the hub. */
import type { EncodedFrame, VideoSource } from "#drivers/driver.ts";
import { encodeVideoHeader } from "#wire/frame.ts";
import { UnitHub, type HubUnit, type Seat } from "#wire/unit-hub.ts";
import { wordsOf, type Clock, type Log } from "../ports.ts";
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
  #recording = false;
  #watched = false;
  #onFrame: (frame: EncodedFrame) => void;

  /** `onFrame` sees every unit before viewers do. */
  constructor(clock: Clock, log: Log, onFrame: (frame: EncodedFrame) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#onFrame = onFrame;
    this.#hub = new UnitHub<StreamUnit>({
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, run),
      forceKey: () => this.#source?.keyframe(),
      watched: (on) => {
        this.#watched = on;
        this.#demand();
      },
    });
  }

  get watching(): number {
    return this.#hub.watching;
  }

  /** A driver's video begins: earlier units are of another stream. */
  attach(source: VideoSource): void {
    this.detach();
    const epoch = this.#epoch;
    this.#source = source;
    this.#hub.reset();
    this.#demand();
    void this.#consume(source, epoch);
  }

  detach(): void {
    this.#epoch++;
    this.#source = null;
  }

  close(): void {
    this.detach();
    this.#hub.close();
  }

  /** Keep encoding with no viewer: somebody needs every unit. */
  keepStreaming(on: boolean): void {
    this.#recording = on;
    this.#demand();
  }

  /** The next unit is a key unit, whoever asked. */
  forceKey(): void {
    this.#source?.keyframe();
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

  #demand(): void {
    this.#source?.streaming(this.#watched || this.#recording);
  }

  async #consume(source: VideoSource, epoch: number): Promise<void> {
    while (epoch === this.#epoch) {
      try {
        for await (const frame of source.frames()) {
          if (epoch !== this.#epoch) return;
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
