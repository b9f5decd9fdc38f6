/** How often a test phone draws while something moves. */
import { DeviceError } from "#core/errors.ts";

/** A phone of 60 Hz. */
export const FPS_MAX = 60;

/** Frames a second as given on a command line; 60 when left out. Throws DeviceError in words. */
export function readFps(given: string | undefined): number {
  if (given === undefined) return FPS_MAX;
  const fps = given.trim() === "" ? Number.NaN : Number(given);
  if (!Number.isInteger(fps) || fps < 1 || fps > FPS_MAX) {
    throw new DeviceError("bad-value", `--fps takes whole frames a second, 1 to ${FPS_MAX}, not ${JSON.stringify(given)}.`);
  }
  return fps;
}
