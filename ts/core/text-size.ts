/** Text size along each platform's own steps (note 063: iOS's categories and Android's scale do not scale text alike). */
import { ANDROID_FONT_SCALES, type AndroidFontScale, IOS_CONTENT_SIZES, type IosContentSize } from "./device.ts";

export const DEFAULT_CONTENT_SIZE: IosContentSize = "large";
export const DEFAULT_FONT_SCALE: AndroidFontScale = 1;

export type TextSizeMove = "larger" | "smaller" | "default";

export function isTextSizeMove(to: string | number): to is TextSizeMove {
  return to === "larger" || to === "smaller" || to === "default";
}
export function isContentSize(to: string | number): to is IosContentSize {
  return (IOS_CONTENT_SIZES as readonly (string | number)[]).includes(to);
}
export function isFontScale(to: string | number): to is AndroidFontScale {
  return (ANDROID_FONT_SCALES as readonly (string | number)[]).includes(to);
}

/** The category that a move ends at. The ends stay where they are. */
export function movedContentSize(from: IosContentSize, move: TextSizeMove): IosContentSize {
  return move === "default" ? DEFAULT_CONTENT_SIZE : stepped(IOS_CONTENT_SIZES, from, move);
}

/** The scale that a move ends at. The ends stay where they are. */
export function movedFontScale(from: AndroidFontScale, move: TextSizeMove): AndroidFontScale {
  return move === "default" ? DEFAULT_FONT_SCALE : stepped(ANDROID_FONT_SCALES, from, move);
}

/** The step nearest to a scale that an app or a command set to something in between. */
export function nearestFontScale(scale: number): AndroidFontScale {
  let nearest: AndroidFontScale = DEFAULT_FONT_SCALE;
  for (const step of ANDROID_FONT_SCALES) if (Math.abs(step - scale) < Math.abs(nearest - scale)) nearest = step;
  return nearest;
}

function stepped<T>(steps: readonly T[], from: T, move: "larger" | "smaller"): T {
  const at = steps.indexOf(from) + (move === "larger" ? 1 : -1);
  return steps[Math.min(Math.max(at, 0), steps.length - 1)] ?? from;
}
