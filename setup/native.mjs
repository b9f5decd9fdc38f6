/** Which addon this machine runs: the one built here from these sources, the matching prebuild, or one that cargo builds now. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildAddon, installAddon } from "./addon.mjs";
import { cratesHash } from "./crates-hash.mjs";
import { output } from "./run.mjs";
import { SetupError, step, warn } from "./words.mjs";

const LEAST_RUST = [1, 88];

/** `<os>-<cpu>-<libc>` as prebuilds/ names its folders. */
export function platform() {
  if (process.platform !== "linux") return `${process.platform}-${process.arch}`;
  const gnu = Boolean(process.report?.getReport().header.glibcVersionRuntime);
  return `linux-${process.arch}-${gnu ? "gnu" : "musl"}`;
}

const record = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);

function rustIsNewEnough() {
  const [major = 0, minor = 0] = output("rustc", ["--version"])?.split(/[ .]/).slice(1, 3).map(Number) ?? [];
  return major > LEAST_RUST[0] || (major === LEAST_RUST[0] && minor >= LEAST_RUST[1]);
}

/** Path of an addon that matches crates/; with `features` it is always one built here with at least those. */
export async function ensureAddon(root, { features = [] } = {}) {
  // An addon that is named is taken as it is, as the program itself does.
  if (process.env.BB_DEVICE_ADDON) return process.env.BB_DEVICE_ADDON;
  const hash = cratesHash(root);
  const built = join(root, "build/device.node");
  const made = record(`${built}.json`);
  if (made?.hash === hash && features.every((feature) => made.features.includes(feature)) && existsSync(built)) return built;

  const folder = join(root, "prebuilds", platform());
  const prebuilt = join(folder, "device.node");
  const prebuild = record(join(folder, "BUILD.json"));
  if (features.length === 0 && prebuild?.hash === hash && existsSync(prebuilt)) return installAddon(root, prebuilt, prebuild);

  if (rustIsNewEnough()) {
    await step("Building the native addon with cargo (a few minutes the first time)", () => buildAddon({ root, features }));
    return built;
  }
  if (features.length === 0 && existsSync(prebuilt)) {
    warn("The prebuilt addon was made from other sources than crates/, and there is no Rust here to build it: using it as it is.");
    return installAddon(root, prebuilt, prebuild ?? { hash: null, features: [] });
  }
  throw new SetupError(
    `No native addon for ${platform()} in prebuilds/, and no Rust ${LEAST_RUST.join(".")} or newer to build one. Install Rust: https://rustup.rs`,
  );
}
