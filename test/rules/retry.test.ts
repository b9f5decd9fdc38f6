import { expect, it } from "vitest";

import { Retry } from "#server/input/retry.ts";
import { TouchPump } from "#server/input/touch-pump.ts";

import { ManualClock } from "../server/support.ts";

async function setup() {
  const clock = new ManualClock();
  const triesMs: number[] = [];
  const startMs = clock.now();
  const retry = new Retry(clock, () => void triesMs.push(clock.now() - startMs));
  return { clock, triesMs, retry };
}

it("tries after 1, 2, 4 … 30 s for as long as it fails, and once for failures in between", async () => {
  const { clock, triesMs, retry } = await setup();
  for (let round = 0; round < 7; round += 1) {
    const tried = triesMs.length;
    retry.failed();
    retry.failed();
    for (let second = 0; second < 30 && triesMs.length === tried; second += 1) await clock.move(1_000);
  }
  expect(triesMs.map((atMs, index) => (atMs - (triesMs[index - 1] ?? 0)) / 1_000)).toEqual([1, 2, 4, 8, 16, 30, 30]);
});

it("tries no more once it is over, and begins anew with a second", async () => {
  const { clock, triesMs, retry } = await setup();
  retry.failed();
  await clock.move(1_000);
  retry.failed();
  retry.over();
  await clock.move(60_000);
  expect(triesMs).toEqual([1_000]);
  retry.failed();
  await clock.move(1_000);
  expect(triesMs).toHaveLength(2);
});

it("lifts fingers until the device takes it, and not on a device that came after it", async () => {
  const clock = new ManualClock();
  let tries = 0;
  let fails = true;
  let refuse: (error: Error) => void = () => {};
  const touch = (): Promise<void> => {
    tries += 1;
    return fails ? Promise.reject(new Error("busy")) : Promise.resolve();
  };
  const pump = new TouchPump(touch, clock, () => undefined);
  pump.push([], null);
  await clock.move(3_000);
  // At once and once more, then after a second, then after two.
  expect(tries).toBe(6);
  fails = false;
  await clock.move(60_000);
  expect(tries).toBe(7);
  const hanging = new TouchPump(
    () => new Promise((_, reject) => ((tries += 1), (refuse = reject))),
    clock,
    () => undefined,
  );
  hanging.push([], null);
  await clock.move(0);
  hanging.drop();
  refuse(new Error("gone"));
  await clock.move(0);
  refuse(new Error("gone"));
  await clock.move(60_000);
  expect(tries).toBe(9);
});
