import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { create, createFileRegistry, fromBinary, toBinary, type DescEnum, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, it, onTestFinished } from "vitest";

import * as ours from "#drivers/android/generated/emulator_controller_pb.js";
import { Fingers } from "#drivers/android/touch.ts";

import { describeWith } from "../support/needs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROTO = join(ROOT, "ts/drivers/android/proto");
const GOOGLES = join(ROOT, "node_modules/android-emulator-webrtc");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "bb-proto-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

it("the generated code is what buf makes of the proto now", () => {
  const at = folder();
  cpSync(PROTO, join(at, "proto"), { recursive: true });
  mkdirSync(join(at, "generated"));
  symlinkSync(join(ROOT, "node_modules"), join(at, "node_modules"));
  execFileSync(join(ROOT, "node_modules/.bin/buf"), ["generate"], {
    cwd: join(at, "proto"),
    env: { ...process.env, PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}` },
    stdio: "pipe",
  });
  for (const name of ["emulator_controller_pb.js", "emulator_controller_pb.d.ts"]) {
    expect(readFileSync(join(at, "generated", name), "utf8")).toBe(readFileSync(join(dirname(PROTO), "generated", name), "utf8"));
  }
});

function shapeOf(field: DescField): unknown {
  const { number, fieldKind } = field;
  const kind = fieldKind === "list" ? field.listKind : fieldKind;
  const scalar = "scalar" in field ? field.scalar : undefined;
  return { number, fieldKind, kind, scalar, message: field.message?.typeName, enum: field.enum?.typeName };
}
const valuesOf = (desc: DescEnum) => new Map(desc.values.map((value) => [value.name, value.number]));

describeWith(["protoc"], "the proto subset", () => {
  it("has every name, number and type as Google's definition with the newer fields, field by field", () => {
    const out = join(folder(), "peer.pb");
    const script = fileURLToPath(new URL("../peers/emulator_proto.py", import.meta.url));
    execFileSync("/usr/bin/python3", [script, "--proto", join(GOOGLES, "proto/emulator_controller.proto"), "--descriptor", out]);
    const theirs = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(out)));
    const { messages, enums, services } = ours.file_emulator_controller;
    expect(messages.length).toBe(15);
    const nested = (list: readonly DescMessage[]): readonly DescMessage[] => list.flatMap((desc) => [desc, ...nested(desc.nestedMessages)]);
    for (const desc of nested(messages)) {
      const other = theirs.getMessage(desc.typeName);
      expect(other?.typeName).toBe(desc.typeName);
      for (const field of desc.fields) {
        const match = other?.fields.find((candidate) => candidate.name === field.name);
        expect([desc.typeName, field.name, match && shapeOf(match)]).toEqual([desc.typeName, field.name, shapeOf(field)]);
      }
      for (const inner of desc.nestedEnums) {
        const known = theirs.getEnum(inner.typeName);
        for (const [name, number] of valuesOf(inner)) expect([name, known && valuesOf(known).get(name)]).toEqual([name, number]);
      }
    }
    expect(enums).toEqual([]);
    const service = theirs.getService(services[0]?.typeName ?? "");
    for (const method of services[0]?.methods ?? []) {
      const match = service?.methods.find((candidate) => candidate.name === method.name);
      expect([match?.input.typeName, match?.output.typeName, match?.methodKind]).toEqual([
        method.input.typeName,
        method.output.typeName,
        method.methodKind,
      ]);
    }
  });
});

/** Google's own generated classes, on google-protobuf: nothing of this project is in them. */
interface ForeignMessage {
  serializeBinary(): Uint8Array;
  toObject(): Record<string, unknown>;
}
type Foreign = Record<string, { deserializeBinary(bytes: Uint8Array): ForeignMessage }>;
const foreign = createRequire(import.meta.url)(join(GOOGLES, "dist/proto/emulator_controller_pb.js")) as Foreign;

/** Reads our bytes with their classes and writes them back. */
function readByThem(name: string, bytes: Uint8Array): Record<string, unknown> {
  const message = foreign[name]?.deserializeBinary(bytes);
  if (message === undefined) throw new Error(`they have no ${name}`);
  expect([name, Buffer.from(message.serializeBinary()).toString("hex")]).toEqual([name, Buffer.from(bytes).toString("hex")]);
  return message.toObject();
}

it("another implementation reads what is sent, byte for byte", () => {
  const touch = new Fingers();
  const down = touch.to([
    { id: 0, x: 0, y: 0 },
    { id: 9, x: 1079, y: 2399 },
  ]);
  const lifted = touch.to([]);
  const event = (value: typeof down) => toBinary(ours.TouchEventSchema, create(ours.TouchEventSchema, value?.event ?? {}));
  expect(readByThem("TouchEvent", event(down))).toMatchObject({
    touchesList: [
      { x: 0, y: 0, identifier: 0, pressure: 1024 },
      { x: 1079, y: 2399, identifier: 9, pressure: 1024 },
    ],
  });
  expect(readByThem("TouchEvent", event(lifted)).touchesList).toMatchObject([
    { x: 0, y: 0, identifier: 0, pressure: 0 },
    { x: 1079, y: 2399, identifier: 9, pressure: 0 },
  ]);

  const key = create(ours.KeyboardEventSchema, { key: "ArrowLeft", eventType: ours.KeyboardEvent_KeyEventType.keyup });
  expect(readByThem("KeyboardEvent", toBinary(ours.KeyboardEventSchema, key))).toMatchObject({ key: "ArrowLeft", eventtype: 1 });

  const format = create(ours.ImageFormatSchema, {
    format: ours.ImageFormat_ImgFormat.RGB888,
    width: 2400,
    height: 2400,
    transport: { channel: ours.ImageTransport_TransportChannel.MMAP, handle: "file:///a b/region%20.rgb" },
  });
  expect(readByThem("ImageFormat", toBinary(ours.ImageFormatSchema, format))).toMatchObject({
    format: 2,
    width: 2400,
    height: 2400,
    transport: { channel: 1, handle: "file:///a b/region%20.rgb" },
  });

  const turned = create(ours.PhysicalModelValueSchema, {
    target: ours.PhysicalModelValue_PhysicalType.ROTATION,
    value: { data: [0, 0, -90] },
  });
  expect(readByThem("PhysicalModelValue", toBinary(ours.PhysicalModelValueSchema, turned))).toMatchObject({
    target: 1,
    value: { dataList: [0, 0, -90] },
  });

  const posture = create(ours.PostureSchema, { value: ours.Posture_PostureValue.POSTURE_HALF_OPENED });
  expect(readByThem("Posture", toBinary(ours.PostureSchema, posture))).toEqual({ value: 2 });
  const gps = create(ours.GpsStateSchema, { passiveUpdate: true, latitude: -33.8, longitude: 151.2 });
  expect(readByThem("GpsState", toBinary(ours.GpsStateSchema, gps))).toMatchObject({ latitude: -33.8, longitude: 151.2 });
  const battery = create(ours.BatteryStateSchema, {
    hasBattery: true,
    isPresent: true,
    charger: ours.BatteryState_BatteryCharger.NONE,
    chargeLevel: 7,
    health: ours.BatteryState_BatteryHealth.GOOD,
    status: ours.BatteryState_BatteryStatus.DISCHARGING,
  });
  expect(readByThem("BatteryState", toBinary(ours.BatteryStateSchema, battery))).toEqual({
    hasbattery: true,
    ispresent: true,
    charger: 0,
    chargelevel: 7,
    health: 0,
    status: 2,
  });
  const clip = create(ours.ClipDataSchema, { text: "日本語" });
  expect(readByThem("ClipData", toBinary(ours.ClipDataSchema, clip))).toEqual({ text: "日本語" });
});

it("a lone pointer 0 lifted at pixel 0,0 is seen by another implementation", () => {
  const touch = new Fingers();
  touch.to([{ id: 0, x: 0, y: 0 }]);
  const lifted = touch.to([]);
  const bytes = toBinary(ours.TouchEventSchema, create(ours.TouchEventSchema, lifted?.event ?? {}));
  expect(Buffer.from(bytes).toString("hex")).toBe("0a00");
  expect(readByThem("TouchEvent", bytes).touchesList).toMatchObject([{ x: 0, y: 0, identifier: 0, pressure: 0 }]);
});
