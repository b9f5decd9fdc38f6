/** Awaiting and stopping an emulator that runs. One that was found already running is only ever awaited. */
import { DeviceError } from "#core/errors.ts";

import type { Adb, AdbShell } from "./adb.ts";
import type { Lock } from "./device-lock.ts";
import type { RunningEmulator } from "./discovery.ts";
import { wideListeners } from "./listeners.ts";
import { forgetRunning, noteStopping } from "./notes.ts";
import type { Outside } from "./outside.ts";
import type { Sdk } from "./sdk.ts";

/** 063 "Switching": from the start to sys.boot_completed. */
export const BOOT_DEADLINE_MS = 120_000;
export const LOOK_EVERY_MS = 250;
const PROGRESS_EVERY_MS = 5_000;
/** A kill saves the snapshot first: 2.8 s for a phone, more on a slow disk. */
const KILL_DEADLINE_MS = 30_000;
/** One that is not sure to have heard the console gets less. */
const UNHEARD_DEADLINE_MS = 5_000;

export interface LifeParts {
  readonly outside: Outside;
  readonly sdk: Sdk;
  readonly adb: Adb | null;
  /** The device home, for the notes of what was started and the emulator's own output. */
  readonly home: string;
  /** The first port that is tried for the emulator's gRPC. */
  readonly grpcPort: number;
  /** flock(2) without waiting; null when another process holds it. */
  readonly lock: (path: string) => Lock | null;
  readonly clock: { now(): number; wall(): number };
  readonly progress: (words: string) => void;
  readonly log: (level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>) => void;
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

/** adb emu kill: the snapshot is saved, then the process ends. Resolves when it is gone. `mayBeDeaf`: it may be too young to hear its console. */
export async function stopEmulator(
  parts: LifeParts,
  emulator: RunningEmulator,
  shell: AdbShell,
  signal: AbortSignal,
  mayBeDeaf = false,
): Promise<void> {
  const { outside, clock } = parts;
  let limitMs = KILL_DEADLINE_MS;
  await shell.console("kill").then(
    () => noteStopping(parts.home, emulator.avd),
    (error: unknown) => {
      // The console may close before adb has read its goodbye.
      if (!outside.alive(emulator.pid)) return;
      parts.log("warn", "adb emu kill did not answer", { words: String(error) });
      if (mayBeDeaf) limitMs = UNHEARD_DEADLINE_MS;
    },
  );
  const deadlineMs = clock.now() + limitMs;
  while (outside.alive(emulator.pid)) {
    if (clock.now() > deadlineMs)
      throw new DeviceError("failed", `The emulator of ${emulator.avd} did not stop within ${limitMs / 1000} s.`);
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
