/** Puts the drawn device where the layout wants it, as it is held and folded, in the theme that is on. */
import type { FrameView } from "#viewer/frame/frame-view.ts";
import { frameNumbers, type Layout } from "./layout.ts";
import { deviceName, litScreen, type PanelModel, physicalNow, postureNow } from "./model.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Shown {
  readonly stageWidth: number;
  readonly stageHeight: number;
  /** The element's attribute. */
  readonly theme: string | null;
  /** Words on black, no picture. */
  readonly black: boolean;
}

export class FramePlace {
  readonly #frame: FrameView;
  readonly #around: Surroundings;
  #lastLook = "";
  /** The screen had words on black, no picture, when it was last drawn. */
  #black = false;

  constructor(frame: FrameView, around: Surroundings) {
    this.#frame = frame;
    this.#around = around;
  }

  /** True when the panel or what it shows is another, so that nothing should be seen to move. */
  place(layout: Layout, model: PanelModel, { stageWidth, stageHeight, theme, black }: Shown): boolean {
    const look = [stageWidth, stageHeight, model.pixelForPixel, model.showFrame, deviceName(model)].join();
    // With no picture before or now, how the device lies is news, not a move: a model that boots stands at once as it is.
    const still = look !== this.#lastLook || black || this.#black;
    this.#black = black;
    this.#lastLook = look;
    this.#frame.place({
      numbers: frameNumbers(model),
      fit: layout.fit,
      physical: physicalNow(model.state),
      lit: litScreen(model.state),
      half: postureNow(model.state) === "half-open",
      theme: theme === "dark" || theme === "light" ? theme : this.#around.dark ? "dark" : "light",
      showFrame: model.showFrame,
      dpr: this.#around.density,
      still,
      reducedMotion: this.#around.reducedMotion,
    });
    return still;
  }
}
