/** Pictures instead of video: a PNG over the same connection whenever the screen changes. The newest wins. */
import type { StillMessage } from "#wire/device.ts";

export interface StillsDeps<I extends { readonly width: number; readonly height: number; close(): void }> {
  readonly decode: (png: Uint8Array) => Promise<I>;
  readonly draw: (image: I, generation: number) => boolean;
}

export class StillsPlayer<I extends { readonly width: number; readonly height: number; close(): void }> {
  readonly #deps: StillsDeps<I>;
  #count = 0;
  #shown = 0;
  #kept: { readonly image: I; readonly generation: number } | null = null;
  drawn = 0;

  constructor(deps: StillsDeps<I>) {
    this.#deps = deps;
  }

  /** A still; a broken one is passed over, as the next change brings another. */
  async show(still: StillMessage): Promise<void> {
    this.#count += 1;
    const turn = this.#count;
    let image: I;
    try {
      image = await this.#deps.decode(fromBase64(still.png));
    } catch {
      return;
    }
    if (turn < this.#shown) {
      image.close();
      return;
    }
    this.#shown = turn;
    this.#kept?.image.close();
    this.#kept = { image, generation: still.generation };
    this.redraw();
  }

  /** Draws the picture that `draw` put off. */
  redraw(): void {
    const kept = this.#kept;
    if (kept === null || !this.#deps.draw(kept.image, kept.generation)) return;
    this.#kept = null;
    kept.image.close();
    this.drawn += 1;
  }
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
