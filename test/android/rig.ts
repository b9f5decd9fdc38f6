/**
 * A machine for the Android driver, whole and its own: an SDK whose adb is Debian's and whose emulator is the peer, AVDs, an adb server,
 * folders. Nothing of the real user's is seen or touched.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { OfferedDevice } from "#core/device.ts";
import { androidDriver, type AndroidOptions } from "#drivers/android/driver.ts";
import { realOutside, type Outside } from "#drivers/android/outside.ts";
import type { DeviceDriver, DriverFactory, DriverGeometry, DriverHost } from "#drivers/driver.ts";
import { FramePipeline } from "#native/frame-pipeline.ts";
import { loadBinding } from "#native/load.ts";

import { freePorts, PORTS_EACH } from "../support/ports.ts";
import { Feed, type Said } from "./feed.ts";

/** A bench is a bundle elsewhere, and is told where the checkout is. */
const ROOT = process.env.BB_CHECKOUT ?? fileURLToPath(new URL("../..", import.meta.url));
const PEER = join(ROOT, "test/peers/emulator.py");
const CONSOLE_TOKEN = "Kx3vCONSOLEtoken";
const PYTHON = "/usr/bin/python3";

export const PIXEL_8 = { "hw.lcd.width": "1080", "hw.lcd.height": "2400", "hw.lcd.density": "420", "hw.device.name": "pixel_8" } as const;
export const PIXEL_FOLD = {
  "hw.lcd.width": "2208",
  "hw.lcd.height": "1840",
  "hw.lcd.density": "420",
  "hw.device.name": "pixel_fold",
  "hw.sensor.hinge": "yes",
  "hw.sensor.hinge.areas": "1080-0-1-1840",
  "hw.sensor.posture_list": "1,2,3",
  "hw.displayRegion.0.1.width": "1080",
  "hw.displayRegion.0.1.height": "2092",
} as const;
export const FOLD_ARGS = ["--size", "2208x1840", "--outer", "1080x2092"] as const;
/** Small enough that a test which needs no real size is quick. */
export const SMALL = { "hw.lcd.width": "320", "hw.lcd.height": "640", "hw.lcd.density": "160", "hw.device.name": "small" } as const;
export const SMALL_ARGS = ["--size", "320x640", "--density", "160"] as const;

export interface Peer {
  readonly feed: Feed;
  readonly pid: number;
  readonly serial: string;
  readonly consolePort: number;
  /** One command; answers what the peer says to it. */
  order(what: string, fields?: Readonly<Record<string, unknown>>): Promise<Said>;
  /** Resolves when everything that reached it before has been told. */
  heard(): Promise<void>;
  /** Ends it as a crash would. */
  die(): Promise<void>;
}

export interface HostRecord {
  readonly host: DriverHost;
  readonly geometries: DriverGeometry[];
  readonly warnings: (string | null)[];
  readonly progress: string[];
  readonly logs: { readonly level: string; readonly message: string; readonly fields: unknown }[];
  /** Events as they come: geometry, changed, exited, clipboard. */
  readonly feed: Feed;
}

export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), "bb-android-"));
  readonly home = join(this.folder, "home");
  readonly deviceHome = join(this.folder, "device");
  readonly run = join(this.folder, "run");
  readonly sdk = join(this.folder, "sdk");
  readonly runtime = join(this.folder, "xdg");
  readonly avds = join(this.home, ".android", "avd");
  readonly adbPort: number;
  /** Where this machine's emulators listen: another than a machine's beside it. */
  readonly grpcPort: number;
  readonly #drivers: DeviceDriver[] = [];
  readonly #children: ChildProcess[] = [];
  #adb: ChildProcess | null = null;

  private constructor(adbPort: number, grpcPort: number) {
    this.adbPort = adbPort;
    this.grpcPort = grpcPort;
    for (const folder of [
      this.deviceHome,
      this.run,
      this.runtime,
      this.avds,
      join(this.sdk, "platform-tools"),
      join(this.sdk, "emulator"),
    ]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    // adb signs in to an emulator's console with this file.
    writeFileSync(join(this.home, ".emulator_console_auth_token"), CONSOLE_TOKEN, { mode: 0o600 });
    symlinkSync("/usr/bin/adb", join(this.sdk, "platform-tools", "adb"));
    writeFileSync(join(this.sdk, "emulator", "source.properties"), "Pkg.Revision=37.2.12\n");
  }

  /** With an adb server of its own on a free port. */
  static async start(): Promise<Rig> {
    const first = await freePorts(PORTS_EACH);
    const rig = new Rig(first + PORTS_EACH - 1, first);
    const adb = spawn("adb", ["-P", String(rig.adbPort), "nodaemon", "server"], { env: rig.env as NodeJS.ProcessEnv, stdio: "ignore" });
    rig.#adb = adb;
    const ended = new Promise<never>((_, reject) => adb.once("exit", (code) => reject(new Error(`adb's server ended with ${code}`))));
    await Promise.race([listening(rig.adbPort), ended]);
    ended.catch(() => {});
    return rig;
  }

  get env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.home,
      TMPDIR: this.folder,
      ANDROID_HOME: this.sdk,
      XDG_RUNTIME_DIR: this.runtime,
      ANDROID_ADB_SERVER_PORT: String(this.adbPort),
      BB_BOX_GRPC_PORT: String(this.grpcPort),
    };
  }

  /** The real outside, but this machine's; folders of the system's users are the rig's. */
  outside(changes: Partial<Outside> = {}): Outside {
    return { ...realOutside(this.env), runUser: join(this.folder, "run-user"), ...changes };
  }

  avd(id: string, config: Readonly<Record<string, string>> = PIXEL_8): string {
    const folder = join(this.avds, `${id}.avd`);
    mkdirSync(folder, { recursive: true });
    const lines = {
      "image.sysdir.1": "system-images/android-35/google_apis/x86_64/",
      "abi.type": "x86_64",
      "tag.id": "google_apis",
      ...config,
    };
    writeFileSync(
      join(folder, "config.ini"),
      Object.entries(lines)
        .map(([key, value]) => `${key}=${value}\n`)
        .join(""),
    );
    writeFileSync(join(this.avds, `${id}.ini`), `avd.ini.encoding=UTF-8\npath=${folder}\ntarget=android-35\n`);
    return folder;
  }

  /** A running emulator, as one that Android Studio started. */
  async peer(args: readonly string[] = [], where: { readonly avd?: string; readonly discovery?: string } = {}): Promise<Peer> {
    const avd = where.avd ?? "Pixel_8";
    const child = spawn(
      PYTHON,
      [
        PEER,
        "--discovery",
        where.discovery ?? join(this.runtime, "avd", "running"),
        "--adb-server",
        String(this.adbPort),
        "--console-token",
        CONSOLE_TOKEN,
        "--avd",
        avd,
        "--avd-dir",
        join(this.avds, `${avd}.avd`),
        ...args,
      ],
      { env: { ...process.env, ...this.env }, stdio: ["pipe", "pipe", "inherit"] },
    );
    this.#children.push(child);
    return peerOf(child.stdout as NodeJS.ReadableStream, child.stdin as NodeJS.WritableStream);
  }

  /** Makes `emulator` of the SDK the peer, which logs its arguments and takes commands on a socket. `args` are the peer's own. */
  installEmulator(args: readonly string[] = []): void {
    const path = join(this.sdk, "emulator", "emulator");
    const script = `#!/usr/bin/python3
import json, os, sys
args = sys.argv[1:]
with open(${JSON.stringify(join(this.folder, "emulator-args.jsonl"))}, "a") as log:
    log.write(json.dumps(args) + "\\n")
after = lambda name: args[args.index(name) + 1]
avd = after("-avd")
control = os.path.join(${JSON.stringify(this.folder)}, "control-" + avd)
if os.path.exists(control):
    os.unlink(control)
os.execv(${JSON.stringify(PYTHON)}, [${JSON.stringify(PYTHON)}, ${JSON.stringify(PEER)},
    "--discovery", ${JSON.stringify(join(this.runtime, "avd", "running"))}, "--adb-server", "${this.adbPort}", "--console-token", "${CONSOLE_TOKEN}",
    "--avd", avd, "--avd-dir", os.path.join(${JSON.stringify(this.avds)}, avd + ".avd"), "--grpc-port", after("-grpc"),
    "--control", control, *${JSON.stringify(args)}])
`;
    writeFileSync(path, script);
    chmodSync(path, 0o755);
  }

  /** What the SDK's emulator was started with, each time. */
  emulatorStarts(): readonly (readonly string[])[] {
    const text = readFileSync(join(this.folder, "emulator-args.jsonl"), "utf8");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as string[]);
  }

  /** What an emulator told from its start on, kept by itself with `--log FILE`. */
  logged(file: string): readonly Said[] {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Said);
  }

  /** The emulator that the driver started for this AVD, as a peer. */
  async booted(avd: string): Promise<Peer> {
    const { connect } = await import("node:net");
    const socket = connect(join(this.folder, `control-${avd}`));
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    // It ends as its emulator does, killed or not.
    socket.on("error", () => {});
    const file = readdirSync(join(this.runtime, "avd", "running")).find((name) => name.endsWith(".ini"));
    const text = readFileSync(join(this.runtime, "avd", "running", file ?? ""), "utf8");
    const console = Number(/port\.serial=(\d+)/.exec(text)?.[1]);
    return handle(new Feed(socket), socket, {
      pid: Number(/pid_(\d+)/.exec(file ?? "")?.[1]),
      serial: `emulator-${console}`,
      consolePort: console,
    });
  }

  /** The driver as the composition root makes it, on this machine. */
  factory(options: Partial<AndroidOptions> = {}): DriverFactory {
    const binding = loadBinding();
    return androidDriver({
      outside: this.outside(),
      lock: (path) => binding.lock(path),
      makePipeline: (onEvent) => new FramePipeline(binding, { onEvent, encoder: "auto", queue: 8 }),
      imageRecord: join(this.folder, "image.json"),
      grpcPort: this.grpcPort,
      ...options,
    });
  }

  driver(
    options: Partial<AndroidOptions> = {},
    clock = { now: monotonicMs, wall: () => Date.now() },
  ): { driver: DeviceDriver; record: HostRecord } {
    const record = hostRecord();
    const make = this.factory(options);
    const driver = make(record.host, { home: this.deviceHome, run: this.run, clock });
    this.#drivers.push(driver);
    return { driver, record };
  }

  async stop(): Promise<void> {
    for (const driver of this.#drivers) await driver.detach();
    for (const child of this.#children) child.kill("SIGKILL");
    const running = join(this.runtime, "avd", "running");
    for (const name of readdirSync(this.runtime).includes("avd") ? readdirSync(running) : []) {
      const pid = Number(/pid_(\d+)/.exec(name)?.[1]);
      if (pid > 0) spawnSync("kill", ["-9", String(pid)]);
    }
    this.#adb?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A signal that gives up within a test's time. */
export function soon(ms = 20_000): AbortSignal {
  return AbortSignal.timeout(ms);
}

export async function offerOf(driver: DeviceDriver, native: string): Promise<OfferedDevice> {
  const found = (await driver.offered()).find(({ offer }) => offer.native === native);
  if (found === undefined) throw new Error(`${native} is not offered`);
  return found.offer;
}

async function peerOf(output: NodeJS.ReadableStream, input: NodeJS.WritableStream): Promise<Peer> {
  const feed = new Feed(output);
  const ready = await feed.next((said) => said.event === "ready");
  return handle(feed, input, { pid: ready.pid as number, serial: ready.serial as string, consolePort: ready.consolePort as number });
}

function handle(feed: Feed, input: NodeJS.WritableStream, about: { pid: number; serial: string; consolePort: number }): Peer {
  let orders = 0;
  const order = (what: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const id = (orders += 1);
    const answer = feed.next((said) => said.event === "did" && said.id === id);
    input.write(`${JSON.stringify({ ...fields, do: what, id })}\n`);
    return answer;
  };
  return {
    ...about,
    feed,
    order,
    heard: async () => void (await order("state")),
    die: async () => {
      input.write(`${JSON.stringify({ do: "die" })}\n`);
      await feed.next((said) => said.event === "died");
    },
  };
}

function hostRecord(): HostRecord {
  const feed = new Feed(null);
  const record = {
    geometries: [] as DriverGeometry[],
    warnings: [] as (string | null)[],
    progress: [] as string[],
    logs: [] as HostRecord["logs"],
  };
  const host: DriverHost = {
    geometry: (geometry) => {
      record.geometries.push(geometry);
      feed.say({ event: "geometry", geometry });
      return record.geometries.length;
    },
    changed: (atMs) => feed.say({ event: "changed", atMs }),
    exited: (why) => feed.say({ event: "exited", ...why }),
    clipboard: (text) => feed.say({ event: "clipboard", text }),
    warning: (words) => void record.warnings.push(words),
    log: (level, message, fields) => {
      record.logs.push({ level, message, fields });
      feed.say({ event: "log", level, message, fields });
    },
    progress: (words) => void record.progress.push(words),
  };
  return { host, feed, ...record };
}

async function listening(port: number): Promise<void> {
  const outside = realOutside();
  for (;;) {
    if ((await outside.ask(port, "000chost:version", 1_000))?.startsWith("OKAY") === true) return;
    await outside.wait(20);
  }
}
