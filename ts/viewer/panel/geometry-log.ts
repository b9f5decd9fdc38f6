/** Which way each generation's picture lies: a video header carries only the low 16 bits of its generation. */
import type { DeviceState, Size } from "#core/device.ts";
import { wrap16 } from "#wire/frame.ts";
import type { CanvasPicture } from "#viewer/frame/frame-view.ts";
import { litScreen } from "./model.ts";

const REMEMBERED = 8;

interface Known {
  readonly picture: CanvasPicture;
}

export class GeometryLog {
  readonly #known = new Map<number, Known>();

  /** A state's geometry; the newest few are kept. */
  saw(state: DeviceState): void {
    const { geometry } = state;
    if (geometry === null) return;
    const key = wrap16(geometry.generation);
    this.#known.delete(key);
    this.#known.set(key, {
      picture: { size: geometry.video, content: geometry.content, generation: geometry.generation, lit: litScreen(state) },
    });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= REMEMBERED) break;
      this.#known.delete(oldest);
    }
  }

  /** The picture of a frame of this generation and size; null when no state has told of it. */
  pictureOf(generation: number, size: Size): CanvasPicture | null {
    const known = this.#known.get(wrap16(generation));
    return known === undefined ? null : { ...known.picture, size };
  }

  forget(): void {
    this.#known.clear();
  }
}
