import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";

import { Adb } from "#drivers/android/adb.ts";
import { realOutside } from "#drivers/android/outside.ts";

import { tellWhenFailed } from "../support/failed.ts";
import { describeWith } from "../support/needs.ts";
import { ROOT } from "../support/product.ts";
import { freePort } from "../support/ports.ts";
import { Rig, SMALL, SMALL_ARGS } from "./rig.ts";

const MAIN = join(ROOT, "build/bb-box-device.mjs");

interface Product {
  readonly child: ChildProcess;
  /** What it is, once it can be used. */
  readonly device: Promise<string>;
  readonly ended: Promise<number | null>;
  readonly stderr: () => string;
}

describeWith(["python3-grpcio", "protoc", "adb"], "a start on a machine with emulators", () => {
  let rig: Rig;
  let home: string;
  const started: Product[] = [];

  beforeEach(async () => {
    rig = await Rig.start();
    home = mkdtempSync(join(tmpdir(), "bb-"));
  });
  afterEach(async (context) => {
    const said = started.map(({ stderr }) => stderr());
    tellWhenFailed(context, said, [join(home, "logs/device.log"), join(home, "device/intent.json")]);
    for (const { child } of started) child.kill("SIGTERM");
    await Promise.all(started.splice(0).map(({ ended }) => ended));
    await rig.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Product {
    const command = [MAIN, "start", "--json", "--no-open", "--port", "0", "--home", home, ...args];
    const child = spawn(process.execPath, command, {
      env: { ...rig.env, BB_DEVICE_ADDON: process.env.BB_DEVICE_ADDON, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    const device = new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", (line) => resolve((JSON.parse(line) as { device: string }).device));
      void ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)));
    });
    device.catch(() => {});
    const product = { child, device, ended, stderr: () => stderr };
    started.push(product);
    return product;
  }

  async function end({ child, ended }: Product): Promise<void> {
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  }

  const log = () => readFileSync(join(home, "logs/device.log"), "utf8");
  const regions = () => readdirSync(join(home, "device/run")).filter((name) => name.startsWith("region-"));
  /** The command line of the device server of this home. */
  function server(): { readonly pid: number; readonly args: string } {
    for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
      try {
        const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ");
        if (args.includes(` serve --home ${home} `)) return { pid: Number(name), args };
      } catch {
        // It ended meanwhile.
      }
    }
    return { pid: 0, args: "" };
  }

  it("with nothing said shows the one that runs, the same after its server was killed, and leaves it running", async () => {
    rig.avd("Small", SMALL);
    rig.avd("Other", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const product = start();
    expect(await product.device).toBe("Small");
    expect(product.stderr()).toContain(`Small runs (${peer.serial}); it is left running at the end.`);
    const first = server();
    expect(first.args).toContain(`--device ${peer.serial} --model Small`);
    process.kill(first.pid, "SIGKILL");
    await expect.poll(() => log().match(/Small: reattached\./g)?.length, { timeout: 10_000 }).toBe(2);
    expect(server().args).toBe(first.args);
    await end(product);
    expect(product.stderr()).toContain("Small is left running, as it was found.");
    expect(regions()).toEqual([]);
    expect((await peer.order("state")).contacts).toEqual({});
  });

  it("what an earlier start was switched to does not count: the one that runs now is shown", async () => {
    rig.avd("One", SMALL);
    rig.avd("Two", SMALL);
    rig.installEmulator(SMALL_ARGS);
    await rig.peer(SMALL_ARGS, { avd: "One" });
    const product = await shown(start(["--stop-device"]), "One");
    const switched = spawn(process.execPath, [MAIN, "control", "switch", "Two", "--home", home], { env: rig.env, stdio: "ignore" });
    expect(await new Promise((resolve) => switched.once("close", resolve))).toBe(0);
    await end(product);
    await rig.peer(SMALL_ARGS, { avd: "One" });
    await end(await shown(start(), "One"));
    expect(rig.emulatorStarts().map((args) => args[args.indexOf("-avd") + 1])).toEqual(["Two"]);
  });

  async function shown(product: Product, name: string): Promise<Product> {
    expect(await product.device).toBe(name);
    return product;
  }

  it("of two that run takes none, lists both, and takes the one that is named; serve does the same", async () => {
    rig.avd("One", SMALL);
    rig.avd("Two", SMALL);
    const one = await rig.peer(SMALL_ARGS, { avd: "One" });
    const two = await rig.peer(SMALL_ARGS, { avd: "Two" });
    const product = start();
    expect(await product.ended).toBe(2);
    for (const [name, { serial }] of [
      ["One", one],
      ["Two", two],
    ] as const)
      expect(product.stderr()).toContain(`--device ${serial}   ${name}`);
    const serve = spawn(process.execPath, [MAIN, "serve", "--home", home], {
      env: { ...rig.env, BB_DEVICE_ADDON: process.env.BB_DEVICE_ADDON },
      stdio: "ignore",
    });
    expect(await new Promise((resolve) => serve.once("close", resolve))).toBe(2);
    // One that was found is not stopped, whatever is said.
    const named = await shown(start(["--device", two.serial, "--stop-device"]), "Two");
    await end(named);
    expect(named.stderr()).toContain("The emulator was not started here, so it is left running.");
    expect((await two.order("state")).contacts).toEqual({});
    expect(regions()).toEqual([]);
  });

  it("with none running says what is missing, and shows the test phone", async () => {
    rig.installEmulator();
    rig.avd("Pixel_8", { ...SMALL, "avd.ini.displayname": "Pixel 8" });
    const product = await shown(start(), "Test device");
    expect(product.stderr()).toContain('No emulator runs. To boot one: --device android --model "Pixel 8"\nShowing the test phone.');
    await end(product);
    const asked = start(["--device", "emulator-5554"]);
    expect(await asked.ended).toBe(1);
    expect(asked.stderr()).toContain("emulator-5554 does not run. No emulator runs.");
    const unknown = start(["--model", "Nokia"]);
    expect(await unknown.ended).toBe(1);
    expect(unknown.stderr()).toContain("There is no AVD named Nokia. There is: Pixel 8. The test phone is: Test device or Test foldable.");
    const plain = await shown(start(["--device", "test"]), "Test device");
    expect(plain.stderr()).not.toContain("emulator");
  });

  it("one that it booted is left running with words, found again, and stopped with its snapshot when that is asked", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const product = await shown(start(["--device", "android"]), "Small");
    await end(product);
    expect(product.stderr()).toContain("Small is left running. With --stop-device its snapshot is saved and it is stopped at the end.");
    const peer = await rig.booted("Small");
    expect((await peer.order("state")).contacts).toEqual({});
    const again = await shown(start(["--stop-device"]), "Small");
    const ended = peer.feed.next((said) => said.event === "killed");
    await end(again);
    expect((await ended).saved).toBe(true);
    expect(realOutside().alive(peer.pid)).toBe(false);
    expect(regions()).toEqual([]);
    expect(readdirSync(join(home, "device")).filter((name) => name.startsWith("running-"))).toEqual([]);
  });

  it("ended with --stop-device before its emulator has told of itself, ends that too, by its process", async () => {
    const file = join(rig.folder, "stalled.json");
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--stalled", file]);
    const product = start(["--device", "android", "--stop-device"]);
    await expect.poll(() => existsSync(file), { timeout: 15_000 }).toBe(true);
    const pids = JSON.parse(readFileSync(file, "utf8")) as readonly number[];
    onTestFinished(() => {
      for (const pid of pids) if (realOutside().alive(pid)) process.kill(pid, "SIGKILL");
    });
    expect(product.stderr()).toContain("Booting Small; it is stopped at the end.");
    await end(product);
    for (const pid of pids) await expect.poll(() => realOutside().alive(pid)).toBe(false);
    expect(product.stderr()).not.toContain("left running");
  });

  it("stops an adb server that it had to start, and no other", async () => {
    rig.avd("Small", SMALL);
    await rig.peer(SMALL_ARGS, { avd: "Small" });
    const port = String(await freePort());
    const env = { ...rig.env, ANDROID_ADB_SERVER_PORT: port };
    const product = start([], { ANDROID_ADB_SERVER_PORT: port });
    await expect.poll(() => new Adb(realOutside(env), "adb").serverVersion(), { timeout: 10_000 }).not.toBeNull();
    await end(product);
    expect(await new Adb(realOutside(env), "adb").serverVersion()).toBeNull();
    await end(await shown(start(), "Small"));
    expect(await new Adb(realOutside(rig.env), "adb").serverVersion()).not.toBeNull();
  });
});
