import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  NAMED_KEYS,
  hasUsKey,
  isDeviceKey,
  isModifierKey,
  keyOfKeysym,
  keysymOfKey,
  textOfKeysym,
  unshifted,
  usKeyOf,
} from "#core/keys.ts";

describe("keysyms", () => {
  it.each([
    [0x61, "a"],
    [0xe9, "é"],
    [0xff08, "Backspace"],
    [0xff0d, "Enter"],
    [0xff8d, "Enter"],
    [0xff1b, "Escape"],
    [0xffbe, "F1"],
    [0xffc9, "F12"],
    [0xffe2, "Shift"],
    [0xffeb, "Meta"],
    [0xffe7, "Meta"],
    [0xfe03, "AltGraph"],
    [0xffff, "Delete"],
    [0xff53, "ArrowRight"],
    [0xffb7, "7"],
    [0xff9f, "Delete"],
  ])("%i is the key %s", (keysym, key) => {
    expect(keyOfKeysym(keysym)).toBe(key);
  });

  it.each([
    [0x20ac, "€"],
    [0x0100_20ac, "€"],
    [0x0101_f600, "😀"],
    [0x0100_3042, "あ"],
    [0x01a1, "Ą"],
    [0x02a1, "Ħ"],
    [0x03bf, "ŋ"],
    [0x04b1, "ア"],
    [0x05c7, "ا"],
    [0x06c1, "а"],
    [0x06f1, "Я"],
    [0x06ad, "ґ"],
    [0x07e1, "α"],
    [0x07f3, "ς"],
    [0x0ce0, "א"],
    [0x0da1, "ก"],
    [0x13bd, "œ"],
    [0x0aa9, "—"],
    [0x0ad3, "”"],
  ])("%i types %s", (keysym, text) => {
    expect(textOfKeysym(keysym)).toBe(text);
  });

  it.each([0xfe50, 0xfe51, 0xff08, 0xffe1, 0x7f, 0x80, 0x0100_0007, 0x0100_d800, 0x0111_0000, 0, 0x06a0, 0x07a6, 0x1008_ff13])(
    "%i types nothing",
    (keysym) => {
      expect(textOfKeysym(keysym)).toBeNull();
    },
  );

  it("never throws, and what is typed is one character", () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (keysym) => {
        const text = textOfKeysym(keysym);
        if (text !== null) expect([...text]).toHaveLength(1);
        keyOfKeysym(keysym);
      }),
      { numRuns: 5_000 },
    );
  });

  it("go from a key's name and back", () => {
    for (const name of NAMED_KEYS) {
      const keysym = keysymOfKey(name);
      expect(keysym === null ? null : keyOfKeysym(keysym)).toBe(name);
    }
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }), (text) => {
        const keysym = keysymOfKey(text);
        if (keysym !== null) expect(keyOfKeysym(keysym)).toBe(text);
      }),
    );
    expect(keysymOfKey("Enter")).toBe(0xff0d);
    expect(keysymOfKey("Tab")).toBe(0xff09);
    expect(keysymOfKey("Home")).toBe(0xff50);
    expect(keysymOfKey("Meta")).toBe(0xffeb);
    expect(keysymOfKey("F25")).toBeNull();
    expect(keysymOfKey("Banana")).toBeNull();
  });
});

describe("a US keyboard", () => {
  it("has every printable ASCII character, Enter and Tab, and no other", () => {
    for (let code = 0x20; code <= 0x7e; code += 1) expect(hasUsKey(String.fromCharCode(code))).toBe(true);
    expect(usKeyOf("\n")).toBe("Enter");
    expect(usKeyOf("\t")).toBe("Tab");
    for (const other of ["é", "€", "あ", "😀", "\u007f", "\u0000", "ab", ""]) expect(hasUsKey(other)).toBe(false);
  });

  it("makes each character with its own key, Shift where it needs it", () => {
    expect(unshifted("a")).toEqual({ key: "a", shift: false });
    expect(unshifted("A")).toEqual({ key: "a", shift: true });
    expect(unshifted("?")).toEqual({ key: "/", shift: true });
    expect(unshifted("|")).toEqual({ key: "\\", shift: true });
    expect(unshifted("7")).toEqual({ key: "7", shift: false });
    const bases = new Set<string>();
    for (let code = 0x20; code <= 0x7e; code += 1) bases.add(unshifted(String.fromCharCode(code)).key);
    // 26 letters, 10 digits, 11 signs and the space.
    expect(bases.size).toBe(48);
  });

  it("takes the named keys and its own characters as device keys", () => {
    for (const key of ["a", "Z", "?", "Enter", "F5", "Shift"]) expect(isDeviceKey(key)).toBe(true);
    for (const key of ["é", "Banana", "", "ab", "\n"]) expect(isDeviceKey(key)).toBe(false);
    expect(isModifierKey("Alt")).toBe(true);
    expect(isModifierKey("a")).toBe(false);
  });
});
