import type { Timers } from "#launch/timers.ts";

/** A clock that moves only when it is told to. */
export class ManualTimers implements Timers {
  #now = 1_000;
  #next = 0;
  readonly #waiting = new Map<number, { at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const id = this.#next++;
    this.#waiting.set(id, { at: this.#now + ms, run });
    return () => void this.#waiting.delete(id);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Moves the clock, running what falls due in order; promises settle in between. */
  async move(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const due = [...this.#waiting].filter(([, t]) => t.at <= end).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
      if (due === undefined) break;
      this.#waiting.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].run();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that is already resolved run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
