/** What failed in a run of vitest, read from its own JSON report: the last words of `npm test` name it. */
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "./ready.mjs";

/** How much of an error's first lines is repeated. */
const WORDS = 300;

/** A report of one run: the arguments that make vitest write it, and a line for each file or test that failed. */
export function testReport(name) {
  const file = join(ROOT, "build/test-reports", `${name}.json`);
  rmSync(file, { force: true });
  return { args: ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`], failures: () => failuresIn(file) };
}

function failuresIn(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return ["no report was written: the run ended before its tests did"];
  }
  return report.testResults.flatMap(({ name, message, assertionResults }) => {
    const failed = assertionResults.filter(({ status }) => status === "failed");
    const path = relative(ROOT, name);
    if (failed.length === 0) return message ? [`${path}: ${plain(message)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${path} › ${fullName}: ${plain(failureMessages.join("\n"))}`);
  });
}

/** Without colours, and short. */
const plain = (text) => stripVTControlCharacters(text).slice(0, WORDS);
