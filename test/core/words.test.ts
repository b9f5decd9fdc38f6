import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANDROID_FONT_SCALES, type DeviceControl, IOS_CONTENT_SIZES } from "#core/device.ts";
import {
  DEVICE_ERROR_CODES,
  DeviceError,
  ambiguous,
  asDeviceError,
  badValue,
  busyRebooting,
  busySwitching,
  busyWaiting,
  failed,
  geometryChanging,
  inProgress,
  notBooted,
  outcomeUnknown,
  personHasControl,
  reusedId,
  staleGeometry,
  supersededInput,
  supersededOwner,
  switchFailed,
  unknownDevice,
  unsupported,
} from "#core/errors.ts";
import { movedContentSize, movedFontScale, nearestFontScale } from "#core/text-size.ts";
import { commonProtocol } from "#core/version.ts";
import { answerWords, doingWords, doneWords, durationWords, listOf, stateWords } from "#core/words.ts";
import { CONTROLS, FLAT, FOLD, IOS } from "../wire/samples.ts";

describe("answers", () => {
  it("say what happened, how long it took and the state after it, as the note does", () => {
    expect(answerWords({ action: "rotate", turn: "left" }, "iPhone 18 Pro", 300, IOS)).toBe(
      "Turned the iPhone 18 Pro left in 0.3 s. Now: turned left, 2622x1206, dark, text size large, booted.",
    );
    expect(answerWords({ action: "home" }, "Pixel 8", 2, FLAT)).toBe(
      "Pressed Home on the Pixel 8 in 2 ms. Now: turned left, 2400x1080, dark, text size 1.3, booted.",
    );
    expect(stateWords(FOLD)).toBe("upright, closed, 1080x2092, dark, text size 1.3, switching to the Pixel 8");
    expect(stateWords({ ...FLAT, geometry: null, power: { is: "stopped" } })).toBe("dark, text size 1.3, stopped");
    expect(stateWords({ ...FLAT, power: { is: "booted", awake: false } })).toContain("asleep");
  });

  it("on iOS say what a battery and a live status bar are not", () => {
    expect(answerWords({ action: "status_bar", to: "live" }, "iPhone 18 Pro", 178, IOS)).toMatch(
      /The status bar is live again, so the battery shows the Mac's\.$/,
    );
    expect(answerWords({ action: "battery", to: null }, "iPhone 18 Pro", 178, IOS)).toMatch(/battery API is unchanged\.$/);
  });

  it("have words for every control", () => {
    for (const control of CONTROLS) {
      expect(doneWords(control, "Pixel 8")).toMatch(/^[A-Z]/);
      expect(doingWords(control, "Pixel 8")).toMatch(/^[a-z]+ing /);
    }
    const done = (control: DeviceControl): string => doneWords(control, "Pixel 8");
    expect(done({ action: "rotate", to: "upright" })).toBe("Turned the Pixel 8 upright");
    expect(done({ action: "rotate", to: "turned-left" })).toBe("Turned the Pixel 8 left");
    expect(done({ action: "posture", to: "half-open" })).toBe("Half opened the Pixel 8");
    expect(done({ action: "install", paths: ["/build/My.app/"] })).toBe("Installed My.app on the Pixel 8");
    expect(done({ action: "install", paths: ["a.apk", "b.apk"] })).toBe("Installed 2 APKs on the Pixel 8");
  });

  it("count time as a person would", () => {
    expect([0, 61, 94, 95, 300, 9_949, 9_951, 61_000, 300_000].map(durationWords)).toEqual([
      "0 ms",
      "61 ms",
      "94 ms",
      "0.1 s",
      "0.3 s",
      "9.9 s",
      "10 s",
      "61 s",
      "5 min",
    ]);
    expect(listOf(["a"])).toBe("a");
    expect(listOf(["a", "b", "c"])).toBe("a, b or c");
  });
});

describe("errors", () => {
  it("have a sentence for every code", () => {
    const errors = [
      unsupported("iOS has no back button."),
      unknownDevice("Pixel 9", ["Pixel 8", "Pixel Fold", "Pixel Tablet"]),
      badValue("x is no number."),
      reusedId("a"),
      notBooted("Pixel Fold", "booting"),
      notBooted("Pixel Fold", "stopped"),
      notBooted("Pixel Fold", "failed"),
      busySwitching("Pixel Fold"),
      busyRebooting("Pixel Fold"),
      busyWaiting(8),
      staleGeometry(),
      geometryChanging(),
      ambiguous("e12", ["the cell Wi-Fi", "the cell Wi-Fi calling"]),
      outcomeUnknown("10 s passed", "turning the Pixel 8", "upright"),
      outcomeUnknown("The server started again", "turning the Pixel 8", null),
      supersededInput("person"),
      supersededInput("agent"),
      supersededInput("none"),
      supersededOwner(3, 4),
      personHasControl(),
      inProgress(),
      failed("adb: device offline."),
      switchFailed("Pixel Fold", "it did not boot in 120 s.", "Pixel 8"),
    ];
    for (const error of errors) expect(error.words).toMatch(/^[A-Z0-9a-z].*\.$/);
    expect(new Set(errors.map((error) => error.code))).toEqual(new Set(DEVICE_ERROR_CODES));
  });

  it("say the note's sentences", () => {
    expect(unknownDevice("Pixel 9", ["Pixel 8", "Pixel Fold", "Pixel Tablet"]).words).toBe(
      "This box has no Pixel 9. Its devices are: Pixel 8, Pixel Fold, Pixel Tablet.",
    );
    expect(notBooted("Pixel Fold", "booting").words).toBe(
      "The Pixel Fold is still booting. Try again in a few seconds, or call box_status.",
    );
    expect(busySwitching("Pixel Fold").words).toBe("The box is switching to the Pixel Fold. Try again when box_status says it has booted.");
    expect(staleGeometry().words).toBe("The device turned since that screenshot. Take another.");
    expect(switchFailed("Pixel Fold", "it did not boot in 120 s.", "Pixel 8").words).toBe(
      "Could not start the Pixel Fold: it did not boot in 120 s. The Pixel 8 is booted again.",
    );
  });

  it("keep a thrown thing's own words", () => {
    const error = new DeviceError("busy", "Wait.");
    expect(asDeviceError(error)).toBe(error);
    expect(asDeviceError(new Error("adb: no device"))).toMatchObject({ code: "failed", words: "adb: no device" });
    expect(asDeviceError("x")).toMatchObject({ code: "failed", words: "x" });
  });
});

describe("text size", () => {
  it("moves one step along the platform's own steps, stops at the ends and goes back to the default", () => {
    fc.assert(
      fc.property(fc.constantFrom(...IOS_CONTENT_SIZES), (size) => {
        const at = IOS_CONTENT_SIZES.indexOf(size);
        expect(IOS_CONTENT_SIZES.indexOf(movedContentSize(size, "larger"))).toBe(Math.min(at + 1, 11));
        expect(IOS_CONTENT_SIZES.indexOf(movedContentSize(size, "smaller"))).toBe(Math.max(at - 1, 0));
        expect(movedContentSize(size, "default")).toBe("large");
      }),
    );
    for (const [at, scale] of ANDROID_FONT_SCALES.entries()) {
      expect(ANDROID_FONT_SCALES.indexOf(movedFontScale(scale, "larger"))).toBe(Math.min(at + 1, 6));
      expect(ANDROID_FONT_SCALES.indexOf(movedFontScale(scale, "smaller"))).toBe(Math.max(at - 1, 0));
      expect(movedFontScale(scale, "default")).toBe(1);
      expect(nearestFontScale(scale + 0.01)).toBe(scale);
    }
  });
});

describe("protocol versions", () => {
  it("agree on the newest that both speak, or on none", () => {
    expect(commonProtocol({ min: 1, max: 3 }, { min: 2, max: 9 })).toBe(3);
    expect(commonProtocol({ min: 1, max: 1 }, { min: 2, max: 9 })).toBeNull();
    expect(commonProtocol({ min: 4, max: 5 }, { min: 2, max: 3 })).toBeNull();
  });
});
