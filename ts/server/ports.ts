/** What the device server is handed from outside, so that a test can hold each still. */

export interface Clock {
  /** CLOCK_MONOTONIC milliseconds, process.hrtime's base. */
  now(): number;
  /** Wall-clock milliseconds. */
  wall(): number;
  /** Runs once after this many milliseconds; answers what cancels it. */
  after(ms: number, run: () => void): () => void;
}

export type LogLevel = "info" | "warn" | "error";
/** Never a token, never text that a person typed. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** The machine's clocks. Timers keep the process alive only while the server listens, which does so anyway. */
export const systemClock: Clock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Rejects with `late()` when the work is not over in time, or with `outer`'s reason when that is aborted; the work's signal is aborted then. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
  outer?: AbortSignal,
): Promise<T> {
  outer?.throwIfAborted();
  const abort = new AbortController();
  let end = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    const give = (error: unknown): void => {
      abort.abort(error);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const cancel = clock.after(ms, () => give(late()));
    const stop = (): void => give(outer?.reason);
    outer?.addEventListener("abort", stop, { once: true });
    end = () => {
      cancel();
      outer?.removeEventListener("abort", stop);
    };
  });
  try {
    return await Promise.race([work(abort.signal), ended]);
  } finally {
    end();
  }
}

/** Resolves after this many milliseconds, or at once when aborted; answers whether the time was up. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve(true);
    });
    const stop = (): void => {
      cancel();
      resolve(false);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** An error's own words, for a log or an answer. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Rejects with the signal's reason once it is aborted; never resolves. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
