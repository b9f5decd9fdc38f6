/**
 * What only a real emulator can tell: the order of its rows, its touch space, its own definition of its messages. Run with one running.
 * The emulator is left running; settings that a check changes are put back.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DeviceElement, DeviceModel } from "#core/device.ts";
import { videoToDevice } from "#core/geometry.ts";
import { findEmulators } from "#drivers/android/discovery.ts";
import { androidDriver } from "#drivers/android/driver.ts";
import { file_emulator_controller } from "#drivers/android/generated/emulator_controller_pb.js";
import { realOutside } from "#drivers/android/outside.ts";
import { findSdk } from "#drivers/android/sdk.ts";
import type { DeviceDriver, DriverGeometry } from "#drivers/driver.ts";
import { FramePipeline } from "#native/frame-pipeline.ts";
import { loadBinding } from "#native/load.ts";

import { readPng } from "../android/png.ts";

const outside = realOutside();
const [running] = await findEmulators(outside);
const sdk = await findSdk(outside);
const definition = join(sdk.root ?? "/nowhere", "emulator", "lib", "emulator_controller.proto");
if (running === undefined) process.stderr.write("skipped: checks on a real emulator: none runs here\n");
if (!existsSync(definition)) process.stderr.write("skipped: the emulator's own message definition: no SDK with one is here\n");

const soon = () => AbortSignal.timeout(20_000);
const flat = (list: readonly DeviceElement[]): readonly DeviceElement[] => list.flatMap((one) => [one, ...flat(one.children)]);

describe.skipIf(running === undefined)("a real emulator", () => {
  const folder = mkdtempSync(join(tmpdir(), "bb-hardware-"));
  const geometries: DriverGeometry[] = [];
  let driver: DeviceDriver;
  let model: DeviceModel;

  beforeAll(async () => {
    const binding = loadBinding();
    const host = {
      geometry: (geometry: DriverGeometry) => geometries.push(geometry),
      changed() {},
      exited() {},
      clipboard() {},
      warning() {},
      log() {},
      progress() {},
    };
    const make = androidDriver({
      lock: (path) => binding.lock(path),
      makePipeline: (onEvent) => new FramePipeline(binding, { onEvent }),
      serial: running?.serial ?? null,
    });
    driver = make(host, { home: folder, run: folder, clock: { now: () => Number(process.hrtime.bigint()) / 1e6, wall: () => Date.now() } });
    const [only] = await driver.offered();
    if (only === undefined) throw new Error("the emulator that runs is not offered");
    model = only.model;
    await driver.attach(only.offer, soon());
  });
  afterAll(async () => {
    await driver?.control({ action: "rotate", to: "upright" }, soon());
    await driver?.detach();
    rmSync(folder, { recursive: true, force: true });
  });

  it("draws its rows top down, and its picture is the size of its AVD's screen", async () => {
    const mapped = readPng((await driver.screenshot()).png);
    const { width, height } = geometries.at(-1)?.video ?? { width: 0, height: 0 };
    expect([mapped.width, mapped.height]).toEqual([width, height]);
    const shot = spawnSync(sdk.adb ?? "adb", ["-s", running?.serial ?? "", "exec-out", "screencap", "-p"], { maxBuffer: 64 * 1024 * 1024 });
    const own = readPng(shot.stdout);
    let close = 0;
    let count = 0;
    for (let y = 0; y < height; y += 37) {
      for (let x = 0; x < width; x += 29, count += 1) if (Math.abs(mapped.at(x, y)[1] - own.at(x, y)[1]) < 12) close += 1;
    }
    expect(close / count).toBeGreaterThan(0.9);
  });

  it.each(["upright", "turned-left", "turned-right"] as const)("takes touches in the panel's upright pixels: %s", async (to) => {
    await driver.control({ action: "rotate", to }, soon());
    await driver.open("content://settings/");
    const before = flat(await driver.tree());
    const target = before.find((element) => element.can?.tap === true && element.label !== "");
    if (target === undefined) throw new Error("nothing on the screen can be tapped");
    const geometry = geometries.at(-1);
    if (geometry === undefined) throw new Error("no picture yet");
    const { x, y, width, height } = target.frame;
    const point = videoToDevice(model, geometry, driver.touchSpace, { x: x + width / 2, y: y + height / 2 });
    await driver.touch([{ id: 0, ...point }]);
    await driver.touch([]);
    await expect
      .poll(async () => JSON.stringify(flat(await driver.tree()).map((one) => one.label)), { timeout: 10_000 })
      .not.toBe(JSON.stringify(before.map((one) => one.label)));
    await driver.control({ action: "home" }, soon());
  });

  it("reads back every setting", async () => {
    const { android } = await driver.readBack();
    for (const [name, value] of Object.entries(android ?? {}))
      expect([name, value instanceof Error ? value.message : "read"]).toEqual([name, "read"]);
  });
});

describe.skipIf(!existsSync(definition))("the emulator's own definition", () => {
  it("has every field of ours with the same number and name", () => {
    const folder = mkdtempSync(join(tmpdir(), "bb-hardware-"));
    try {
      const out = join(folder, "own.pb");
      execFileSync("protoc", [
        `-I${join(definition, "..")}`,
        "-I/usr/include",
        "--include_imports",
        `--descriptor_set_out=${out}`,
        definition,
      ]);
      const theirs = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(out)));
      for (const message of file_emulator_controller.messages) {
        const match = theirs.getMessage(message.typeName);
        const numbers = new Map(match?.fields.map((field) => [field.name, field.number]));
        for (const field of message.fields)
          expect([message.name, field.name, numbers.get(field.name)]).toEqual([message.name, field.name, field.number]);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
