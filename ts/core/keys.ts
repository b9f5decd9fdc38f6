/** Keys by their W3C names, what a US keyboard can type, and X11 keysyms (Selkies' `kd` and `ku`). */
import { legacyCharacter } from "./keysyms-legacy.ts";

/** Keysym to W3C key name, for keys that are not characters. */
const NAMED: Readonly<Record<number, string>> = {
  0xff08: "Backspace",
  0xff09: "Tab",
  0xfe20: "Tab",
  0xff0a: "Enter",
  0xff0d: "Enter",
  0xff8d: "Enter",
  0xff13: "Pause",
  0xff14: "ScrollLock",
  0xff1b: "Escape",
  0xff50: "Home",
  0xff51: "ArrowLeft",
  0xff52: "ArrowUp",
  0xff53: "ArrowRight",
  0xff54: "ArrowDown",
  0xff55: "PageUp",
  0xff56: "PageDown",
  0xff57: "End",
  0xff61: "PrintScreen",
  0xff63: "Insert",
  0xff67: "ContextMenu",
  0xff7f: "NumLock",
  0xff89: "Tab",
  0xff95: "Home",
  0xff96: "ArrowLeft",
  0xff97: "ArrowUp",
  0xff98: "ArrowRight",
  0xff99: "ArrowDown",
  0xff9a: "PageUp",
  0xff9b: "PageDown",
  0xff9c: "End",
  0xff9e: "Insert",
  0xff9f: "Delete",
  0xffe1: "Shift",
  0xffe2: "Shift",
  0xffe3: "Control",
  0xffe4: "Control",
  0xffe5: "CapsLock",
  0xffe7: "Meta",
  0xffe8: "Meta",
  0xffe9: "Alt",
  0xffea: "Alt",
  0xffeb: "Meta",
  0xffec: "Meta",
  0xfe03: "AltGraph",
  0xffff: "Delete",
};

/** The number pad's characters. */
const PAD: Readonly<Record<number, string>> = {
  0xff80: " ",
  0xffaa: "*",
  0xffab: "+",
  0xffac: ",",
  0xffad: "-",
  0xffae: ".",
  0xffaf: "/",
  0xffbd: "=",
};

const F1 = 0xffbe;
const FUNCTION_KEYS = 24;

const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock", "ScrollLock"]);

/** W3C names that a device takes and that are not characters. */
export const NAMED_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(NAMED),
  ...Array.from({ length: FUNCTION_KEYS }, (_, at) => `F${at + 1}`),
]);

/** A US keyboard's characters that need Shift, and the key that makes each. */
const SHIFTED: Readonly<Record<string, string>> = {
  "~": "`",
  "!": "1",
  "@": "2",
  "#": "3",
  $: "4",
  "%": "5",
  "^": "6",
  "&": "7",
  "*": "8",
  "(": "9",
  ")": "0",
  _: "-",
  "+": "=",
  "{": "[",
  "}": "]",
  "|": "\\",
  ":": ";",
  '"': "'",
  "<": ",",
  ">": ".",
  "?": "/",
};

/** The W3C key of a keysym: a name, or the character it types; null for dead keys and for what is no key. */
export function keyOfKeysym(keysym: number): string | null {
  const named = NAMED[keysym];
  if (named !== undefined) return named;
  if (keysym >= F1 && keysym < F1 + FUNCTION_KEYS) return `F${keysym - F1 + 1}`;
  return textOfKeysym(keysym);
}

/** The character that a keysym types; null for a key that types none. */
export function textOfKeysym(keysym: number): string | null {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCharCode(keysym);
  if (keysym >= 0x0100_0000 && keysym <= 0x0110_ffff) return printable(keysym - 0x0100_0000);
  if (keysym >= 0xffb0 && keysym <= 0xffb9) return String.fromCharCode(keysym - 0xffb0 + 0x30);
  const pad = PAD[keysym];
  if (pad !== undefined) return pad;
  return keysym > 0x100 && keysym < 0x2100 ? legacyCharacter(keysym) : null;
}

/** The keysym of a W3C key: the first of its name, or its character's; null for a name that has none. */
export function keysymOfKey(key: string): number | null {
  const point = key.codePointAt(0);
  if (point !== undefined && String.fromCodePoint(point) === key) {
    if ((point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff)) return point;
    return printable(point) === null ? null : 0x0100_0000 + point;
  }
  const functionKey = /^F(\d{1,2})$/.exec(key);
  if (functionKey !== null) {
    const number = Number(functionKey[1]);
    return number >= 1 && number <= FUNCTION_KEYS ? F1 + number - 1 : null;
  }
  return KEYSYMS.get(key) ?? null;
}

const KEYSYMS: ReadonlyMap<string, number> = new Map(
  Object.entries(NAMED)
    .map(([keysym, name]) => [name, Number(keysym)] as const)
    // The pad's and the left tab's come before or after the plain ones in number, so the plain ones are put last to win.
    .sort(([, a], [, b]) => Number(isPlain(a)) - Number(isPlain(b)) || b - a),
);

function isPlain(keysym: number): boolean {
  return keysym !== 0xff0a && keysym >= 0xff00 && !(keysym >= 0xff80 && keysym <= 0xffbd) && keysym !== 0xffe7 && keysym !== 0xffe8;
}

export function isModifierKey(key: string): boolean {
  return MODIFIERS.has(key);
}

/** A key name that a device takes: a name of the list, or one character of a US keyboard. */
export function isDeviceKey(key: string): boolean {
  return NAMED_KEYS.has(key) || usKeyOf(key) === key;
}

/** Has a US keyboard a key for this character? Line feed and tab have Enter and Tab. */
export function hasUsKey(character: string): boolean {
  return usKeyOf(character) !== null;
}

/** The key that types this character on a US keyboard, by its W3C name ("A" for a capital, "Enter" for a line feed); null when there is none. */
export function usKeyOf(character: string): string | null {
  if (character === "\n" || character === "\r") return "Enter";
  if (character === "\t") return "Tab";
  if (character.length !== 1) return null;
  const code = character.charCodeAt(0);
  return code >= 0x20 && code <= 0x7e ? character : null;
}

/** A printable ASCII character's own key and whether it needs Shift: "A" is a with Shift. For drivers that press Shift themselves. */
export function unshifted(character: string): { readonly key: string; readonly shift: boolean } {
  const base = SHIFTED[character];
  if (base !== undefined) return { key: base, shift: true };
  const lower = character.toLowerCase();
  return lower === character ? { key: character, shift: false } : { key: lower, shift: true };
}

function printable(point: number): string | null {
  const control = point < 0x20 || (point >= 0x7f && point < 0xa0);
  const surrogate = point >= 0xd800 && point <= 0xdfff;
  return control || surrogate || point > 0x10_ffff ? null : String.fromCodePoint(point);
}
