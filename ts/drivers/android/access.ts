/** What a token of the emulator may call: its own list, and ours for when that one leaves too much out. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const SERVICE = "/android.emulation.control.EmulatorController/";
/** The calls that the emulator's own list has left out in some releases, and what each is for. */
export const OFTEN_MISSING = { setGps: "location", setBattery: "battery", setPosture: "posture" } as const;

/** The calls of `OFTEN_MISSING` that the installed emulator's own list refuses; null when there is no list to read. */
export async function missingCalls(sdkRoot: string | null): Promise<readonly (keyof typeof OFTEN_MISSING)[] | null> {
  if (sdkRoot === null) return null;
  const text = await readFile(join(sdkRoot, "emulator", "lib", "emulator_access.json"), "utf8").catch(() => null);
  const allowed = text === null ? null : allowedCalls(text);
  if (allowed === null) return null;
  const names = Object.keys(OFTEN_MISSING) as (keyof typeof OFTEN_MISSING)[];
  return names.filter((name) => !allowed.some((pattern) => pattern.test(`${SERVICE}${name}`)));
}

/** The patterns that a discovery file's token may call (its issuer is android-studio); null when the list cannot be read. */
export function allowedCalls(text: string): readonly RegExp[] | null {
  try {
    // The file is JSON with comment lines and the odd trailing comma.
    const plain = text
      .split("\n")
      .map((line) => line.replace(/^\s*\/\/.*$|\s\/\/\s.*$/, ""))
      .join("\n")
      .replace(/,(\s*[\]}])/g, "$1");
    const list = JSON.parse(plain) as { unprotected?: unknown; allowlist?: unknown };
    const entries = Array.isArray(list.allowlist) ? (list.allowlist as { iss?: unknown; allowed?: unknown }[]) : [];
    const ours = entries.filter((entry) => entry.iss === "android-studio").flatMap((entry) => entry.allowed);
    return [list.unprotected, ours]
      .flat()
      .filter((pattern): pattern is string => typeof pattern === "string")
      .map((pattern) => new RegExp(`^${pattern}$`));
  } catch {
    return null;
  }
}

/** Writes our list and answers its path. It keeps everything Android Studio needs to show the same emulator. */
export async function writeAccess(home: string): Promise<string> {
  const path = join(home, "emulator-access.json");
  const services = ["EmulatorController", "UiController", "SnapshotService"].map((name) => `/android.emulation.control.${name}/.*`);
  const list = { unprotected: [], allowlist: [{ iss: "android-studio", allowed: services }] };
  await writeFile(path, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
  return path;
}
