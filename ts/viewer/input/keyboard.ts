/** Keys, composed text and pastes. Keys go as keys; what an input method commits goes as text, in order with the keys round it. */
import { keysymOfKey } from "#core/keys.ts";
import type { Command } from "#viewer/stream/port.ts";

/** The part of a KeyboardEvent that is used. */
export interface KeyLike {
  readonly key: string;
  readonly code: string;
  readonly location: number;
  readonly isComposing: boolean;
  readonly keyCode: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** What the page does with a key press: leave it to the browser, or keep it from it. */
export type KeyFate = "browser" | "kept";

const RIGHT_SIDE = 2;
const SIDED = new Set(["Shift", "Control", "Alt", "Meta"]);
/** An input method swallows the key: its text comes by itself. */
const COMPOSING_KEY_CODE = 229;

export class KeyboardInput {
  readonly #send: (command: Command) => void;
  readonly #text: (text: string) => void;
  /** The keysym that each held key went down with: its lift repeats it, whatever Shift is by then. */
  readonly #down = new Map<string, number>();
  #composing = false;

  constructor(send: (command: Command) => void, text: (text: string) => void) {
    this.#send = send;
    this.#text = text;
  }

  press(event: KeyLike): KeyFate {
    if (event.key === "F6") return "browser";
    if (this.#swallowed(event)) return "browser";
    // The browser turns these into a paste event, which carries the clipboard's text without asking for a right to read it.
    if (isPaste(event)) return "browser";
    const keysym = keysymFor(event);
    if (keysym === null) return "browser";
    this.#down.set(event.code, keysym);
    this.#send({ do: "key", keysym, down: true });
    return "kept";
  }

  lift(event: KeyLike): KeyFate {
    const keysym = this.#down.get(event.code);
    if (keysym === undefined) return "browser";
    this.#down.delete(event.code);
    this.#send({ do: "key", keysym, down: false });
    // macOS tells no lift of a key that was pressed with Command held, so none may be taken for held after it.
    if (event.key === "Meta") this.release();
    return "kept";
  }

  compositionStart(): void {
    this.#composing = true;
  }

  /** What the input method committed; empty when it was given up. */
  compositionEnd(text: string): void {
    this.#composing = false;
    if (text !== "") this.#text(text);
  }

  /** Text that came without a key: a phone's keyboard, dictation, an emoji picker. */
  inserted(text: string): void {
    if (!this.#composing && text !== "") this.#text(text);
  }

  /** Lifts everything: focus left, the tab was hidden, control was handed back. */
  release(): void {
    this.#composing = false;
    if (this.#down.size === 0) return;
    this.#down.clear();
    this.#send({ do: "keys-up" });
  }

  #swallowed(event: KeyLike): boolean {
    return (
      this.#composing ||
      event.isComposing ||
      event.keyCode === COMPOSING_KEY_CODE ||
      event.key === "Process" ||
      event.key === "Dead" ||
      event.key === "Unidentified"
    );
  }
}

/** Ctrl or Cmd and V, without Alt. */
export function isPaste(event: KeyLike): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "v";
}

function keysymFor(event: KeyLike): number | null {
  const keysym = keysymOfKey(event.key);
  if (keysym === null) return null;
  return event.location === RIGHT_SIDE && SIDED.has(event.key) ? keysym + 1 : keysym;
}
