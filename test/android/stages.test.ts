/** An emulator that is started here, at the stages before it can be talked to. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";

import { realOutside } from "#drivers/android/outside.ts";

import { Feed } from "./feed.ts";
import { describeWith } from "../support/needs.ts";
import { monotonicMs, offerOf, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "an emulator that is being started", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  /** Starts one that comes no further than its processes, which are answered. */
  async function stalled(args: readonly string[] = [], clock?: { now(): number; wall(): number }) {
    const file = join(rig.folder, "stalled.json");
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--stalled", file, ...args]);
    const { driver } = rig.driver({}, clock);
    const giveUp = new AbortController();
    const attaching = driver.attach(await offerOf(driver, "Small"), giveUp.signal);
    attaching.catch(() => {});
    await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(true);
    const pids = JSON.parse(readFileSync(file, "utf8")) as readonly number[];
    onTestFinished(() => {
      for (const pid of pids) if (realOutside().alive(pid)) process.kill(pid, "SIGKILL");
    });
    return { driver, attaching, giveUp, pids };
  }

  /** Ten times as fast, so that a test does not wait for what a person waits for. */
  const quick = { now: () => monotonicMs() * 10, wall: () => Date.now() };

  const gone = async (pids: readonly number[]) => {
    for (const pid of pids) await expect.poll(() => realOutside().alive(pid)).toBe(false);
  };

  it("is ended by its process and its group when it has written no discovery file yet", async () => {
    const { driver, attaching, giveUp, pids } = await stalled();
    expect(await driver.startedHere?.()).toBe(true);
    giveUp.abort(new Error("given up"));
    await expect(attaching).rejects.toThrow("given up");
    await driver.shutdown(soon());
    await gone(pids);
    expect(await driver.startedHere?.()).toBe(false);
  });

  it("is stopped as the unit that it is, where systemd keeps it", async () => {
    const bin = join(rig.folder, "bin");
    const asked = join(rig.folder, "systemctl");
    const file = join(rig.folder, "stalled.json");
    mkdirSync(bin);
    const script = (name: string, body: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    script(
      "systemctl",
      `echo "$@" >> ${asked}; case "$2" in is-system-running) echo running;; stop) kill $(cat ${rig.folder}/unit);; esac`,
    );
    script(
      "systemd-run",
      `while [ "$1" != "--" ]; do shift; done; shift; setsid "$@" > /dev/null 2>&1 < /dev/null & echo $! > ${rig.folder}/unit`,
    );
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--stalled", file]);
    const env = { ...rig.env, PATH: `${bin}:${rig.env.PATH}` };
    const { driver } = rig.driver({ outside: { ...rig.outside(), env, run: realOutside(env).run } });
    const giveUp = new AbortController();
    const attaching = driver.attach(await offerOf(driver, "Small"), giveUp.signal);
    attaching.catch(() => {});
    await expect.poll(() => existsSync(file), { timeout: 10_000 }).toBe(true);
    const [pid = 0, other = 0] = JSON.parse(readFileSync(file, "utf8")) as readonly number[];
    onTestFinished(() => void realOutside().signal(other, "SIGKILL"));
    giveUp.abort(new Error("given up"));
    await driver.shutdown(soon());
    expect(readFileSync(asked, "utf8")).toContain("--user stop bb-box-emulator@Small.service\n");
    await gone([pid]);
  });

  it("is killed when it does not heed SIGTERM", async () => {
    const { driver, giveUp, pids } = await stalled(["--deaf"], quick);
    giveUp.abort(new Error("given up"));
    await driver.shutdown(soon());
    await gone(pids);
  });

  it("gives way to the next boot, so that never two run", async () => {
    const { driver, attaching, giveUp, pids } = await stalled();
    giveUp.abort(new Error("it was not up within 120 s"));
    await expect(attaching).rejects.toThrow("120 s");
    rig.avd("Other", SMALL);
    rig.installEmulator(SMALL_ARGS);
    expect(await driver.attach(await offerOf(driver, "Other"), soon())).toBe("booted");
    await gone(pids);
  });

  it("that does not start in time is ended, in words", async () => {
    let laterMs = 0;
    const { attaching, pids } = await stalled([], { ...quick, now: () => monotonicMs() + laterMs });
    laterMs = 121_000;
    await expect(attaching).rejects.toThrow("The emulator of Small did not start");
    await gone(pids);
  });

  it("is its home's own for the next server too, which stops it while it boots", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--not-booted"]);
    const first = rig.driver().driver;
    const giveUp = new AbortController();
    const attaching = first.attach(await offerOf(first, "Small"), giveUp.signal);
    await expect.poll(() => existsSync(join(rig.folder, "control-Small")), { timeout: 10_000 }).toBe(true);
    const peer = await rig.booted("Small");
    giveUp.abort(new Error("killed"));
    await expect(attaching).rejects.toThrow("killed");
    await peer.heard();
    const second = rig.driver().driver;
    const again = new AbortController();
    const found = second.attach(await offerOf(second, "Small"), again.signal);
    await expect.poll(() => second.startedHere?.(), { timeout: 10_000 }).toBe(true);
    again.abort(new Error("ended"));
    await expect(found).rejects.toThrow("ended");
    const killed = peer.feed.next((said) => said.event === "killed");
    await second.shutdown(soon());
    expect((await killed).saved).toBe(true);
  });

  it("is given another port when a program has the first without answering on it", async () => {
    const port = rig.grpcPort;
    const held = spawn("/usr/bin/python3", [
      "-c",
      `import socket,sys;s=socket.socket();s.bind(("127.0.0.1",${port}));print('{"event":"bound"}',flush=True);sys.stdin.read()`,
    ]);
    onTestFinished(() => void held.kill("SIGKILL"));
    await new Feed(held.stdout).next((said) => said.event === "bound");
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver } = rig.driver();
    expect(await driver.attach(await offerOf(driver, "Small"), soon())).toBe("booted");
    expect(rig.emulatorStarts().map((args) => args[args.indexOf("-grpc") + 1])).toEqual([String(port + 1)]);
  });

  it.each([
    ["ends", []],
    ["runs on without it", ["--no-grpc-if-taken"]],
  ])("is started again on the next port, in words, when the port is taken before it is there and it %s", async (_how, args) => {
    const port = rig.grpcPort;
    const other = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void other.close());
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, ...args]);
    const outside = rig.outside();
    let asked = 0;
    // Free at the look, taken at the emulator's own.
    const free = (one: number) => (one === port && (asked += 1) === 1 ? Promise.resolve(true) : outside.free(one));
    const { driver, record } = rig.driver({ outside: { ...outside, free } }, quick);
    expect(await driver.attach(await offerOf(driver, "Small"), soon())).toBe("booted");
    expect(rig.emulatorStarts().map((args) => args[args.indexOf("-grpc") + 1])).toEqual([String(port), String(port + 1)]);
    expect(record.progress).toContain(`Another program took port ${port} meanwhile. Starting Small again on the next free one.`);
    expect(await driver.running()).toEqual(["Small"]);
  });

  it("of two homes at once gets a port of its own each", async () => {
    rig.avd("One", SMALL);
    rig.avd("Two", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const both = [rig.driver().driver, rig.driver().driver] as const;
    const offers = [await offerOf(both[0], "One"), await offerOf(both[1], "Two")] as const;
    expect(await Promise.all([both[0].attach(offers[0], soon()), both[1].attach(offers[1], soon())])).toEqual(["booted", "booted"]);
    const ports = rig.emulatorStarts().map((args) => Number(args[args.indexOf("-grpc") + 1]));
    expect(ports.sort()).toEqual([rig.grpcPort, rig.grpcPort + 1]);
  });

  it("with no port free says which were tried and what to do", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver } = rig.driver({ outside: { ...rig.outside(), free: () => Promise.resolve(false) } });
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      `No port from ${rig.grpcPort} to ${rig.grpcPort + 47} is free for the emulator. End what listens there, or name another with BB_BOX_GRPC_PORT.`,
    );
  });
});
