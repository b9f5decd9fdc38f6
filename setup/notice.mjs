/**
 * NOTICE: every package whose code is in build/bb-box-device.mjs, build/viewer/ or the addon, with its licence.
 * `node setup/notice.mjs` writes it; `--check` fails when it is not what the sources say. A GPL licence is refused.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deviceBundleOptions, viewerBundleOptions } from "./bundle.mjs";
import { ROOT } from "./ready.mjs";
import { output } from "./run.mjs";
import { fail, say, SetupError } from "./words.mjs";

/** npm packages that esbuild really took bytes from. */
async function npmPackages() {
  const esbuild = await import("esbuild");
  const names = new Set();
  for (const options of [deviceBundleOptions(ROOT), viewerBundleOptions(ROOT)]) {
    const { metafile } = await esbuild.build({ ...options, write: false, metafile: true });
    for (const built of Object.values(metafile.outputs)) {
      for (const [input, { bytesInOutput }] of Object.entries(built.inputs)) {
        const match = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
        if (match && bytesInOutput > 0) names.add(match[0]);
      }
    }
  }
  return [...names].map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8"));
    return { name, version, license: typeof license === "string" ? license : (license?.type ?? "unknown") };
  });
}

/** Crates linked into the addon as it is shipped (no development features). */
function crates() {
  const tree = output("cargo", ["tree", "-p", "device-addon", "-e", "normal", "--prefix", "none", "-f", "{p}\t{l}"], { cwd: ROOT });
  if (tree === null) throw new SetupError("cargo tree failed: the addon's crates cannot be listed");
  const rows = tree.split("\n").map((line) => line.replace(" (*)", "").split("\t"));
  return rows
    .map(([crate, license]) => ({ name: crate.split(" ")[0], version: crate.split(" ")[1].slice(1), license }))
    .filter(({ name }) => !name.startsWith("device-"));
}

const unique = (rows) =>
  [...new Map(rows.map((row) => [`${row.name} ${row.version}`, row])).values()].sort((a, b) => a.name.localeCompare(b.name));
const table = (rows) => unique(rows).map(({ name, version, license }) => `- ${name} ${version}: ${license}`);

async function notice() {
  const rows = { npm: await npmPackages(), cargo: crates() };
  const copyleft = [...rows.npm, ...rows.cargo].filter(({ license }) => /GPL/.test(license) && !/ OR /.test(license));
  if (copyleft.length > 0) throw new SetupError(`No GPL code is shipped, but: ${copyleft.map(({ name }) => name).join(", ")}`);
  return [
    "bb-box-device",
    "Copyright (c) 2026 the bb-box-device authors. MIT, see LICENSE.",
    "",
    "No encoder is shipped or linked. libx264 (GPL-2.0-or-later) and Cisco's OpenH264 binary are opened at run time where the machine's",
    "operator has installed them. OpenH264's sources (BSD-2-Clause) are compiled into development builds only.",
    "",
    "Bundled npm packages:",
    ...table(rows.npm),
    "",
    "Crates linked into the native addon:",
    ...table(rows.cargo),
    "",
    ...readFileSync(join(ROOT, "setup/notice-assets.txt"), "utf8").trimEnd().split("\n"),
    "",
  ].join("\n");
}

try {
  const file = join(ROOT, "NOTICE");
  const text = await notice();
  if (process.argv.includes("--check")) {
    if (readFileSync(file, "utf8") !== text) throw new SetupError("NOTICE is not what the sources say. Run: node setup/notice.mjs");
  } else {
    writeFileSync(file, text);
    say("Wrote NOTICE.");
  }
} catch (error) {
  fail(error);
}
