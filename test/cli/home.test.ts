import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeHome } from "#cli/home.ts";
import { temporaryFolder } from "../support/temp.ts";

const fails = (code: string) => () => {
  throw Object.assign(new Error(`${code}: what the system says`), { code });
};

it("a home is made private with all above it, and one that is there is used", () => {
  const home = join(temporaryFolder(), "a", "b");
  makeHome(home);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  makeHome(home);
});

it("a file in the home's place, or above it, is said", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "file"), "precious");
  for (const home of [join(folder, "file"), join(folder, "file", "home")]) {
    expect(() => makeHome(home)).toThrow(`The folder ${home} cannot be used: a file is in its place. Choose another with --home.`);
  }
});

it.each([
  ["EROFS", "its disk is mounted read-only"],
  ["EACCES", "this user may not make files in it"],
])("%s of the nearest folder that is there is said as it is, where making the home would say that it is not there", (code, words) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "mounted"));
  const calls = {
    make: fails("ENOENT"),
    exists: (path: string) => path === join(folder, "mounted"),
    takesFiles: (path: string) => (path === join(folder, "mounted") ? fails(code)() : undefined),
  };
  expect(() => makeHome(join(folder, "mounted", "home"), calls)).toThrow(words);
});

it("a place where no folder can be made is said, also where the system says of the new folder that it is not there", () => {
  const calls = { make: fails("ENOENT"), exists: (path: string) => path === "/proc", takesFiles: () => undefined };
  expect(() => makeHome("/proc/a/b", calls)).toThrow("The folder /proc/a/b cannot be used: no folder can be made there.");
});

it.runIf(process.platform === "linux")("/proc is such a place", () => {
  expect(() => makeHome("/proc/bb-box/home")).toThrow("The folder /proc/bb-box/home cannot be used:");
});
