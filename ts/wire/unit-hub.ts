/**
 * One stream, many viewers (protocols "Hub and pacing"): used by the device server and by the relay alike.
 * Pure but for the ports handed in: a clock, a timer, and how a key unit is asked for.
 */
import { nextFrameId } from "./frame.ts";
import { JOIN_CACHE_MS, KEYFRAME_FLOOR_MS } from "./limits.ts";
import { ViewerPacer } from "./pacing.ts";

/** A key unit that was asked for and has not come is asked for again after this. */
const KEY_RETRY_MS = 1000;
/** How often a viewer that waits is looked at again while nothing else happens. */
const WAITING_POLL_MS = 50;

export interface HubUnit {
  readonly key: boolean;
  readonly data: Uint8Array;
}

export interface HubPorts {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Runs once after this many milliseconds; answers what cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Ask the source for a key unit, still screen or not. */
  readonly forceKey: () => void;
  /**
   * Somebody watches, or nobody does any more. True: the source begins with a key unit of its own, so none is asked for. Else its units follow
   * the last one without a gap for as long as what is kept serves a join.
   */
  readonly watched: (on: boolean) => boolean;
}

export interface HubViewer<U extends HubUnit> {
  send(unit: U, id: number): void;
  bufferedBytes(): number;
}

/** One viewer's seat in the hub. A seat starts paused. */
export interface Seat {
  /** Begin or go on; the first unit is a key unit. One that goes on and was given its key unit just now gets no other. */
  resume(): void;
  pause(): void;
  /** The viewer needs a key unit: at once from what is kept, else within a frame's time, deferred inside the floor, never lost. */
  requestKey(): void;
  /** Milliseconds from sending to drawing, or null when the id is not outstanding. */
  acked(id: number): number | null;
  leave(): void;
}

interface Kept<U> {
  readonly unit: U;
  readonly id: number;
}

export class UnitHub<U extends HubUnit> {
  readonly #ports: HubPorts;
  readonly #seats = new Set<HubSeat<U>>();
  #id = 0;
  #kept: Kept<U>[] = [];
  #keptAtMs = Number.NEGATIVE_INFINITY;
  /** The last key unit, forced or not: the floor counts from it. */
  #keyAtMs = Number.NEGATIVE_INFINITY;
  #forcedAtMs = Number.NEGATIVE_INFINITY;
  #wanted = false;
  #cancelForce: (() => void) | null = null;
  #cancelPoll: (() => void) | null = null;
  #watched = false;

  constructor(ports: HubPorts) {
    this.#ports = ports;
  }

  /** Viewers that are not paused. */
  get watching(): number {
    let count = 0;
    for (const seat of this.#seats) if (seat.active) count++;
    return count;
  }

  join(viewer: HubViewer<U>): Seat {
    const seat = new HubSeat(this, viewer, this.#ports.now());
    this.#seats.add(seat);
    return seat;
  }

  /** The source's next unit, in order. Answers its id. */
  push(unit: U): number {
    const id = this.#id;
    this.#id = nextFrameId(id);
    const nowMs = this.#ports.now();
    if (unit.key) {
      this.#kept = [{ unit, id }];
      this.#keptAtMs = this.#keyAtMs = nowMs;
      this.#wanted = false;
      this.#cancelForce?.();
      this.#cancelForce = null;
    } else if (this.#keptFresh(nowMs)) this.#kept.push({ unit, id });
    else this.#kept = [];
    let waiting = false;
    for (const seat of this.#seats) {
      if (!seat.active) continue;
      seat.give(unit, id, nowMs);
      waiting ||= seat.pacer.waiting;
    }
    if (waiting) this.#look();
    return id;
  }

  /**
   * The source began anew (a device switched, a driver attached again): what is kept is of another stream.
   * `begins`: it does so with a key unit of its own.
   */
  reset(begins = false): void {
    this.#kept = [];
    this.#keyAtMs = Number.NEGATIVE_INFINITY;
    const nowMs = this.#ports.now();
    for (const seat of this.#seats) seat.pacer.forget(nowMs);
    this.#wanted = false;
    this.#cancelForce?.();
    this.#cancelForce = null;
    if (!this.#watched) return;
    if (begins) this.#expect();
    else this.#want();
  }

  /** Ends every timer; seats get nothing more. */
  close(): void {
    this.#seats.clear();
    this.#cancelForce?.();
    this.#cancelPoll?.();
    this.#cancelForce = null;
    this.#cancelPoll = null;
  }

  /** For the seats. */
  seatBegins(seat: HubSeat<U>): void {
    if (!this.seatsChanged()) return this.seatNeedsKey(seat);
    // What is kept is of before the source rested.
    this.#kept = [];
    this.#expect();
  }

  /** A seat that goes on says again that it begins. */
  seatGoesOn(seat: HubSeat<U>): void {
    const first = this.#kept[0];
    const hasKey = first !== undefined && this.#keptFresh(this.#ports.now()) && seat.lastKeyId === first.id && !seat.pacer.waiting;
    if (!this.#wanted && !hasKey) seat.requestKey();
  }

  seatNeedsKey(seat: HubSeat<U>): void {
    const nowMs = this.#ports.now();
    const first = this.#kept[0];
    const replays = first !== undefined && this.#keptFresh(nowMs) && seat.lastKeyId !== first.id;
    if (replays && seat.replay(this.#kept, nowMs)) return;
    this.#want();
  }

  /** True: the source was told just now that somebody watches, and begins with a key unit of its own. */
  seatsChanged(): boolean {
    const on = this.watching > 0;
    if (on === this.#watched) return false;
    this.#watched = on;
    return this.#ports.watched(on) && on;
  }

  remove(seat: HubSeat<U>): void {
    this.#seats.delete(seat);
    this.seatsChanged();
  }

  now(): number {
    return this.#ports.now();
  }

  #keptFresh(nowMs: number): boolean {
    return this.#kept.length > 0 && nowMs - this.#keptAtMs < JOIN_CACHE_MS;
  }

  #want(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    const waitMs = Math.max(this.#forcedAtMs, this.#keyAtMs) + KEYFRAME_FLOOR_MS - this.#ports.now();
    if (waitMs <= 0) this.#force();
    else this.#cancelForce = this.#ports.after(waitMs, () => this.#force());
  }

  /** The source makes a key unit without being asked; it is asked all the same when none comes. */
  #expect(): void {
    this.#wanted = true;
    this.#forcedAtMs = this.#ports.now();
    this.#cancelForce?.();
    this.#cancelForce = this.#ports.after(KEY_RETRY_MS, () => this.#force());
  }

  #force(): void {
    this.#cancelForce = null;
    if (!this.#watched) {
      this.#wanted = false;
      return;
    }
    this.#forcedAtMs = this.#ports.now();
    this.#cancelForce = this.#ports.after(KEY_RETRY_MS, () => this.#force());
    this.#ports.forceKey();
  }

  /** A viewer that fell behind gets its key unit once it has caught up; on a screen that went still no unit would tell. */
  #look(): void {
    if (this.#cancelPoll !== null) return;
    this.#cancelPoll = this.#ports.after(WAITING_POLL_MS, () => {
      this.#cancelPoll = null;
      let waiting = false;
      const nowMs = this.#ports.now();
      for (const seat of this.#seats) {
        if (!seat.active || !seat.pacer.waiting) continue;
        waiting = true;
        if (seat.pacer.ready(nowMs, seat.viewer.bufferedBytes())) this.#want();
      }
      if (waiting) this.#look();
    });
  }
}

class HubSeat<U extends HubUnit> implements Seat {
  readonly #hub: UnitHub<U>;
  readonly viewer: HubViewer<U>;
  readonly pacer: ViewerPacer;
  active = false;
  lastKeyId: number | null = null;

  constructor(hub: UnitHub<U>, viewer: HubViewer<U>, nowMs: number) {
    this.#hub = hub;
    this.viewer = viewer;
    this.pacer = new ViewerPacer(nowMs);
  }

  give(unit: U, id: number, nowMs: number): void {
    if (!this.pacer.offer({ id, key: unit.key, bytes: unit.data.byteLength }, nowMs, this.viewer.bufferedBytes())) return;
    if (unit.key) this.lastKeyId = id;
    this.viewer.send(unit, id);
  }

  replay(kept: readonly Kept<U>[], nowMs: number): boolean {
    const units = kept.map(({ unit, id }) => ({ id, bytes: unit.data.byteLength }));
    if (!this.pacer.offerReplay(units, nowMs, this.viewer.bufferedBytes())) return false;
    this.lastKeyId = kept[0]?.id ?? null;
    for (const { unit, id } of kept) this.viewer.send(unit, id);
    return true;
  }

  resume(): void {
    if (this.active) return this.#hub.seatGoesOn(this);
    this.active = true;
    this.lastKeyId = null;
    this.pacer.forget(this.#hub.now());
    this.#hub.seatBegins(this);
  }

  pause(): void {
    if (!this.active) return;
    this.active = false;
    this.#hub.seatsChanged();
  }

  requestKey(): void {
    if (!this.active) return;
    this.pacer.forget(this.#hub.now());
    this.#hub.seatNeedsKey(this);
  }

  acked(id: number): number | null {
    return this.pacer.acked(id, this.#hub.now());
  }

  leave(): void {
    this.active = false;
    this.#hub.remove(this);
  }
}
