/** Starting an emulator, in a life of its own, until its discovery file is there; and ending one that is not that far yet. */
import { mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

import { missingCalls, writeAccess } from "./access.ts";
import type { RunningEmulator } from "./discovery.ts";
import { isOther } from "./engine.ts";
import { BOOT_DEADLINE_MS, LOOK_EVERY_MS, type LifeParts } from "./life.ts";
import { noteRunning } from "./notes.ts";
import { runningEmulators } from "./offers.ts";
import type { Outside } from "./outside.ts";
import { keepGrpcPort } from "./ports.ts";

/** Others may take the port between the look and the emulator's own: so many tries. */
const TRIES = 4;
/** An emulator whose file names no gRPC port has not got it; its file is given so long to be whole. */
const NO_GRPC_MS = 3_000;
/** From SIGTERM to SIGKILL: there is no snapshot to save yet. */
const TERM_MS = 5_000;
const KILL_MS = 2_000;
/** A service manager is asked for its unit's state this seldom. */
const UNIT_LOOK_MS = 2_000;
/** TimeoutStopSec and a little. */
const UNIT_STOP_MS = 35_000;
const PORT_WORDS = /address already in use|port.{0,40}\bin use\b|failed to bind|could not bind/i;

export interface StartOptions {
  readonly cold: boolean;
  readonly signal: AbortSignal;
  /** Told as it is started, before anything is known of it; null: that one has ended. */
  readonly launching: (starting: Starting | null) => void;
}

/** An emulator from its start on. */
export interface Starting {
  readonly avd: string;
  readonly launched: Promise<Launched>;
}

export interface Launched {
  /** null: a unit of the service manager, whose process is not known here. */
  readonly pid: number | null;
  readonly logPath: string;
}

/** It does not have the port that it was given. */
class PortTakenError extends Error {}

/** Starts the AVD and answers it once its discovery file is there. */
export async function startEmulator(parts: LifeParts, avd: string, options: StartOptions): Promise<RunningEmulator> {
  const { outside, sdk } = parts;
  const { signal, launching, cold } = options;
  if (sdk.emulator === null) {
    throw new DeviceError(
      "failed",
      "No Android emulator is installed: set ANDROID_HOME to an SDK that has the emulator package, or start an emulator and try again.",
    );
  }
  await mkdir(parts.home, { recursive: true, mode: 0o700 });
  const before = new Set((await runningEmulators(outside)).map((emulator) => emulator.pid));
  const missing = await missingCalls(sdk.root);
  const allow = missing === null || missing.length > 0 ? await writeAccess(parts.home) : null;
  parts.progress(`Starting ${avd} ${cold ? "cold" : "from its snapshot"}.`);
  for (let tried = 1, first = parts.grpcPort; ; tried += 1) {
    const { port, release } = await keepGrpcPort(outside, parts.lock, first);
    let starting: Starting | null = null;
    try {
      parts.log("info", "starting an emulator", { avd, cold, grpcPort: port });
      await noteRunning(parts.home, avd, null);
      signal.throwIfAborted();
      starting = { avd, launched: launch(parts, avd, sdk.emulator, emulatorArgs(avd, port, { cold, allow })) };
      launching(starting);
      const launched = await starting.launched;
      // Before more is known of it, so that a later server can tell whose it is.
      await noteRunning(parts.home, avd, launched.pid);
      const emulator = await awaitDiscovery(parts, avd, before, launched, port, signal);
      await noteRunning(parts.home, avd, emulator.pid);
      return emulator;
    } catch (error) {
      signal.throwIfAborted();
      if (starting !== null) await endStarting(parts, starting, signal);
      launching(null);
      if (!(error instanceof PortTakenError)) throw error;
      if (tried === TRIES) {
        throw new DeviceError("failed", `The emulator of ${avd} did not get a port: ${error.message} It was tried ${TRIES} times.`);
      }
      first = port + 1;
      parts.progress(`Another program took port ${port} meanwhile. Starting ${avd} again on the next free one.`);
      parts.log("warn", "the emulator's port was taken; it is started again on another", { avd, port, words: error.message });
    } finally {
      release();
    }
  }
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

/** Ends one at whatever stage it is, with all that it started; resolves when it is gone. */
export async function endStarting(parts: LifeParts, starting: Starting, signal: AbortSignal): Promise<void> {
  const { outside } = parts;
  const launched = await starting.launched.catch(() => null);
  if (launched === null) return;
  if (launched.pid !== null) return endProcess(parts, starting.avd, launched.pid, signal);
  await outside.run("systemctl", ["--user", "stop", unitName(starting.avd)], { timeoutMs: UNIT_STOP_MS, env: outside.env });
}

/** SIGTERM to the process and its group, SIGKILL to what is left of it after a bound. */
export async function endProcess(parts: LifeParts, avd: string, pid: number, signal: AbortSignal): Promise<void> {
  const { outside } = parts;
  if (!outside.alive(pid) || (await isOther(outside, pid))) return;
  parts.log("info", "ending an emulator by its process", { avd, pid });
  for (const [word, limitMs] of [
    ["SIGTERM", TERM_MS],
    ["SIGKILL", KILL_MS],
  ] as const) {
    outside.signal(pid, word);
    const untilMs = parts.clock.now() + limitMs;
    while (outside.alive(pid) && parts.clock.now() < untilMs) await outside.wait(50, signal);
    if (outside.alive(pid)) continue;
    // What it left in its group has no owner any more.
    outside.signal(pid, "SIGKILL");
    return;
  }
  throw new DeviceError("failed", `The emulator of ${avd} (process ${pid}) could not be ended.`);
}

/**
 * A unit of its own where there is systemd, because a process group dies with this server's cgroup; a session of its own elsewhere.
 * Its output goes to a file that a failed boot's words point at.
 */
async function launch(parts: LifeParts, avd: string, file: string, args: readonly string[]): Promise<Launched> {
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
  launched: Launched,
  port: number,
  signal: AbortSignal,
): Promise<RunningEmulator> {
  const { outside, clock } = parts;
  const deadlineMs = clock.now() + BOOT_DEADLINE_MS;
  const over = watchOver(parts, avd, launched);
  let withoutGrpcMs: number | null = null;
  while (clock.now() < deadlineMs) {
    signal.throwIfAborted();
    const found = (await runningEmulators(outside)).find((emulator) => emulator.avd === avd && !before.has(emulator.pid));
    if (found !== undefined && found.grpc !== null) return found;
    if (found !== undefined) {
      withoutGrpcMs ??= clock.now();
      if (clock.now() - withoutGrpcMs > NO_GRPC_MS) break;
    }
    if (await over()) break;
    await outside.wait(LOOK_EVERY_MS, signal);
  }
  const words = await lastWords(launched.logPath);
  // Its own port counts as taken too while it still runs with none in its file.
  if (withoutGrpcMs !== null || PORT_WORDS.test(words) || !(await outside.free(port))) throw new PortTakenError(words);
  throw new DeviceError("failed", `The emulator of ${avd} did not start: ${words}`);
}

/** Has it ended already? A unit's state is looked at now and then. */
function watchOver({ outside, clock }: LifeParts, avd: string, { pid }: Launched): () => Promise<boolean> {
  if (pid !== null) return () => Promise.resolve(!outside.alive(pid));
  let lookedMs = clock.now();
  return async () => {
    if (clock.now() - lookedMs < UNIT_LOOK_MS) return false;
    lookedMs = clock.now();
    const asked = await outside
      .run("systemctl", ["--user", "is-active", unitName(avd)], { timeoutMs: 5_000, env: outside.env })
      .catch(() => null);
    return asked !== null && ["inactive", "failed"].includes(asked.stdout.trim());
  };
}

/** The emulator's own last line that says what is wrong. */
async function lastWords(logPath: string): Promise<string> {
  const lines = (await readFile(logPath, "utf8").catch(() => "")).split("\n").filter((line) => line.trim() !== "");
  const wrong = lines.findLast((line) => /FATAL|ERROR|PANIC/.test(line)) ?? lines.at(-1);
  return wrong === undefined ? "it said nothing." : `${wrong.trim()} (${logPath})`;
}
