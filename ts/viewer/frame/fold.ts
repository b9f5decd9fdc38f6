/**
 * A foldable that folds or unfolds: its right half goes over the left and shows graphite and black glass from behind.
 * Played with a copy of the old picture over the body that is already the new one.
 */
import type { Theme } from "./body-svg.ts";
import { bodySvg, BODY_MARGIN } from "./body-svg.ts";
import type { FrameLook } from "./frame-view.ts";
import { sealed } from "./sealed.ts";
import { DEGREES } from "./turn.ts";

export const FOLD_MS = 350;
const FADE_MS = 120;
const EASING = "cubic-bezier(.4, 0, .2, 1)";

export interface FoldInput {
  readonly view: HTMLElement;
  readonly turn: HTMLElement;
  readonly shadow: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly before: FrameLook;
  readonly after: FrameLook;
  /** The canvas shows the screen that goes away. */
  readonly hadPicture: boolean;
  readonly theme: Theme;
}

export interface FoldPlay {
  readonly done: Promise<void>;
  /** The first picture of the other screen is there. */
  pictureCame(): void;
  end(): void;
}

/** Plays it, over the body's new place. Closing copies the inner picture; opening has none yet and unfolds black glass. */
export function playFold(input: FoldInput): FoldPlay {
  const { view, turn, before, after } = input;
  const closing = after.lit === "outer";
  const wide = closing ? before : after;
  const document = view.ownerDocument;
  const stage = document.createElement("div");
  stage.className = "fold";
  const { body } = wide.fit;
  stage.style.width = `${body.width}px`;
  stage.style.height = `${body.height}px`;
  stage.style.left = `${-body.width / 2}px`;
  stage.style.top = `${-body.height / 2}px`;
  stage.style.transform = `rotate(${DEGREES[wide.physical]}deg)`;
  const vertical = wide.numbers.crease !== "horizontal";
  const picture = closing && input.hadPicture ? snapshot(input.canvas, document) : null;
  const left = half(document, wide, "near", vertical, picture, input.theme);
  const right = half(document, wide, "far", vertical, picture, input.theme);
  const leaf = document.createElement("div");
  leaf.className = "leaf";
  const back = document.createElement("div");
  back.className = "back";
  back.style.borderRadius = vertical ? `${body.radius}px 0 0 ${body.radius}px` : `${body.radius}px ${body.radius}px 0 0`;
  place(back, wide, "far", vertical);
  back.style.borderWidth = `${body.rim}px`;
  back.style.transform = vertical ? "rotateY(180deg)" : "rotateX(180deg)";
  leaf.append(right, back);
  const shade = document.createElement("div");
  shade.className = "shade";
  shade.style.borderRadius = vertical ? `${body.radius}px 0 0 ${body.radius}px` : `${body.radius}px ${body.radius}px 0 0`;
  left.append(shade);
  stage.append(left, leaf);
  view.append(stage);
  turn.classList.add("folding");
  input.shadow.classList.add("folding");
  const axis = vertical ? "rotateY" : "rotateX";
  const sign = vertical ? -1 : 1;
  const open = `${axis}(0deg)`;
  const shut = `${axis}(${sign * 180}deg)`;
  const timing = { duration: FOLD_MS, easing: EASING, fill: "both" as const };
  const shift = (vertical ? body.width : body.height) / 4;
  const rotate = `rotate(${DEGREES[wide.physical]}deg)`;
  const centred = vertical ? `${rotate} translateX(${shift}px)` : `${rotate} translateY(${shift}px)`;
  const plays = [
    leaf.animate(closing ? [{ transform: open }, { transform: shut }] : [{ transform: shut }, { transform: open }], timing),
    stage.animate(closing ? [{ transform: rotate }, { transform: centred }] : [{ transform: centred }, { transform: rotate }], timing),
    shade.animate(closing ? [{ opacity: 0 }, { opacity: 0.5 }] : [{ opacity: 0.5 }, { opacity: 0 }], timing),
  ];
  let ended = false;
  let resolve: () => void = () => undefined;
  const done = new Promise<void>((settle) => {
    resolve = settle;
  });
  const finish = (): void => {
    if (ended) return;
    ended = true;
    for (const play of plays) play.cancel();
    stage.remove();
    for (const part of [turn, input.shadow]) {
      part.classList.remove("folding");
      part.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FADE_MS, easing: "ease-out" });
    }
    resolve();
  };
  const [first] = plays;
  if (first !== undefined) first.onfinish = finish;
  return {
    done,
    pictureCame: () => {
      if (ended) return;
      // The other screen's first picture does not wait for the rest of the fold to be got ready; it shows when it ends.
      input.canvas.classList.remove("elsewhere");
    },
    end: finish,
  };
}

function snapshot(canvas: HTMLCanvasElement, document: Document): HTMLCanvasElement {
  const copy = document.createElement("canvas");
  // A quarter of the pixels is enough for a third of a second of motion.
  copy.width = Math.max(1, Math.round(canvas.width / 2));
  copy.height = Math.max(1, Math.round(canvas.height / 2));
  copy.getContext("2d")?.drawImage(canvas, 0, 0, copy.width, copy.height);
  return copy;
}

/** One half of the open body with its half of the picture. */
function half(
  document: Document,
  look: FrameLook,
  side: "near" | "far",
  vertical: boolean,
  picture: HTMLCanvasElement | null,
  theme: Theme,
): HTMLDivElement {
  const { body } = look.fit;
  const clip = document.createElement("div");
  clip.className = "half";
  place(clip, look, side, vertical);
  const inner = document.createElement("div");
  inner.className = "half-inner";
  inner.style.width = `${body.width}px`;
  inner.style.height = `${body.height}px`;
  if (side === "far") inner.style.translate = vertical ? `${-body.width / 2}px 0` : `0 ${-body.height / 2}px`;
  const metal = document.createElement("div");
  metal.className = "metal";
  metal.innerHTML = look.showFrame ? bodySvg(look.numbers, body, theme, `fold-${side}`) : "";
  metal.style.translate = `${-BODY_MARGIN}px ${-BODY_MARGIN}px`;
  const screen = document.createElement("div");
  screen.className = "screen";
  screen.style.left = `${body.screen.x}px`;
  screen.style.top = `${body.screen.y}px`;
  screen.style.width = `${body.screen.width}px`;
  screen.style.height = `${body.screen.height}px`;
  screen.style.borderRadius = `${body.corner}px`;
  if (picture !== null) {
    const copy = side === "near" ? picture : snapshotCopy(picture, document);
    screen.append(sealed(copy, "picture whole"));
  }
  inner.append(metal, screen);
  clip.append(inner);
  return clip;
}

function snapshotCopy(picture: HTMLCanvasElement, document: Document): HTMLCanvasElement {
  const copy = document.createElement("canvas");
  copy.width = picture.width;
  copy.height = picture.height;
  copy.getContext("2d")?.drawImage(picture, 0, 0);
  return copy;
}

function place(element: HTMLElement, look: FrameLook, side: "near" | "far", vertical: boolean): void {
  const { body } = look.fit;
  const width = vertical ? body.width / 2 : body.width;
  const height = vertical ? body.height : body.height / 2;
  element.style.left = side === "far" && vertical ? `${width}px` : "0";
  element.style.top = side === "far" && !vertical ? `${height}px` : "0";
  element.style.width = `${width}px`;
  element.style.height = `${height}px`;
}
