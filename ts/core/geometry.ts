/**
 * Where a point of the video is on the device (note 063 "Input and coordinates").
 *
 * A video pixel has its centre at +0.5. The video is the screen as the app in front draws it, so it is turned by `content`;
 * the picture in the frame is turned further by how the device is held, so a view of it uses both.
 * "Turned left" is a quarter anticlockwise: the device's own top edge is then at the video's left.
 */
import { screenOf, touchPanelOf } from "./device-models.ts";
import type { DeviceModel, Geometry, Orientation, Posture, Screen, Size } from "./device.ts";

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** Anticlockwise quarters from upright. */
export const ORIENTATIONS = ["upright", "turned-left", "upside-down", "turned-right"] as const satisfies readonly Orientation[];

/** "upright", "turned left", "upside down", "turned right": what people and agents read. */
export function orientationWords(orientation: Orientation): string {
  return orientation.replace("-", " ");
}
export function postureWords(posture: Posture): string {
  return posture.replace("-", " ");
}

/** A quarter turn from where it is. */
export function turned(from: Orientation, turn: "left" | "right"): Orientation {
  return orientationAt(quartersOf(from) + (turn === "left" ? 1 : -1));
}

/** Anticlockwise quarters, 0 to 3. */
export function quartersOf(orientation: Orientation): number {
  return ORIENTATIONS.indexOf(orientation);
}

/** The orientation this many anticlockwise quarters from upright. */
export function orientationAt(quarters: number): Orientation {
  return ORIENTATIONS[((quarters % 4) + 4) % 4] ?? "upright";
}

/** How far the drawn picture is turned inside the frame: `content` as seen from `physical`. */
export function pictureTurn(geometry: Pick<Geometry, "physical" | "content">): Orientation {
  return orientationAt(quartersOf(geometry.physical) - quartersOf(geometry.content));
}

/** Width and height swap at odd quarters. */
export function sizeTurned(size: Size, orientation: Orientation): Size {
  return quartersOf(orientation) % 2 === 0 ? size : { width: size.height, height: size.width };
}

/** Fractions 0 to 1 of the drawn screen to fractions of the upright one. */
export function fractionToNatural(at: Position, orientation: Orientation): Position {
  switch (orientation) {
    case "upright":
      return at;
    case "turned-left":
      return { x: 1 - at.y, y: at.x };
    case "upside-down":
      return { x: 1 - at.x, y: 1 - at.y };
    case "turned-right":
      return { x: at.y, y: 1 - at.x };
  }
}

/** The inverse: fractions of the upright screen to fractions of the drawn one. */
export function fractionFromNatural(at: Position, orientation: Orientation): Position {
  return fractionToNatural(at, orientationAt(-quartersOf(orientation)));
}

/** Which space a driver takes touches in. */
export type TouchSpace = "natural-panel" | "video" | "points";

/**
 * A point of the video's pixels in the device's own space. Points outside the picture are put on its edge.
 * natural-panel: whole pixels of the upright touch panel (on a foldable always the inner one, which a closed fold stretches onto the outer screen).
 * video: whole pixels of the video. points: the upright screen's points, with fractions (its pixels divided by its scale).
 */
export function videoToDevice(model: DeviceModel, geometry: ScreenGeometry, space: TouchSpace, at: Position): Position {
  const { video } = geometry;
  const drawn = { x: (clamp(at.x, 0, video.width - 1) + 0.5) / video.width, y: (clamp(at.y, 0, video.height - 1) + 0.5) / video.height };
  if (space === "video") {
    return { x: pixelAt(drawn.x, video.width), y: pixelAt(drawn.y, video.height) };
  }
  const natural = fractionToNatural(drawn, geometry.content);
  if (space === "points") {
    const screen = shownScreen(model, geometry);
    return { x: (natural.x * screen.pixels.width) / screen.scale, y: (natural.y * screen.pixels.height) / screen.scale };
  }
  const panel = touchPanelOf(model);
  return { x: pixelAt(natural.x, panel.width), y: pixelAt(natural.y, panel.height) };
}

/** A point of the device's own space in the video's pixels, with fractions: the inverse of videoToDevice up to rounding. */
export function deviceToVideo(model: DeviceModel, geometry: ScreenGeometry, space: TouchSpace, at: Position): Position {
  const { video } = geometry;
  if (space === "video") return at;
  const natural = naturalFraction(model, geometry, space, at);
  const drawn = fractionFromNatural(natural, geometry.content);
  return { x: drawn.x * video.width - 0.5, y: drawn.y * video.height - 0.5 };
}

function naturalFraction(model: DeviceModel, geometry: ScreenGeometry, space: "natural-panel" | "points", at: Position): Position {
  if (space === "points") {
    const screen = shownScreen(model, geometry);
    return { x: (at.x * screen.scale) / screen.pixels.width, y: (at.y * screen.scale) / screen.pixels.height };
  }
  const panel = touchPanelOf(model);
  return { x: (at.x + 0.5) / panel.width, y: (at.y + 0.5) / panel.height };
}

/** A point of a scaled picture of the screen (a screenshot's pixel, a canvas position) in the video's pixels, with fractions. */
export function scaledToVideo(at: Position, scaled: Size, video: Size): Position {
  return { x: ((at.x + 0.5) * video.width) / scaled.width - 0.5, y: ((at.y + 0.5) * video.height) / scaled.height - 0.5 };
}

/** Geometry with the screen that a foldable shows; a flat device's names none. */
export type ScreenGeometry = Pick<Geometry, "content" | "video"> & { readonly screen?: "outer" | "inner" };

/** The screen whose picture the video is. */
export function shownScreen(model: DeviceModel, geometry: { readonly screen?: "outer" | "inner" }): Screen {
  return screenOf(model, geometry.screen ?? "inner");
}

/** The video's size when it is at the screen's own pixels. */
export function videoSizeOf(model: DeviceModel, screen: "outer" | "inner", content: Orientation): Size {
  return sizeTurned(shownScreen(model, { screen }).pixels, content);
}

/** A foldable's screen in a posture: the outer when closed. */
export function screenIn(posture: Posture): "outer" | "inner" {
  return posture === "closed" ? "outer" : "inner";
}

/** Is the point on the picture? */
export function insideVideo(at: Position, video: Size): boolean {
  return at.x >= 0 && at.y >= 0 && at.x < video.width && at.y < video.height;
}

function pixelAt(fraction: number, length: number): number {
  return clamp(Math.floor(fraction * length), 0, length - 1);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
