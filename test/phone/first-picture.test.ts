import { expect, it } from "vitest";

import { FirstPicture } from "#drivers/phone/first-picture.ts";

const never = new AbortController().signal;

/** A timer that a test rings itself. */
function timers() {
  const held = new Map<() => void, number>();
  const after = (ms: number, call: () => void) => {
    held.set(call, ms);
    return () => void held.delete(call);
  };
  const ring = () => {
    for (const call of held.keys()) call();
  };
  return { after, ring, waits: () => [...held.values()] };
}

it("comes before or after it is waited for, and leaves no timer", async () => {
  const clock = timers();
  const before = new FirstPicture();
  before.came();
  await before.awaited(clock, never);
  const after = new FirstPicture();
  const waiting = after.awaited(clock, never);
  expect(clock.waits()).toEqual([10_000]);
  after.came();
  await waiting;
  expect(clock.waits()).toEqual([]);
});

it("of a phone that has gone, that is late, or that nobody waits for any more, is an error in words", async () => {
  const clock = timers();
  const gone = new FirstPicture();
  gone.gone();
  await expect(gone.awaited(clock, never)).rejects.toThrow("The test phone ended before its first picture.");
  const late = new FirstPicture().awaited(clock, never);
  clock.ring();
  await expect(late).rejects.toThrow("The test phone sent no picture within 10 s.");
  const stop = new AbortController();
  const stopped = new FirstPicture().awaited(clock, stop.signal);
  stop.abort(new Error("The device server stops."));
  await expect(stopped).rejects.toThrow("The device server stops.");
  await expect(new FirstPicture().awaited(clock, stop.signal)).rejects.toThrow("The device server stops.");
  expect(clock.waits()).toEqual([]);
});
