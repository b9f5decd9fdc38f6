/** One device server a device, whatever its home: two would press each other's keys. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

import type { Outside } from "./outside.ts";

export interface Lock {
  release(): void;
}

/** Where every home of this user looks. */
export async function lockFolder(outside: Outside): Promise<string> {
  const base = outside.env.XDG_RUNTIME_DIR;
  const folder = base === undefined || base === "" ? join(outside.temporary, `bb-box-device-${outside.uid}`) : join(base, "bb-box-device");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Rejects in words when another process drives this emulator. */
export async function lockEmulator(outside: Outside, take: (path: string) => Lock | null, serial: string): Promise<Lock> {
  const lock = take(join(await lockFolder(outside), `${serial}.lock`));
  if (lock === null) {
    throw new DeviceError("failed", `Another bb-box-device drives ${serial} already. Stop it, or name another emulator with --device.`);
  }
  return lock;
}
