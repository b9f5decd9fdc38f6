import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { localBackend } from "#host/backends/local.ts";
import { install, point, probe } from "#host/delivery/steps.ts";
import { bundleSource } from "#host/delivery/source.ts";
import type { Backend } from "#host/ports.ts";
import { systemTimers } from "#launch/timers.ts";
import { platformName } from "#native/load.ts";
import { ROOT } from "../../support/product.ts";
import { temporaryFolder } from "../../support/temp.ts";

function box() {
  const home = temporaryFolder();
  const deviceHome = join(home, "device");
  const backend = localBackend({ home, deviceHome }, { ...systemTimers, wall: () => Date.now() });
  return { backend, server: join(deviceHome, "server") };
}

const FILES = [
  { name: "bb-box-device.mjs", bytes: Buffer.from("console.log(1);\n") },
  { name: "device.node", bytes: Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256)) },
];
const current = (server: string) => readlinkSync(join(server, "current"));

it("the box says what it is", async () => {
  expect(await probe(box().backend)).toEqual({ platform: platformName(), node: process.versions.node });
});

it("files arrive whole and private in their version's folder, and nothing points at them until it is told to", async () => {
  const { backend, server } = box();
  expect(await install(backend, 7, false, FILES)).toEqual({ ok: true, before: null });
  expect(existsSync(join(server, "current"))).toBe(false);
  for (const { name, bytes } of FILES) expect(readFileSync(join(server, "7", name)).equals(bytes)).toBe(true);
  expect(statSync(join(server, "7")).mode & 0o777).toBe(0o700);
  expect(await point(backend, 7, true)).toEqual({ ok: true, before: null });
  expect(current(server)).toBe("7");
});

it("the last version's folder stays, older ones go", async () => {
  const { backend, server } = box();
  for (const version of [5, 6, 7]) {
    await install(backend, version, false, FILES);
    await point(backend, version, true);
  }
  expect(readdirSync(server).sort()).toEqual(["6", "7", "current"]);
});

it("a newer version in the box is left as it is, at both steps, unless nothing else can speak to it", async () => {
  const { backend, server } = box();
  await install(backend, 9, false, FILES);
  await point(backend, 9, true);
  expect(await install(backend, 8, false, FILES)).toEqual({ ok: false, newer: 9 });
  expect(existsSync(join(server, "8"))).toBe(false);
  expect(await install(backend, 8, true, FILES)).toEqual({ ok: true, before: 9 });
  expect(await point(backend, 8, true)).toEqual({ ok: false, newer: 9 });
  expect(current(server)).toBe("9");
  expect(await point(backend, 8, false)).toEqual({ ok: true, before: 9 });
  expect(current(server)).toBe("8");
});

it("a file that does not arrive whole changes nothing", async () => {
  const { backend, server } = box();
  await install(backend, 1, false, FILES);
  await point(backend, 1, true);
  const cut: Backend = {
    ...backend,
    run: (script, options) => backend.run(script, { ...options, input: (options.input ?? Buffer.alloc(0)).subarray(0, -10) }),
  };
  expect(await install(cut, 2, false, FILES)).toEqual({ ok: false, words: "device.node did not arrive whole." });
  expect(readdirSync(server)).toEqual(["1", "current"]);
  expect(current(server)).toBe("1");
});

it("the same version again replaces its folder, and back to nothing takes the link away", async () => {
  const { backend, server } = box();
  await install(backend, 3, false, FILES);
  await point(backend, 3, true);
  await install(backend, 3, false, [{ name: "bb-box-device.mjs", bytes: Buffer.from("other\n") }]);
  expect(readFileSync(join(server, "3/bb-box-device.mjs"), "utf8")).toBe("other\n");
  await point(backend, null, false);
  expect(readdirSync(server)).toEqual(["3"]);
});

it("a `current` that is no version counts as none", async () => {
  const { backend, server } = box();
  mkdirSync(join(server, "by-hand"), { recursive: true });
  symlinkSync("by-hand", join(server, "current"));
  expect(await install(backend, 1, false, FILES)).toEqual({ ok: true, before: null });
  expect(await point(backend, 1, true)).toEqual({ ok: true, before: null });
  expect(current(server)).toBe("1");
  expect(existsSync(join(server, "by-hand"))).toBe(true);
});

it("a box whose folder cannot be written says so", async () => {
  const { backend, server } = box();
  mkdirSync(join(server, ".."), { recursive: true });
  writeFileSync(server, "in the way");
  const answer = await install(backend, 1, false, FILES);
  expect(answer).toMatchObject({ ok: false, words: expect.stringMatching(/ENOTDIR|EEXIST/) as string });
});

it("what this host would bring is its own bundle with an addon for the box, or words", () => {
  const source = bundleSource(join(ROOT, "build/bb-box-device.mjs"), "plan9-mips");
  expect(() => source.files("plan9-sparc")).toThrow("There is no addon for plan9-sparc here");
  const here = source.files("plan9-mips");
  expect(here.map(({ name }) => name)).toEqual(["bb-box-device.mjs", "device.node"]);
  expect(Buffer.from(source.unit()).toString()).toContain("Restart=always");
});
