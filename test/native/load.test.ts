/** Which addon is loaded, and the words when none is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { AddonError, type AddonWorld, addonPaths, loadAddon, loadBinding, platformName } from "#native/load.ts";

const good = { Pipeline: class {}, lock() {}, encoders() {}, buildInfo() {} };

function world(files: Readonly<Record<string, unknown>>, env: AddonWorld["env"] = {}): AddonWorld {
  return {
    here: "/app/ts/native",
    env,
    platform: "linux-x64-gnu",
    exists: (path) => path in files,
    open(path) {
      const found = files[path];
      if (found instanceof Error) throw found;
      return found;
    },
  };
}

function failure(of: AddonWorld): AddonError {
  try {
    loadAddon(of);
  } catch (error) {
    if (error instanceof AddonError) return error;
    throw error;
  }
  throw new Error("it loaded");
}

test("the addon beside the bundle comes first, then the local build, then the prebuild of this platform", () => {
  const beside = "/app/ts/native/device.node";
  const built = "/app/build/device.node";
  const prebuilt = "/app/prebuilds/linux-x64-gnu/device.node";
  expect(loadAddon(world({ [beside]: good, [built]: good, [prebuilt]: good })).path).toBe(beside);
  expect(loadAddon(world({ [built]: good, [prebuilt]: good })).path).toBe(built);
  expect(loadAddon(world({ [prebuilt]: good })).path).toBe(prebuilt);
});

test("BB_DEVICE_ADDON names the one addon and rules out the others", () => {
  const of = world({ "/app/build/device.node": good }, { BB_DEVICE_ADDON: "/elsewhere/device.node" });
  expect(addonPaths(of)).toEqual(["/elsewhere/device.node"]);
  expect(failure(of).candidates).toEqual([{ path: "/elsewhere/device.node", why: "there is no such file" }]);
  expect(addonPaths(world({}, { BB_DEVICE_ADDON: "" })).length).toBeGreaterThan(1);
});

test("an addon that fails to load is passed over for the next, and its real error is told when none loads", () => {
  const dlopen = new Error("libfoo.so.9: cannot open shared object file: No such file or directory");
  expect(loadAddon(world({ "/app/build/device.node": dlopen, "/app/prebuilds/linux-x64-gnu/device.node": good })).path).toContain(
    "prebuilds",
  );
  const { message, candidates } = failure(
    world({ "/app/build/device.node": dlopen, "/app/prebuilds/linux-x64-gnu/device.node": { other: true } }),
  );
  expect(candidates).toHaveLength(2);
  expect(message).toContain("/app/build/device.node: libfoo.so.9: cannot open shared object file");
  expect(message).toContain("not this product's addon");
  expect(message).not.toMatch(/module not found/i);
});

test("with no addon anywhere every place that was looked at is named", () => {
  const { message } = failure(world({}));
  expect(message).toContain("/app/build/device.node: there is no such file");
  expect(message).toContain("/app/prebuilds/linux-x64-gnu/device.node: there is no such file");
});

test("a file that is no library is told in the loader's own words", () => {
  const folder = mkdtempSync(join(tmpdir(), "load-"));
  try {
    const path = join(folder, "device.node");
    writeFileSync(path, "not a library");
    const real = loadAddon();
    expect(real.path).toMatch(/device\.node$/);
    process.env["BB_DEVICE_ADDON"] = path;
    expect(() => loadBinding()).toThrow(/file too short|invalid ELF header|not a mach-o/i);
  } finally {
    delete process.env["BB_DEVICE_ADDON"];
    rmSync(folder, { recursive: true, force: true });
  }
});

test("this platform's name is one that prebuilds/ uses", () => {
  expect(platformName()).toMatch(/^(linux-(x64|arm64)-(gnu|musl)|darwin-(x64|arm64))$/);
});
