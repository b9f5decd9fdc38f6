/** What an emulator's picture tells of how the device lies: its size, its turn, which of a foldable's panels it shows, and when it was posted. */
import type { Orientation, Size } from "#core/device.ts";
import type { DriverGeometry } from "#drivers/driver.ts";

import { Rotation_SkinRotation } from "./generated/emulator_controller_pb.js";

const ORIENTATIONS: Readonly<Record<Rotation_SkinRotation, Orientation>> = {
  [Rotation_SkinRotation.PORTRAIT]: "upright",
  [Rotation_SkinRotation.LANDSCAPE]: "turned-left",
  [Rotation_SkinRotation.REVERSE_PORTRAIT]: "upside-down",
  [Rotation_SkinRotation.REVERSE_LANDSCAPE]: "turned-right",
};

export class PictureGeometry {
  readonly #outer: Size | null;
  readonly #numbered: (geometry: DriverGeometry) => number;
  #now: { readonly value: DriverGeometry; readonly generation: number } | null = null;

  /** `outer`: a foldable's outer panel, upright. `numbered` gives a geometry that is new its generation. */
  constructor(outer: Size | null, numbered: (geometry: DriverGeometry) => number) {
    this.#outer = outer;
    this.#numbered = numbered;
  }

  get value(): DriverGeometry | null {
    return this.#now?.value ?? null;
  }
  get generation(): number {
    return this.#now?.generation ?? 0;
  }

  /** The generation of a picture of this size and turn. */
  generationOf(video: Size, rotation: Rotation_SkinRotation = Rotation_SkinRotation.PORTRAIT): number {
    // A number that is none of the four, from an emulator newer than this, is no turn.
    const physical = ORIENTATIONS[rotation] ?? "upright";
    // The emulator turns its picture as the device is held, whatever the app draws: content is physical.
    const flat = { physical, content: physical, video };
    const turned = rotation === Rotation_SkinRotation.LANDSCAPE || rotation === Rotation_SkinRotation.REVERSE_LANDSCAPE;
    const upright = turned ? { width: video.height, height: video.width } : video;
    const outer = this.#outer;
    const closed = outer !== null && upright.width === outer.width && upright.height === outer.height;
    const value: DriverGeometry = outer === null ? flat : { ...flat, screen: closed ? "outer" : "inner" };
    const before = this.#now?.value;
    if (
      this.#now !== null &&
      before?.physical === physical &&
      before.screen === value.screen &&
      before.video.width === video.width &&
      before.video.height === video.height
    ) {
      return this.#now.generation;
    }
    const generation = this.#numbered(value);
    this.#now = { value, generation };
    return generation;
  }
}

/** When a picture was posted, in monotonic ms: the emulator stamps wall-clock time, which is believed only when it is near. */
export function capturedMs(timestampUs: bigint, clock: { now(): number; wall(): number }): number {
  const now = clock.now();
  const ageMs = clock.wall() - Number(timestampUs / 1000n) - Number(timestampUs % 1000n) / 1000;
  return ageMs > 0 && ageMs < 2_000 ? now - ageMs : now;
}
