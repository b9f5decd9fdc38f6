/** Where the time between a picture and its drawing goes: p50, p95 and p99 of each stage, over the newest samples. */
import type { EncodedFrame } from "#drivers/driver.ts";

const SAMPLES = 2048;
const REMEMBERED_UNITS = 1024;

export interface StageSummary {
  readonly samples: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** `capture` to `drawn` is a picture's whole way; the others are its parts, in order. */
export interface StageClocks {
  readonly convert: StageSummary;
  readonly encode: StageSummary;
  readonly handOver: StageSummary;
  readonly send: StageSummary;
  readonly draw: StageSummary;
  readonly captureToSent: StageSummary;
  readonly captureToDrawn: StageSummary;
}

/** The newest samples of one stage, exact. */
export class Samples {
  readonly #values = new Float64Array(SAMPLES);
  #count = 0;

  add(ms: number): void {
    if (!Number.isFinite(ms)) return;
    this.#values[this.#count++ % SAMPLES] = ms;
  }

  summary(): StageSummary {
    const held = Math.min(this.#count, SAMPLES);
    const sorted = this.#values.slice(0, held).sort();
    const at = (share: number): number => (held === 0 ? 0 : round(sorted[Math.min(held - 1, Math.floor(share * held))] ?? 0));
    return { samples: held, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
  }
}

/** One picture's times, CLOCK_MONOTONIC ms. */
export interface FrameTimes {
  /** Under which its first unit was sent. */
  readonly id: number;
  /** Of that unit. */
  readonly bytes: number;
  readonly captureMs: number;
  readonly convertedMs: number;
  readonly encodedMs: number;
  readonly handedOverMs: number;
  readonly sentMs: number;
  /** When the first acknowledgement of this very id came; null: none did. */
  readonly ackedMs: number | null;
}

type Stamps = Pick<EncodedFrame, "captureMs" | "convertedMs" | "encodedMs" | "data" | "monotonicMs" | "refinement">;

export class Stages {
  readonly #of = {
    convert: new Samples(),
    encode: new Samples(),
    handOver: new Samples(),
    send: new Samples(),
    draw: new Samples(),
    captureToSent: new Samples(),
    captureToDrawn: new Samples(),
  };
  /** The newest pictures by frame id, for acks. */
  readonly #sent = new Map<number, FrameTimes>();
  #beganMs = Number.POSITIVE_INFINITY;
  #capturedMs = Number.NEGATIVE_INFINITY;

  /** Encoding begins, or goes on after nobody watched: pictures from before it waited for that. */
  began(nowMs: number): void {
    this.#beganMs = nowMs;
  }

  /** A unit is sent under `id`. Only the first one of each new picture counts: a refinement or a key frame of a still screen shows none. */
  sent(id: number, unit: Stamps, nowMs: number): void {
    if (unit.refinement || unit.captureMs <= this.#capturedMs || unit.captureMs < this.#beganMs) return;
    this.#capturedMs = unit.captureMs;
    this.#of.convert.add(unit.convertedMs - unit.captureMs);
    this.#of.encode.add(unit.encodedMs - unit.convertedMs);
    this.#of.handOver.add(unit.monotonicMs - unit.encodedMs);
    this.#of.send.add(nowMs - unit.monotonicMs);
    this.#of.captureToSent.add(nowMs - unit.captureMs);
    const { captureMs, convertedMs, encodedMs, monotonicMs: handedOverMs } = unit;
    this.#sent.delete(id);
    const bytes = unit.data.byteLength;
    this.#sent.set(id, { id, bytes, captureMs, convertedMs, encodedMs, handedOverMs, sentMs: nowMs, ackedMs: null });
    if (this.#sent.size > REMEMBERED_UNITS) {
      const oldest = this.#sent.keys().next();
      if (oldest.done !== true) this.#sent.delete(oldest.value);
    }
  }

  /** A viewer drew the unit, `sendToDrawMs` after it was sent to it. */
  drawn(id: number, sendToDrawMs: number, nowMs: number): void {
    this.#of.draw.add(sendToDrawMs);
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    this.#of.captureToDrawn.add(nowMs - sent.captureMs);
    if (sent.ackedMs === null) this.#sent.set(id, { ...sent, ackedMs: nowMs });
  }

  /** The newest pictures that were sent, oldest first. */
  frames(): readonly FrameTimes[] {
    return [...this.#sent.values()];
  }

  clocks(): StageClocks {
    const { convert, encode, handOver, send, draw, captureToSent, captureToDrawn } = this.#of;
    return {
      convert: convert.summary(),
      encode: encode.summary(),
      handOver: handOver.summary(),
      send: send.summary(),
      draw: draw.summary(),
      captureToSent: captureToSent.summary(),
      captureToDrawn: captureToDrawn.summary(),
    };
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
