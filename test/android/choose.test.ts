import { rmSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { chooseAndroid } from "#drivers/android/choose.ts";

import { describeWith } from "../support/needs.ts";
import { PIXEL_8, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS } from "./rig.ts";

const NOTHING = { device: null, model: null };
const ANDROID = { device: "android", model: null };

describeWith(["python3-grpcio", "protoc", "adb"], "which emulator a start means", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());
  const choose = (asked: { device: string | null; model: string | null }) => chooseAndroid(rig.outside(), asked);

  it("the one that runs, whether it is asked for or not", async () => {
    rig.avd("Small", SMALL);
    const { serial } = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const words = `Small runs (${serial}); it is left running at the end.`;
    for (const asked of [NOTHING, ANDROID, { device: serial, model: null }, { device: "android", model: "Small" }]) {
      expect(await choose(asked)).toEqual({ is: "running", serial, avd: "Small", name: "Small", words });
    }
  });

  it("looks at files and process ids alone: nothing is started, nobody is asked", async () => {
    const refuse = () => {
      throw new Error("it was asked");
    };
    const look = (device: string | null) =>
      chooseAndroid(rig.outside({ run: refuse, start: refuse, ask: refuse }), { device, model: null });
    expect(await look(null)).toMatchObject({ is: "none" });
    rig.installEmulator();
    rig.avd("Small", SMALL);
    expect(await look("android")).toMatchObject({ is: "boot", avd: "Small" });
    // Its AVD is nowhere to be read.
    const { serial } = await rig.peer(SMALL_ARGS, { avd: "Elsewhere" });
    expect(await look(null)).toEqual({
      is: "running",
      serial,
      avd: "Elsewhere",
      name: "Elsewhere",
      words: `Elsewhere runs (${serial}); it is left running at the end.`,
    });
  });

  it("of two that run, the one that is named; else both are listed with what to type", async () => {
    rig.avd("One", SMALL);
    rig.avd("Two", SMALL);
    const one = await rig.peer(SMALL_ARGS, { avd: "One" });
    const two = await rig.peer(SMALL_ARGS, { avd: "Two" });
    const { is, words } = await choose(NOTHING);
    expect(is).toBe("several");
    expect(words).toContain("2 emulators run. Name one:\n");
    for (const [name, { serial }] of [
      ["One", one],
      ["Two", two],
    ] as const)
      expect(words).toContain(`--device ${serial}   ${name}`);
    expect(await choose({ device: two.serial, model: null })).toMatchObject({ is: "running", avd: "Two" });
    expect(await choose({ device: "emulator-1", model: null })).toMatchObject({
      is: "none",
      words: expect.stringContaining("emulator-1 does not run. There is: emulator-"),
    });
  });

  it("with none running, the AVD that is named is booted, or the only one", async () => {
    rig.installEmulator();
    rig.avd("Pixel_8", PIXEL_8);
    expect(await choose(ANDROID)).toMatchObject({
      is: "boot",
      avd: "Pixel_8",
      words: "Booting Pixel 8; it is left running at the end, --stop-device stops it.",
    });
    rig.avd("Pixel_Fold", PIXEL_FOLD);
    expect((await choose(ANDROID)).words).toBe(
      'No emulator runs, and there are 2 AVDs. Name one:\n  --device android --model "Pixel 8"\n  --device android --model "Pixel Fold"',
    );
    expect(await choose({ device: "android", model: "Pixel Fold" })).toMatchObject({ is: "boot", avd: "Pixel_Fold" });
    expect(await choose({ device: "android", model: "Pixel_Fold" })).toMatchObject({ is: "boot", avd: "Pixel_Fold" });
    for (const device of ["android", null]) {
      expect(await choose({ device, model: "Nokia" })).toEqual({
        is: "none",
        words: "There is no AVD named Nokia. There is: Pixel 8 and Pixel Fold.",
      });
      expect(await choose({ device, model: "Pixel 8" })).toMatchObject({ is: "boot", avd: "Pixel_8" });
    }
    expect(await choose(NOTHING)).toEqual({ is: "none", words: 'No emulator runs. To boot one: --device android --model "Pixel 8"' });
  });

  it("says what is missing: an AVD, an SDK", async () => {
    rig.installEmulator();
    expect((await choose(NOTHING)).words).toBe(
      "No emulator runs, and there is no Android Virtual Device: make one in Android Studio's Device Manager.",
    );
    rmSync(join(rig.sdk, "emulator", "emulator"));
    rig.avd("Pixel_8", PIXEL_8);
    expect((await choose(ANDROID)).words).toBe(
      "No emulator runs, and no Android SDK with an emulator was found (Pixel 8 could be booted with one): set ANDROID_HOME, or start an emulator.",
    );
  });

  it("says why a watch is not shown, running, named or alone", async () => {
    rig.installEmulator();
    rig.avd("Watch", { ...SMALL, "tag.id": "android-wear" });
    expect(await choose({ device: "android", model: "Watch" })).toMatchObject({
      is: "none",
      words: expect.stringContaining("Watch is a Wear OS watch."),
    });
    const { serial } = await rig.peer(SMALL_ARGS, { avd: "Watch" });
    for (const asked of [NOTHING, ANDROID, { device: serial, model: null }]) {
      expect(await choose(asked)).toMatchObject({ is: "none", words: expect.stringContaining("Watch is a Wear OS watch.") });
    }
  });
});
