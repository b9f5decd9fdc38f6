/** The phone's own log of what reached it: what tests trust, since nothing between them and the phone writes it. */
import type { LogEntry, LogWhat } from "./protocol.ts";

/** Entries kept; the oldest go. */
const KEPT = 20_000;
/** Entries in one answer. */
const ANSWERED = 2_000;

export class Record {
  readonly #now: () => number;
  readonly #entries: LogEntry[] = [];
  readonly #waiting = new Set<() => void>();
  #seq = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  add(what: LogWhat): void {
    this.#seq += 1;
    this.#entries.push({ seq: this.#seq, at: this.#now(), ...what });
    // Cut in bulk: taking one from the front of a long list each time is slow.
    if (this.#entries.length > KEPT + 1_000) this.#entries.splice(0, 1_000);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  after(seq: number): readonly LogEntry[] {
    const first = this.#entries.findIndex((entry) => entry.seq > seq);
    return first === -1 ? [] : this.#entries.slice(first, first + ANSWERED);
  }

  /** Calls once when an entry is added. The answer takes the wish back. */
  once(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }
}
