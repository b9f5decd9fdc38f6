/** Where others touch the device, for a viewer that only watches: a circle a contact for 300 ms, and a trail where it moved. */
import type { TouchEcho } from "#wire/device.ts";
import type { XY } from "./turn.ts";

export const TOUCH_MS = 300;
const FADE_MS = 150;
/** A trail's discs are at least this far apart, CSS px, and at most this many. */
const TRAIL_EVERY_PX = 8;
const TRAIL_MOST = 64;

export interface TouchesDeps {
  readonly layer: HTMLElement;
  readonly place: (pixel: XY) => XY | null;
  readonly reducedMotion: () => boolean;
}

interface Circle {
  readonly element: HTMLElement;
  at: XY;
  fade: Animation;
}

export class TouchesView {
  readonly #deps: TouchesDeps;
  readonly #trail: HTMLElement;
  readonly #heads: HTMLElement;
  readonly #circles = new Map<string, Circle>();

  constructor(deps: TouchesDeps) {
    this.#deps = deps;
    const { ownerDocument } = deps.layer;
    this.#trail = ownerDocument.createElement("div");
    this.#trail.className = "trail";
    this.#heads = ownerDocument.createElement("div");
    this.#heads.className = "heads";
    deps.layer.append(this.#trail, this.#heads);
  }

  show(touch: TouchEcho): void {
    for (const contact of touch.contacts) {
      const at = this.#deps.place(contact);
      if (at !== null) this.#put(`${touch.by}-${contact.id}`, touch.by, at);
    }
  }

  clear(): void {
    this.#circles.clear();
    this.#trail.replaceChildren();
    this.#heads.replaceChildren();
  }

  #put(key: string, by: "agent" | "person", at: XY): void {
    const known = this.#circles.get(key);
    if (known !== undefined) {
      if (Math.hypot(at.x - known.at.x, at.y - known.at.y) >= TRAIL_EVERY_PX) {
        this.#leave(known.at, by);
        known.at = at;
      }
      move(known.element, at);
      known.fade.cancel();
      known.fade = this.#fading(known.element, () => this.#forget(key));
      return;
    }
    const element = this.#deps.layer.ownerDocument.createElement("div");
    element.className = `touch ${by}`;
    move(element, at);
    this.#heads.append(element);
    this.#circles.set(key, { element, at, fade: this.#fading(element, () => this.#forget(key)) });
  }

  #leave(at: XY, by: "agent" | "person"): void {
    const disc = this.#deps.layer.ownerDocument.createElement("div");
    disc.className = `disc ${by}`;
    move(disc, at);
    this.#trail.append(disc);
    if (this.#trail.childElementCount > TRAIL_MOST) this.#trail.firstElementChild?.remove();
    this.#fading(disc, () => disc.remove());
  }

  #forget(key: string): void {
    this.#circles.get(key)?.element.remove();
    this.#circles.delete(key);
  }

  #fading(element: HTMLElement, gone: () => void): Animation {
    const whole = 1 - FADE_MS / TOUCH_MS;
    const frames = this.#deps.reducedMotion()
      ? [{ opacity: 1 }, { opacity: 1 }]
      : [{ opacity: 1 }, { opacity: 1, offset: whole }, { opacity: 0 }];
    const fade = element.animate(frames, { duration: TOUCH_MS });
    fade.onfinish = gone;
    return fade;
  }
}

function move(element: HTMLElement, at: XY): void {
  element.style.transform = `translate(${at.x}px, ${at.y}px)`;
}
