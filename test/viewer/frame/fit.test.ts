import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEVICE_MODELS, modelNamed } from "#core/device-models.ts";
import type { Orientation } from "#core/device.ts";
import { type FitInput, fit } from "#viewer/frame/fit.ts";
import { LEAST_BEZEL_PX, LEAST_RIM_PX, bodyNumbers, drawnBody } from "#viewer/frame/numbers.ts";

const BAR: FitInput["bar"] = { width: 44, heights: [300, 262, 224], row: { width: 204, height: 52 } };

function ask(model: string, over: Partial<FitInput> = {}): FitInput {
  const found = modelNamed(model);
  if (found === null) throw new Error(model);
  return {
    stage: { width: 1080, height: 672 },
    dpr: 2,
    numbers: bodyNumbers(found, "inner"),
    physical: "upright",
    showFrame: true,
    pixelForPixel: false,
    strip: false,
    caption: false,
    note: false,
    bar: BAR,
    ...over,
  };
}

describe("the fit of frame and bar", () => {
  it("centres an upright phone in a wide panel and hangs the bar 20 px to its right, on its middle", () => {
    const { frame, bar, place } = fit(ask("iPhone 18 Pro"));
    expect(place).toBe("beside");
    expect(frame.x + frame.width / 2).toBeCloseTo(540, 0);
    expect(bar.x).toBeCloseTo(frame.x + frame.width + 20, 5);
    expect(bar.y + bar.height / 2).toBeCloseTo(frame.y + frame.height / 2, 0);
  });

  it("gives the device the stage's height less 24 above and below", () => {
    const { frame } = fit(ask("iPhone 18 Pro"));
    // Whole physical pixels cost it less than two of them.
    expect(frame.y - 24).toBeLessThan(1);
    expect(672 - 48 - frame.height).toBeLessThan(1);
  });

  it("centres frame and bar as a pair once the frame is wider than the panel allows beside a centred one", () => {
    const { frame, bar } = fit(ask("Pixel Tablet"));
    expect(frame.x + 0.001).toBeGreaterThanOrEqual(16);
    expect((frame.x + bar.x + bar.width) / 2).toBeCloseTo(540, 0);
  });

  it("lets a turned phone grow by at most a quarter over its upright scale", () => {
    const upright = fit(ask("iPhone 18 Pro"));
    const turned = fit(ask("iPhone 18 Pro", { physical: "turned-left" }));
    expect(turned.scale).toBeCloseTo(upright.scale * 1.25, 5);
    expect(turned.frame.width).toBeGreaterThan(turned.frame.height);
  });

  it("never draws the screen larger than its own pixels", () => {
    for (const dpr of [1, 2, 3]) {
      const { scale } = fit(ask("Pixel 8", { stage: { width: 9000, height: 9000 }, dpr }));
      expect(scale).toBeCloseTo(1 / dpr, 10);
    }
  });

  it("puts the bar below the frame under 480 px, 12 above the edge and 16 or more under the frame", () => {
    const { place, frame, bar } = fit(ask("Pixel 8", { stage: { width: 360, height: 700 } }));
    expect(place).toBe("row");
    expect(bar.y + bar.height).toBe(700 - 12);
    expect(bar.y - (frame.y + frame.height)).toBeGreaterThanOrEqual(16 - 0.5);
  });

  it("keeps the bar beside a small screen that the row would only shrink", () => {
    const { place } = fit(ask("iPhone 18 Pro", { stage: { width: 560, height: 332 } }));
    expect(place).toBe("beside");
  });

  it("moves the bar below from 480 on where the screen is under 280 beside it and wider above the row", () => {
    expect(fit(ask("Pixel Tablet", { stage: { width: 360, height: 900 } })).place).toBe("row");
    const wide = ask("Pixel Fold", { stage: { width: 500, height: 900 }, bar: { ...BAR, width: 220 } });
    expect(fit(wide).place).toBe("row");
  });

  it("takes controls off a bar that is taller than the stage less 32, and takes the row when none of that helps", () => {
    expect(fit(ask("Pixel 8", { stage: { width: 700, height: 332 } })).left).toBe(0);
    expect(fit(ask("Pixel 8", { stage: { width: 700, height: 300 } })).left).toBe(1);
    expect(fit(ask("Pixel 8", { stage: { width: 700, height: 200 } })).place).toBe("row");
  });

  it("makes room for a strip above and a caption below", () => {
    const plain = fit(ask("Pixel 8"));
    const strip = fit(ask("Pixel 8", { strip: true }));
    const caption = fit(ask("Pixel 8", { caption: true }));
    expect(strip.frame.y).toBeCloseTo(plain.frame.y + 52, 0);
    expect(caption.frame.height).toBeCloseTo(plain.frame.height - 28, 0);
  });

  it("draws one device pixel per physical pixel with Pixel for pixel, and scrolls what does not fit", () => {
    const { scale, content, bar } = fit(ask("Pixel 8", { pixelForPixel: true }));
    expect(scale).toBe(0.5);
    expect(content.height).toBeGreaterThan(672);
    expect(bar.x + bar.width).toBe(1080 - 16);
  });

  it("snaps the frame to whole physical pixels", () => {
    const { frame } = fit(ask("iPhone 17", { stage: { width: 1001, height: 613 }, dpr: 1.5 }));
    expect((frame.x * 1.5) % 1).toBeCloseTo(0, 6);
    expect((frame.y * 1.5) % 1).toBeCloseTo(0, 6);
  });

  it("keeps frame and bar inside any stage, apart from each other, at any size, model and turn", () => {
    const orientations: Orientation[] = ["upright", "turned-left", "upside-down", "turned-right"];
    fc.assert(
      fc.property(
        fc.integer({ min: 320, max: 2400 }),
        fc.integer({ min: 256, max: 1600 }),
        fc.constantFrom(...DEVICE_MODELS),
        fc.constantFrom(...orientations),
        fc.constantFrom("inner" as const, "outer" as const),
        fc.constantFrom(1, 1.5, 2, 3),
        (width, height, model, physical, lit, dpr) => {
          const input = ask("Pixel 8", { stage: { width, height }, numbers: bodyNumbers(model, lit), physical, dpr });
          const { frame, bar, place } = fit(input);
          const slack = 1;
          expect(frame.x).toBeGreaterThanOrEqual(-slack);
          expect(frame.y).toBeGreaterThanOrEqual(-slack);
          expect(frame.x + frame.width).toBeLessThanOrEqual(width + slack);
          expect(frame.y + frame.height).toBeLessThanOrEqual(height + slack);
          expect(bar.x + bar.width).toBeLessThanOrEqual(width + slack);
          expect(bar.y + bar.height).toBeLessThanOrEqual(height + slack);
          if (place === "row") expect(bar.y).toBeGreaterThanOrEqual(frame.y + frame.height);
          else expect(bar.x).toBeGreaterThanOrEqual(frame.x + frame.width);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("the body's numbers", () => {
  it("has the three curves share a centre: the model's body radius is corner and bezel and rim", () => {
    for (const model of DEVICE_MODELS) {
      const numbers = bodyNumbers(model, "inner");
      expect({ of: model.name, radius: numbers.corner + numbers.bezel + numbers.rim }).toEqual({
        of: model.name,
        radius: model.body.radius,
      });
    }
  });

  it("keeps glass and rim thick enough to be seen, however small the device", () => {
    const model = modelNamed("iPhone 18 Pro");
    if (model === null) throw new Error("no model");
    const body = drawnBody(bodyNumbers(model, "inner"), 0.02, true);
    expect(body.bezel).toBe(LEAST_BEZEL_PX);
    expect(body.rim).toBe(LEAST_RIM_PX);
    expect(body.radius).toBeCloseTo(body.corner + LEAST_BEZEL_PX + LEAST_RIM_PX, 10);
  });

  it("has no two buttons of one edge overlap, and none beyond its edge", () => {
    for (const model of DEVICE_MODELS) {
      for (const edge of ["left", "right", "top"] as const) {
        const spans = model.body.buttons.filter((button) => button.edge === edge).sort((a, b) => a.from - b.from);
        spans.forEach((span, index) => {
          expect(span.from).toBeLessThan(span.to);
          expect(span.to).toBeLessThan(1);
          const next = spans[index + 1];
          if (next !== undefined) expect(span.to).toBeLessThan(next.from);
        });
      }
    }
  });
});
