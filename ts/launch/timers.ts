/** The clock as it is handed in everywhere: monotonic milliseconds, and one timer. */
export interface Timers {
  /** CLOCK_MONOTONIC milliseconds. */
  now(): number;
  /** Runs once after this many milliseconds; answers what cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's own clock. */
export const systemTimers: Timers = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after this long, or at once when the signal is aborted. */
export function pause(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener("abort", done);
  });
}
