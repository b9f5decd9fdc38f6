import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { Adb } from "#drivers/android/adb.ts";
import { realOutside } from "#drivers/android/outside.ts";

import { describeWith } from "../support/needs.ts";
import { freePort } from "../support/ports.ts";

describeWith(["adb"], "adb's server is left as it was found", () => {
  let home: string;
  let port: number;
  let found: ChildProcess | null = null;
  const adb = () =>
    new Adb(realOutside({ PATH: process.env.PATH, HOME: home, TMPDIR: home, ANDROID_ADB_SERVER_PORT: String(port) }), "/usr/bin/adb");

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "bb-adb-"));
    port = await freePort();
  });
  afterEach(async () => {
    found?.kill("SIGKILL");
    found = null;
    rmSync(home, { recursive: true, force: true });
  });

  it("one that was started for us ends with us", async () => {
    const ours = adb();
    expect(await ours.serverVersion()).toBeNull();
    // Two at once start one.
    const [devices, again] = await Promise.all([ours.run(["devices"]), ours.run(["devices"])]);
    expect([devices.code, again.code]).toEqual([0, 0]);
    expect(await ours.serverVersion()).not.toBeNull();
    await ours.leave();
    expect(await ours.serverVersion()).toBeNull();
  });

  it("one that runs is left running, with us or without", async () => {
    found = spawn("/usr/bin/adb", ["-P", String(port), "nodaemon", "server"], { env: { HOME: home, TMPDIR: home }, stdio: "ignore" });
    const [ours, theirs] = [adb(), adb()];
    while ((await ours.serverVersion()) === null) await new Promise((resolve) => setImmediate(resolve));
    await ours.run(["devices"]);
    await ours.startServer();
    await ours.leave();
    expect(await theirs.serverVersion()).not.toBeNull();
    expect(found.exitCode).toBeNull();
  });

  it("one that was never needed is not started to be stopped", async () => {
    const ours = adb();
    await ours.leave();
    expect(await ours.serverVersion()).toBeNull();
  });
});
