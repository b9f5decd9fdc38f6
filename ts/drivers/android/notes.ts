/** Small files in the device home that outlive this process: what runs, what was set. Written whole, read as null when broken. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Battery } from "#core/device.ts";

type Kind = "running" | "status-bar" | "identity";

function pathOf(home: string, kind: Kind, avd: string): string {
  return join(home, `${kind}-${encodeURIComponent(avd)}.json`);
}

async function put(home: string, kind: Kind, avd: string, value: unknown): Promise<void> {
  const path = pathOf(home, kind, avd);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

async function get(home: string, kind: Kind, avd: string): Promise<Readonly<Record<string, unknown>> | null> {
  const text = await readFile(pathOf(home, kind, avd), "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

async function drop(home: string, kind: Kind, avd: string): Promise<void> {
  await rm(pathOf(home, kind, avd), { force: true });
}

/** A note that stays until the emulator ended in order: while it is there, the last end saved no snapshot. `startedPid`: the one started here. */
export async function noteRunning(home: string, avd: string, startedPid: number | null): Promise<void> {
  await put(home, "running", avd, { avd, startedPid });
}
export async function forgetRunning(home: string, avd: string): Promise<void> {
  await drop(home, "running", avd);
}
/** It was told to end and said that it would, saving its snapshot; it may still be doing so. */
export async function noteStopping(home: string, avd: string): Promise<void> {
  await put(home, "running", avd, { avd, stopping: true });
}
/** Did the last run end without saving? True only when it does not run any more. */
export async function endedUnsaved(home: string, avd: string): Promise<boolean> {
  const note = await get(home, "running", avd);
  return note !== null && note.stopping !== true;
}
/** Was this process started here, by this server or one before it? */
export async function wasStartedHere(home: string, avd: string, pid: number): Promise<boolean> {
  return (await get(home, "running", avd))?.startedPid === pid;
}

/** The clean status bar that is to be set again when the device starts; null: none. */
export async function readStatusBar(home: string, avd: string): Promise<{ readonly battery: Battery | null } | null> {
  const note = await get(home, "status-bar", avd);
  if (note === null) return null;
  const battery = note.battery as Partial<Battery> | null | undefined;
  const whole = typeof battery?.level === "number" && typeof battery.charging === "boolean";
  return { battery: whole ? { level: battery.level ?? 100, charging: battery.charging ?? false } : null };
}
export async function writeStatusBar(home: string, avd: string, clean: { readonly battery: Battery | null } | null): Promise<void> {
  if (clean === null) await drop(home, "status-bar", avd);
  else await put(home, "status-bar", avd, clean);
}

/** Has this AVD an identity of its own in this box? */
export async function hasIdentity(home: string, avd: string): Promise<boolean> {
  return (await get(home, "identity", avd)) !== null;
}
export async function noteIdentity(home: string, avd: string): Promise<void> {
  await put(home, "identity", avd, { avd });
}
