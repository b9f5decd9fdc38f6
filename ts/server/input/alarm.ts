/** One timer that is set to a moment, and set again as that moment moves. */
import type { Clock } from "#server/ports.ts";

export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #cancel: (() => void) | null = null;
  #atMs: number | null = null;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at this monotonic time; null: not at all. */
  set(atMs: number | null): void {
    if (atMs === this.#atMs) return;
    this.clear();
    if (atMs === null) return;
    this.#atMs = atMs;
    this.#cancel = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => {
      this.clear();
      this.#ring();
    });
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#atMs = null;
  }
}
