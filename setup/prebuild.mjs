/**
 * Makes prebuilds/<os>-<cpu>-<libc>/{device.node,BUILD.json} of the sources as they are: release, no development features.
 * Run it as the last step before sources are handed on: `node setup/prebuild.mjs`. It fails when the addon would not load
 * on the oldest system that is promised.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cargoAddon } from "./addon.mjs";
import { cratesHash } from "./crates-hash.mjs";
import { compareVersions, glibcVersions } from "./glibc.mjs";
import { platform } from "./native.mjs";
import { output } from "./run.mjs";
import { fail, say, SetupError, step } from "./words.mjs";

/** Ubuntu 22.04's; Debian 12 has 2.36. */
export const NEWEST_GLIBC = [2, 35];

export async function prebuild(root) {
  const folder = join(root, "prebuilds", platform());
  const hash = cratesHash(root);
  // No path of the machine that builds it gets into the file.
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const flags = [`--remap-path-prefix=${root.replace(/\/$/, "")}=.`, `--remap-path-prefix=${cargoHome}=/cargo`];
  const built = await cargoAddon({
    root,
    features: [],
    target: join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "prebuild"),
    env: { CARGO_ENCODED_RUSTFLAGS: flags.join("\u001f") },
  });
  if (cratesHash(root) !== hash) throw new SetupError("The sources changed while they were built: run it again.");
  const newest = process.platform === "linux" ? glibcVersions(built).at(-1) : undefined;
  if (newest !== undefined && compareVersions(newest, NEWEST_GLIBC) > 0) {
    throw new SetupError(`The addon needs GLIBC_${newest.join(".")}, newer than the promised ${NEWEST_GLIBC.join(".")}: it was not taken.`);
  }
  mkdirSync(folder, { recursive: true });
  copyFileSync(built, join(folder, "device.node"));
  const record = { hash, features: [], rustc: output("rustc", ["--version"]), glibc: newest?.join(".") ?? null };
  writeFileSync(join(folder, "BUILD.json"), `${JSON.stringify(record, null, 2)}\n`);
  return { folder, record };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  await step("Building the prebuilt addon", () => prebuild(root)).then(
    ({ folder, record }) => say(`${folder}: needs glibc ${record.glibc ?? "(none)"} or newer, sources ${record.hash}`),
    fail,
  );
}
