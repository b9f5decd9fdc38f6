/**
 * Which touches may land while the device turns or folds (note 063 "Input and coordinates"; protocols 1).
 * From a control that changes the geometry, or a new geometry, until its first frame, a person's touches are held and the
 * agent's refused. A touch of another generation is refused, never mapped. Holds no clock.
 */
import type { Contact, DeviceControl } from "#core/device.ts";
import { type DeviceError, geometryChanging, staleGeometry } from "#core/errors.ts";

/** A turned picture that never comes opens the gate after this long, from the control's end. */
export const HOLD_MS_MAX = 5_000;
/** Touches that are held at most; older moves give way to newer ones, presses and lifts do not. */
export const HELD_MAX = 64;

export interface HeldTouch {
  readonly contacts: readonly Contact[];
  readonly generation: number;
}

export type PersonTouch =
  | { readonly is: "apply" }
  /** It is kept, and given back when the gate opens. */
  | { readonly is: "held" }
  | { readonly is: "refused"; readonly error: DeviceError };

export type Opened = readonly HeldTouch[];

/** Does the control change the screen, the orientation or the video's size? */
export function changesGeometry(control: DeviceControl): boolean {
  return control.action === "rotate" || control.action === "posture" || control.action === "switch" || control.action === "reboot";
}

export class GeometryGate {
  #generation: number;
  /** Open, or what it waits for: a control's end, the first frame of a generation. */
  #control = false;
  #frameOf: number | null = null;
  #untilMs: number | null = null;
  #held: HeldTouch[] = [];

  constructor(generation: number) {
    this.#generation = generation;
  }

  get generation(): number {
    return this.#generation;
  }
  get open(): boolean {
    return !this.#control && this.#frameOf === null;
  }
  /** When it opens though no frame came; null while it does not wait for one alone. Monotonic ms. */
  get dueMs(): number | null {
    return this.#untilMs;
  }

  /** A control that changes the geometry begins. The caller ends the gesture under way where it is. */
  controlBegins(): void {
    this.#control = true;
    this.#untilMs = null;
  }

  /** The device has this geometry now; its first frame is still to come. Answers whether a gesture under way is to be ended. */
  geometry(generation: number, nowMs: number): boolean {
    if (generation === this.#generation) return false;
    this.#generation = generation;
    this.#frameOf = generation;
    if (!this.#control) this.#untilMs = nowMs + HOLD_MS_MAX;
    return true;
  }

  /** A frame of this generation was handed out. */
  frame(generation: number): Opened {
    if (generation === this.#frameOf) this.#frameOf = null;
    return this.#maybeOpen();
  }

  /** The control is over, whether it changed anything or not. */
  controlEnds(nowMs: number): Opened {
    this.#control = false;
    if (this.#frameOf !== null) this.#untilMs = nowMs + HOLD_MS_MAX;
    return this.#maybeOpen();
  }

  /** Time has passed. */
  advance(nowMs: number): Opened {
    if (this.#untilMs === null || nowMs < this.#untilMs) return [];
    this.#frameOf = null;
    return this.#maybeOpen();
  }

  /** A person's touch. `presses`: it puts a finger down that was up. */
  person(touch: HeldTouch, presses: boolean): PersonTouch {
    // A lift is never stale: it names no point.
    if (touch.contacts.length > 0 && touch.generation !== this.#generation) return { is: "refused", error: staleGeometry() };
    if (this.open) return { is: "apply" };
    const last = this.#held[this.#held.length - 1];
    const sameFingers = last !== undefined && !presses && fingersOf(last) === fingersOf(touch);
    if (sameFingers) this.#held[this.#held.length - 1] = touch;
    else if (this.#held.length < HELD_MAX) this.#held.push(touch);
    else if (touch.contacts.length === 0) this.#held = [touch];
    return { is: "held" };
  }

  /** The agent's touch at points of these generations; null when it may land. */
  agent(generations: readonly number[]): DeviceError | null {
    if (!this.open) return geometryChanging();
    return generations.every((generation) => generation === this.#generation) ? null : staleGeometry();
  }

  /** The device is gone, and with it what was turning and what was held. The next one's geometry shuts the gate anew. */
  gone(): void {
    this.#control = false;
    this.#frameOf = null;
    this.#untilMs = null;
    this.#held = [];
  }

  /** What is held is dropped: its owner has gone or lost control. */
  drop(): void {
    this.#held = [];
  }

  #maybeOpen(): Opened {
    if (!this.open) return [];
    this.#untilMs = null;
    // Only what was meant for the picture that shows now: the others name points of one that is gone.
    const held = this.#held.filter((touch) => touch.contacts.length === 0 || touch.generation === this.#generation);
    this.#held = [];
    return held;
  }
}

function fingersOf(touch: HeldTouch): string {
  return touch.contacts
    .map((contact) => contact.id)
    .sort((a, b) => a - b)
    .join(" ");
}
