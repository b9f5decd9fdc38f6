/** The agent's gestures as fingers over time, in the video's pixels (note 063 "Input and coordinates"). Pure. */
import type { Contact, DeviceInput, Point, Size } from "#core/device.ts";
import { badValue, type DeviceError } from "#core/errors.ts";
import { insideVideo } from "#core/geometry.ts";

/** Between two points of a moving finger: one for each frame of the device. */
export const MOVE_MS = 16;
/** How long a tap's finger is down. */
export const TAP_MS = 40;
/** What opens a context menu on both platforms. */
export const LONG_PRESS_MS = 1_200;

export interface GestureStep {
  /** From the gesture's start. */
  readonly atMs: number;
  /** Every finger down from then on. */
  readonly contacts: readonly Contact[];
}

export type TouchInput = Extract<DeviceInput, { readonly type: "tap" | "long_press" | "swipe" | "pinch" }>;

export function isTouchInput(input: DeviceInput): input is TouchInput {
  return input.type !== "key" && input.type !== "text";
}

/** The points a gesture names. All are of one geometry, or the gesture is void. */
export function pointsOf(input: TouchInput): readonly Point[] {
  switch (input.type) {
    case "tap":
    case "long_press":
      return [input.at];
    case "swipe":
      return [input.from, input.to];
    case "pinch":
      return [input.centre];
  }
}

/** Is each point on the picture? Says so in words when one is not. */
export function checkPoints(input: TouchInput, video: Size): DeviceError | null {
  const outside = pointsOf(input).find((point) => !insideVideo(point, video));
  if (outside === undefined) return null;
  return badValue(`The point ${outside.x}, ${outside.y} is not on the picture, which is ${video.width}x${video.height}.`);
}

/** The fingers of a gesture, in time. It ends with every finger up. */
export function gestureSteps(input: TouchInput, video: Size): readonly GestureStep[] {
  switch (input.type) {
    case "tap":
      return held([finger(0, input.at)], TAP_MS);
    case "long_press":
      return held([finger(0, input.at)], input.ms);
    case "swipe":
      return moved(input.ms, (done) => [{ id: 0, x: between(input.from.x, input.to.x, done), y: between(input.from.y, input.to.y, done) }]);
    case "pinch":
      return moved(input.ms, (done) => pinched(input.centre, between(input.from, input.to, done), video));
  }
}

/** Two fingers side by side, this far apart, about a centre; nearer where the picture ends. */
function pinched(centre: { readonly x: number; readonly y: number }, apart: number, video: Size): readonly Contact[] {
  const reach = Math.max(0, Math.min(apart / 2, centre.x, video.width - 1 - centre.x));
  return [
    { id: 0, x: centre.x - reach, y: centre.y },
    { id: 1, x: centre.x + reach, y: centre.y },
  ];
}

function held(contacts: readonly Contact[], ms: number): readonly GestureStep[] {
  return [
    { atMs: 0, contacts },
    { atMs: ms, contacts: [] },
  ];
}

function moved(ms: number, at: (done: number) => readonly Contact[]): readonly GestureStep[] {
  const lasts = Math.max(ms, MOVE_MS);
  const steps: GestureStep[] = [];
  for (let atMs = 0; atMs < lasts; atMs += MOVE_MS) steps.push({ atMs, contacts: at(atMs / lasts) });
  steps.push({ atMs: lasts, contacts: at(1) }, { atMs: lasts, contacts: [] });
  return steps;
}

function finger(id: number, at: { readonly x: number; readonly y: number }): Contact {
  return { id, x: at.x, y: at.y };
}

function between(from: number, to: number, done: number): number {
  return from + (to - from) * done;
}
