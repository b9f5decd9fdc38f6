/** The end of `npm test`: each test that failed is named in words that help, also one that hung. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../support/product.ts";

interface Report {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  failures(): readonly string[];
}
const { testReport } = (await import("../../setup/test-report.mjs" as string)) as { testReport(name: string): Report };

const FAILING = `
import { afterEach, describe, expect, it } from "vitest";
import { tellWhenFailed } from "${ROOT}/test/support/failed.ts";
afterEach((context) => tellWhenFailed(context, ["what its process said"], ["${ROOT}/no such file"]));
describe("these", () => {
  it("holds", () => {});
  it("hangs", () => new Promise(() => {}));
  it("is wrong", () => { expect(1).toBe(2); });
});
`;

it("names what hung, what was wrong and a file that cannot be read, with what their processes said", () => {
  // Inside the checkout, so that its packages are found.
  const folder = mkdtempSync(join(ROOT, "build/failing-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "wrong.test.mjs"), FAILING);
  writeFileSync(join(folder, "broken.test.mjs"), `throw new Error("no such file");`);
  writeFileSync(join(folder, "vitest.config.mjs"), `export default { test: { testTimeout: 300 } };`);
  const report = testReport(`failing-${process.pid}`);
  onTestFinished(() => rmSync(report.env.BB_FAILURES ?? "", { force: true }));
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", "--root", folder, ...report.args];
  const ran = spawnSync(process.execPath, args, { cwd: folder, env: { ...process.env, ...report.env }, encoding: "utf8" });
  expect(ran.status).toBe(1);
  const failures = report.failures();
  expect(failures.toSorted()).toEqual([
    "broken.test.mjs: no such file",
    expect.stringMatching(/^wrong\.test\.mjs › these > hangs: Test timed out in 300ms\.[^]*\nwhat its process said$/),
    expect.stringMatching(/^wrong\.test\.mjs › these > is wrong: expected 1 to be 2[^]*\nwhat its process said$/),
  ]);
});

it("says so when a run wrote none", () => {
  expect(testReport(`none-${process.pid}`).failures()).toEqual(["no report was written: the run ended before its tests did"]);
});
