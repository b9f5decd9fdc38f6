/** What failed in a run of vitest, as its reporter kept it: the last words of `npm test` name it. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./ready.mjs";

/** A report of one run: the arguments and the environment that make vitest write it, and a line for each file or test that failed. */
export function testReport(name) {
  const file = join(ROOT, "build/test-reports", `${name}.json`);
  rmSync(file, { force: true });
  return {
    args: ["--reporter=default", `--reporter=${join(ROOT, "setup/failures-reporter.mjs")}`],
    env: { BB_FAILURES: file },
    failures: () => failuresIn(file),
  };
}

function failuresIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return ["no report was written: the run ended before its tests did"];
  }
}
