import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEVICE_MODELS, TEST_MODELS, screenOf, touchPanelOf } from "#core/device-models.ts";
import type { DeviceModel, Orientation } from "#core/device.ts";
import {
  ORIENTATIONS,
  type ScreenGeometry,
  deviceToVideo,
  fractionFromNatural,
  fractionToNatural,
  insideVideo,
  orientationWords,
  pictureTurn,
  scaledToVideo,
  screenIn,
  turned,
  videoSizeOf,
  videoToDevice,
} from "#core/geometry.ts";

const MODELS = [...DEVICE_MODELS, ...TEST_MODELS];

interface Case {
  readonly model: DeviceModel;
  readonly geometry: ScreenGeometry & { readonly screen: "outer" | "inner" };
}
const cases: readonly Case[] = MODELS.flatMap((model) =>
  (model.form === "foldable" ? model.postures.map(screenIn) : (["inner"] as const)).flatMap((screen) =>
    ORIENTATIONS.map((content) => ({ model, geometry: { content, screen, video: videoSizeOf(model, screen, content) } })),
  ),
);
const anyCase = fc.constantFrom(...cases);

/**
 * The device drawn the long way round: paints the upright screen's pixel into the picture that an eye would see with the
 * device held this way, and asks where it ended up. Independent of the transform's own fractions.
 */
function seenAt(
  natural: { x: number; y: number },
  screen: { width: number; height: number },
  content: Orientation,
): { x: number; y: number } {
  let { x, y } = natural;
  let { width, height } = screen;
  for (let quarter = 0; quarter < ORIENTATIONS.indexOf(content); quarter += 1) {
    // A quarter anticlockwise: the right edge becomes the top.
    [x, y] = [y, width - 1 - x];
    [width, height] = [height, width];
  }
  return { x, y };
}

describe("the transform", () => {
  it("puts a tap on the pixel that is drawn there, for every model, orientation and posture", () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ model, geometry }, u, v) => {
          const screen = screenOf(model, geometry.screen).pixels;
          const natural = {
            x: Math.min(Math.floor(u * screen.width), screen.width - 1),
            y: Math.min(Math.floor(v * screen.height), screen.height - 1),
          };
          const drawn = seenAt(natural, screen, geometry.content);
          const panel = touchPanelOf(model);
          const sent = videoToDevice(model, geometry, "natural-panel", drawn);
          // Where the panel is another screen's, it is stretched onto the one that shows.
          expect(sent).toEqual({
            x: Math.floor(((natural.x + 0.5) * panel.width) / screen.width),
            y: Math.floor(((natural.y + 0.5) * panel.height) / screen.height),
          });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("gives points as the upright screen's pixels divided by its scale", () => {
    fc.assert(
      fc.property(anyCase, fc.nat(5_000), fc.nat(5_000), ({ model, geometry }, a, b) => {
        const screen = screenOf(model, geometry.screen);
        const natural = { x: a % screen.pixels.width, y: b % screen.pixels.height };
        const point = videoToDevice(model, geometry, "points", seenAt(natural, screen.pixels, geometry.content));
        expect(point.x).toBeCloseTo((natural.x + 0.5) / screen.scale, 6);
        expect(point.y).toBeCloseTo((natural.y + 0.5) / screen.scale, 6);
      }),
    );
  });

  it("is undone by its inverse to within one of the panel's pixels, in every space", () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.constantFrom("natural-panel", "points", "video"),
        fc.nat(5_000),
        fc.nat(5_000),
        ({ model, geometry }, space, a, b) => {
          const at = { x: a % geometry.video.width, y: b % geometry.video.height };
          const back = deviceToVideo(model, geometry, space, videoToDevice(model, geometry, space, at));
          const panel = touchPanelOf(model);
          const pixel = Math.max(1, (2 * Math.max(geometry.video.width, geometry.video.height)) / Math.min(panel.width, panel.height));
          expect(Math.abs(back.x - at.x)).toBeLessThanOrEqual(pixel);
          expect(Math.abs(back.y - at.y)).toBeLessThanOrEqual(pixel);
        },
      ),
    );
  });

  it("puts a pixel of an agent's scaled screenshot on the element that was drawn there", () => {
    fc.assert(
      fc.property(anyCase, fc.integer({ min: 200, max: 1568 }), fc.nat(5_000), fc.nat(5_000), ({ geometry }, edge, a, b) => {
        const { video } = geometry;
        const scale = Math.min(1, edge / Math.max(video.width, video.height));
        const scaled = { width: Math.max(1, Math.round(video.width * scale)), height: Math.max(1, Math.round(video.height * scale)) };
        const at = { x: a % scaled.width, y: b % scaled.height };
        const full = scaledToVideo(at, scaled, video);
        expect(insideVideo(full, video)).toBe(true);
        // The screenshot's pixel is the average of the video's pixels from `from` up to `to`; the tap is in among them.
        for (const [value, axis] of [
          [full.x, "x"],
          [full.y, "y"],
        ] as const) {
          const length = axis === "x" ? "width" : "height";
          const from = (at[axis] * video[length]) / scaled[length];
          const to = ((at[axis] + 1) * video[length]) / scaled[length];
          expect(value + 0.5).toBeGreaterThanOrEqual(from);
          expect(value + 0.5).toBeLessThanOrEqual(to);
        }
      }),
    );
  });

  it("maps a video that is smaller than the screen by its own size", () => {
    const model = MODELS[3];
    if (model === undefined) throw new Error("no model");
    const half = { content: "upright", video: { width: 540, height: 1200 } } as const;
    expect(videoToDevice(model, half, "natural-panel", { x: 0, y: 0 })).toEqual({ x: 1, y: 1 });
    expect(videoToDevice(model, half, "natural-panel", { x: 539, y: 1199 })).toEqual({ x: 1079, y: 2399 });
  });

  it("keeps every point on the panel, however far outside the picture it is", () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.integer({ min: -70_000, max: 70_000 }),
        fc.integer({ min: -70_000, max: 70_000 }),
        ({ model, geometry }, x, y) => {
          const panel = touchPanelOf(model);
          const sent = videoToDevice(model, geometry, "natural-panel", { x, y });
          expect(sent.x).toBeGreaterThanOrEqual(0);
          expect(sent.y).toBeGreaterThanOrEqual(0);
          expect(sent.x).toBeLessThan(panel.width);
          expect(sent.y).toBeLessThan(panel.height);
          expect(Number.isInteger(sent.x) && Number.isInteger(sent.y)).toBe(true);
        },
      ),
    );
  });

  it("has fixed corners: turned left, the device's own top edge is at the picture's left", () => {
    expect(fractionToNatural({ x: 0, y: 0.25 }, "turned-left")).toEqual({ x: 0.75, y: 0 });
    expect(fractionToNatural({ x: 0, y: 0.25 }, "turned-right")).toEqual({ x: 0.25, y: 1 });
    expect(fractionToNatural({ x: 0.25, y: 0 }, "upside-down")).toEqual({ x: 0.75, y: 1 });
    for (const orientation of ORIENTATIONS) {
      expect(fractionFromNatural(fractionToNatural({ x: 0.25, y: 0.5 }, orientation), orientation)).toEqual({ x: 0.25, y: 0.5 });
    }
  });
});

describe("turning", () => {
  it("left and right undo each other, and four of either is none", () => {
    for (const from of ORIENTATIONS) {
      expect(turned(turned(from, "left"), "right")).toBe(from);
      let at: Orientation = from;
      for (let quarter = 0; quarter < 4; quarter += 1) at = turned(at, "right");
      expect(at).toBe(from);
    }
    expect(turned("upright", "left")).toBe("turned-left");
    expect(turned("turned-left", "left")).toBe("upside-down");
    expect(turned("upright", "right")).toBe("turned-right");
  });

  it("draws the picture as it is where the app turned with the device, and turned in the frame where it did not", () => {
    for (const held of ORIENTATIONS) expect(pictureTurn({ physical: held, content: held })).toBe("upright");
    expect(pictureTurn({ physical: "turned-left", content: "upright" })).toBe("turned-left");
    expect(pictureTurn({ physical: "upright", content: "turned-left" })).toBe("turned-right");
  });

  it("is told in words", () => {
    expect(ORIENTATIONS.map(orientationWords)).toEqual(["upright", "turned left", "upside down", "turned right"]);
  });
});
