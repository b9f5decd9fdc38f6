import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEVICE_MODELS } from "#core/device-models.ts";
import { boxDeviceFrom, parseBoxDevice, parseImageRecord } from "#wire/records.ts";

const RUNTIME = {
  platform: "android",
  api: 35,
  image: "google_apis",
  revision: 9,
  abi: "x86_64",
  emulator: "37.2.12.0",
  snapshot: { emulator: "37.2.12.0", cpu: "Xeon", made: "2026-10-26" },
} as const;
const OFFER = { model: "Pixel 8", native: "pixel_8", runtime: RUNTIME } as const;
const IMAGE = JSON.stringify({ image: "android", build: 7, devices: [OFFER] });

describe("an image's record", () => {
  it("gives each offered device with its model", () => {
    const parsed = parseImageRecord(IMAGE);
    expect(parsed).toMatchObject({ ok: true, value: { devices: [{ offer: OFFER, model: { name: "Pixel 8", form: "phone" } }] } });
  });

  it("of an image without devices has none", () => {
    expect(parseImageRecord('{"image":"linux"}')).toEqual({ ok: true, value: { devices: [] } });
  });

  it("that names a model nobody knows is refused, unless a driver built it", () => {
    const text = IMAGE.replace("Pixel 8", "Pixel 9");
    expect(parseImageRecord(text)).toEqual({ ok: false, words: "The image's record names the model Pixel 9, which bb-box does not know." });
    const built = DEVICE_MODELS.filter(({ name }) => name === "Pixel 8").map((model) => ({ ...model, name: "Pixel 9" }));
    expect(parseImageRecord(text, built)).toMatchObject({ ok: true });
  });

  it("that gives a device another platform's runtime is refused", () => {
    const text = JSON.stringify({ devices: [{ ...OFFER, model: "iPhone 17" }] });
    expect(parseImageRecord(text)).toEqual({ ok: false, words: "The image's record gives the iPhone 17 a runtime of android." });
  });

  it("cut at any byte is refused in words", () => {
    for (let length = 0; length < IMAGE.length; length += 1) {
      const parsed = parseImageRecord(IMAGE.slice(0, length));
      expect(parsed.ok ? "" : parsed.words).toMatch(/^The image's record.*\.$/);
    }
  });

  it("of any JSON is a value or words", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseImageRecord(text);
        if (!parsed.ok) expect(parsed.words).toMatch(/\.$/);
      }),
    );
  });
});

describe("a box's record", () => {
  const device = { platform: "android", model: "Pixel 8", runtime: RUNTIME } as const;

  it("gives its device, or none", () => {
    expect(parseBoxDevice({ id: "b-1", device })).toEqual({ ok: true, value: device });
    expect(parseBoxDevice({ id: "b-1", device: null })).toEqual({ ok: true, value: null });
    expect(parseBoxDevice({ id: "b-1" })).toEqual({ ok: true, value: null });
  });

  it("is refused in words where it cannot be", () => {
    expect(parseBoxDevice({ device: { ...device, model: "Pixel 9" } })).toMatchObject({
      ok: false,
      words: expect.stringContaining("Pixel 9"),
    });
    expect(parseBoxDevice({ device: { ...device, platform: "ios" } })).toEqual({
      ok: false,
      words: "The box's record says that the Pixel 8 is ios.",
    });
    expect(parseBoxDevice({ device: { model: "Pixel 8" } })).toMatchObject({ ok: false });
    expect(parseBoxDevice("x")).toMatchObject({ ok: false });
  });

  it("is made of what the server says", () => {
    expect(boxDeviceFrom({ platform: "android", model: "Pixel 8" }, [OFFER])).toEqual(device);
    expect(boxDeviceFrom({ platform: "android", model: "Pixel Fold" }, [OFFER])).toBeNull();
  });
});
