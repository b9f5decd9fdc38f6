/** `npm test`: sets up what the tests need, then runs every check and every test. Options: --soak, --only NAME. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installPackages } from "./packages.mjs";
import { checkNode, ROOT } from "./ready.mjs";
import { output } from "./run.mjs";
import { testReport } from "./test-report.mjs";
import { ensureNode24, ensureTools } from "./tools.mjs";
import { fail, say, SetupError, step, warn } from "./words.mjs";

const args = process.argv.slice(2);
const soak = args.includes("--soak");
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : null;
const bin = (name) => join(ROOT, "node_modules/.bin", name);
const RUST = [1, 88];
const FUZZ_TARGETS = ["bitstream", "frames", "rate"];
const FUZZ_SECONDS = 300;
/** Hold a claim against the clock (a first unit within 100 ms, a server back within 2 s): these files run one by one, beside no other. */
const TIMED = [
  "test/android/frames.test.ts",
  "test/android/server.test.ts",
  "test/android/start.test.ts",
  "test/browser/slice.browser.test.ts",
  "test/cli/start.test.ts",
  "test/e2e/key-frames.test.ts",
  "test/server/processes/load.test.ts",
  "test/server/processes/stops-and-starts.test.ts",
  "test/server/processes/viewers.test.ts",
  "test/server/server.test.ts",
];

function checkRust() {
  const [major, minor] = output("rustc", ["--version"])?.split(/[ .]/).slice(1, 3).map(Number) ?? [0, 0];
  if (major > RUST[0] || (major === RUST[0] && minor >= RUST[1])) return;
  throw new SetupError(`The tests build the native core: Rust ${RUST.join(".")} or newer is needed (https://rustup.rs).`);
}

/** Output goes straight to ours, so that every runner's own summary line shows. */
function show(command, commandArgs, env = {}) {
  const result = spawnSync(command, commandArgs, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", 1, 2] });
  if (result.error) throw new SetupError(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) throw new SetupError(`${command} ${commandArgs.join(" ")} failed (${result.signal ?? `exit ${result.status}`})`);
}

/** Coverage-guided, for minutes; `npm test` runs the same bodies on seeded inputs. */
function fuzz() {
  if (output("cargo", ["+nightly", "fuzz", "--version"]) === null) {
    const words =
      "cargo-fuzz is missing: the fuzz targets cannot run. Install it: rustup toolchain install nightly && cargo install cargo-fuzz";
    if (process.env.CI === "true") throw new SetupError(words);
    warn(`skipped: ${words}`);
    return;
  }
  for (const target of FUZZ_TARGETS) {
    show("cargo", ["+nightly", "fuzz", "run", "--fuzz-dir", "crates/core/fuzz", target, "--", `-max_total_time=${FUZZ_SECONDS}`]);
  }
}

const checks = [
  ["types", () => show(bin("tsc"), ["-p", "."])],
  ["lint", () => show(bin("oxlint"), ["--deny-warnings"])],
  ["format", () => show(bin("oxfmt"), ["--check"])],
  ["unused", () => show(bin("knip"), ["--no-progress"])],
  ["notice", () => show(process.execPath, ["setup/notice.mjs", "--check"])],
  ["sizes", () => show(process.execPath, ["setup/sizes.mjs"])],
  ["rustfmt", () => show("cargo", ["fmt", "--all", "--check"])],
  [
    "clippy",
    () => show("cargo", ["clippy", "-q", "--workspace", "--all-targets", "--features", "openh264-source", "--", "-D", "warnings"]),
  ],
];
/** Every test that failed, in words, for the end of the output. */
const failures = [];

function vitest(node, name, words, env = {}) {
  const report = testReport(name);
  try {
    show(node, ["node_modules/vitest/vitest.mjs", "run", ...report.args, ...words], { ...env, ...report.env });
  } catch (error) {
    failures.push(...report.failures());
    throw error;
  }
}

try {
  checkNode();
  checkRust();
  await ensureTools();
  await installPackages(ROOT, { dev: true, install: true });
  const node24 = await ensureNode24(ROOT);
  const jobs = soak
    ? [
        ["fuzz", fuzz],
        ["soak", () => vitest(process.execPath, "soak", [], { BB_SOAK: "1" })],
      ]
    : [
        ...checks,
        ["native core", () => show("cargo", ["test", "--release", "-p", "device-core", "--features", "openh264-source"])],
        [
          "tests",
          () =>
            vitest(
              process.execPath,
              "tests",
              TIMED.flatMap((file) => ["--exclude", file]),
              { BB_LANDING: process.env.CI === "true" ? "1" : "" },
            ),
        ],
        ["tests that measure time", () => vitest(process.execPath, "time", ["--no-file-parallelism", ...TIMED])],
        ...(node24 === null
          ? []
          : [
              [
                "tests on Node 24",
                () => vitest(node24, "node24", ["--no-file-parallelism", "test/native", "test/server", "test/cli/start"]),
              ],
            ]),
      ];
  const failed = [];
  for (const [name, job] of jobs) {
    if (only !== null && !name.startsWith(only)) continue;
    try {
      await step(name, async () => job());
    } catch (error) {
      failed.push(name);
      fail(error);
    }
  }
  for (const words of failures) say(`\n✗ ${words}`);
  if (failed.length > 0) throw new SetupError(`Failed: ${failed.join(", ")}`);
  say("Everything passed.");
} catch (error) {
  fail(error);
}
