/** A clock and animation frames that move only when they are told to. */
export class ManualClock {
  nowMs = 1000;
  #timers: { atMs: number; run: () => void }[] = [];
  #frames: (() => void)[] = [];

  readonly now = (): number => this.nowMs;

  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { atMs: this.nowMs + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  readonly onNextFrame = (run: () => void): (() => void) => {
    this.#frames.push(run);
    return () => {
      this.#frames = this.#frames.filter((other) => other !== run);
    };
  };

  get waiting(): number {
    return this.#timers.length;
  }

  /** Runs what falls due, in order. */
  move(ms: number): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      const [next] = this.#timers.filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = endMs;
  }

  /** One animation frame. */
  frame(): void {
    const frames = this.#frames;
    this.#frames = [];
    for (const run of frames) run();
  }
}

/** Lets promises that are already resolved run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
