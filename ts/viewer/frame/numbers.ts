/**
 * The drawing numbers of one screen in its body, in device pixels, from the model alone.
 * A foldable has one body per screen: its closed body is figured from the outer screen the same way as its open one.
 */
import { rimOf, screenOf } from "#core/device-models.ts";
import type { Cutout, DeviceModel, Size } from "#core/device.ts";

export interface BodyNumbers {
  /** The screen, upright. */
  readonly screen: Size;
  readonly corner: number;
  readonly bezel: number;
  readonly rim: number;
  readonly cutout: Cutout | null;
  readonly buttons: DeviceModel["body"]["buttons"];
  /** Which way an open foldable's crease runs; null where there is none to draw. */
  readonly crease: "vertical" | "horizontal" | null;
}

/** Below these the black glass and the metal would be too thin to read as such. CSS px. */
export const LEAST_BEZEL_PX = 4;
export const LEAST_RIM_PX = 2.5;

/** Every number the frame is drawn from. */
export function bodyNumbers(model: DeviceModel, lit: "outer" | "inner"): BodyNumbers {
  const screen = screenOf(model, lit);
  return {
    screen: screen.pixels,
    corner: screen.cornerRadius,
    bezel: model.body.bezel,
    rim: rimOf(screen),
    cutout: screen.cutout,
    buttons: model.body.buttons,
    crease: model.form === "foldable" && lit === "inner" ? model.hinge : null,
  };
}

/** A body for a picture whose model nobody told us: plain, with the picture's own shape. */
export function plainNumbers(screen: Size): BodyNumbers {
  const scale = Math.max(1, Math.min(screen.width, screen.height) / 400);
  const rim = Math.round(6 * scale);
  return {
    screen,
    corner: Math.round(30 * scale),
    bezel: Math.round(14 * scale),
    rim,
    cutout: null,
    buttons: [],
    crease: null,
  };
}

/** The parts of a drawn body in CSS px, upright, at a scale of CSS px per device px. */
export interface DrawnBody {
  readonly width: number;
  readonly height: number;
  readonly rim: number;
  readonly bezel: number;
  /** Outer radius of the metal: corner + bezel + rim, so that the three curves share a centre. */
  readonly radius: number;
  readonly corner: number;
  readonly screen: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** The body at a scale. With `frame` false there is the screen alone. */
export function drawnBody(numbers: BodyNumbers, scale: number, frame: boolean): DrawnBody {
  const rim = frame ? Math.max(LEAST_RIM_PX, numbers.rim * scale) : 0;
  const bezel = frame ? Math.max(LEAST_BEZEL_PX, numbers.bezel * scale) : 0;
  const corner = numbers.corner * scale;
  const width = numbers.screen.width * scale;
  const height = numbers.screen.height * scale;
  const inset = rim + bezel;
  return {
    width: width + 2 * inset,
    height: height + 2 * inset,
    rim,
    bezel,
    radius: corner + inset,
    corner,
    screen: { x: inset, y: inset, width, height },
  };
}

/** The same body with its screen on whole physical pixels, so that the picture's edges and a still picture's text are sharp. */
export function snappedBody(body: DrawnBody, dpr: number): DrawnBody {
  const inset = Math.round(body.screen.x * dpr) / dpr;
  // Never larger than asked, so that what fitted still fits.
  const width = Math.max(1, Math.floor(body.screen.width * dpr + 0.001)) / dpr;
  const height = Math.max(1, Math.floor(body.screen.height * dpr + 0.001)) / dpr;
  return {
    ...body,
    width: width + 2 * inset,
    height: height + 2 * inset,
    bezel: Math.max(0, inset - body.rim),
    radius: body.corner + inset,
    screen: { x: inset, y: inset, width, height },
  };
}

/** The largest scale at which one length of the screen and the body round it fit in `roomPx`. */
export function scaleToFit(lengthDevicePx: number, numbers: BodyNumbers, frame: boolean, roomPx: number): number {
  if (!frame) return roomPx / lengthDevicePx;
  // The body's length is the largest of four straight lines (each part at its own size or at its minimum), so the
  // scale that fits is the least of the four scales.
  let least = Number.POSITIVE_INFINITY;
  for (const bezelGrows of [true, false])
    for (const rimGrows of [true, false]) {
      const fixed = (bezelGrows ? 0 : 2 * LEAST_BEZEL_PX) + (rimGrows ? 0 : 2 * LEAST_RIM_PX);
      const perScale = lengthDevicePx + (bezelGrows ? 2 * numbers.bezel : 0) + (rimGrows ? 2 * numbers.rim : 0);
      least = Math.min(least, (roomPx - fixed) / perScale);
    }
  return least;
}
