/**
 * A person's mouse as fingers, in the video's pixels (note 063 "Messages": m and m2). Left is a touch, right a long press,
 * with Alt a drag is a pinch about the screen's centre, the wheel a swipe. Holds no clock: time is handed in.
 */
import type { Contact, Size } from "#core/device.ts";
import { POINTER, POINTER_TOUCHES, presses, type PointerMessage } from "#wire/selkies.ts";
import { LONG_PRESS_MS, MOVE_MS } from "./gestures.ts";

/** Notches this near to one another are one swipe (note 063). */
export const WHEEL_JOIN_MS = 100;
/** A notch moves the finger by this part of the screen (note 063). */
export const WHEEL_PART = 1 / 12;
/** How long the finger takes for one notch. */
const NOTCH_MS = 80;
/** Kept from the screen's edges, where a swipe would be the system's. */
const EDGE_PART = 0.04;

interface Position {
  readonly x: number;
  readonly y: number;
}

type Held =
  | { readonly is: "touch" | "pinch" }
  /** `untilMs`: a right click is held at least this long, however soon the button is up. */
  | { readonly is: "long"; readonly at: Position; readonly untilMs: number; readonly released: boolean };

interface Wheel {
  readonly at: Position;
  /** Where the finger is to go. */
  readonly to: Position;
  readonly lastNotchMs: number;
  readonly movedMs: number;
}

export class PointerFingers {
  #at: Position = { x: 0, y: 0 };
  #mask = 0;
  #held: Held | null = null;
  #wheel: Wheel | null = null;
  /** Its fingers were lifted by someone else, who waits to be told that they are up. */
  #wasCut = false;

  /** A pointer message. Answers the lists of fingers that follow from it, oldest first. */
  message(message: PointerMessage, video: Size, altHeld: boolean, nowMs: number): readonly (readonly Contact[])[] {
    const at = message.relative ? { x: this.#at.x + message.x, y: this.#at.y + message.y } : { x: message.x, y: message.y };
    this.#at = onPicture(at, video);
    const pressed = message.mask & ~this.#mask;
    const released = this.#mask & ~message.mask;
    this.#mask = message.mask;
    const lists: (readonly Contact[])[] = [];
    if (message.notches > 0) {
      const turned = wheelMove(pressed, message.notches, video);
      if (turned !== null) lists.push(...this.#turnWheel(turned, video, nowMs));
      return lists;
    }
    if (this.#held === null && presses(pressed)) {
      if (this.#wheel !== null || this.#wasCut) lists.push([]);
      this.#wheel = null;
      this.#wasCut = false;
      if ((pressed & POINTER.right) !== 0) this.#held = { is: "long", at: this.#at, untilMs: nowMs + LONG_PRESS_MS, released: false };
      else this.#held = { is: altHeld ? "pinch" : "touch" };
      lists.push(this.#contacts(video));
      return lists;
    }
    if (this.#held === null) return lists;
    if (this.#held.is === "long") {
      if ((released & POINTER.right) !== 0) this.#held = { ...this.#held, released: true };
      else if (!this.#held.released) this.#held = { ...this.#held, at: this.#at };
      return [...lists, ...this.#endLong(nowMs, video)];
    }
    if ((this.#mask & POINTER_TOUCHES) === 0) {
      // The release says where the finger was last.
      const last = this.#contacts(video);
      this.#held = null;
      return [...lists, last, []];
    }
    return [...lists, this.#contacts(video)];
  }

  /** When `advance` is due; null when nothing moves by itself. */
  get dueMs(): number | null {
    if (this.#wheel !== null) return this.#wheel.movedMs + MOVE_MS;
    return this.#held?.is === "long" && this.#held.released ? this.#held.untilMs : null;
  }

  /** Time has passed: the lists of fingers that follow. */
  advance(video: Size, nowMs: number): readonly (readonly Contact[])[] {
    return [...this.#endLong(nowMs, video), ...this.#moveWheel(video, nowMs)];
  }

  /** The fingers were lifted by someone else: what is held now does nothing until it is pressed again. */
  cut(): void {
    this.#wasCut ||= this.#held !== null || this.#wheel !== null;
    this.#held = null;
    this.#wheel = null;
  }

  #contacts(video: Size): readonly Contact[] {
    const held = this.#held;
    if (held === null) return [];
    if (held.is === "long") return [{ id: 0, ...held.at }];
    const finger = { id: 0, ...this.#at };
    if (held.is === "touch") return [finger];
    return [finger, { id: 1, x: video.width - 1 - this.#at.x, y: video.height - 1 - this.#at.y }];
  }

  #endLong(nowMs: number, video: Size): readonly (readonly Contact[])[] {
    if (this.#held?.is !== "long") return [];
    if (!this.#held.released || nowMs < this.#held.untilMs) return [this.#contacts(video)];
    this.#held = null;
    return [[]];
  }

  #turnWheel(by: Position, video: Size, nowMs: number): readonly (readonly Contact[])[] {
    if (this.#held !== null) return [];
    const wheel = this.#wheel;
    if (wheel !== null) {
      this.#wheel = { ...wheel, to: { x: wheel.to.x + by.x, y: wheel.to.y + by.y }, lastNotchMs: nowMs };
      return [];
    }
    const at = inside(this.#at, video);
    this.#wheel = { at, to: { x: at.x + by.x, y: at.y + by.y }, lastNotchMs: nowMs, movedMs: nowMs };
    const press = [{ id: 0, ...at }];
    const lists = this.#wasCut ? [[], press] : [press];
    this.#wasCut = false;
    return lists;
  }

  #moveWheel(video: Size, nowMs: number): readonly (readonly Contact[])[] {
    const wheel = this.#wheel;
    if (wheel === null || nowMs < wheel.movedMs + MOVE_MS) return [];
    const left = { x: wheel.to.x - wheel.at.x, y: wheel.to.y - wheel.at.y };
    if (left.x === 0 && left.y === 0) {
      if (nowMs - wheel.lastNotchMs < WHEEL_JOIN_MS) {
        this.#wheel = { ...wheel, movedMs: nowMs };
        return [];
      }
      // It rests before it lifts, so that the page does not fly on.
      this.#wheel = null;
      return [[]];
    }
    // A far way is gone faster, so that many notches take no longer than a few.
    const distance = Math.max(Math.abs(left.x) / video.width, Math.abs(left.y) / video.height);
    const most = Math.max(WHEEL_PART * (MOVE_MS / NOTCH_MS), distance / 6);
    const part = Math.min(1, most / distance);
    const next = { x: wheel.at.x + left.x * part, y: wheel.at.y + left.y * part };
    const kept = inside(next, video);
    if (kept.x === next.x && kept.y === next.y) {
      const at = part === 1 ? wheel.to : next;
      this.#wheel = { ...wheel, at, movedMs: nowMs };
      return [[{ id: 0, ...at }]];
    }
    // The edge: the finger lifts, and goes on from the pointer.
    const again = inside(this.#at, video);
    if (again.x === wheel.at.x && again.y === wheel.at.y) {
      this.#wheel = null;
      return [[]];
    }
    const rest = { x: wheel.to.x - kept.x, y: wheel.to.y - kept.y };
    this.#wheel = { at: again, to: { x: again.x + rest.x, y: again.y + rest.y }, lastNotchMs: wheel.lastNotchMs, movedMs: nowMs };
    return [[{ id: 0, ...kept }], [], [{ id: 0, ...again }]];
  }
}

/** The finger's way for these notches: against the wheel, as a finger pulls the page. Only a bit that was not set before counts. */
function wheelMove(pressed: number, notches: number, video: Size): Position | null {
  const down = video.height * WHEEL_PART * notches;
  const across = video.width * WHEEL_PART * notches;
  if ((pressed & POINTER.wheelDown) !== 0) return { x: 0, y: -down };
  if ((pressed & POINTER.wheelUp) !== 0) return { x: 0, y: down };
  if ((pressed & POINTER.wheelRight) !== 0) return { x: -across, y: 0 };
  if ((pressed & POINTER.wheelLeft) !== 0) return { x: across, y: 0 };
  return null;
}

function onPicture(at: Position, video: Size): Position {
  return { x: Math.min(Math.max(at.x, 0), video.width - 1), y: Math.min(Math.max(at.y, 0), video.height - 1) };
}

function inside(at: Position, video: Size): Position {
  const x = video.width * EDGE_PART;
  const y = video.height * EDGE_PART;
  return { x: Math.min(Math.max(at.x, x), video.width - 1 - x), y: Math.min(Math.max(at.y, y), video.height - 1 - y) };
}
