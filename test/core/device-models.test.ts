import { describe, expect, it } from "vitest";
import {
  DEFAULT_MODEL,
  DEVICE_MODELS,
  ESTIMATED,
  TEST_MODELS,
  modelNamed,
  resolveModel,
  rimOf,
  touchPanelOf,
} from "#core/device-models.ts";
import { deviceModelSchema } from "#wire/shapes.ts";

const ALL = [...DEVICE_MODELS, ...TEST_MODELS];

describe("the model table", () => {
  it("offers the note's six models, with the note's pixels", () => {
    const pixels = Object.fromEntries(
      DEVICE_MODELS.map((model) => [
        model.name,
        model.form === "foldable" ? [model.outer.pixels, model.inner.pixels] : [model.screen.pixels],
      ]),
    );
    expect(pixels).toEqual({
      "iPhone 18 Pro": [{ width: 1206, height: 2622 }],
      "iPhone 17": [{ width: 1206, height: 2622 }],
      "iPad Pro 13-inch (M5)": [{ width: 2064, height: 2752 }],
      "Pixel 8": [{ width: 1080, height: 2400 }],
      "Pixel Fold": [
        { width: 1080, height: 2092 },
        { width: 2208, height: 1840 },
      ],
      "Pixel Tablet": [{ width: 2560, height: 1600 }],
    });
  });

  it.each(ALL)("draws $name with three curves that share a centre", (model) => {
    const screen = model.form === "foldable" ? model.inner : model.screen;
    expect(model.body.radius).toBe(screen.cornerRadius + model.body.bezel + rimOf(screen));
  });

  it.each(ALL)("keeps the buttons and the cutout of $name where they can be", (model) => {
    for (const button of model.body.buttons) {
      expect(button.from).toBeLessThan(button.to);
      expect(button.from).toBeGreaterThan(0);
      expect(button.to).toBeLessThan(1);
    }
    const screen = model.form === "foldable" ? model.inner : model.screen;
    if (model.platform === "android") expect(screen.cutout).toBeNull();
    if (screen.cutout !== null) expect(screen.cutout.x * 2 + screen.cutout.width).toBe(screen.pixels.width);
  });

  it("holds no name twice, and its validator takes every row", () => {
    expect(new Set(ALL.map((model) => model.name)).size).toBe(ALL.length);
    for (const model of ALL) expect(deviceModelSchema.parse(model)).toEqual(model);
  });

  it("finds models by name, a driver's own first", () => {
    expect(modelNamed("Pixel Fold")?.form).toBe("foldable");
    expect(modelNamed("Test device")?.platform).toBe("android");
    expect(modelNamed("Pixel 9")).toBeNull();
    const built = { ...TEST_MODELS[0], name: "Pixel 8" } as (typeof TEST_MODELS)[number];
    expect(resolveModel("Pixel 8", [built])).toBe(built);
    expect(resolveModel("Pixel Tablet", [built])?.form).toBe("tablet");
    expect(modelNamed(DEFAULT_MODEL.ios)?.platform).toBe("ios");
    expect(modelNamed(DEFAULT_MODEL.android)?.platform).toBe("android");
  });

  it("says of which models it has estimated numbers", () => {
    for (const name of Object.keys(ESTIMATED)) expect(DEVICE_MODELS.some((model) => model.name === name)).toBe(true);
  });

  it("takes a foldable's touches in the inner panel", () => {
    const fold = modelNamed("Pixel Fold");
    expect(fold === null ? null : touchPanelOf(fold)).toEqual({ width: 2208, height: 1840 });
  });
});
