/**
 * A device made from an image begins with the image's identity. Its first boot in a box gives it one of its own, then reboots it once,
 * since Android makes the key of the IDs that apps read only as its framework starts. Never on attach.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";

import type { AdbShell } from "./adb.ts";
import type { LifeParts } from "./life.ts";
import { hasIdentity, noteIdentity } from "./notes.ts";
import type { Outside } from "./outside.ts";

/** Where an image says which devices it offers. */
export const IMAGE_RECORD = "/usr/share/bb-box/image.json";
const WIFI_STORE = "/data/misc/apexdata/com.android.wifi/WifiConfigStore.xml";
const APP_IDS = "/data/system/users/0/settings_ssaid.xml";
const WIFI_DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 500;

export interface FirstBootParts {
  readonly outside: Outside;
  readonly home: string;
  readonly shell: AdbShell;
  readonly clock: { now(): number };
  readonly imageRecord: string;
  readonly reboot: (signal: AbortSignal) => Promise<void>;
  readonly progress: (words: string) => void;
  readonly log: LifeParts["log"];
}

/** Does the image record offer this AVD? Without a record none is. */
export async function offeredByImage(path: string, avd: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return false;
  try {
    const record = JSON.parse(text) as { devices?: unknown };
    return Array.isArray(record.devices) && record.devices.some((device: { native?: unknown } | null) => device?.native === avd);
  } catch {
    return false;
  }
}

/** Gives the AVD its own identity if it has none yet. Where that fails the log says why, and it is tried again at the next boot. */
export async function giveIdentity(parts: FirstBootParts, avd: string, signal: AbortSignal): Promise<void> {
  try {
    await give(parts, avd, signal);
  } catch (error) {
    signal.throwIfAborted();
    const words = error instanceof Error ? error.message : String(error);
    parts.log("warn", "the device keeps its image's identity until its next boot", { words });
  }
}

async function give(parts: FirstBootParts, avd: string, signal: AbortSignal): Promise<void> {
  const { home, shell, progress } = parts;
  if (!(await offeredByImage(parts.imageRecord, avd)) || (await hasIdentity(home, avd))) return;
  progress("First boot in this box: giving the device its own identity.");
  await awaitWifiOnDisk(parts, signal);
  await shell.shell(`settings put secure android_id ${randomBytes(8).toString("hex")}`, { signal });
  await shell.shell(`su 0 rm -f ${APP_IDS} && sync`, { signal });
  // Restarting only the framework would lose the Wi-Fi network and leave the phone service failing.
  await parts.reboot(signal);
  await noteIdentity(home, avd);
}

/** A reboot before Android has written the emulator's network to its disk would come up without one. */
async function awaitWifiOnDisk(parts: FirstBootParts, signal: AbortSignal): Promise<void> {
  const deadlineMs = parts.clock.now() + WIFI_DEADLINE_MS;
  for (;;) {
    const found = await parts.shell.shell(`su 0 grep -c AndroidWifi ${WIFI_STORE}`, { signal, anyCode: true });
    if (/^[1-9]/.test(found.trim()) || found.includes("AndroidWifi")) return;
    if (parts.clock.now() > deadlineMs)
      throw new Error(`Android did not write its Wi-Fi network to disk within ${WIFI_DEADLINE_MS / 1000} s.`);
    await parts.outside.wait(LOOK_EVERY_MS, signal);
  }
}
