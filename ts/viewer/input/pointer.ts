/**
 * Mouse, fingers and pen as what the device takes. A mouse is `pointer` commands; fingers, a pen and a pinch with Alt are contacts.
 * Moves are joined to one per animation frame; a press or a lift first sends the move that waits. Never sends a point of a picture
 * that is no longer the device's: a gesture that a turn or a fold interrupts is over until it is let go.
 */
import type { Contact } from "#core/device.ts";
import { CONTACTS_MAX } from "#wire/limits.ts";
import { POINTER } from "#wire/selkies.ts";
import type { XY } from "#viewer/frame/turn.ts";
import type { Command } from "#viewer/stream/port.ts";

export interface PointerDeps {
  /** Where on the video a point of the page is; with `clamp`, the nearest pixel of it. null: not on the picture. */
  readonly toVideo: (page: XY, clamp: boolean) => XY | null;
  /** The point across the video's middle, for a pinch. */
  readonly mirrored: (video: XY) => XY;
  /** The generation of the picture shown; null while a newer one is awaited. */
  readonly generation: () => number | null;
  readonly send: (command: Command) => void;
  /** Runs once before the next picture; returns what cancels it. */
  readonly onNextFrame: (run: () => void) => () => void;
}

/** The part of a PointerEvent that is used. */
export interface PointerLike {
  readonly pointerId: number;
  readonly pointerType: string;
  readonly button: number;
  readonly altKey: boolean;
  readonly clientX: number;
  readonly clientY: number;
}

/** The part of a WheelEvent that is used. */
export interface WheelLike {
  readonly deltaX: number;
  readonly deltaY: number;
  readonly deltaMode: number;
  readonly clientX: number;
  readonly clientY: number;
}

/** A wheel's notch in pixels, lines and pages, by WheelEvent.deltaMode. */
const NOTCH = [100, 3, 1] as const;
const NOTCHES_AT_ONCE = 10;
const MOUSE_BITS: Record<number, number> = { 0: POINTER.left, 1: POINTER.middle, 2: POINTER.right };

type Mode = "mouse" | "contacts" | "pinch";

interface Held {
  readonly id: number;
  at: XY;
}

export class PointerInput {
  readonly #deps: PointerDeps;
  #mode: Mode | null = null;
  #mask = 0;
  #mouseAt: XY = { x: 0, y: 0 };
  #held = new Map<number, Held>();
  #generation = 0;
  #interrupted = false;
  #moved = false;
  #cancelMove: (() => void) | null = null;
  #wheel = { x: 0, y: 0 };

  constructor(deps: PointerDeps) {
    this.#deps = deps;
  }

  /** Something is held down. */
  get active(): boolean {
    return this.#mode !== null;
  }

  /** What is down now, in the video's pixels: for drawing a pinch's two fingers. */
  get contacts(): readonly Contact[] {
    if (this.#mode === null || this.#mode === "mouse") return [];
    const contacts = [...this.#held.values()].map(({ id, at }) => ({ id, x: at.x, y: at.y }));
    const first = contacts[0];
    if (this.#mode !== "pinch" || first === undefined) return contacts;
    const other = this.#deps.mirrored(first);
    return [first, { id: 1, x: other.x, y: other.y }];
  }

  /** True when the press is the device's; false when it fell beside the picture or the picture is being replaced. */
  down(event: PointerLike): boolean {
    const at = this.#deps.toVideo({ x: event.clientX, y: event.clientY }, false);
    const generation = this.#deps.generation();
    if (at === null || generation === null || this.#interrupted) return false;
    this.#flush();
    const fingers = event.pointerType !== "mouse";
    if (!fingers && (!event.altKey || event.button !== 0) && this.#mode !== "pinch") return this.#mouseDown(event, at);
    if (this.#mode === "mouse" || this.#mode === "pinch") return false;
    if (this.#held.size >= CONTACTS_MAX) return false;
    this.#mode = fingers ? "contacts" : "pinch";
    this.#generation = generation;
    const used = new Set([...this.#held.values()].map((held) => held.id));
    let id = 0;
    while (used.has(id)) id += 1;
    this.#held.set(event.pointerId, { id, at });
    this.#sendContacts();
    return true;
  }

  move(event: PointerLike): void {
    const at = this.#deps.toVideo({ x: event.clientX, y: event.clientY }, this.#mode !== null);
    if (at === null || this.#interrupted) return;
    if (this.#mode === null || this.#mode === "mouse") {
      if (event.pointerType !== "mouse") return;
      this.#mouseAt = at;
      // A mouse that only hovers tells the device nothing.
      if (this.#mask === 0) return;
    } else {
      const held = this.#held.get(event.pointerId);
      if (held === undefined) return;
      held.at = at;
    }
    this.#moved = true;
    this.#cancelMove ??= this.#deps.onNextFrame(() => {
      this.#cancelMove = null;
      this.#flush();
    });
  }

  up(event: PointerLike): void {
    if (this.#interrupted) return this.#released(event);
    const at = this.#deps.toVideo({ x: event.clientX, y: event.clientY }, true);
    if (this.#mode === "mouse") {
      const bit = MOUSE_BITS[event.button] ?? 0;
      if (event.pointerType !== "mouse" || (this.#mask & bit) === 0) return;
      this.#flush();
      if (at !== null) this.#mouseAt = at;
      this.#mask &= ~bit;
      if (this.#mask === 0) this.#mode = null;
      this.#sendMouse();
      return;
    }
    const held = this.#held.get(event.pointerId);
    if (held === undefined) return;
    if (at !== null && (held.at.x !== at.x || held.at.y !== at.y)) {
      held.at = at;
      this.#moved = true;
    }
    this.#flush();
    this.#held.delete(event.pointerId);
    if (this.#held.size === 0) this.#mode = null;
    this.#sendContacts();
  }

  /** The browser took the pointer away, or the page lost it: everything is let go where it is. */
  cancel(): void {
    const mode = this.#mode;
    if (mode === null) return;
    this.#dropMove();
    this.#mode = null;
    this.#mask = 0;
    this.#held.clear();
    this.#interrupted = false;
    if (mode === "mouse") this.#sendMouse();
    else this.#sendContacts();
  }

  /** The device turned or folded: what is held is ended by the server, and nothing more of it is sent. */
  interrupt(): void {
    if (this.#mode === null) return;
    this.#dropMove();
    this.#interrupted = true;
  }

  /** Whole notches of a wheel or a trackpad, gathered from small steps. True when the wheel is over the picture. */
  wheel(event: WheelLike): boolean {
    const at = this.#deps.toVideo({ x: event.clientX, y: event.clientY }, false);
    if (at === null || this.#deps.generation() === null || this.#interrupted) return false;
    const notch = NOTCH[event.deltaMode as 0 | 1 | 2] ?? NOTCH[0];
    this.#mouseAt = at;
    const take = (axis: "x" | "y", delta: number): void => {
      const sum = this.#wheel[axis] + delta / notch;
      const whole = Math.trunc(sum);
      this.#wheel[axis] = sum - whole;
      if (whole === 0) return;
      this.#flush();
      // The swipe starts at the pointer, which a hovering mouse has not told yet.
      this.#sendMouse();
      const notches = Math.max(-NOTCHES_AT_ONCE, Math.min(NOTCHES_AT_ONCE, whole));
      this.#deps.send({ do: "wheel", axis, notches, mask: this.#mask });
    };
    take("y", event.deltaY);
    take("x", event.deltaX);
    return true;
  }

  #mouseDown(event: PointerLike, at: XY): boolean {
    const bit = MOUSE_BITS[event.button];
    if (bit === undefined || this.#mode === "contacts") return false;
    this.#mode = "mouse";
    this.#mouseAt = at;
    this.#mask |= bit;
    this.#sendMouse();
    return true;
  }

  #released(event: PointerLike): void {
    if (this.#mode === "mouse") this.#mask &= ~(MOUSE_BITS[event.button] ?? 0);
    this.#held.delete(event.pointerId);
    if (this.#mask !== 0 || this.#held.size > 0) return;
    const mode = this.#mode;
    this.#mode = null;
    this.#interrupted = false;
    // The server has lifted it; this tells it that the button itself is up, so that the next press is one.
    if (mode === "mouse") this.#sendMouse();
  }

  #flush(): void {
    this.#cancelMove?.();
    this.#cancelMove = null;
    if (!this.#moved) return;
    this.#moved = false;
    if (this.#mode === "mouse") this.#sendMouse(true);
    else if (this.#mode !== null) this.#sendContacts();
  }

  #dropMove(): void {
    this.#cancelMove?.();
    this.#cancelMove = null;
    this.#moved = false;
  }

  #sendMouse(move = false): void {
    this.#deps.send({ do: "pointer", x: this.#mouseAt.x, y: this.#mouseAt.y, mask: this.#mask, move });
  }

  #sendContacts(): void {
    this.#deps.send({ do: "ask", request: { type: "touch", contacts: this.contacts, generation: this.#generation } });
  }
}
