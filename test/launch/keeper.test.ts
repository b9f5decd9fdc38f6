import { expect, it } from "vitest";
import { GivenUpError, Keeper, type KeeperOptions } from "#launch/keeper.ts";
import type { Ended, Spawned } from "#launch/process.ts";
import { ManualTimers, settle } from "./manual-timers.ts";

interface Fake {
  readonly said: Spawned;
  readonly signals: string[];
  end(ended: Ended): void;
}

function keep(over: Partial<KeeperOptions> = {}) {
  const timers = new ManualTimers();
  const children: Fake[] = [];
  const keeper = new Keeper({
    name: "the device server",
    command: () => ({ command: "node", args: [] }),
    timers,
    ready: (message) => (typeof message === "object" ? message : null),
    spawn: (_command, said) => {
      let end: (ended: Ended) => void = () => {};
      const ended = new Promise<Ended>((resolve) => (end = resolve));
      const fake: Fake = { said, signals: [], end };
      children.push(fake);
      return { pid: 100 + children.length, ended, signal: (signal) => fake.signals.push(signal) > 0 };
    },
    ...over,
  });
  const last = () => {
    const child = children.at(-1);
    if (child === undefined) throw new Error("no child");
    return child;
  };
  return { keeper, timers, children, last };
}

const CRASH: Ended = { code: 1, signal: null };

it("starts a killed child again within a second, each time", async () => {
  const { keeper, timers, children, last } = keep();
  keeper.start();
  for (let i = 1; i < 9; i++) {
    last().end({ code: null, signal: "SIGKILL" });
    await timers.move(999);
    expect(children).toHaveLength(i + 1);
  }
});

it("the first restart comes after a tenth of a second", async () => {
  const { keeper, timers, children, last } = keep();
  keeper.start();
  last().end(CRASH);
  await timers.move(99);
  expect(children).toHaveLength(1);
  await timers.move(1);
  expect(children).toHaveLength(2);
});

it("gives up after ten ends in a minute, with the last words of the child", async () => {
  const { keeper, timers, children, last } = keep();
  keeper.start();
  for (let i = 0; i < 10; i++) {
    last().said.line(`no encoder ${i}`);
    last().end(CRASH);
    await timers.move(1_000);
  }
  expect(children).toHaveLength(10);
  await expect(keeper.gone).rejects.toThrow(/ended 10 times in a minute \(exit code 1\).*no encoder 9/);
  await expect(keeper.ready).rejects.toBeInstanceOf(GivenUpError);
  await timers.move(120_000);
  expect(children).toHaveLength(10);
});

it("ends spread over more than a minute never give up", async () => {
  const { keeper, timers, children, last } = keep();
  keeper.start();
  for (let i = 0; i < 30; i++) {
    await timers.move(7_000);
    last().end(CRASH);
    await timers.move(1_000);
  }
  expect(children).toHaveLength(31);
});

it("a fatal exit code is not tried again and gives its own words", async () => {
  const { keeper, timers, children, last } = keep({ fatal: new Map([[3, "Another device server holds this home."]]) });
  keeper.start();
  last().end({ code: 3, signal: null });
  await expect(keeper.ready).rejects.toMatchObject({ code: 3, message: "Another device server holds this home." });
  await timers.move(5_000);
  expect(children).toHaveLength(1);
});

it("a command that cannot be started is said, not tried again", async () => {
  const { keeper, last, children, timers } = keep();
  keeper.start();
  last().end({ code: null, signal: null, error: new Error("spawn nothing ENOENT") });
  await expect(keeper.gone).rejects.toThrow("The device server could not be started: spawn nothing ENOENT.");
  await timers.move(5_000);
  expect(children).toHaveLength(1);
});

it("stop sends SIGTERM, and SIGKILL only after the bound", async () => {
  const { keeper, timers, last } = keep();
  keeper.start();
  last().said.message({ socket: "x" });
  await expect(keeper.ready).resolves.toEqual({ socket: "x" });
  const stopped = keeper.stop(1_500);
  await timers.move(1_499);
  expect(last().signals).toEqual(["SIGTERM"]);
  await timers.move(1);
  expect(last().signals).toEqual(["SIGTERM", "SIGKILL"]);
  last().end({ code: null, signal: "SIGKILL" });
  await stopped;
  await expect(keeper.gone).resolves.toBeUndefined();
  expect(timers.waiting).toBe(0);
});

it("stop while a restart waits starts nothing more", async () => {
  const { keeper, timers, children, last } = keep();
  keeper.start();
  last().end(CRASH);
  await settle();
  await keeper.stop();
  await timers.move(10_000);
  expect(children).toHaveLength(1);
  keeper.start();
  expect(children).toHaveLength(1);
});
