/** An H.264 encoder for this machine: the distribution's libx264, installed where we may, named where we may not. */
import { readFileSync } from "node:fs";
import { output, run } from "./run.mjs";
import { SetupError, step, warn } from "./words.mjs";

const release = () => {
  try {
    return Object.fromEntries(
      readFileSync("/etc/os-release", "utf8")
        .split("\n")
        .map((line) => /^([A-Z_]+)="?([^"]*)"?$/.exec(line))
        .filter((match) => match !== null)
        .map((match) => [match[1], match[2]]),
    );
  } catch {
    return {};
  }
};

/** Debian's and Ubuntu's runtime package, by the release; null where the release is not known here. */
function knownPackage({ ID, VERSION_ID }) {
  const known = { "debian 12": "libx264-164", "debian 13": "libx264-165", "ubuntu 22.04": "libx264-163", "ubuntu 24.04": "libx264-164" };
  return known[`${ID} ${VERSION_ID}`] ?? null;
}

const aptBased = (os) => [os.ID, ...(os.ID_LIKE ?? "").split(" ")].some((id) => id === "debian" || id === "ubuntu");

/** The command a person runs, in words for this system. */
export function encoderCommand() {
  if (process.platform === "darwin") return "brew install x264";
  const os = release();
  if (aptBased(os)) return `sudo apt-get install -y ${knownPackage(os) ?? "libx264-dev"}`;
  if (os.ID === "fedora") return "sudo dnf install x264-libs   (from RPM Fusion)";
  if (os.ID === "arch") return "sudo pacman -S x264";
  return "install your distribution's libx264 (build 163, 164 or 165)";
}

/** Makes sure that one encoder opens. `encoders` asks the addon again after an installation. */
export async function ensureEncoder(encoders, { install }) {
  const usable = () => encoders().some((encoder) => encoder.version !== null);
  if (usable()) return;
  const os = release();
  if (install && process.platform === "linux" && process.getuid?.() === 0 && aptBased(os)) {
    const quiet = { quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } };
    let name = knownPackage(os);
    if (output("apt-cache", ["show", "--no-all-versions", name ?? "libx264-dev"]) === null) {
      await step("Reading the distribution's package lists", () => run("apt-get", ["update", "-qq"], quiet));
    }
    name ??= output("apt-cache", ["search", "--names-only", "^libx264-16[345]$"])?.split(/\s/)[0] || null;
    if (name === null) throw new SetupError(`This distribution has no libx264 of build 163, 164 or 165. ${encoderCommand()}`);
    await step(`Installing ${name}, the system's H.264 encoder (apt-get install ${name})`, () =>
      run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], quiet),
    );
    if (usable()) return;
  }
  for (const { name, why } of encoders()) warn(`${name}: ${why}`);
  throw new SetupError(`No H.264 encoder could be opened on this machine. Install one, then start again:\n  ${encoderCommand()}`);
}
