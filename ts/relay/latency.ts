/** The latency a person sees: from sending a unit to its drawn acknowledgement, over the last five seconds. */

const WINDOW_MS = 5_000;
const SAMPLES_MAX = 512;

export interface Latency {
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Keeps at most SAMPLES_MAX samples; the oldest go first. */
export class LatencyWindow {
  #samples: { readonly atMs: number; readonly ms: number }[] = [];

  add(atMs: number, ms: number): void {
    this.#samples.push({ atMs, ms });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Null when nothing was drawn within the window: a still screen has no latency. Whole tenths of a millisecond. */
  read(nowMs: number): Latency | null {
    while (this.#samples[0] !== undefined && nowMs - this.#samples[0].atMs > WINDOW_MS) this.#samples.shift();
    const sorted = this.#samples.map((sample) => sample.ms).sort((a, b) => a - b);
    if (sorted.length === 0) return null;
    return { medianMs: at(sorted, 0.5), p95Ms: at(sorted, 0.95) };
  }
}

/** Nearest rank. */
function at(sorted: readonly number[], part: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * part) - 1))] ?? 0;
  return Math.round(value * 10) / 10;
}
