/** The device's body, screen and picture in the page: plain DOM, moved by transform and opacity alone. */
import type { Orientation } from "#core/device.ts";
import { BODY_MARGIN, type Theme, bodySvg, overSvg } from "./body-svg.ts";
import type { Fit } from "./fit.ts";
import { type FoldPlay, playFold } from "./fold.ts";
import type { BodyNumbers } from "./numbers.ts";
import { SharpCopy } from "./sharp.ts";
import { DEGREES, type ShownPicture, type XY, fromVideo, isSideways, layPicture, shorterWay, toVideo } from "./turn.ts";

export interface FrameLook {
  readonly numbers: BodyNumbers;
  readonly fit: Fit;
  readonly physical: Orientation;
  /** Which screen of a foldable the body has; pictures of the other one are not shown in it. */
  readonly lit: "outer" | "inner";
  readonly half: boolean;
  readonly theme: Theme;
  readonly showFrame: boolean;
  readonly dpr: number;
  /** No gliding: the panel itself was resized, or the reader wants no motion. */
  readonly still: boolean;
  readonly reducedMotion: boolean;
}

/** The picture on the canvas, and the screen it is of. */
export type CanvasPicture = ShownPicture & { readonly lit: "outer" | "inner" };

export const TURN_MS = 300;
const TURN_EASING = "cubic-bezier(.3, 0, .1, 1)";
let frames = 0;

function div(document: Document, className: string): HTMLDivElement {
  const element = document.createElement("div");
  element.className = className;
  return element;
}

export class FrameView {
  /** A box without size at the device's centre; everything hangs from it. */
  readonly element: HTMLDivElement;
  /** For what is drawn over the device and does not turn with it: origin at the device's centre. */
  readonly over: HTMLDivElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #sharp: SharpCopy;
  readonly #shadow: HTMLDivElement;
  readonly #turn: HTMLDivElement;
  readonly #metal: HTMLDivElement;
  readonly #screen: HTMLDivElement;
  readonly #veil: HTMLDivElement;
  readonly #ring: HTMLDivElement;
  readonly #faint: HTMLDivElement;
  readonly #shaded: HTMLDivElement;
  readonly #cutout: HTMLDivElement;
  readonly #id: string;
  #look: FrameLook | null = null;
  #picture: CanvasPicture | null = null;
  #angle = 0;
  #turning: Animation | null = null;
  #fold: FoldPlay | null = null;
  #drawnFor = "";
  #laidFor = "";

  constructor(document: Document, canvas: HTMLCanvasElement) {
    frames += 1;
    this.#id = `dv${frames}`;
    this.#canvas = canvas;
    this.element = div(document, "device");
    this.#shadow = div(document, "shadow");
    this.#turn = div(document, "turn");
    this.#metal = div(document, "metal");
    this.#screen = div(document, "screen");
    this.#veil = div(document, "veil");
    this.#ring = div(document, "ring");
    this.#faint = div(document, "crease faint");
    this.#shaded = div(document, "crease shaded");
    this.#cutout = div(document, "cutout");
    this.over = div(document, "over");
    canvas.className = "picture";
    canvas.setAttribute("aria-hidden", "true");
    this.#sharp = new SharpCopy({
      document,
      picture: canvas,
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    });
    this.#screen.append(canvas, this.#sharp.element, this.#veil);
    this.#turn.append(this.#metal, this.#screen, this.#cutout, this.#faint, this.#shaded, this.#ring);
    this.element.append(this.#shadow, this.#turn, this.over);
  }

  /** The box of the screen as the reader sees it, from the device's centre. CSS px. */
  get seenScreen(): { readonly width: number; readonly height: number } {
    const look = this.#look;
    if (look === null) return { width: 0, height: 0 };
    const { width, height } = look.fit.body.screen;
    return isSideways(look.physical) ? { width: height, height: width } : { width, height };
  }

  get picture(): CanvasPicture | null {
    return this.#picture;
  }

  /** A new picture stands on the canvas; what it is of. */
  setPicture(picture: CanvasPicture): void {
    const before = this.#picture;
    this.#picture = picture;
    const same =
      before !== null &&
      before.lit === picture.lit &&
      before.content === picture.content &&
      before.size.width === picture.size.width &&
      before.size.height === picture.size.height;
    if (same) this.#sharp.drew();
    else this.#lay();
    if (before?.lit !== picture.lit) this.#fold?.pictureCame();
  }

  /** The picture shown is an older one than the device's own now. */
  setHeld(held: boolean): void {
    this.#veil.classList.toggle("held", held);
  }

  setDimmed(dimmed: boolean, black: boolean): void {
    // On the clipping box, not the canvas: a filtered canvas escapes its round corners.
    this.#screen.classList.toggle("dimmed", dimmed);
    this.#canvas.classList.toggle("gone", black);
    this.#turn.classList.toggle("blank", black);
  }

  /** Puts the body where the fit says, turning or folding to it when the device turned or folded. */
  place(look: FrameLook): void {
    const before = this.#look;
    const moves = before !== null && !look.still && !look.reducedMotion && this.element.isConnected;
    const folds = moves && before.lit !== look.lit && before.numbers.screen !== look.numbers.screen;
    if (folds) {
      this.#fold?.end();
      const fold = playFold({
        view: this.element,
        turn: this.#turn,
        shadow: this.#shadow,
        canvas: this.#canvas,
        before,
        after: look,
        hadPicture: this.#picture?.lit === before.lit,
        theme: look.theme,
      });
      this.#fold = fold;
      void fold.done.then(() => {
        if (this.#fold === fold) this.#fold = null;
      });
    }
    const seenBefore = before === null || folds ? null : this.#seenNow(before);
    this.#look = look;
    const { fit } = look;
    const { body, frame } = fit;
    const target = shorterWay(seenBefore?.angle ?? this.#angle, DEGREES[look.physical]);
    this.#angle = target;
    this.element.style.left = `${frame.x + frame.width / 2}px`;
    this.element.style.top = `${frame.y + frame.height / 2}px`;
    size(this.#turn, -body.width / 2, -body.height / 2, body.width, body.height);
    this.#turn.style.transform = `rotate(${target}deg)`;
    size(this.#shadow, -frame.width / 2 + 0.75, -frame.height / 2 + 0.75, frame.width - 1.5, frame.height - 1.5);
    this.#shadow.style.borderRadius = `${look.showFrame ? body.radius : body.corner}px`;
    this.#shadow.classList.toggle("bare", !look.showFrame);
    this.#draw(look);
    this.#lay();
    this.#shaded.classList.toggle("on", look.half);
    this.#faint.classList.toggle("on", !look.half);
    const turned = before !== null && before.physical !== look.physical;
    if (moves && !folds && turned && seenBefore !== null) this.#glide(before, look, seenBefore, target);
    else if (!moves) this.endMotion();
  }

  /** Ends a turn or a fold where it would end. */
  endMotion(): void {
    this.#turning?.finish();
    this.#turning = null;
    this.#fold?.end();
    this.#fold = null;
  }

  /** A point of the page as a pixel of the video shown; null outside the picture. */
  pageToVideo(page: XY, clamp: boolean): XY | null {
    const look = this.#look;
    const picture = this.#picture;
    if (look === null || picture === null || picture.lit !== look.lit) return null;
    const origin = this.element.getBoundingClientRect();
    return toVideo({ x: page.x - origin.left, y: page.y - origin.top }, look.physical, picture, look.fit.body.screen, clamp);
  }

  /** A pixel of the video as CSS px from the device's centre; null while no picture shows. */
  videoToOver(pixel: XY): XY | null {
    const look = this.#look;
    const picture = this.#picture;
    if (look === null || picture === null) return null;
    return fromVideo(pixel, look.physical, picture, look.fit.body.screen);
  }

  #draw(look: FrameLook): void {
    const { body } = look.fit;
    const key = [body.width, body.height, body.rim, body.bezel, look.theme, look.showFrame, look.lit, look.numbers.screen.width].join();
    if (key === this.#drawnFor) return;
    this.#drawnFor = key;
    const { screen } = body;
    this.#metal.innerHTML = look.showFrame ? bodySvg(look.numbers, body, look.theme, this.#id) : "";
    this.#metal.style.translate = `${-BODY_MARGIN}px ${-BODY_MARGIN}px`;
    size(this.#screen, screen.x, screen.y, screen.width, screen.height);
    this.#screen.style.borderRadius = `${body.corner}px`;
    const over = overSvg(look.numbers, body, this.#id);
    // Without the frame the picture holds its own island.
    this.#cutout.innerHTML = look.showFrame ? over.cutout : "";
    size(this.#cutout, screen.x, screen.y, screen.width, screen.height);
    this.#faint.innerHTML = over.faint;
    size(this.#faint, screen.x, screen.y, screen.width, screen.height);
    this.#shaded.innerHTML = over.shaded;
    this.#ring.style.borderRadius = `${body.radius + 5}px`;
  }

  #lay(): void {
    const look = this.#look;
    const picture = this.#picture;
    if (look === null) return;
    const shows = picture !== null && picture.lit === look.lit;
    this.#canvas.classList.toggle("elsewhere", !shows);
    if (!shows) {
      this.#laidFor = "";
      return this.#sharp.lay(null, 0, 1);
    }
    const laid = layPicture(picture, look.fit.body.screen);
    this.#canvas.style.width = `${laid.width}px`;
    this.#canvas.style.height = `${laid.height}px`;
    // A trifle too large, so that no seam shows where the clip's curve and the picture's edge meet.
    this.#canvas.style.transform = `translate(-50%, -50%) rotate(${laid.degrees}deg) scale(1.0015)`;
    const key = [laid.width, laid.height, laid.degrees, look.dpr].join();
    if (key === this.#laidFor) return;
    this.#laidFor = key;
    this.#sharp.lay(laid, laid.degrees, look.dpr);
  }

  /** How the body stands at this moment, in the middle of a turn or at rest. */
  #seenNow(look: FrameLook): { readonly angle: number; readonly scale: number } {
    if (this.#turning === null || this.#turning.playState === "finished") return { angle: this.#angle, scale: look.fit.scale };
    const matrix = new DOMMatrix(getComputedStyle(this.#turn).transform);
    const angle = (Math.atan2(matrix.b, matrix.a) * 180) / Math.PI;
    return { angle: shorterWay(this.#angle, angle), scale: look.fit.scale * Math.hypot(matrix.a, matrix.b) };
  }

  #glide(before: FrameLook, look: FrameLook, from: { angle: number; scale: number }, target: number): void {
    this.#turning?.cancel();
    const smaller = from.scale / look.fit.scale;
    this.#turning = this.#turn.animate(
      [{ transform: `rotate(${from.angle}deg) scale(${smaller})` }, { transform: `rotate(${target}deg) scale(1)` }],
      { duration: TURN_MS, easing: TURN_EASING },
    );
    const centre = (fit: Fit): XY => ({ x: fit.frame.x + fit.frame.width / 2, y: fit.frame.y + fit.frame.height / 2 });
    const [was, is] = [centre(before.fit), centre(look.fit)];
    this.element.animate([{ transform: `translate(${was.x - is.x}px, ${was.y - is.y}px)` }, { transform: "none" }], {
      duration: TURN_MS,
      easing: TURN_EASING,
    });
    // The shadow falls straight down whichever way the device lies, so it goes and comes instead of turning.
    this.#shadow.animate([{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], { duration: TURN_MS });
  }
}

function size(element: HTMLElement, left: number, top: number, width: number, height: number): void {
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
  element.style.width = `${width}px`;
  element.style.height = `${height}px`;
}
