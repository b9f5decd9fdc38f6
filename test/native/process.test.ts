/** What the addon does to the process that loads it: exit, leaks, collection, a blocked thread, locks. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ended, line, run, start } from "./children.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "native-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a process that forgets close()", () => {
  test.each([
    ["comes to its end", "end", 0],
    ["calls process.exit in the middle of the stream", "now", 3],
    ["throws", "throw", 1],
  ])("still exits with its own code when it %s, and leaves no region", async (_, how, code) => {
    const region = join(folder, `exit-${how}`);
    const child = await run("exit", region, how);
    expect(child).toMatchObject({ code, signal: null });
    expect(child.lines[0]).toMatchObject({ units: expect.any(Number) });
    expect(existsSync(region)).toBe(false);
  });

  test("ends its threads when the collector finds the pipeline", async () => {
    const child = await run("collected");
    expect(child).toMatchObject({ code: 0, signal: null });
    const [before, after] = child.lines.map((said) => said["threads"]);
    expect(before).toBeGreaterThan(0);
    expect(after).toBe(0);
  });

  test("may be a worker that is ended in the middle of its stream", async () => {
    expect(await run("worker")).toMatchObject({ code: 0, signal: null, lines: [{ rounds: 10 }] });
  });
});

test("160 pipelines opened and closed leave no thread, no descriptor and no memory", async () => {
  const child = await run("leak", join(folder, "leak"));
  expect(child).toMatchObject({ code: 0, signal: null });
  expect(child.lines[0]).toMatchObject({ threads: 0, grownDescriptors: 0 });
  // One leaked picture a round would be 18 MB; the allocator's own slack stays far below.
  expect(child.lines[0]?.["grownBytes"]).toBeLessThan(8_000_000);
}, 120_000);

test("while JavaScript is blocked at most the queue waits, nothing more is encoded, and the newest picture follows unbroken", async () => {
  const child = await run("blocked");
  expect(child).toMatchObject({ code: 0, signal: null });
  const said = child.lines[0] as {
    inTurnBefore: number;
    full: { unitsOut: number; framesIn: number };
    unitsDropped: number;
    keys: boolean[];
    times: number[];
  };
  expect(said.inTurnBefore).toBe(1);
  expect(said.full.unitsOut).toBe(3);
  expect(said.full.framesIn).toBeGreaterThan(500);
  expect(said.unitsDropped).toBe(0);
  expect(said.keys.map(Number).indexOf(1, 1)).toBe(-1);
  expect(said.keys[0]).toBe(true);
  expect(said.times.toSorted((a, b) => a - b)).toEqual(said.times);
});

test("close() in the middle of a stream joins, removes the region, ends the callbacks and makes later calls words", async () => {
  const region = join(folder, "close");
  const child = await run("close", region);
  expect(child).toMatchObject({ code: 0, signal: null });
  const closed = "the screen's stream is closed";
  expect(child.lines[0]).toMatchObject({
    threads: 0,
    region: false,
    notify: closed,
    push: closed,
    keyframe: null,
    streaming: null,
    encoder: null,
    units: true,
    again: "closed",
    after: 0,
  });
  expect(["made", closed]).toContain(child.lines[0]?.["still"]);
});

describe("lock()", () => {
  test("is held by one process, let go by release() and by a killed one", async () => {
    const path = join(folder, "lock");
    const first = start("lock", path);
    expect(await line(first)).toEqual({ held: true });
    expect((await run("lock", path)).lines).toEqual([{ held: false }]);
    first.kill("SIGKILL");
    await ended(first);
    const second = start("lock", path);
    expect(await line(second)).toEqual({ held: true });
    second.stdin?.write("let go\n");
    expect(await line(second)).toEqual({ held: false });
    const third = start("lock", path);
    expect(await line(third)).toEqual({ held: true });
    for (const child of [second, third]) {
      child.kill("SIGKILL");
      await ended(child);
    }
  });
});
