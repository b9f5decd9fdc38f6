/** Starting, awaiting and stopping an emulator. One that was found already running is only ever awaited. */
import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

import { missingCalls, writeAccess } from "./access.ts";
import type { Adb, AdbShell } from "./adb.ts";
import type { RunningEmulator } from "./discovery.ts";
import { wideListeners } from "./listeners.ts";
import { forgetRunning, noteRunning, noteStopping } from "./notes.ts";
import { runningEmulators } from "./offers.ts";
import type { Outside } from "./outside.ts";
import type { Sdk } from "./sdk.ts";

/** 063 "Switching": from the start to sys.boot_completed. */
export const BOOT_DEADLINE_MS = 120_000;
const LOOK_EVERY_MS = 250;
const PROGRESS_EVERY_MS = 5_000;
/** A kill saves the snapshot first: 2.8 s for a phone, more on a slow disk. */
const KILL_DEADLINE_MS = 30_000;
/** The emulator's gRPC port unless another is named (note 063 "Keeping the device's own ports closed"). */
export const GRPC_PORT = 8554;
/** How many ports from there on are tried. */
const GRPC_PORTS_TRIED = 48;

export interface LifeParts {
  readonly outside: Outside;
  readonly sdk: Sdk;
  readonly adb: Adb | null;
  /** The device home, for the notes of what was started and the emulator's own output. */
  readonly home: string;
  /** The first port that is tried for the emulator's gRPC. */
  readonly grpcPort: number;
  readonly clock: { now(): number; wall(): number };
  readonly progress: (words: string) => void;
  readonly log: (level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export interface BootOptions {
  readonly cold: boolean;
  readonly signal: AbortSignal;
}

/** Starts the AVD in a life of its own and answers it once its discovery file is there. */
export async function startEmulator(parts: LifeParts, avd: string, options: BootOptions): Promise<RunningEmulator> {
  const { outside, sdk } = parts;
  if (sdk.emulator === null) {
    throw new DeviceError(
      "failed",
      "No Android emulator is installed: set ANDROID_HOME to an SDK that has the emulator package, or start an emulator and try again.",
    );
  }
  await mkdir(parts.home, { recursive: true, mode: 0o700 });
  const before = new Set((await runningEmulators(outside)).map((emulator) => emulator.pid));
  const port = await freeGrpcPort(outside, parts.grpcPort);
  const missing = await missingCalls(sdk.root);
  const allow = missing === null || missing.length > 0 ? await writeAccess(parts.home) : null;
  const args = emulatorArgs(avd, port, { cold: options.cold, allow });
  const cold = options.cold ? "cold" : "from its snapshot";
  parts.progress(`Starting ${avd} ${cold}.`);
  parts.log("info", "starting an emulator", { avd, cold: options.cold, grpcPort: port });
  await noteRunning(parts.home, avd, null);
  const started = await launch(parts, avd, sdk.emulator, args);
  const emulator = await awaitDiscovery(parts, avd, before, started, options.signal);
  await noteRunning(parts.home, avd, emulator.pid);
  return emulator;
}

/** The emulator's arguments: no window, drawn by the CPU, gRPC on loopback behind a token. Never -grpc alone, which opens it to everyone. */
export function emulatorArgs(
  avd: string,
  grpcPort: number,
  how: { readonly cold: boolean; readonly allow: string | null },
): readonly string[] {
  const args = ["-avd", avd, "-no-window", "-gpu", "swiftshader_indirect", "-grpc", String(grpcPort), "-grpc-use-token"];
  if (how.allow !== null) args.push("-grpc-allowlist", how.allow);
  if (how.cold) args.push("-no-snapshot-load");
  return args;
}

async function freeGrpcPort(outside: Outside, first: number): Promise<number> {
  const last = first + GRPC_PORTS_TRIED - 1;
  for (let port = first; port <= last; port += 1) {
    if ((await outside.ask(port, "", 50)) === null) return port;
  }
  throw new DeviceError("failed", `No port from ${first} to ${last} is free for the emulator.`);
}

interface Started {
  /** null: a unit of the service manager, whose process is not known here. */
  readonly pid: number | null;
  readonly logPath: string;
}

/**
 * A unit of its own where there is systemd, because a process group dies with this server's cgroup; a session of its own elsewhere.
 * Its output goes to a file that a failed boot's words point at.
 */
async function launch(parts: LifeParts, avd: string, file: string, args: readonly string[]): Promise<Started> {
  const { outside, home } = parts;
  const logPath = join(home, `emulator-${avd.replaceAll(/[^\w.-]/g, "_")}.log`);
  await rename(logPath, `${logPath}.old`).catch(() => {});
  if (await hasUserSystemd(outside)) {
    const unit = unitName(avd);
    await outside.run("systemctl", ["--user", "reset-failed", unit], { timeoutMs: 5_000, env: outside.env });
    const kept = [
      "PATH",
      "HOME",
      "ANDROID_HOME",
      "ANDROID_SDK_ROOT",
      "ANDROID_AVD_HOME",
      "ANDROID_USER_HOME",
      "ANDROID_EMULATOR_HOME",
      "ANDROID_SDK_HOME",
      "ANDROID_ADB_SERVER_PORT",
      "XDG_RUNTIME_DIR",
      "TMPDIR",
    ];
    const env = kept.filter((name) => outside.env[name] !== undefined).map((name) => `--setenv=${name}=${outside.env[name]}`);
    const ran = await outside.run(
      "systemd-run",
      [
        "--user",
        `--unit=${unit}`,
        "--collect",
        "--quiet",
        "--property=KillMode=mixed",
        "--property=TimeoutStopSec=30",
        `--property=StandardOutput=append:${logPath}`,
        `--property=StandardError=append:${logPath}`,
        ...env,
        "--",
        file,
        ...args,
      ],
      { timeoutMs: 10_000, env: outside.env },
    );
    if (ran.code === 0) return { pid: null, logPath };
    parts.log("warn", "systemd did not take the emulator; it gets a session of its own", { words: ran.stderr.trim() });
  }
  const pid = outside.start(file, args, { env: outside.env, logPath });
  if (pid === 0) throw new DeviceError("failed", `The emulator could not be started: ${file}`);
  return { pid, logPath };
}

/** "bb-box-emulator@Pixel_8.service". */
export function unitName(avd: string): string {
  return `bb-box-emulator@${avd.replaceAll(/[^\w.-]/g, "_")}.service`;
}

async function hasUserSystemd(outside: Outside): Promise<boolean> {
  if (outside.platform !== "linux" || outside.env.XDG_RUNTIME_DIR === undefined) return false;
  const ran = await outside.run("systemctl", ["--user", "is-system-running"], { timeoutMs: 5_000, env: outside.env }).catch(() => null);
  return ran !== null && ["running", "degraded", "starting"].includes(ran.stdout.trim());
}

async function awaitDiscovery(
  parts: LifeParts,
  avd: string,
  before: ReadonlySet<number>,
  started: Started,
  signal: AbortSignal,
): Promise<RunningEmulator> {
  const { outside, clock } = parts;
  const deadlineMs = clock.now() + BOOT_DEADLINE_MS;
  while (clock.now() < deadlineMs) {
    signal.throwIfAborted();
    const found = (await runningEmulators(outside)).find(
      (emulator) => emulator.avd === avd && !before.has(emulator.pid) && emulator.grpc !== null,
    );
    if (found !== undefined) return found;
    if (started.pid !== null && !outside.alive(started.pid)) break;
    await outside.wait(LOOK_EVERY_MS, signal);
  }
  throw new DeviceError("failed", `The emulator of ${avd} did not start: ${await lastWords(started.logPath)}`);
}

/** The emulator's own last line that says what is wrong. */
async function lastWords(logPath: string): Promise<string> {
  const lines = (await readFile(logPath, "utf8").catch(() => "")).split("\n").filter((line) => line.trim() !== "");
  const wrong = lines.findLast((line) => /FATAL|ERROR|PANIC/.test(line)) ?? lines.at(-1);
  return wrong === undefined ? "it said nothing." : `${wrong.trim()} (${logPath})`;
}

/** Resolves when Android has booted (sys.boot_completed), saying how far it is. Rejects in words past the deadline or when it ends. */
export async function awaitBoot(parts: LifeParts, emulator: RunningEmulator, shell: AdbShell, signal: AbortSignal): Promise<void> {
  const { outside, clock } = parts;
  const startMs = clock.now();
  let told = startMs;
  for (;;) {
    signal.throwIfAborted();
    const answer = await shell.shell("getprop sys.boot_completed", { timeoutMs: 5_000, signal, anyCode: true }).catch((error: unknown) => {
      if (signal.aborted || isClash(error)) throw error;
      return "";
    });
    if (answer.trim() === "1") return;
    if (!outside.alive(emulator.pid)) throw new DeviceError("failed", `The emulator of ${emulator.avd} ended while it booted.`);
    const now = clock.now();
    if (now - startMs > BOOT_DEADLINE_MS) {
      throw new DeviceError("failed", `Android did not finish booting on ${emulator.avd} within ${BOOT_DEADLINE_MS / 1000} s.`);
    }
    if (now - told >= PROGRESS_EVERY_MS) {
      told = now;
      parts.progress(`Android is booting on ${emulator.avd}: ${Math.round((now - startMs) / 1000)} s.`);
    }
    await outside.wait(LOOK_EVERY_MS, signal);
  }
}

function isClash(error: unknown): boolean {
  return error instanceof DeviceError && error.words.includes("adb server of another version");
}

/** Words when the emulator's ports listen on more than loopback; null when they do not. */
export async function openPorts(outside: Outside, emulator: RunningEmulator): Promise<string | null> {
  const ports = [emulator.grpc?.port, emulator.consolePort, emulator.adbPort].filter((port): port is number => port !== undefined);
  const wide = await wideListeners(outside, ports);
  if (wide.length === 0) return null;
  const list = wide.map((entry) => `${entry.port} on ${entry.address}`).join(", ");
  return `The emulator listens beyond this machine (${list}). Anyone on the network could drive it.`;
}

/** adb emu kill: the snapshot is saved, then the process ends. Resolves when it is gone. */
export async function stopEmulator(parts: LifeParts, emulator: RunningEmulator, shell: AdbShell, signal: AbortSignal): Promise<void> {
  const { outside, clock } = parts;
  await shell.console("kill").then(
    () => noteStopping(parts.home, emulator.avd),
    (error: unknown) => {
      // The console may close before adb has read its goodbye.
      if (outside.alive(emulator.pid)) parts.log("warn", "adb emu kill did not answer", { words: String(error) });
    },
  );
  const deadlineMs = clock.now() + KILL_DEADLINE_MS;
  while (outside.alive(emulator.pid)) {
    if (clock.now() > deadlineMs)
      throw new DeviceError("failed", `The emulator of ${emulator.avd} did not stop within ${KILL_DEADLINE_MS / 1000} s.`);
    await outside.wait(100, signal);
  }
  await forgetRunning(parts.home, emulator.avd);
}

/** Restarts Android inside its emulator and waits until it has booted again. */
export async function awaitReboot(parts: LifeParts, emulator: RunningEmulator, shell: AdbShell, signal: AbortSignal): Promise<void> {
  const { outside } = parts;
  // The kernel's own number for this boot, since sys.boot_completed may still read 1 from the last one.
  const read = () => shell.shell("cat /proc/sys/kernel/random/boot_id", { timeoutMs: 5_000, signal }).then((text) => text.trim());
  const before = await read();
  parts.progress(`Restarting ${emulator.avd}.`);
  await shell.adb(["reboot"], { signal });
  for (;;) {
    signal.throwIfAborted();
    const now = await read().catch((error: unknown) => {
      if (signal.aborted) throw error;
      return before;
    });
    if (now !== before) return awaitBoot(parts, emulator, shell, signal);
    if (!outside.alive(emulator.pid)) throw new DeviceError("failed", `The emulator of ${emulator.avd} ended while it restarted.`);
    await outside.wait(LOOK_EVERY_MS, signal);
  }
}
