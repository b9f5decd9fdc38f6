// Runs the bench of the emulator's frames (E6): bundles it, and starts it alone in a process of its own so that its CPU time is its own.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outfile = join(root, "build/bench/e6.mjs");

await build({
  absWorkingDir: root,
  entryPoints: ["test/android/bench/e6.ts"],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});
// The region lies in memory, as in a runtime folder, wherever the system keeps its temporary files.
const memory = existsSync("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};
const { status } = spawnSync(process.execPath, [outfile], { stdio: "inherit", env: { ...process.env, ...memory, BB_CHECKOUT: root } });
process.exit(status ?? 1);
