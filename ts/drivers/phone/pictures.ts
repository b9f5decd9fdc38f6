/** The phone's own screenshots: some at once, none of a geometry that the viewer was not told of yet. */
import { DeviceError } from "#core/errors.ts";
import type { BindingPicture } from "#native/binding.ts";

import { LONGEST_PICTURE, wordsOf, type PhonePicture } from "./protocol.ts";

/** Each holds a whole picture while it is made. */
const MOST_AT_ONCE = 4;

export interface PicturesParts {
  /** The screen at this moment. Throws or rejects in words. */
  take(longestEdge?: number): Promise<BindingPicture>;
  /** A frame is still to be told of: a picture of now might lie otherwise than the stream does. */
  behind(): boolean;
}

export class Pictures {
  readonly #parts: PicturesParts;
  #waiting: (() => void)[] = [];
  #making = 0;

  constructor(parts: PicturesParts) {
    this.#parts = parts;
  }

  /** A frame was told, or there is nobody to tell any more. */
  told(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Base64 PNG. Rejects with DeviceError: the screen is off, too many at once, too large for a line. */
  async take(longestEdge?: number): Promise<PhonePicture> {
    if (this.#making >= MOST_AT_ONCE) {
      throw new DeviceError("busy", `The phone makes ${MOST_AT_ONCE} screenshots already. Ask again in a moment.`);
    }
    this.#making += 1;
    try {
      while (this.#parts.behind()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      const { png, width, height } = await this.#parts.take(longestEdge);
      const text = png.toString("base64");
      if (text.length > LONGEST_PICTURE) {
        throw new DeviceError("failed", "The screenshot is too large to be sent. Ask for a smaller one with longestEdge.");
      }
      return { png: text, width, height };
    } catch (error) {
      throw error instanceof DeviceError ? error : new DeviceError("failed", wordsOf(error), { cause: error });
    } finally {
      this.#making -= 1;
    }
  }
}
