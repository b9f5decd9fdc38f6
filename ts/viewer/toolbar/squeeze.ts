/** Shortens the top bar's words step by step until they stand in one line; anew whenever what it says changes. */
import type { Widths } from "#viewer/panel/context.ts";
import { deviceName, type PanelModel } from "#viewer/panel/model.ts";

/** Narrower panels have icons already, and their own strip for the sentence. */
const WORDS_FROM_PX = 480;
/** A group that is taller has wrapped within itself. */
const ONE_LINE_PX = 52;

export class Squeeze {
  #level: Widths["squeezed"] = 0;
  #for = "";

  get level(): Widths["squeezed"] {
    return this.#level;
  }

  /** After a drawing: true when the level is another now, so that the bar must be drawn again. */
  changes(root: ParentNode, widthPx: number, model: PanelModel): boolean {
    const said = [
      widthPx,
      model.holder,
      model.agentTouches,
      model.link.is,
      model.latency === null,
      deviceName(model),
      model.hasDesktop,
    ].join();
    if (said !== this.#for) {
      this.#for = said;
      if (this.#level !== 0) {
        this.#level = 0;
        return true;
      }
    }
    const left = root.querySelector<HTMLElement>(".top .left");
    const right = root.querySelector<HTMLElement>(".top .right");
    if (left === null || right === null || this.#level === 3 || widthPx < WORDS_FROM_PX) return false;
    const wraps = right.offsetTop >= left.offsetTop + left.offsetHeight || right.offsetHeight > ONE_LINE_PX;
    if (!wraps) return false;
    this.#level = this.#level === 0 ? 1 : this.#level === 1 ? 2 : 3;
    return true;
  }
}
