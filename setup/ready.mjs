/** Makes a fresh machine ready to run: packages, bundles, the addon, an encoder. What is there already is left alone. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { installPackages } from "./packages.mjs";
import { SetupError } from "./words.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LEAST_NODE = [20, 19];

/** Refuses a Node that is too old, in words. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  throw new SetupError(
    `Node ${process.versions.node} is too old: bb-box-device needs Node ${LEAST_NODE.join(".")} or newer (https://nodejs.org).`,
  );
}

/** Packages and bundles: what every command needs. */
export async function readyToLoad({ install }) {
  checkNode();
  await installPackages(ROOT, { dev: false, install });
  await bundle(ROOT);
}

/** Everything a device on screen needs. */
export async function readyToStart({ install }) {
  await readyToLoad({ install });
  const { ensureAddon } = await import("./native.mjs");
  const addon = await ensureAddon(ROOT);
  const { createRequire } = await import("node:module");
  const binding = createRequire(import.meta.url)(addon);
  const { ensureEncoder } = await import("./encoder.mjs");
  await ensureEncoder(() => binding.encoders(process.env.BB_OPENH264), { install });
}

/** The program itself, with these arguments. */
export async function program(args) {
  process.argv = [process.argv[0], join(ROOT, "build/bb-box-device.mjs"), ...args];
  await import(new URL("../build/bb-box-device.mjs", import.meta.url).href);
}
