/**
 * How much of a stream one viewer is given (protocols "Hub and pacing"). Pure: times are handed in, nothing is sent here.
 * A viewer that acknowledges is paced by its acks; one that never did, by its socket: an empty socket counts as an ack of everything.
 */

import { wrap16 } from "./frame.ts";
import { VIEWER_BACKLOG_BYTES_MAX, VIEWER_UNACKED_MS_MAX, VIEWER_UNACKED_UNITS_MAX } from "./limits.ts";

/** A round trip is forgiven up to this much. */
const MAX_FORGIVEN_RTT_MS = 1000;
/** The best round trip is taken from this long back, so that a route that got longer is noticed. */
const RTT_MEMORY_MS = 10_000;
/**
 * A viewer that waits with an empty socket this long has lost the units it was sent: they will never be acknowledged. It is tried again with a
 * key unit, and each time it still acknowledges nothing the wait doubles, so that one that draws no more does not cost the others their quality.
 */
const LOST_AFTER_MS = 2000;
const LOST_AFTER_MS_MAX = 64_000;
/** Sending times that are kept: two seconds of the fastest stream. */
const TIMES_KEPT = 128;

/** `b - a` on frame ids that wrap, from -32768 to 32767. */
export function idDistance(a: number, b: number): number {
  const distance = wrap16(b - a);
  return distance > 32_767 ? distance - 65_536 : distance;
}

interface Sent {
  readonly id: number;
  readonly atMs: number;
}

/** One viewer's gate. Ask `offer` for each unit in order; send exactly the units it takes. */
export class ViewerPacer {
  #sent: Sent[] = [];
  /** When the newest units were sent, acknowledged in some way or not: what the round trip is read from. */
  readonly #times = new Map<number, number>();
  #acks = false;
  #waiting = true;
  #waitingSinceMs: number;
  #lostAfterMs = LOST_AFTER_MS;
  #bestRttMs = 0;
  #bestRttAtMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: number) {
    this.#waitingSinceMs = nowMs;
  }

  /** Deltas are held back until a key unit is taken. */
  get waiting(): boolean {
    return this.#waiting;
  }

  /** Units sent and not acknowledged. */
  get unacked(): number {
    return this.#sent.length;
  }

  /** True: send this unit now, under this id. False: it is lost to this viewer. */
  offer(unit: { readonly id: number; readonly key: boolean; readonly bytes: number }, nowMs: number, bufferedBytes: number): boolean {
    this.#settle(nowMs, bufferedBytes);
    if (this.#waiting && !unit.key) return false;
    if (this.#behind(nowMs) || (bufferedBytes > 0 && bufferedBytes + unit.bytes > VIEWER_BACKLOG_BYTES_MAX)) {
      if (!this.#waiting) this.wait(nowMs);
      return false;
    }
    this.#waiting = false;
    this.#took(unit.id, nowMs);
    return true;
  }

  /** A key unit and the deltas since it, at once, for a viewer that has nothing: all of them or none. They count as one unit. */
  offerReplay(units: readonly { readonly id: number; readonly bytes: number }[], nowMs: number, bufferedBytes: number): boolean {
    this.#settle(nowMs, bufferedBytes);
    const last = units.at(-1);
    const bytes = units.reduce((sum, unit) => sum + unit.bytes, 0);
    if (last === undefined || this.#behind(nowMs) || (bufferedBytes > 0 && bufferedBytes + bytes > VIEWER_BACKLOG_BYTES_MAX)) return false;
    this.#waiting = false;
    this.#took(last.id, nowMs);
    return true;
  }

  /** Everything up to this id was drawn. Answers the milliseconds from its sending, once; null for an id that is not known. */
  acked(id: number, nowMs: number): number | null {
    this.#acks = true;
    this.#lostAfterMs = LOST_AFTER_MS;
    while (this.#sent[0] !== undefined && idDistance(this.#sent[0].id, id) >= 0) this.#sent.shift();
    const atMs = this.#times.get(id);
    if (atMs === undefined) return null;
    this.#times.delete(id);
    const rttMs = nowMs - atMs;
    if (rttMs <= this.#bestRttMs || nowMs - this.#bestRttAtMs > RTT_MEMORY_MS) {
      this.#bestRttMs = rttMs;
      this.#bestRttAtMs = nowMs;
    }
    return rttMs;
  }

  /** Close the gate until the next key unit. */
  wait(nowMs: number): void {
    this.#waiting = true;
    this.#waitingSinceMs = nowMs;
  }

  /** The viewer says that what it was sent is of no use to it (decoder reset, tab back): nothing of it counts any more. */
  forget(nowMs: number): void {
    this.#sent = [];
    this.wait(nowMs);
  }

  /** This viewer waits for a key unit and has room for one, so that asking for one pays. */
  ready(nowMs: number, bufferedBytes: number): boolean {
    this.#settle(nowMs, bufferedBytes);
    return this.#waiting && this.#sent.length === 0 && bufferedBytes === 0;
  }

  #took(id: number, nowMs: number): void {
    this.#sent.push({ id, atMs: nowMs });
    this.#times.delete(id);
    this.#times.set(id, nowMs);
    if (this.#times.size <= TIMES_KEPT) return;
    const oldest = this.#times.keys().next();
    if (oldest.done !== true) this.#times.delete(oldest.value);
  }

  #settle(nowMs: number, bufferedBytes: number): void {
    if (bufferedBytes > 0) return;
    if (!this.#acks) this.#sent = [];
    if (this.#sent.length === 0 || !this.#waiting || nowMs - this.#waitingSinceMs <= this.#lostAfterMs) return;
    this.#sent = [];
    this.#lostAfterMs = Math.min(2 * this.#lostAfterMs, LOST_AFTER_MS_MAX);
  }

  #behind(nowMs: number): boolean {
    const oldest = this.#sent[0];
    if (oldest === undefined) return false;
    const forgivenMs = this.#acks ? Math.min(this.#bestRttMs, MAX_FORGIVEN_RTT_MS) : 0;
    if (nowMs - oldest.atMs > VIEWER_UNACKED_MS_MAX + forgivenMs) return true;
    // Units younger than the round trip cannot have been acknowledged yet, so they are no sign of lag.
    const overdue = this.#sent.findIndex((sent) => nowMs - sent.atMs < forgivenMs);
    return (overdue < 0 ? this.#sent.length : overdue) >= VIEWER_UNACKED_UNITS_MAX;
  }
}
