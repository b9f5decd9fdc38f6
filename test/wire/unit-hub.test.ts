import { describe, expect, it } from "vitest";
import { KEYFRAME_FLOOR_MS, VIEWER_BACKLOG_BYTES_MAX } from "#wire/limits.ts";
import { UnitHub, type HubUnit } from "#wire/unit-hub.ts";
import { ViewerPacer, idDistance } from "#wire/pacing.ts";

/** A clock that moves by hand and runs what is due, in order. */
class Hand {
  nowMs = 0;
  #timers: { at: number; run: () => void }[] = [];
  readonly after = (ms: number, run: () => void): (() => void) => {
    const timer = { at: this.nowMs + ms, run };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((t) => t !== timer));
  };
  move(ms: number): void {
    const end = this.nowMs + ms;
    for (;;) {
      const due = this.#timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((t) => t !== due);
      this.nowMs = Math.max(this.nowMs, due.at);
      due.run();
    }
    this.nowMs = end;
  }
}

const unit = (key: boolean, bytes = 10): HubUnit => ({ key, data: new Uint8Array(bytes) });

function setup(begins = false) {
  const hand = new Hand();
  const forced: number[] = [];
  const watched: boolean[] = [];
  /** Answers a forced key unit after one frame's time, as an encoder does. */
  let encoder = true;
  const hub: UnitHub<HubUnit> = new UnitHub({
    now: () => hand.nowMs,
    after: hand.after,
    forceKey: () => {
      forced.push(hand.nowMs);
      if (encoder) hand.after(5, () => hub.push(unit(true)));
    },
    watched: (on) => {
      watched.push(on);
      return begins;
    },
  });
  const viewer = (buffered = () => 0) => {
    const got: { key: boolean; id: number; atMs: number }[] = [];
    const seat = hub.join({ send: (u, id) => got.push({ key: u.key, id, atMs: hand.nowMs }), bufferedBytes: buffered });
    return { got, seat };
  };
  return { hand, hub, forced, watched, viewer, dead: () => (encoder = false) };
}

describe("the hub of units", () => {
  it("gives a join on a still screen its first unit within 100 ms, and also 50 ms after another's key frame", () => {
    const { hand, viewer } = setup();
    const first = viewer();
    first.seat.resume();
    hand.move(100);
    expect(first.got.map((g) => g.key)).toEqual([true]);
    const second = viewer();
    second.seat.resume();
    expect(second.got.map((g) => g.key)).toEqual([true]);
  });

  it("replays the key unit and its deltas in order to a late join, and then goes on with the stream", () => {
    const { hand, hub, viewer, forced } = setup();
    const first = viewer();
    first.seat.resume();
    hand.move(10);
    hub.push(unit(false));
    hub.push(unit(false));
    const second = viewer();
    second.seat.resume();
    hub.push(unit(false));
    expect(second.got.map((g) => [g.key, g.id])).toEqual([
      [true, 0],
      [false, 1],
      [false, 2],
      [false, 3],
    ]);
    expect(forced).toHaveLength(1);
  });

  it("forces at most four key units a second in a storm of requests from ten viewers, and loses none", () => {
    const { hand, viewer, forced } = setup();
    const viewers = Array.from({ length: 10 }, () => viewer());
    for (const v of viewers) v.seat.resume();
    for (let ms = 0; ms < 3000; ms += 10) {
      for (const v of viewers) v.seat.requestKey();
      hand.move(10);
    }
    for (let i = 1; i < forced.length; i++) expect(forced[i]! - forced[i - 1]!).toBeGreaterThanOrEqual(KEYFRAME_FLOOR_MS);
    expect(forced.length).toBeGreaterThanOrEqual(11);
    const before = viewers.map((v) => v.got.length);
    hand.move(KEYFRAME_FLOOR_MS + 10);
    viewers.forEach((v, i) => expect(v.got.length).toBeGreaterThan(before[i]! - 1));
    for (const v of viewers) expect(hand.nowMs - v.got.at(-1)!.atMs).toBeLessThan(2 * KEYFRAME_FLOOR_MS + 20);
  });

  it("lets a join in the middle of a fast stream go on without another key unit", () => {
    const { hand, hub, viewer, forced } = setup();
    const first = viewer();
    first.seat.resume();
    hand.move(10);
    first.seat.acked(0);
    for (let i = 0; i < 14; i++) {
      hand.move(16);
      first.seat.acked(hub.push(unit(false)));
    }
    // Its socket takes a moment, and its acks a round trip.
    const late = viewer(() => 1000);
    late.seat.resume();
    expect(late.got).toHaveLength(15);
    for (let i = 0; i < 30; i++) {
      hand.move(16);
      first.seat.acked(hub.push(unit(false)));
      const drawn = late.got[late.got.length - 5];
      if (drawn !== undefined) late.seat.acked(drawn.id);
    }
    expect(late.got).toHaveLength(45);
    expect(forced).toHaveLength(1);
  });

  it("asks again for a key unit that never came", () => {
    const { hand, viewer, forced, dead } = setup();
    dead();
    viewer().seat.resume();
    hand.move(2500);
    expect(forced).toEqual([0, 1000, 2000]);
  });

  it("says when somebody watches and when nobody does any more", () => {
    const { watched, viewer } = setup();
    const a = viewer();
    const b = viewer();
    expect(watched).toEqual([]);
    a.seat.resume();
    b.seat.resume();
    a.seat.pause();
    b.seat.leave();
    expect(watched).toEqual([true, false]);
  });

  it("serves a join at once, and with nothing forced, just after nobody watched for a moment", () => {
    const { hand, hub, viewer, forced } = setup();
    const a = viewer();
    a.seat.resume();
    hand.move(20);
    a.seat.leave();
    hub.push(unit(false));
    hand.move(20);
    const b = viewer();
    b.seat.resume();
    expect(b.got.map((g) => g.key)).toEqual([true, false]);
    hand.move(300);
    expect(b.got).toHaveLength(2);
    expect(forced).toHaveLength(1);
  });

  it("leaves the first key unit to a source that begins with one: nothing is forced, nothing old is shown; it is asked when none comes", () => {
    const { hand, hub, viewer, forced } = setup(true);
    const a = viewer();
    a.seat.resume();
    hub.push(unit(true));
    a.seat.pause();
    hand.move(20);
    const b = viewer();
    b.seat.resume();
    a.seat.resume();
    expect([a.got.length, b.got.length, forced.length]).toEqual([1, 0, 0]);
    hub.push(unit(true));
    expect([a.got.length, b.got.length, forced.length]).toEqual([2, 1, 0]);
    hand.move(5_000);
    expect(forced).toEqual([]);
    b.seat.leave();
    a.seat.pause();
    a.seat.resume();
    hand.move(1_010);
    expect(forced).toHaveLength(1);
  });

  it("counts the floor from any key unit, also one that nobody forced", () => {
    const { hand, hub, viewer, forced } = setup();
    const a = viewer();
    a.seat.resume();
    hand.move(1_000);
    hub.push(unit(true));
    a.seat.requestKey();
    hand.move(KEYFRAME_FLOOR_MS - 1);
    expect(forced).toHaveLength(1);
    hand.move(1);
    expect(forced).toHaveLength(2);
  });

  it("gives a viewer that says again that it begins no second key unit, and one that asks for a key unit a new one", () => {
    const { hand, viewer, forced } = setup();
    const a = viewer();
    a.seat.resume();
    a.seat.resume();
    hand.move(20);
    a.seat.resume();
    hand.move(1_000);
    expect(a.got).toHaveLength(1);
    a.seat.resume();
    hand.move(10);
    a.seat.requestKey();
    hand.move(1_000);
    expect(a.got.map((g) => g.key)).toEqual([true, true, true]);
    expect(forced).toHaveLength(3);
  });

  it("holds a stalled viewer at its limit, costs the others nothing, and gives it a key unit once it has caught up on a still screen", () => {
    const { hand, hub, viewer, forced } = setup();
    const good = viewer();
    const stalled = viewer();
    good.seat.resume();
    stalled.seat.resume();
    hand.move(10);
    stalled.seat.acked(0);
    good.seat.acked(0);
    for (let i = 1; i <= 100; i++) {
      hand.move(16);
      good.seat.acked(hub.push(unit(false)));
    }
    expect(good.got).toHaveLength(101);
    expect(stalled.got.length).toBeLessThanOrEqual(1 + 9);
    expect(forced).toHaveLength(1);
    stalled.seat.acked(stalled.got.at(-1)!.id);
    hand.move(100);
    expect(stalled.got.at(-1)!.key).toBe(true);
    expect(stalled.got.slice(1, -1).every((g) => !g.key)).toBe(true);
  });

  it("never sends a delta after a dropped unit", () => {
    const { hand, hub, viewer } = setup();
    let buffered = 0;
    const v = viewer(() => buffered);
    v.seat.resume();
    hand.move(10);
    buffered = VIEWER_BACKLOG_BYTES_MAX;
    hub.push(unit(false, 100));
    buffered = 0;
    hub.push(unit(false));
    expect(v.got.map((g) => g.key)).toEqual([true]);
    hand.move(400);
    expect(v.got.map((g) => g.key)).toEqual([true, true]);
  });
});

describe("pacing one viewer", () => {
  it("counts the distance of ids that wrap", () => {
    expect(idDistance(65_535, 0)).toBe(1);
    expect(idDistance(0, 65_535)).toBe(-1);
    expect(idDistance(10, 20)).toBe(10);
  });

  it("lets a client that never acknowledges run as long as its socket drains", () => {
    const pacer = new ViewerPacer(0);
    for (let i = 0; i < 1000; i++) expect(pacer.offer({ id: i, key: i === 0, bytes: 1000 }, i * 16, 0)).toBe(true);
  });

  it("gates a client that never acknowledges when its socket holds more than the backlog", () => {
    const pacer = new ViewerPacer(0);
    expect(pacer.offer({ id: 0, key: true, bytes: 1000 }, 0, 0)).toBe(true);
    expect(pacer.offer({ id: 1, key: false, bytes: 1000 }, 10, VIEWER_BACKLOG_BYTES_MAX)).toBe(false);
    expect(pacer.waiting).toBe(true);
  });

  it("does not hold a far viewer back for its round trip", () => {
    const pacer = new ViewerPacer(0);
    const rttMs = 300;
    const inFlight: { id: number; at: number }[] = [];
    let taken = 0;
    for (let i = 0; i < 600; i++) {
      const nowMs = i * 16;
      while (inFlight[0] !== undefined && inFlight[0].at + rttMs <= nowMs) pacer.acked(inFlight.shift()!.id, nowMs);
      // The first second is slow, as a viewer's first units are: the round trip is not known yet.
      if (i < 60 && i % 20 !== 0) continue;
      if (pacer.offer({ id: i, key: i === 0, bytes: 1000 }, nowMs, 0)) {
        taken++;
        inFlight.push({ id: i, at: nowMs });
      }
    }
    expect(taken).toBe(543);
  });

  it("knows a far viewer's round trip from its first ack, so that it is not held back in its first second", () => {
    const pacer = new ViewerPacer(0);
    const rttMs = 400;
    const inFlight: { id: number; at: number }[] = [];
    let taken = 0;
    for (let i = 0; i < 300; i++) {
      const nowMs = i * 16;
      while (inFlight[0] !== undefined && inFlight[0].at + rttMs <= nowMs) pacer.acked(inFlight.shift()!.id, nowMs);
      if (!pacer.offer({ id: i, key: i === 0, bytes: 1000 }, nowMs, 0)) continue;
      taken++;
      inFlight.push({ id: i, at: nowMs });
    }
    expect(taken).toBe(300);
  });

  it("reads one round trip from an ack that is repeated", () => {
    const pacer = new ViewerPacer(0);
    pacer.offer({ id: 9, key: true, bytes: 1 }, 0, 0);
    expect(pacer.acked(9, 30)).toBe(30);
    expect(pacer.acked(9, 500)).toBeNull();
  });

  it("counts acks across the wrap of ids, everything up to the id", () => {
    const pacer = new ViewerPacer(0);
    for (const [i, id] of [65_534, 65_535, 0, 1].entries()) pacer.offer({ id, key: i === 0, bytes: 1 }, i, 1);
    expect(pacer.unacked).toBe(4);
    expect(pacer.acked(0, 50)).toBe(48);
    expect(pacer.unacked).toBe(1);
  });

  it("takes an unknown ack for what it is: no latency, nothing lost", () => {
    const pacer = new ViewerPacer(0);
    pacer.offer({ id: 5, key: true, bytes: 1 }, 0, 1);
    expect(pacer.acked(3, 1)).toBeNull();
    expect(pacer.unacked).toBe(1);
  });

  it("tries a viewer that draws no more ever more rarely, and one that draws again at once", () => {
    const pacer = new ViewerPacer(0);
    pacer.offer({ id: 0, key: true, bytes: 1 }, 0, 0);
    pacer.acked(0, 5);
    const tried: number[] = [];
    let id = 1;
    for (let nowMs = 10; nowMs < 40_000; nowMs += 16) {
      if (pacer.waiting && !pacer.ready(nowMs, 0)) continue;
      const key = pacer.waiting;
      if (key) tried.push(nowMs);
      pacer.offer({ id: id++, key, bytes: 1 }, nowMs, 0);
    }
    expect(tried.length).toBe(4);
    expect(tried.slice(1).every((at, i) => at - (tried[i] ?? 0) > 1.9 * (i === 0 ? 2000 : (tried[i] ?? 0) - (tried[i - 1] ?? 0)))).toBe(
      true,
    );
  });

  it("gives up on units lost to the viewer after two seconds of an empty socket, so that it is not stuck for good", () => {
    const pacer = new ViewerPacer(0);
    pacer.offer({ id: 0, key: true, bytes: 1 }, 0, 0);
    pacer.acked(0, 5);
    for (let i = 1; i < 20; i++) pacer.offer({ id: i, key: false, bytes: 1 }, 10 + i, 0);
    expect(pacer.waiting).toBe(true);
    expect(pacer.ready(1000, 0)).toBe(false);
    expect(pacer.ready(2100, 0)).toBe(true);
  });
});
