/** Angles and points: between what the reader sees, the device's upright, and the video's pixels. */
import type { Orientation, Size } from "#core/device.ts";

export interface XY {
  readonly x: number;
  readonly y: number;
}

/** How far clockwise the reader sees the device turned, in degrees. Turned left puts the top of the device at the left. */
export const DEGREES: Record<Orientation, number> = { upright: 0, "turned-left": -90, "upside-down": 180, "turned-right": 90 };

/** Whether width and height change places. */
export function isSideways(orientation: Orientation): boolean {
  return orientation === "turned-left" || orientation === "turned-right";
}

/** The angle equal to `target` nearest to `from`, so that a turn goes the shorter way. Degrees. */
export function shorterWay(from: number, target: number): number {
  return target + 360 * Math.round((from - target) / 360);
}

/** A point turned clockwise about the origin by whole quarter turns, without rounding errors. */
export function turnPoint(point: XY, degrees: number): XY {
  switch ((((degrees % 360) + 360) % 360) / 90) {
    case 1:
      return { x: -point.y, y: point.x };
    case 2:
      return { x: -point.x, y: -point.y };
    case 3:
      return { x: point.y, y: -point.x };
    default:
      return point;
  }
}

/** What the picture on the canvas is: its size and the way the app in it was drawn. */
export interface ShownPicture {
  readonly size: Size;
  readonly content: Orientation;
  readonly generation: number;
}

/**
 * How the picture lies in the upright screen: turned clockwise by `degrees` about the centre, `cover` CSS px wide and
 * high before that turn. The picture fills the screen; one of another shape is fitted inside it, never stretched.
 */
export function layPicture(
  picture: ShownPicture,
  screenPx: Size,
): { readonly degrees: number; readonly width: number; readonly height: number } {
  const degrees = -DEGREES[picture.content] + 0;
  const across = isSideways(picture.content);
  const room = across ? { width: screenPx.height, height: screenPx.width } : screenPx;
  const scale = Math.min(room.width / picture.size.width, room.height / picture.size.height);
  const width = picture.size.width * scale;
  const height = picture.size.height * scale;
  // A rounding of one or two pixels between the model's table and the stream is no reason for a black line.
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= 2 * scale + 0.5;
  return {
    degrees,
    width: near(width, room.width) ? room.width : width,
    height: near(height, room.height) ? room.height : height,
  };
}

/**
 * A point the reader sees, in CSS px from the device's centre, as the video's pixels. null when it is outside the
 * picture, unless `clamp` holds it to the edge (a finger that has left the screen still moves along it).
 */
export function toVideo(fromCentre: XY, physical: Orientation, picture: ShownPicture, screenPx: Size, clamp: boolean): XY | null {
  const upright = turnPoint(fromCentre, -DEGREES[physical]);
  const laid = layPicture(picture, screenPx);
  const inPicture = turnPoint(upright, -laid.degrees);
  const x = (inPicture.x / laid.width + 0.5) * picture.size.width;
  const y = (inPicture.y / laid.height + 0.5) * picture.size.height;
  const { width, height } = picture.size;
  if (!clamp && (x < 0 || y < 0 || x >= width || y >= height)) return null;
  const hold = (value: number, end: number): number => Math.min(Math.max(Math.floor(value), 0), end - 1);
  return { x: hold(x, width), y: hold(y, height) };
}

/** The other way: a pixel of the video as CSS px from the device's centre, as the reader sees it. */
export function fromVideo(pixel: XY, physical: Orientation, picture: ShownPicture, screenPx: Size): XY {
  const laid = layPicture(picture, screenPx);
  const inPicture = {
    x: ((pixel.x + 0.5) / picture.size.width - 0.5) * laid.width,
    y: ((pixel.y + 0.5) / picture.size.height - 0.5) * laid.height,
  };
  return turnPoint(turnPoint(inPicture, laid.degrees), DEGREES[physical]);
}
