/** The one canvas the device's picture lives on. It keeps the last picture, which a turn and a device asleep need. */
import type { Size } from "#core/device.ts";

export class PictureCanvas {
  readonly element: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;

  constructor(document: Document) {
    this.element = document.createElement("canvas");
    this.element.width = 1;
    this.element.height = 1;
    const context = this.element.getContext("2d", { alpha: false });
    if (context === null) throw new Error("This browser gives no 2D canvas.");
    this.#context = context;
  }

  /** Puts a picture of this size on it, at once. */
  draw(source: CanvasImageSource, size: Size): void {
    // Setting a size clears the canvas, so only when it changes, and then drawn in the same task.
    if (this.element.width !== size.width || this.element.height !== size.height) {
      this.element.width = size.width;
      this.element.height = size.height;
    }
    this.#context.drawImage(source, 0, 0, size.width, size.height);
  }

  get size(): Size {
    return { width: this.element.width, height: this.element.height };
  }
}
