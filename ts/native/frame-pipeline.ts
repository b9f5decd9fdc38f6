/** The addon's pipeline as a typed video source: units as a bounded stream for one consumer. */
import type { EncoderInfo } from "#core/device.ts";

import type {
  Binding,
  BindingEvent,
  BindingFrame,
  BindingPipeline,
  BindingPipelineOptions,
  BindingStats,
  BindingStill,
  BindingUnit,
} from "./binding.ts";

/** Units that wait for a consumer; past it they are dropped to the next key frame, which is asked for. */
const WAITING_UNITS = 8;

export interface FramePipelineOptions extends BindingPipelineOptions {
  readonly onEvent?: (event: BindingEvent) => void;
}

interface Consumer {
  wake: () => void;
}

/** Satisfies the drivers' VideoSource. Close it when the device goes: its threads and its region's file end then. */
export class FramePipeline {
  readonly #pipeline: BindingPipeline;
  readonly #units: BindingUnit[] = [];
  #consumer: Consumer | null = null;
  #untilKey = false;
  #dropped = 0;
  #closed = false;

  constructor(binding: Binding, options: FramePipelineOptions = {}) {
    const { onEvent, ...native } = options;
    this.#pipeline = new binding.Pipeline(
      native,
      (unit) => this.#take(unit),
      (event) => onEvent?.(event),
    );
  }

  #take(unit: BindingUnit): void {
    if (this.#closed) return;
    if (this.#untilKey && !unit.key) {
      this.#dropped += 1;
      return;
    }
    this.#untilKey = false;
    if (this.#units.length >= WAITING_UNITS) {
      // What waits is old; a key frame makes all of it needless.
      this.#dropped += this.#units.length + (unit.key ? 0 : 1);
      this.#units.length = 0;
      if (!unit.key) {
        this.#untilKey = true;
        this.#pipeline.keyframe();
        return;
      }
    }
    this.#units.push(unit);
    this.#consumer?.wake();
  }

  /**
   * Whole access units. One consumer: a newer one ends the one before it at once, also where that waits for a unit, so that no unit goes to
   * one who is gone. Ends when the pipeline is closed.
   */
  frames(): AsyncIterableIterator<BindingUnit, undefined, undefined> {
    const mine: Consumer = { wake: () => {} };
    this.#leaveTo(mine);
    const over = { done: true, value: undefined } as const;
    // No generator: one that waits cannot be ended from outside.
    const iterator: AsyncIterableIterator<BindingUnit, undefined, undefined> = {
      next: async () => {
        while (!this.#closed && this.#consumer === mine) {
          const value = this.#units.shift();
          if (value !== undefined) return { done: false, value };
          await new Promise<void>((resolve) => (mine.wake = resolve));
        }
        return over;
      },
      return: () => {
        if (this.#consumer === mine) this.#leaveTo(null);
        return Promise.resolve(over);
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  #leaveTo(next: Consumer | null): void {
    const before = this.#consumer;
    this.#consumer = next;
    before?.wake();
  }

  keyframe(): void {
    this.#pipeline.keyframe();
  }

  streaming(on: boolean): void {
    this.#pipeline.streaming(on);
  }

  /** Bits a second. Throws in words. */
  setBitrate(bitsPerSecond: number): void {
    this.#pipeline.setBitrate(bitsPerSecond);
  }

  /** PNG of the newest picture. Rejects when there is none. */
  async still(longestEdge?: number): Promise<BindingStill> {
    return await this.#pipeline.still(longestEdge);
  }

  /** PNG of the region's own pixels. Rejects when it stays torn or there is no region. */
  async screenshot(longestEdge?: number): Promise<BindingStill> {
    return await this.#pipeline.screenshot(longestEdge);
  }

  encoder(): EncoderInfo | null {
    return this.#pipeline.encoder();
  }

  stats(): BindingStats {
    const stats = this.#pipeline.stats();
    return { ...stats, unitsDropped: stats.unitsDropped + this.#dropped };
  }

  /** Makes the file that the device writes into. Throws in words. */
  createRegion(path: string, bytes: number): void {
    this.#pipeline.createRegion(path, bytes);
  }

  /** A frame is whole in the region. Throws in words when it does not fit. */
  notify(frame: BindingFrame): void {
    this.#pipeline.notify(frame);
  }

  /** A frame in hand; copied before this returns. Throws in words. */
  push(frame: BindingFrame, pixels: Uint8Array): void {
    this.#pipeline.push(frame, pixels);
  }

  /** Ends the stream, joins the threads, removes the region's file. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#units.length = 0;
    this.#consumer?.wake();
    await this.#pipeline.close();
  }
}
