/** Where the Android SDK and its programs are. */
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { parseIni } from "./ini.ts";
import type { Outside } from "./outside.ts";

export interface Sdk {
  /** null: no SDK found; adb may still be on the PATH. */
  readonly root: string | null;
  readonly emulator: string | null;
  readonly adb: string | null;
  /** The emulator package's own version, such as 37.2.12. */
  readonly emulatorVersion: string | null;
}

/** ANDROID_HOME, ANDROID_SDK_ROOT, then where Android Studio and Linux packages put it, then the PATH. */
export async function findSdk(outside: Outside): Promise<Sdk> {
  const { env, home } = outside;
  const roots = [
    env.ANDROID_HOME,
    env.ANDROID_SDK_ROOT,
    join(home, "Android", "Sdk"),
    join(home, "Library", "Android", "sdk"),
    "/opt/android-sdk",
    "/usr/local/lib/android/sdk",
  ].filter((root): root is string => root !== undefined && root !== "");
  let root: string | null = null;
  let emulator: string | null = null;
  for (const candidate of roots) {
    const program = await runnable(join(candidate, "emulator", "emulator"));
    if (program === null) continue;
    root = candidate;
    emulator = program;
    break;
  }
  emulator ??= await onPath(outside, "emulator");
  const adb = (await firstRunnable(roots.map((candidate) => join(candidate, "platform-tools", "adb")))) ?? (await onPath(outside, "adb"));
  return { root, emulator, adb, emulatorVersion: root === null ? null : await packageRevision(join(root, "emulator")) };
}

/** Pkg.Revision of an SDK package's source.properties; null when it has none. */
export async function packageRevision(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, "source.properties"), "utf8").catch(() => "");
  return parseIni(text).get("Pkg.Revision") ?? null;
}

async function firstRunnable(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const found = await runnable(path);
    if (found !== null) return found;
  }
  return null;
}

async function onPath(outside: Outside, name: string): Promise<string | null> {
  return firstRunnable(
    (outside.env.PATH ?? "")
      .split(delimiter)
      .filter(Boolean)
      .map((folder) => join(folder, name)),
  );
}

async function runnable(path: string): Promise<string | null> {
  return access(path, constants.X_OK).then(
    () => path,
    () => null,
  );
}
