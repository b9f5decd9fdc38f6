import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keysymOfKey, usKeyOf } from "#core/keys.ts";
import { Keyboard } from "#server/rules/keyboard.ts";
import { OPS_WAITING_MAX, type TextOp, TextQueue } from "#server/rules/text.ts";

const sym = (key: string): number => {
  const keysym = keysymOfKey(key);
  if (keysym === null) throw new Error(`no keysym for ${key}`);
  return keysym;
};

/** A person at a keyboard, and what the device is told. */
class Typist {
  readonly keyboard = new Keyboard();
  readonly queue = new TextQueue();
  nowMs = 0;

  down(...keys: readonly string[]): this {
    for (const key of keys) this.#key(key, true);
    return this;
  }
  up(...keys: readonly string[]): this {
    for (const key of keys) this.#key(key, false);
    return this;
  }
  hit(...keys: readonly string[]): this {
    for (const key of keys) this.down(key).up(key);
    return this;
  }
  wait(ms: number): this {
    this.nowMs += ms;
    this.queue.advance(this.nowMs);
    return this;
  }
  get told(): readonly string[] {
    return drain(this.queue);
  }
  #key(key: string, down: boolean): void {
    for (const stroke of this.keyboard.key(sym(key), down)) this.queue.stroke(stroke, this.nowMs);
  }
}

function drain(queue: TextQueue): readonly string[] {
  const told: string[] = [];
  for (let op = queue.next(); op !== null; op = queue.next()) told.push(short(op));
  return told;
}
function short(op: TextOp): string {
  if (op.do === "key") return `${op.down ? "+" : "-"}${op.key}`;
  return op.do === "paste" ? `paste ${op.text}` : `done ${op.id}`;
}
/** What a text field would hold after these operations. */
function typed(told: readonly string[]): string {
  return told
    .flatMap((op) => {
      if (op.startsWith("paste ")) return [op.slice("paste ".length)];
      if (op === "+Enter") return ["\n"];
      if (op === "+Tab") return ["\t"];
      return op.startsWith("+") && op.length === 2 ? [op.slice(1)] : [];
    })
    .join("");
}

describe("a person's keys", () => {
  it("go as keys where a US keyboard has them", () => {
    expect(new Typist().hit("h", "i", "Enter").told).toEqual(["+h", "-h", "+i", "-i", "+Enter", "-Enter"]);
  });

  it("that repeat say nothing: the device repeats a held key by itself", () => {
    expect(new Typist().down("Backspace").down("Backspace").up("Backspace").told).toEqual(["+Backspace", "-Backspace"]);
  });

  it("with Shift type the character alone", () => {
    expect(new Typist().down("Shift").hit("A", "?").up("Shift").told).toEqual(["+A", "-A", "+?", "-?"]);
  });

  it("with a modifier that makes them a command are told with it", () => {
    expect(new Typist().down("Control").hit("c").up("Control").told).toEqual(["+Control", "+c", "-c", "-Control"]);
    expect(new Typist().down("Shift").hit("ArrowLeft").up("Shift").told).toEqual(["+Shift", "+ArrowLeft", "-ArrowLeft", "-Shift"]);
    expect(new Typist().down("Control", "Shift").hit("Z").up("Shift", "Control").told).toEqual([
      "+Control",
      "+Shift",
      "+z",
      "-z",
      "-Shift",
      "-Control",
    ]);
  });

  it("that are modifiers alone are told to nobody, so that no menu opens and Alt may drag a pinch", () => {
    const typist = new Typist().down("Alt");
    expect(typist.keyboard.altHeld).toBe(true);
    expect(typist.up("Alt").hit("Meta", "Shift", "Control", "CapsLock", "AltGraph").told).toEqual([]);
    expect(typist.keyboard.altHeld).toBe(false);
  });

  it("held by both hands are up only when both are", () => {
    const typist = new Typist();
    for (const keysym of [0xffe1, 0xffe2]) typist.keyboard.key(keysym, true);
    for (const stroke of typist.keyboard.key(sym("ArrowUp"), true)) typist.queue.stroke(stroke, 0);
    expect(typist.keyboard.key(0xffe1, false)).toEqual([]);
    expect(typist.keyboard.key(0xffe2, false)).toEqual([{ is: "key", key: "Shift", down: false }]);
  });

  it("let go under another keysym than they were pressed with do not hang: kr lifts all", () => {
    const typist = new Typist().down("Control", "a", "é");
    const lifted = typist.keyboard.lift();
    expect(lifted).toContainEqual({ is: "key", key: "a", down: false });
    expect(lifted).toContainEqual({ is: "key", key: "Control", down: false });
    expect(typist.keyboard.lift()).toEqual([]);
  });

  it("that are dead keys or unknown say nothing", () => {
    const keyboard = new Keyboard();
    for (const keysym of [0xfe51, 0x1008_ff13, 0]) expect(keyboard.key(keysym, true)).toEqual([]);
  });
});

describe("text with no US key", () => {
  it("is gathered and pasted once 150 ms pass with none", () => {
    const typist = new Typist().hit("é").wait(100).hit("à").wait(149);
    expect(typist.told).toEqual([]);
    expect(typist.wait(1).told).toEqual(["paste éà"]);
  });

  it("goes before a key that is not text, which ends it", () => {
    expect(new Typist().hit("é", "Enter", "x").told).toEqual(["paste é", "+Enter", "-Enter", "+x", "-x"]);
  });

  it("takes the characters that follow it with it, so that a word is one paste and keeps its order", () => {
    expect(new Typist().hit("n", "a", "ï", "v", "e").wait(150).hit("!").told).toEqual(["+n", "-n", "+a", "-a", "paste ïve", "+!", "-!"]);
  });

  it("typed over a held key leaves that key to be lifted", () => {
    expect(new Typist().down("a", "é").up("é", "a").wait(150).told).toEqual(["+a", "-a", "paste é"]);
    expect(new Typist().down("é", "a").wait(150).up("a", "é").told).toEqual(["paste éa"]);
  });

  it("held down repeats as its client repeats it", () => {
    expect(new Typist().down("é", "é", "é").up("é").wait(150).told).toEqual(["paste ééé"]);
  });

  it("is pasted 2,000 characters at a time, however long an emoji is", () => {
    const queue = new TextQueue();
    queue.type("person", "😀".repeat(4_001), "a", false, 0);
    queue.advance(150);
    expect(drain(queue).map((op) => [...op].length)).toEqual([2_006, 2_006, 7, 6]);
  });
});

describe("text of a request", () => {
  it("goes as keys, then as a paste from the first character that has none", () => {
    const queue = new TextQueue();
    queue.type("agent", "Hi\nüber\tso", "a", true, 0);
    expect(drain(queue)).toEqual(["+H", "-H", "+i", "-i", "+Enter", "-Enter", "paste über\tso", "done a"]);
  });

  it("of a person may still be joined by what is typed after it, and is done with the paste", () => {
    const queue = new TextQueue();
    queue.type("person", "日", "a", false, 0);
    queue.type("person", "本", null, false, 100);
    queue.type("person", "go", "b", false, 200);
    expect(queue.dueMs).toBe(350);
    queue.advance(350);
    expect(drain(queue)).toEqual(["paste 日本go", "done a", "done b"]);
  });

  it("that is a paste goes whole, whatever it holds, after what was gathered", () => {
    const queue = new TextQueue();
    queue.type("person", "é", null, false, 0);
    queue.paste("person", "plain\r\ntext", "p");
    queue.paste("person", "", "empty");
    expect(drain(queue)).toEqual(["paste é", "paste plain\r\ntext", "done p", "done empty"]);
  });

  it("that is a chord presses its modifiers round the key", () => {
    const queue = new TextQueue();
    queue.chord("agent", "v", ["control", "shift"], "c");
    expect(drain(queue)).toEqual(["+Control", "+Shift", "+v", "-v", "-Shift", "-Control", "done c"]);
  });

  it("is named by every operation that it is a part of, and by no other", () => {
    const queue = new TextQueue();
    queue.stroke({ is: "key", key: "Enter", down: true }, 0);
    queue.type("person", "aé", "one", false, 0);
    queue.type("person", "b", "two", false, 0);
    queue.paste("person", "x", "three");
    const ids: (readonly string[])[] = [];
    for (let op = queue.next(); op !== null; op = queue.next()) if (op.do !== "done") ids.push(op.ids);
    expect(ids).toEqual([[], ["one"], ["one"], ["one", "two"], ["three"]]);
  });

  it("of the agent never joins what a person has gathered", () => {
    const queue = new TextQueue();
    queue.type("person", "é", null, false, 0);
    queue.type("agent", "à", "a", true, 10);
    expect(drain(queue)).toEqual(["paste é", "paste à", "done a"]);
  });

  it("reaches a text field whole and in order, whatever it is and however it is cut into requests", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "B", "?", " ", "\n", "é", "日", "😀", "ع"), maxLength: 12 });
    const act = fc.record({ text: piece, quietMs: fc.constantFrom(0, 100, 200), how: fc.constantFrom("text", "paste", "keys") });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
        const typist = new Typist();
        let wanted = "";
        for (const { text, quietMs, how } of acts) {
          if (how === "keys") for (const character of text) typist.hit(character === "\n" ? "Enter" : character);
          else if (how === "paste") typist.queue.paste("person", text, "p");
          else typist.queue.type("person", text, "t", false, typist.nowMs);
          typist.wait(quietMs);
          wanted += text;
        }
        typist.wait(150);
        expect(typed(typist.told)).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it("costs no more than what it holds while it waits", () => {
    const queue = new TextQueue();
    expect(queue.type("agent", "a".repeat(1_000_000), "a", true, 0)).toBe(true);
    expect(queue.waiting).toBe(2);
  });

  it("is refused when too much waits, and nothing of it is taken", () => {
    const queue = new TextQueue();
    for (let at = 0; at < OPS_WAITING_MAX / 2; at += 1) queue.paste("agent", "x", `p${at}`);
    expect(queue.full).toBe(true);
    expect(queue.type("agent", "x", "more", true, 0)).toBe(false);
    expect(queue.paste("agent", "x", "more")).toBe(false);
    expect(queue.chord("agent", "a", [], "more")).toBe(false);
    expect(queue.waiting).toBe(OPS_WAITING_MAX);
    for (const down of [true, false]) queue.stroke({ is: "character", text: "a", key: "a", down }, 0);
    expect(queue.waiting).toBe(OPS_WAITING_MAX);
  });
});

describe("a change of control", () => {
  it("drops what its source has waiting, names the requests, and lifts what was down", () => {
    const queue = new TextQueue();
    queue.type("agent", "abc", "a", true, 0);
    queue.type("person", "é", "p", false, 0);
    expect(queue.next()).toMatchObject({ key: "a", down: true });
    expect(queue.drop("agent")).toEqual(["a"]);
    expect(queue.lift(["agent"])).toEqual(["a"]);
    expect(queue.lift()).toEqual([]);
    queue.advance(150);
    expect(drain(queue)).toEqual(["paste é", "done p"]);
    expect(queue.drop("person")).toEqual([]);
  });

  it("lets a paste whose key was pressed be done, and drops what waits behind it", () => {
    const queue = new TextQueue();
    queue.type("agent", "é", "a", true, 0);
    queue.paste("agent", "x", "b");
    expect(queue.next()).toMatchObject({ do: "paste" });
    expect(queue.drop("agent", true)).toEqual(["b"]);
    expect(drain(queue)).toEqual(["done a"]);
  });

  it("leaves no key down, whatever was typed and wherever it was cut", () => {
    const keys = ["a", "B", "é", "Enter", "Shift", "Control", "ArrowLeft"];
    const act = fc.record({ key: fc.constantFrom(...keys), down: fc.boolean(), take: fc.nat(3), cut: fc.nat(9).map((n) => n === 0) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const typist = new Typist();
        const held = new Set<string>();
        const see = (op: TextOp | null): void => {
          if (op?.do !== "key") return;
          if (op.down) held.add(op.key);
          else held.delete(op.key);
        };
        for (const { key, down, take, cut } of acts) {
          if (down) typist.down(key);
          else typist.up(key);
          for (let at = 0; at < take; at += 1) see(typist.queue.next());
          if (!cut) continue;
          typist.keyboard.cut();
          typist.queue.drop("person");
          for (const lifted of typist.queue.lift()) held.delete(lifted);
          expect([...held]).toEqual([]);
        }
        for (const stroke of typist.keyboard.lift()) typist.queue.stroke(stroke, typist.nowMs);
        typist.wait(150);
        for (let op = typist.queue.next(); op !== null; op = typist.queue.next()) see(op);
        expect([...held]).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});

it("every character of a US keyboard is typed by its own key", () => {
  const queue = new TextQueue();
  const all = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join("");
  queue.type("agent", all, "a", true, 0);
  const downs = drain(queue).filter((op) => op.startsWith("+"));
  expect(downs).toEqual([...all].map((character) => `+${usKeyOf(character) ?? ""}`));
});
