// Runs a bench of the whole product: `node setup/bench-product.mjs latency|viewers [--json FILE …]`. It is bundled first, so that any Node runs it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name, ...args] = process.argv.slice(2);
const source = `test/bench/${name}.ts`;
if (name === undefined || !existsSync(join(root, source))) {
  process.stderr.write(`There is no bench ${name} of the product.\n`);
  process.exit(2);
}
const outfile = join(root, `build/bench/${name}.mjs`);
await build({
  absWorkingDir: root,
  entryPoints: [source],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "warning",
});
const { status } = spawnSync(process.execPath, [outfile, ...args], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
