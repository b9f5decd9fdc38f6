/** When the screen last changed, and waiting until it keeps still (`settle`). */
import type { Clock } from "./ports.ts";

export interface Settled {
  /** The screen kept still for as long as was asked. */
  readonly still: boolean;
  readonly ms: number;
}

export class Quiet {
  readonly #clock: Clock;
  readonly #waiters = new Set<() => void>();
  #changedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** At this monotonic time. */
  changed(atMs: number): void {
    this.#changedAtMs = Math.max(this.#changedAtMs, atMs);
    for (const waiter of this.#waiters) waiter();
  }

  /** Quiet counts from the asking: what was asked for just before may not have begun to move yet. */
  settle(quietMs: number, maxMs: number): Promise<Settled> {
    const startedMs = this.#clock.now();
    return new Promise((resolve) => {
      let cancel = (): void => undefined;
      const end = (still: boolean): void => {
        cancel();
        this.#waiters.delete(look);
        resolve({ still, ms: this.#clock.now() - startedMs });
      };
      const look = (): void => {
        cancel();
        const nowMs = this.#clock.now();
        const quietAtMs = Math.max(startedMs, this.#changedAtMs) + quietMs;
        const lastMs = startedMs + maxMs;
        if (nowMs >= quietAtMs && quietAtMs <= lastMs) return end(true);
        if (nowMs >= lastMs) return end(false);
        cancel = this.#clock.after(Math.max(0, Math.min(quietAtMs, lastMs) - nowMs), look);
      };
      this.#waiters.add(look);
      look();
    });
  }
}
