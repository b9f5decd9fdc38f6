/** The prebuilds that are handed on: of these sources, loadable on the oldest promised system, without development features. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import { loadAddon, platformName } from "#native/load.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { cratesHash } = (await import("../../setup/crates-hash.mjs" as string)) as { cratesHash(root: string): string };
const { compareVersions, glibcVersions } = (await import("../../setup/glibc.mjs" as string)) as {
  compareVersions(one: readonly number[], other: readonly number[]): number;
  glibcVersions(path: string): readonly (readonly number[])[];
};

const folders = readdirSync(join(ROOT, "prebuilds")).filter((name) => existsSync(join(ROOT, "prebuilds", name, "BUILD.json")));

test("there is a prebuild for Linux on x64", () => {
  expect(folders).toContain("linux-x64-gnu");
});

describe.each(folders)("%s", (folder) => {
  const file = join(ROOT, "prebuilds", folder, "device.node");
  const record: unknown = JSON.parse(readFileSync(join(ROOT, "prebuilds", folder, "BUILD.json"), "utf8"));

  test("is built from the sources as they are, with no development features", () => {
    expect(record).toMatchObject({ hash: cratesHash(ROOT), features: [] });
  });

  test.runIf(folder.startsWith("linux"))("needs no C library newer than Ubuntu 22.04's and no C++ library", () => {
    expect(compareVersions(glibcVersions(file).at(-1) ?? [], [2, 35])).toBeLessThanOrEqual(0);
    expect(readFileSync(file).includes("libstdc++")).toBe(false);
  });

  test("names no folder of the machine that built it", () => {
    const bytes = readFileSync(file);
    const named = ["/.cargo/registry", ROOT.replace(/\/$/, "")].filter((path) => bytes.includes(path));
    expect(named).toEqual([]);
  });

  test.runIf(folder === platformName())("loads here and says the hash of its record", () => {
    const { binding } = loadAddon({
      here: "/nowhere",
      env: { BB_DEVICE_ADDON: file },
      exists: existsSync,
      platform: folder,
      open(path) {
        const module: { exports: unknown } = { exports: {} };
        process.dlopen(module, path);
        return module.exports;
      },
    });
    expect(record).toMatchObject({ ...binding.buildInfo() });
  });
});
