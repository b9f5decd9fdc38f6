import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Orientation } from "#core/device.ts";
import { fractionFromNatural, sizeTurned } from "#core/geometry.ts";
import { DEGREES, type ShownPicture, fromVideo, layPicture, shorterWay, toVideo, turnPoint } from "#viewer/frame/turn.ts";

const ORIENTATIONS: Orientation[] = ["upright", "turned-left", "upside-down", "turned-right"];
const SCREEN = { width: 300, height: 650 };
const PIXELS = { width: 1200, height: 2600 };

function picture(content: Orientation): ShownPicture {
  return { size: sizeTurned(PIXELS, content), content, generation: 1 };
}

describe("where a press is on the video", () => {
  it("reads the upright picture's corners as its own pixels", () => {
    expect(toVideo({ x: -150, y: -325 }, "upright", picture("upright"), SCREEN, false)).toEqual({ x: 0, y: 0 });
    expect(toVideo({ x: 149.99, y: 324.99 }, "upright", picture("upright"), SCREEN, false)).toEqual({ x: 1199, y: 2599 });
  });

  it("reads a device turned left with a picture turned with it as the reader sees it", () => {
    const at = toVideo({ x: -325, y: -150 }, "turned-left", picture("turned-left"), SCREEN, false);
    expect(at).toEqual({ x: 0, y: 0 });
  });

  it("finds the launcher that stays upright on a device turned left: its top edge lies at the reader's left", () => {
    const at = toVideo({ x: -324.9, y: 149.9 }, "turned-left", picture("upright"), SCREEN, false);
    expect(at).toEqual({ x: 0, y: 0 });
  });

  it("is outside beside the picture, and at its edge when held to it", () => {
    expect(toVideo({ x: 200, y: 0 }, "upright", picture("upright"), SCREEN, false)).toBeNull();
    expect(toVideo({ x: 200, y: 0 }, "upright", picture("upright"), SCREEN, true)).toEqual({ x: 1199, y: 1300 });
  });

  it("comes back to the same pixel from where it is drawn, for every way of holding and drawing", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ORIENTATIONS),
        fc.constantFrom(...ORIENTATIONS),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (physical, content, fx, fy) => {
          const shown = picture(content);
          const pixel = { x: Math.floor(fx * shown.size.width), y: Math.floor(fy * shown.size.height) };
          const seen = fromVideo(pixel, physical, shown, SCREEN);
          expect(toVideo(seen, physical, shown, SCREEN, false)).toEqual(pixel);
        },
      ),
    );
  });

  it("draws where the server's own transform taps: the video's fraction is the upright screen's, turned by content", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ORIENTATIONS),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (content, x, y) => {
          const shown = picture(content);
          const drawn = fractionFromNatural({ x, y }, content);
          const upright = { x: (x - 0.5) * SCREEN.width, y: (y - 0.5) * SCREEN.height };
          const at = toVideo(upright, "upright", shown, SCREEN, true);
          expect(Math.abs((at?.x ?? -9) - drawn.x * shown.size.width)).toBeLessThanOrEqual(1);
          expect(Math.abs((at?.y ?? -9) - drawn.y * shown.size.height)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });
});

describe("how a picture lies", () => {
  it("fills the screen when its shape is the screen's", () => {
    expect(layPicture(picture("upright"), SCREEN)).toEqual({ degrees: 0, width: 300, height: 650 });
    expect(layPicture(picture("turned-left"), SCREEN)).toEqual({ degrees: 90, width: 650, height: 300 });
  });

  it("fits one of another shape inside, never stretched", () => {
    const laid = layPicture({ size: { width: 1000, height: 1000 }, content: "upright", generation: 1 }, SCREEN);
    expect(laid.width).toBe(300);
    expect(laid.height).toBe(300);
  });

  it("draws no black line for a pixel that the encoder rounded away", () => {
    const laid = layPicture({ size: { width: 1080, height: 2400 }, content: "upright", generation: 1 }, { width: 270.25, height: 600.5 });
    expect(laid).toMatchObject({ width: 270.25, height: 600.5 });
  });
});

describe("angles", () => {
  it("turns the shorter way, from wherever the last turn had come to", () => {
    expect(shorterWay(-180, DEGREES["turned-right"])).toBe(-270);
    expect(shorterWay(-270, DEGREES.upright)).toBe(-360);
    expect(shorterWay(20, DEGREES["turned-left"])).toBe(-90);
  });

  it("turns points by whole quarters exactly", () => {
    expect(turnPoint({ x: 1, y: 2 }, 90)).toEqual({ x: -2, y: 1 });
    expect(turnPoint(turnPoint({ x: 0.1, y: 0.7 }, 90), -90)).toEqual({ x: 0.1, y: 0.7 });
  });
});
