/** One APK, or the split APKs of one app. */
import { extname } from "node:path";

import { DeviceError } from "#core/errors.ts";

import { failedWords, quoted, type AdbShell } from "./adb.ts";
import { packageOf } from "./apk.ts";

/** 063's own sentence. */
const BUNDLE = "Android App Bundles do not install directly. Make APKs with bundletool build-apks --mode=universal.";
const INSTALL_TIMEOUT_MS = 290_000;

/** Refuses what no emulator takes, in words. */
export function checkPaths(paths: readonly string[]): void {
  for (const path of paths) {
    const kind = extname(path).toLowerCase();
    if (kind === ".aab") throw new DeviceError("bad-value", BUNDLE);
    if (kind !== ".apk")
      throw new DeviceError("bad-value", `${path} is not an .apk. On Android, install takes one .apk, or the split APKs of one app.`);
  }
}

/** Is the app that these APKs are already there? */
export async function isInstalled(shell: AdbShell, paths: readonly string[]): Promise<boolean> {
  checkPaths(paths);
  const names = new Set(await Promise.all(paths.map(packageOf)));
  const [name, ...others] = names;
  if (name === undefined || others.length > 0)
    throw new DeviceError("bad-value", `These APKs are of several apps: ${[...names].join(", ")}.`);
  const found = await shell.shell(`pm path ${quoted(name)}`, { anyCode: true });
  return found.includes("package:");
}

/**
 * Installs, then syncs the disk, so that a crash keeps the app. `mayReplace` false: Android itself refuses to replace an installed app,
 * so no moment lies between the check and the install.
 */
export async function install(shell: AdbShell, paths: readonly string[], mayReplace: boolean, signal: AbortSignal): Promise<void> {
  checkPaths(paths);
  const flag = mayReplace ? "-r" : "-R";
  const args = paths.length === 1 ? ["install", flag, ...paths] : ["install-multiple", flag, ...paths];
  const ran = await shell.adb(args, { timeoutMs: INSTALL_TIMEOUT_MS, signal });
  const said = `${ran.stdout}\n${ran.stderr}`;
  if (/INSTALL_FAILED_ALREADY_EXISTS/.test(said) && !mayReplace) {
    throw new DeviceError(
      "person-has-control",
      "The app is already on the device, and replacing it would stop it while a person has control.",
    );
  }
  const failure = /Failure \[([^\]]*)\]/.exec(said)?.[1] ?? /^adb: (?:failed|error).*$/m.exec(said)?.[0];
  if (ran.code !== 0 || failure !== undefined) throw new DeviceError("failed", failure ?? failedWords(ran, "install"));
  await shell.shell("sync", { signal });
}
