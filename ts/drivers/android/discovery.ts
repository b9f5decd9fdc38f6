/** Finds running emulators by the files they write (pid_<pid>.ini), in every place an emulator may choose. */
import { readdir, readFile, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

import { couldHaveWritten } from "./engine.ts";
import { parseIni, wholeNumber } from "./ini.ts";
import type { Outside } from "./outside.ts";

export interface RunningEmulator {
  /** The engine's process. */
  readonly pid: number;
  readonly file: string;
  /** emulator-<console port>: adb's name of it. */
  readonly serial: string;
  readonly consolePort: number;
  readonly adbPort: number;
  /** The AVD's id: its file name without .ini, and what -avd takes. */
  readonly avd: string;
  readonly avdDir: string | null;
  /** "37.2.12", or empty when the file does not say. */
  readonly version: string;
  readonly grpc: GrpcEndpoint | null;
}

export interface GrpcEndpoint {
  readonly port: number;
  /** null: no token is asked, or only a JWT is taken. */
  readonly token: string | null;
  /** The folder a client puts its public key in; a token is the way in where there is one. */
  readonly jwks: string | null;
}

/** Every folder an emulator may write to, likeliest first, none twice. */
export function discoveryFolders(outside: Outside): readonly string[] {
  const { env, home, platform } = outside;
  const folders: string[] = [];
  const add = (base: string | undefined, ...rest: string[]) => {
    if (base !== undefined && base !== "") folders.push(join(base, ...rest, "avd", "running"));
  };
  add(env.ANDROID_EMULATOR_HOME);
  add(env.ANDROID_USER_HOME);
  add(env.ANDROID_SDK_HOME, ".android");
  add(env.XDG_RUNTIME_DIR);
  // A service has no XDG_RUNTIME_DIR, but the emulator that a person's session started does.
  if (platform === "linux") add(outside.runUser, String(outside.uid));
  if (platform === "darwin") add(home, "Library", "Caches", "TemporaryItems");
  add(env.LOCALAPPDATA, "Temp");
  add(home, ".android");
  add(outside.temporary);
  return [...new Set(folders)];
}

/**
 * The emulators that run now, by serial; files that dead ones left are deleted, never a live one's.
 * `keep`: a process whose file stays even when it is dead, because what is left of it tells how it ended.
 */
export async function findEmulators(outside: Outside, keep: number | null = null): Promise<readonly RunningEmulator[]> {
  const found = new Map<string, { readonly emulator: RunningEmulator; readonly at: number }>();
  for (const folder of discoveryFolders(outside)) {
    for (const name of await namesIn(folder)) {
      const pid = wholeNumber(/^pid_(\d+)(?:_info)?\.ini$/.exec(name)?.[1], 1);
      if (pid === null) continue;
      const file = join(folder, name);
      if (!outside.alive(pid)) {
        if (pid !== keep) await unlink(file).catch(() => {});
        continue;
      }
      const read = await readDiscovery(file, pid);
      if (read === null) continue;
      const { consolePort } = read.emulator;
      // It is not deleted: what has its process id now is no proof of what had it then.
      if (!(await couldHaveWritten(outside, { pid, consolePort, writtenMs: read.at }))) continue;
      const before = found.get(read.emulator.serial);
      // Two files name one console port only when a process id came round again: the newer file is true.
      if (before === undefined || before.at < read.at) found.set(read.emulator.serial, read);
    }
  }
  return [...found.values()].map((entry) => entry.emulator).sort((a, b) => a.consolePort - b.consolePort);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function readDiscovery(file: string, pid: number): Promise<{ readonly emulator: RunningEmulator; readonly at: number } | null> {
  try {
    const [text, about] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    const emulator = parseDiscovery(text, file, pid);
    return emulator === null ? null : { emulator, at: about.mtimeMs };
  } catch {
    // It went while it was read: the emulator ended.
    return null;
  }
}

/** One discovery file's meaning; null when it names no console port. */
export function parseDiscovery(text: string, file: string, pid: number): RunningEmulator | null {
  const values = parseIni(text);
  const consolePort = wholeNumber(values.get("port.serial"), 1);
  if (consolePort === null || consolePort > 65_534) return null;
  const grpcPort = wholeNumber(values.get("grpc.port"), 1);
  return {
    pid,
    file,
    serial: `emulator-${consolePort}`,
    consolePort,
    adbPort: wholeNumber(values.get("port.adb"), 1) ?? consolePort + 1,
    avd: values.get("avd.id") ?? values.get("avd.name") ?? "",
    avdDir: filled(values.get("avd.dir")),
    version: values.get("emulator.version") ?? "",
    grpc:
      grpcPort === null || grpcPort > 65_535
        ? null
        : { port: grpcPort, token: filled(values.get("grpc.token")), jwks: filled(values.get("grpc.jwks")) },
  };
}

function filled(text: string | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
