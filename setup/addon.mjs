/** Builds the addon with cargo into build/device.node; does nothing when the one there is of these sources and features. */
import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cratesHash } from "./crates-hash.mjs";

const LIBRARY = process.platform === "darwin" ? "libdevice_addon.dylib" : "libdevice_addon.so";
/** The end of cargo's words that an error carries: the compiler's message, not the list of crates. */
const LAST_WORDS = 4000;

/** What is known of a built addon, or null: `{ hash, features }`. */
export function builtRecord(file) {
  if (!existsSync(file) || !existsSync(`${file}.json`)) return null;
  try {
    return JSON.parse(readFileSync(`${file}.json`, "utf8"));
  } catch {
    return null; // A record cut short by a crash: the addon is built again.
  }
}

/** Builds with cargo in release. Answers the library's path; rejects with cargo's own words. */
export function cargoAddon({ root, features, target, env = {} }) {
  const args = ["build", "--release", "--locked", "-p", "device-addon"];
  if (features.length > 0) args.push("--features", features.join(","));
  return new Promise((resolve, reject) => {
    const child = spawn("cargo", args, {
      cwd: root,
      env: { ...process.env, ...env, CARGO_TARGET_DIR: target },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let words = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (words = (words + text).slice(-LAST_WORDS)));
    child.on("error", (error) => reject(new Error(`cargo could not be started: ${error.message}`)));
    child.on("close", (code) => {
      if (code === 0) resolve(join(target, "release", LIBRARY));
      else reject(new Error(`cargo build ended with ${code}:\n${words}`));
    });
  });
}

/**
 * Puts an addon where the bundle finds it, build/device.node beside it, with its record. Renamed into place: a process
 * that has the old one loaded keeps its pages, and two that do it at once do not mix.
 */
export function installAddon(root, library, { hash, features }) {
  const file = join(root, "build/device.node");
  const fresh = `${file}.${process.pid}`;
  mkdirSync(join(root, "build"), { recursive: true });
  copyFileSync(library, fresh);
  renameSync(fresh, file);
  writeFileSync(`${file}.json`, `${JSON.stringify({ hash, features })}\n`);
  return file;
}

/**
 * Makes build/device.node (and its record) of the sources under `root`. Answers its path. Rejects with cargo's own words.
 * `target`: cargo's folder, when it is not the workspace's.
 */
export async function buildAddon({ root, features = [], target = process.env.CARGO_TARGET_DIR ?? join(root, "target") }) {
  const file = join(root, "build/device.node");
  const hash = cratesHash(root);
  const wanted = [...features].sort();
  const made = builtRecord(file);
  if (made?.hash === hash && String(made.features) === String(wanted)) return file;
  const library = await cargoAddon({ root, features: wanted, target });
  // Sources that changed meanwhile: what was built is of neither hash for certain.
  if (cratesHash(root) !== hash) return await buildAddon({ root, features, target });
  return installAddon(root, library, { hash, features: wanted });
}
