/** The reader of symbol versions, against objdump; that no addon needs a newer C library is the landing tests' claim. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { loadAddon } from "#native/load.ts";

import { describeWith } from "../support/needs.ts";

const { compareVersions, glibcVersions } = (await import("../../setup/glibc.mjs" as string)) as {
  compareVersions(one: readonly number[], other: readonly number[]): number;
  glibcVersions(path: string): readonly (readonly number[])[];
};

describeWith(["objdump"], "glibcVersions", () => {
  test.runIf(process.platform === "linux")("finds what objdump finds in the addon and in node itself", () => {
    for (const path of [loadAddon().path, process.execPath]) {
      const dump = execFileSync("objdump", ["-T", path], { encoding: "utf8", maxBuffer: 64 << 20 });
      const versions = [...new Set(dump.match(/GLIBC_[0-9.]+/g) ?? [])].map((name) => name.slice(6).split(".").map(Number));
      expect(glibcVersions(path)).toEqual(versions.toSorted(compareVersions));
    }
  });
});

test("a file that is no ELF file is an error", () => {
  expect(() => glibcVersions(fileURLToPath(import.meta.url))).toThrow(/not a 64-bit/);
});

test("versions compare by their numbers", () => {
  expect(
    [
      [2, 4],
      [2, 35],
      [2, 2, 5],
      [2, 34],
    ].toSorted(compareVersions),
  ).toEqual([
    [2, 2, 5],
    [2, 4],
    [2, 34],
    [2, 35],
  ]);
});
