import { describe, expect, it } from "vitest";
import type { OfferedDevice } from "#core/device.ts";
import { KIND_INFO, type Offer, capabilitiesOf, chooseOffers, devicesLine, wrongOffer } from "#core/kinds.ts";

const android = (model: string): OfferedDevice => ({
  model,
  native: model,
  runtime: { platform: "android", api: 35, image: "google_apis", revision: 9, abi: "x86_64", emulator: "37.2.12.0", snapshot: null },
});
const one: Offer = { kind: "android", host: "one", offered: [android("Pixel 8"), android("Pixel Fold")] };
const two: Offer = { kind: "android", host: "two", offered: [android("Pixel 8"), android("Pixel Tablet")] };

describe("the kinds with a device", () => {
  it("name their platform, and show the host's desktop on ios only", () => {
    expect(KIND_INFO.ios.displays.map(({ id }) => id)).toEqual(["device", "desktop"]);
    expect(KIND_INFO.android.displays.map(({ id }) => id)).toEqual(["device"]);
    for (const info of Object.values(KIND_INFO)) {
      expect(info.displays.find(({ shows }) => shows === "device")).toEqual({ id: "device", shows: "device", resizable: false });
    }
  });

  it("have no offers of their own, so that an acquire is refused in words", () => {
    expect(chooseOffers("ios", null, [])).toEqual({ is: "refused", words: "No host offers ios boxes yet." });
    expect(chooseOffers("ios", "iPhone 17", [one])).toEqual({ is: "refused", words: "No host offers ios boxes yet." });
  });

  it("are the only ones that take a device", () => {
    expect(chooseOffers("linux", "Pixel 8", [one])).toMatchObject({ is: "refused", words: expect.stringContaining("ios or android") });
  });

  it("are tried where the image has the model that was asked for", () => {
    expect(chooseOffers("android", "Pixel Tablet", [one, two])).toEqual({ is: "offers", offers: [two], model: "Pixel Tablet" });
    expect(chooseOffers("android", null, [one, two])).toEqual({ is: "offers", offers: [one, two], model: "Pixel 8" });
    expect(chooseOffers("android", "Pixel 9", [one, two])).toEqual({
      is: "refused",
      words: "No offer has a Pixel 9. The models of android are: Pixel 8, Pixel Fold, Pixel Tablet.",
    });
  });

  it("say what an offer's boxes can do: the device through its server, and no other computer use", () => {
    expect(capabilitiesOf(one)).toMatchObject({ device: { platform: "android", offered: one.offered }, computerUse: null, enrols: true });
    expect(devicesLine(one.offered)).toBe("Devices: Pixel 8 (default), Pixel Fold.");
  });

  it("refuse an offer of what is none of their devices", () => {
    expect(wrongOffer("android", one.offered)).toBeNull();
    expect(wrongOffer("ios", one.offered)).toBe("The Pixel 8 is no ios device.");
    expect(wrongOffer("android", [android("Pixel 9")])).toBe("bb-box does not know the model Pixel 9.");
    const strange = { ...android("Pixel 8"), runtime: { platform: "ios", os: "1", build: "1", xcode: "1", companion: "1" } } as const;
    expect(wrongOffer("android", [strange])).toBe("The Pixel 8 does not run ios.");
  });
});
