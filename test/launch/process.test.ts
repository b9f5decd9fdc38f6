import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { LogFile } from "#launch/log-file.ts";
import { alive, readLines, spawnGroup } from "#launch/process.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function node(script: string, onMessage: (message: unknown) => void, onLine: (line: string) => void = () => {}) {
  return spawnGroup({ command: process.execPath, args: ["-e", script] }, { message: onMessage, line: onLine });
}

it("a child says that it is ready over its channel, and its lines come one by one", async () => {
  const lines: string[] = [];
  let ready: unknown;
  const child = node(
    "process.send({ up: 1 }, () => { console.error('one\\ntwo'); process.stdout.write('three'); process.disconnect(); })",
    (m) => (ready = m),
    (l) => lines.push(l),
  );
  expect(await child.ended).toEqual({ code: 0, signal: null });
  expect(ready).toEqual({ up: 1 });
  expect(lines.sort()).toEqual(["one", "three", "two"]);
});

it("ending the group ends what the child started too", async () => {
  const grandchild = new Promise<number>((resolve) => {
    const child = node(
      "const c = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); process.send(1)'], { stdio: ['ignore','ignore','ignore','ipc'] }); c.on('message', () => process.send(c.pid)); setInterval(() => {}, 1000);",
      (pid) => {
        child.signal("SIGKILL");
        void child.ended.then(() => resolve(pid as number));
      },
    );
  });
  const pid = await grandchild;
  // A killed process is gone for its parent once its exit was seen; the grandchild's new parent reaps it.
  while (alive(pid) && !zombie(pid)) await new Promise((resolve) => setImmediate(resolve));
  expect(alive(pid) && !zombie(pid)).toBe(false);
});

it("a child without its parent sees its channel close", async () => {
  const script = `
    const c = require('child_process').spawn(process.execPath, ['-e', "process.send(process.pid); process.once('disconnect', () => process.exit(0));"], { detached: true, stdio: ['ignore','ignore','ignore','ipc'] });
    c.on('message', (pid) => process.send(pid, () => process.kill(process.pid, 'SIGKILL')));`;
  let pid = 0;
  const child = node(script, (m) => (pid = m as number));
  await child.ended;
  expect(pid).toBeGreaterThan(0);
  while (alive(pid) && !zombie(pid)) await new Promise((resolve) => setImmediate(resolve));
  expect(alive(pid) && !zombie(pid)).toBe(false);
});

it("a command that does not exist ends with its error", async () => {
  const child = spawnGroup({ command: "/no/such/command", args: [] }, { line: () => {}, message: () => {} });
  expect((await child.ended).error?.message).toMatch(/ENOENT/);
  expect(child.signal("SIGTERM")).toBe(false);
});

it("a line with no end is bounded", () => {
  const stream = new PassThrough();
  const lines: number[] = [];
  readLines(stream, (line) => lines.push(line.length));
  stream.write("x".repeat(200_000));
  stream.end("\n");
  stream.resume();
  return new Promise<void>((resolve) => {
    stream.on("end", () => {
      expect(lines).toEqual([65_536, 65_536, 65_536, 200_000 - 3 * 65_536]);
      resolve();
    });
  });
});

it("a log keeps one file of its size and the one before it, readable by its user alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "bb-log-"));
  folders.push(folder);
  const log = new LogFile(join(folder, "logs/device.log"), 100);
  for (let i = 0; i < 50; i++) log.write(`line ${i} ${"x".repeat(20)}`);
  expect(readFileSync(log.path, "utf8")).toContain("line 49");
  expect(statSync(log.path).size).toBeLessThanOrEqual(100);
  expect(statSync(`${log.path}.1`).size).toBeLessThanOrEqual(100);
  expect(statSync(log.path).mode & 0o777).toBe(0o600);
});

function zombie(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
