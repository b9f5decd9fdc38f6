import { expect, it } from "vitest";
import { Line } from "#host/line.ts";
import type { Backend } from "#host/ports.ts";
import { settle } from "../launch/manual-timers.ts";
import { ManualClock } from "./rig.ts";

function line(watch?: Backend["watch"]) {
  const clock = new ManualClock();
  const tries: number[] = [];
  const began = clock.now();
  const backend: Backend = {
    kind: "local",
    connect: () => {
      tries.push(clock.now() - began);
      return Promise.reject(new Error("away"));
    },
    ...(watch === undefined ? {} : { watch }),
    run: () => Promise.reject(new Error("not asked")),
    close: () => Promise.resolve(),
  };
  const failed: unknown[] = [];
  const made = new Line({
    role: "viewer",
    backend,
    clock,
    client: "test",
    up: () => {},
    text: () => {},
    down: () => {},
    failed: (error) => failed.push(error),
  });
  return { made, clock, tries, failed };
}

it("is dialled at once, after 0.25, 0.5, 1 and 2 s, then every 4 s", async () => {
  const { made, clock, tries, failed } = line();
  made.want(true);
  await clock.move(16_000);
  expect(tries).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 11_750, 15_750]);
  expect(failed).toHaveLength(8);
  made.want(false);
  await clock.move(60_000);
  expect(tries).toHaveLength(8);
  expect(clock.waiting).toBe(0);
});

it("is dialled the moment its box says that a server came up", async () => {
  let up: () => void = () => {};
  let ended = false;
  const { made, clock, tries } = line((run) => {
    up = run;
    return () => (ended = true);
  });
  made.want(true);
  await clock.move(2_000);
  const before = tries.length;
  up();
  await settle();
  expect(tries).toHaveLength(before + 1);
  expect(tries.at(-1)).toBe(2_000);
  made.want(false);
  expect(ended).toBe(true);
});

it("dials once more when it was told while it dialled, and its tries by the clock stay as they were", async () => {
  let up: () => void = () => {};
  const { made, clock, tries } = line((run) => {
    up = run;
    return () => {};
  });
  made.want(true);
  up();
  up();
  await settle();
  expect(tries).toEqual([0, 0]);
  await clock.move(1_000);
  expect(tries).toEqual([0, 0, 250, 750]);
  up();
  await settle();
  await clock.move(3_000);
  expect(tries).toEqual([0, 0, 250, 750, 1_000, 1_750, 3_750]);
  made.want(false);
  expect(clock.waiting).toBe(0);
});

it("who waits for it is told when it takes too long or is not wanted any more", async () => {
  const { made, clock } = line();
  made.want(true);
  const late = made.ready(1_000);
  await clock.move(1_000);
  expect(await late).toBe(false);
  const over = made.ready(60_000);
  made.want(false);
  expect(await over).toBe(false);
  expect(clock.waiting).toBe(0);
});
