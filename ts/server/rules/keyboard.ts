/**
 * A person's physical keys as what a device is to be sent (note 063 "Messages": kd, ku, kr). Keys go as keys where a US keyboard
 * has one; a character that has none is text. A modifier is sent only together with a key that is: alone it would open menus,
 * and Alt that drags a pinch never reaches the device.
 */
import { isModifierKey, keyOfKeysym, textOfKeysym, unshifted, usKeyOf } from "#core/keys.ts";

export type Stroke =
  | { readonly is: "key"; readonly key: string; readonly down: boolean }
  /** A character typed with no modifier that makes it a command. */
  | { readonly is: "character"; readonly text: string; readonly key: string | null; readonly down: boolean };

const SENT_MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta"]);
/** Keys held at once at most: more is a stuck client, and its next ones are ignored. */
const HELD_MAX = 64;

export class Keyboard {
  /** What each physical key (its keysym at the press) did. */
  readonly #held = new Map<number, Stroke>();
  /** Modifiers held by the person; true once the device was told. */
  readonly #modifiers = new Map<string, { readonly keysyms: Set<number>; sent: boolean }>();

  get altHeld(): boolean {
    return this.#modifiers.has("Alt");
  }

  /** A key went down or up. Answers what follows, in order. A repeat of a held key says nothing: the device repeats by itself. */
  key(keysym: number, down: boolean): readonly Stroke[] {
    const key = keyOfKeysym(keysym);
    if (key === null) return [];
    if (isModifierKey(key)) return this.#modifier(key, keysym, down);
    return down ? this.#press(key, keysym) : this.#release(keysym);
  }

  /** Every key up. */
  lift(): readonly Stroke[] {
    const strokes = [...this.#held.keys()].flatMap((keysym) => this.#release(keysym));
    const modifiers = [...this.#modifiers].filter(([, modifier]) => modifier.sent).map(([key]) => stroke(key, false));
    this.#modifiers.clear();
    return [...strokes, ...modifiers];
  }

  /** The keys were lifted by someone else: nothing is held any more. */
  cut(): void {
    this.#held.clear();
    this.#modifiers.clear();
  }

  #modifier(key: string, keysym: number, down: boolean): readonly Stroke[] {
    // Locks and AltGraph have done their work in the keysyms that come.
    if (!SENT_MODIFIERS.has(key)) return [];
    const held = this.#modifiers.get(key);
    if (down) {
      if (held === undefined) this.#modifiers.set(key, { keysyms: new Set([keysym]), sent: false });
      else held.keysyms.add(keysym);
      return [];
    }
    if (held === undefined) return [];
    held.keysyms.delete(keysym);
    if (held.keysyms.size > 0) return [];
    this.#modifiers.delete(key);
    return held.sent ? [stroke(key, false)] : [];
  }

  #press(key: string, keysym: number): readonly Stroke[] {
    const text = textOfKeysym(keysym);
    const before = this.#held.get(keysym);
    if (before !== undefined) {
      // Nobody but us repeats a character that has no key.
      return before.is === "character" && before.key === null ? [before] : [];
    }
    if (this.#held.size >= HELD_MAX) return [];
    const command = this.#modifiers.has("Control") || this.#modifiers.has("Alt") || this.#modifiers.has("Meta");
    if (text !== null && !command) return this.#hold(keysym, [], { is: "character", text, key: usKeyOf(text), down: true });
    // A character that no key makes has no command either.
    if (text !== null && usKeyOf(text) === null) return [];
    const pressed = text === null ? key : unshifted(text).key;
    return this.#hold(keysym, this.#sendModifiers(), stroke(pressed, true));
  }

  #hold(keysym: number, first: readonly Stroke[], pressed: Stroke): readonly Stroke[] {
    this.#held.set(keysym, pressed);
    return [...first, pressed];
  }

  #release(keysym: number): readonly Stroke[] {
    const pressed = this.#held.get(keysym);
    if (pressed === undefined) return [];
    this.#held.delete(keysym);
    return [{ ...pressed, down: false }];
  }

  #sendModifiers(): readonly Stroke[] {
    const strokes: Stroke[] = [];
    for (const [key, modifier] of this.#modifiers) {
      if (modifier.sent) continue;
      modifier.sent = true;
      strokes.push(stroke(key, true));
    }
    return strokes;
  }
}

function stroke(key: string, down: boolean): Stroke {
  return { is: "key", key, down };
}
