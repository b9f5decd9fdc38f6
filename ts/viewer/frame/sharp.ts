/**
 * A still picture drawn small is drawn again with care. Browsers shrink a canvas by its nearest pixels, which breaks small text; once
 * the picture has kept still for a moment, a copy at the screen's own pixels, shrunk smoothly, lies over it until the next one comes.
 */
import type { Size } from "#core/device.ts";
import { sealed } from "./sealed.ts";

/** How long a picture keeps still before it is worth the work. ms. */
const STILL_MS = 120;
/** Shrunk less than this, the browser's own way is good enough. Physical px per picture px. */
const WORTH_UNDER = 0.8;

export interface SharpDeps {
  readonly document: Document;
  readonly picture: HTMLCanvasElement;
  /** Returns what cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export class SharpCopy {
  readonly element: HTMLElement;
  readonly #deps: SharpDeps;
  readonly #canvas: HTMLCanvasElement;
  #box: Size | null = null;
  #dpr = 1;
  #cancel: (() => void) | null = null;

  constructor(deps: SharpDeps) {
    this.#deps = deps;
    this.#canvas = deps.document.createElement("canvas");
    this.element = sealed(this.#canvas, "sharp");
    this.hide();
  }

  /** How large the picture lies, CSS px before it is turned with its content, and how it is turned; null where it does not fill the screen. */
  lay(box: Size | null, degrees: number, dpr: number): void {
    this.hide();
    this.#box = box;
    this.#dpr = dpr;
    if (box === null) return;
    this.element.style.width = `${box.width}px`;
    this.element.style.height = `${box.height}px`;
    this.element.style.transform = `translate(-50%, -50%) rotate(${degrees}deg)`;
    this.drew();
  }

  /** A new picture stands on the canvas: it shows at once, and its copy only if it stays. */
  drew(): void {
    this.hide();
    if (this.#box === null) return;
    this.#cancel = this.#deps.after(STILL_MS, () => this.#copy());
  }

  hide(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.element.style.visibility = "hidden";
  }

  #copy(): void {
    const { picture } = this.#deps;
    const box = this.#box;
    if (box === null) return;
    const width = Math.round(box.width * this.#dpr);
    const height = Math.round(box.height * this.#dpr);
    if (width < 1 || height < 1 || width > picture.width * WORTH_UNDER) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    const context = this.#canvas.getContext("2d", { alpha: false });
    if (context === null) return;
    context.imageSmoothingQuality = "medium";
    context.drawImage(picture, 0, 0, width, height);
    this.element.style.visibility = "visible";
  }
}
