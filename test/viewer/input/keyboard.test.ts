import { beforeEach, describe, expect, it } from "vitest";
import { KeyboardInput, type KeyLike } from "#viewer/input/keyboard.ts";
import type { Command } from "#viewer/stream/port.ts";

let log: string[];
let keys: KeyboardInput;

beforeEach(() => {
  log = [];
  keys = new KeyboardInput(
    (command: Command) => {
      if (command.do === "key") log.push(`${command.down ? "kd" : "ku"} ${command.keysym.toString(16)}`);
      else log.push(command.do);
    },
    (text) => log.push(`text ${text}`),
  );
});

const key = (name: string, over: Partial<KeyLike> = {}): KeyLike => ({
  key: name,
  code: `Code-${name.toLowerCase()}`,
  location: 0,
  isComposing: false,
  keyCode: 0,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...over,
});

describe("keys", () => {
  it("go as keysyms, down and up", () => {
    expect(keys.press(key("a"))).toBe("kept");
    keys.lift(key("a"));
    keys.press(key("Enter"));
    keys.press(key("é"));
    keys.press(key("あ"));
    expect(log).toEqual(["kd 61", "ku 61", "kd ff0d", "kd e9", "kd 1003042"]);
  });

  it("lift with the keysym they went down with, whatever Shift is by then", () => {
    keys.press(key("Shift", { code: "ShiftLeft" }));
    keys.press(key("A", { code: "KeyA" }));
    keys.lift(key("Shift", { code: "ShiftLeft" }));
    keys.lift(key("a", { code: "KeyA" }));
    expect(log).toEqual(["kd ffe1", "kd 41", "ku ffe1", "ku 41"]);
  });

  it("tell the right Shift from the left", () => {
    keys.press(key("Shift", { code: "ShiftRight", location: 2 }));
    expect(log).toEqual(["kd ffe2"]);
  });

  it("leave F6 to the page: it is the way out", () => {
    expect(keys.press(key("F6"))).toBe("browser");
    expect(log).toEqual([]);
  });

  it("leave Ctrl or Cmd and V to the browser, which makes a paste of it", () => {
    expect(keys.press(key("v", { ctrlKey: true }))).toBe("browser");
    expect(keys.press(key("V", { metaKey: true }))).toBe("browser");
    expect(keys.press(key("v", { ctrlKey: true, altKey: true }))).toBe("kept");
  });

  it("are all lifted when Command is, as macOS tells no lift of a key held with it", () => {
    keys.press(key("Meta"));
    keys.press(key("c", { metaKey: true }));
    keys.lift(key("Meta"));
    expect(log).toEqual(["kd ffeb", "kd 63", "ku ffeb", "keys-up"]);
  });

  it("are lifted at once when focus goes, and only if any is down", () => {
    keys.release();
    keys.press(key("a"));
    keys.release();
    expect(log).toEqual(["kd 61", "keys-up"]);
    expect(keys.lift(key("a"))).toBe("browser");
  });
});

describe("an input method", () => {
  it("sends what it commits as one text, and none of the keys that made it", () => {
    keys.press(key("a"));
    keys.lift(key("a"));
    keys.compositionStart();
    expect(keys.press(key("Process", { keyCode: 229 }))).toBe("browser");
    expect(keys.press(key("k", { isComposing: true }))).toBe("browser");
    keys.compositionEnd("今日は");
    keys.press(key("Enter"));
    expect(log).toEqual(["kd 61", "ku 61", "text 今日は", "kd ff0d"]);
  });

  it("that is given up sends nothing", () => {
    keys.compositionStart();
    keys.compositionEnd("");
    expect(log).toEqual([]);
  });

  it("of a phone inserts text without keys", () => {
    expect(keys.press(key("Unidentified", { keyCode: 229 }))).toBe("browser");
    keys.inserted("hei");
    expect(log).toEqual(["text hei"]);
  });

  it("leaves dead keys to the composition they begin", () => {
    expect(keys.press(key("Dead"))).toBe("browser");
    expect(log).toEqual([]);
  });
});
