/**
 * `npm run bench`: every measured ratio with its bar, and latencies, which have none. Options: --quick, --json FILE (a JSON line for each
 * figure), --only NAME (frames, encoders, rate, hand-over, e6, viewers, latency).
 * Real captures are measured beside the drawn pages when BB_SCREENS names a folder of them. Nothing else should run meanwhile.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureAddon } from "./native.mjs";
import { installPackages } from "./packages.mjs";
import { checkNode, ROOT } from "./ready.mjs";
import { fail, say, SetupError } from "./words.mjs";

const args = process.argv.slice(2);
const after = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const quick = args.includes("--quick");
const target = after("--json");
const only = after("--only");

const folder = join(ROOT, "build/bench");
const part = (name) => join(folder, `${name}.jsonl`);

function cargoBench(name, bench = name, ...words) {
  const options = [...words, ...(quick ? ["--quick"] : []), "--json", part(name)];
  const cargo = ["bench", "-q", "-p", "device-core", "--features", "openh264-source", "--bench", bench, "--", ...options];
  return spawnSync("cargo", cargo, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] }).status;
}

function nodeBench(name, script, ...words) {
  const command = [join(ROOT, script), ...words, "--json", part(name)];
  return spawnSync(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] }).status;
}

/** The product as a user starts it, and what its clients see. */
async function productBench(name) {
  // Built before, as a start that compiles is not ready in time.
  await ensureAddon(ROOT);
  return nodeBench(name, "setup/bench-product.mjs", name);
}

/** Prints a JSON line for each way and each ratio; the ratios become rows as every other bench's are. */
function e6() {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "setup/bench-e6.mjs")], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.stdout.write(stdout);
  const lines = stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "");
  const ratios = lines.map((line) => JSON.parse(line)).filter(({ ratio }) => ratio !== undefined);
  const rows = ratios.map(({ size, ratio, value, bar, passed }) => ({
    name: `emulator, shared memory / in-band, ${ratio}, ${size}`,
    value,
    bar,
    pass: passed,
  }));
  writeFileSync(part("e6"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return status;
}

async function handOver() {
  return nodeBench("hand-over", "test/native/hand-over.bench.mjs", await ensureAddon(ROOT));
}

const benches = [
  ["frames", () => cargoBench("frames")],
  ["encoders", () => cargoBench("encoders", "encoders", "--only", "ratios")],
  ["rate", () => cargoBench("rate", "encoders", "--only", "rate")],
  ["hand-over", handOver],
  ...(quick
    ? []
    : [
        ["e6", e6],
        ["viewers", () => productBench("viewers")],
        ["latency", () => productBench("latency")],
      ]),
];

try {
  checkNode();
  await installPackages(ROOT, { dev: true, install: true });
  mkdirSync(folder, { recursive: true });
  const failed = [];
  const chosen = benches.filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new SetupError(`There is no bench ${only} here. There are: ${benches.map(([name]) => name).join(", ")}.`);
  for (const [name, run] of chosen) {
    rmSync(part(name), { force: true });
    say(`\n${name}`);
    if ((await run()) !== 0) failed.push(name);
  }
  const lines = chosen.map(([name]) => part(name)).filter((file) => existsSync(file));
  const results = lines.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
  if (target !== undefined) writeFileSync(resolve(target), results.map((line) => `${line}\n`).join(""));
  const missed = results.map((line) => JSON.parse(line)).filter(({ pass }) => pass === false);
  for (const { name, value, bar } of missed) say(`missed: ${name}: ${value} (bar ${bar})`);
  say(`${results.length} figures, ${missed.length} missed`);
  if (failed.length > 0) throw new SetupError(`A bench did not run to its end: ${failed.join(", ")}`);
} catch (error) {
  fail(error);
}
