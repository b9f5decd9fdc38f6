import { describe, expect, it } from "vitest";
import { DEVICE_MODELS, TEST_MODELS, modelNamed } from "#core/device-models.ts";
import type { DeviceControl, DeviceModel } from "#core/device.ts";
import { actionsOf, hasAction, supports, takes } from "#core/supports.ts";
import { DEVICE_ACTIONS } from "#wire/device.ts";
import { CONTROLS } from "../wire/samples.ts";

const named = (name: string): DeviceModel => {
  const model = modelNamed(name);
  if (model === null) throw new Error(`no ${name}`);
  return model;
};
const iphone = named("iPhone 18 Pro");
const pixel = named("Pixel 8");
const fold = named("Pixel Fold");
const words = (model: DeviceModel, control: DeviceControl): string => {
  const support = supports(model, control);
  return support.ok ? "ok" : `${support.code}: ${support.words}`;
};

describe("supports", () => {
  it("refuses what the platform or the model has not, and nothing else, for every model and control", () => {
    for (const model of [...DEVICE_MODELS, ...TEST_MODELS]) {
      for (const control of CONTROLS) {
        const ios = model.platform === "ios";
        const wanted =
          (["back", "recents", "network"].includes(control.action) && ios) ||
          (control.action === "posture" && model.form !== "foldable") ||
          (control.action === "text_size" && control.to === "accessibility-large" && !ios) ||
          (control.action === "text_size" && control.to === 1.15 && ios) ||
          (control.action === "install" && ios)
            ? "refused"
            : "ok";
        const support = supports(model, control);
        expect(`${model.name} ${JSON.stringify(control)} ${support.ok ? "ok" : "refused"}`).toBe(
          `${model.name} ${JSON.stringify(control)} ${wanted}`,
        );
        if (!support.ok) expect(support.words).toMatch(/^[A-Za-z].*\.$/);
      }
    }
  });

  it("says the note's sentences", () => {
    expect(words(iphone, { action: "back" })).toBe(
      "unsupported: iOS has no back button. Its actions are: home, lock, wake, rotate, appearance, text_size, location, status_bar, battery, install, switch, reboot.",
    );
    expect(words(pixel, { action: "posture", to: "open" })).toBe("unsupported: The Pixel 8 does not fold. The Pixel Fold does.");
    expect(words(pixel, { action: "text_size", to: "accessibility-large" })).toBe(
      "bad-value: text_size on Android takes larger, smaller, default or a font scale: 0.85, 1, 1.15, 1.3, 1.5, 1.8 or 2.",
    );
    expect(words(iphone, { action: "install", paths: ["My.ipa"] })).toBe(
      "bad-value: This is a build for a physical iPhone. Build for the simulator, for example xcodebuild -sdk iphonesimulator, and install the .app.",
    );
    expect(words(pixel, { action: "install", paths: ["my.aab"] })).toBe(
      "bad-value: Android App Bundles do not install directly. Make APKs with bundletool build-apks --mode=universal.",
    );
  });

  it("takes the split APKs of one app, and one .app folder with or without its slash", () => {
    expect(words(pixel, { action: "install", paths: ["base.apk", "split_en.APK"] })).toBe("ok");
    expect(words(iphone, { action: "install", paths: ["/build/My.app/"] })).toBe("ok");
    expect(words(iphone, { action: "install", paths: ["a.app", "b.app"] })).toMatch(/^bad-value: install on iOS takes/);
    expect(words(pixel, { action: "install", paths: ["a.apk", "readme.txt"] })).toMatch(/^bad-value: install on Android takes/);
  });

  it("refuses a posture that this foldable has not", () => {
    const two = { ...fold, postures: ["closed", "open"] } as unknown as DeviceModel;
    expect(words(two, { action: "posture", to: "half-open" })).toBe(
      "unsupported: The Pixel Fold has no half open posture. It has: closed or open.",
    );
  });

  it("leaves out what a driver cannot do", () => {
    expect(hasAction(pixel, "network")).toBe(true);
    expect(hasAction(pixel, "network", ["network"])).toBe(false);
    expect(supports(pixel, { action: "network", to: "slow" }, ["network"])).toMatchObject({ ok: false, code: "unsupported" });
    expect(actionsOf(pixel)).not.toContain("posture");
    expect(actionsOf(fold)).toContain("posture");
  });

  it("can say what each action takes", () => {
    for (const action of DEVICE_ACTIONS) expect(takes(action)).toMatch(new RegExp(`^${action} takes `));
    expect(takes("rotate")).toContain("not both");
  });
});
