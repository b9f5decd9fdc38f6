import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Lines } from "#drivers/phone/lines.ts";
import { phonePlaces } from "#drivers/phone/places.ts";
import { readPhoneArguments } from "#drivers/phone/process.ts";
import { readFromPhone, readPicture, readRequest, readState } from "#drivers/phone/protocol.ts";
import { sizedModel, testOffers } from "#drivers/phone/models.ts";

describe("lines", () => {
  test("come whole however the text is cut", () => {
    const parts = fc.array(
      fc.string({ maxLength: 20 }).map((part) => part.replaceAll("\n", "")),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(parts, fc.array(fc.nat(200), { maxLength: 10 }), (lines, cuts) => {
        const text = lines.map((line) => `${line}\n`).join("");
        const heard: string[] = [];
        const reader = new Lines(1_000, (line) => heard.push(line));
        let from = 0;
        for (const cut of [...cuts.toSorted((a, b) => a - b), text.length]) {
          reader.add(text.slice(from, cut));
          from = Math.max(from, cut);
        }
        expect(heard).toEqual(lines.filter((line) => line !== ""));
      }),
    );
  });

  test("too long to be one end the reading, with and without their end", () => {
    const ignore = (): void => undefined;
    expect(new Lines(10, ignore).add("x".repeat(11))).toBe(false);
    expect(new Lines(10, ignore).add(`${"x".repeat(11)}\n`)).toBe(false);
    expect(new Lines(10, ignore).add(`${"x".repeat(10)}\n`)).toBe(true);
  });
});

describe("requests", () => {
  test("of a known shape are read, with what they do not need left out", () => {
    expect(readRequest('{"id":3,"ask":"key","key":"a","down":true,"more":1}')).toEqual({ id: 3, ask: "key", key: "a", down: true });
    expect(readRequest('{"id":4,"ask":"log"}')).toEqual({ id: 4, ask: "log", since: 0, waitMs: 0 });
    expect(readRequest('{"id":4,"ask":"screenshot","longestEdge":9}')).toEqual({ id: 4, ask: "screenshot", longestEdge: 9 });
    expect(readRequest('{"id":5,"ask":"touch","contacts":[{"id":0,"x":1,"y":2}]}')).toMatchObject({ contacts: [{ id: 0, x: 1, y: 2 }] });
  });

  test.each([
    ["nothing", "object"],
    ["[]", "object"],
    ['{"ask":"hello"}', "number"],
    ['{"id":1,"ask":"dance"}', "dance"],
    ['{"id":1,"ask":{"toString":0}}', "toString"],
    ['{"id":1}', "does not know"],
    ['{"id":1,"ask":"key","key":"a"}', "down"],
    ['{"id":1,"ask":"touch","contacts":[{"id":10,"x":1,"y":2}]}', "contacts"],
    ['{"id":1,"ask":"touch","contacts":[{"id":0,"x":null,"y":2}]}', "contacts"],
    ['{"id":1,"ask":"stream","region":"/x","bytes":1.5}', "bytes"],
    ['{"id":1,"ask":"screenshot","longestEdge":"9"}', "longestEdge"],
    ['{"id":1,"ask":"log","since":0,"waitMs":-1}', "waitMs"],
    ['{"id":1,"ask":"fault","fault":"slow-turn"}', "ms"],
    ['{"id":1,"ask":"control","control":"home"}', "action"],
  ])("%s is refused with a word about it", (line, word) => {
    const id = /"id":1\b/.test(line) ? 1 : null;
    expect(readRequest(line)).toEqual({ id, words: expect.stringContaining(word) as unknown });
  });

  test("of any text never throw, and neither does a phone's line", () => {
    const any = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ id: fc.anything(), ask: fc.anything(), notice: fc.anything() }).map((v) => JSON.stringify(v)),
    );
    fc.assert(
      fc.property(any, (line) => {
        readRequest(line);
        readFromPhone(line);
      }),
    );
  });

  test("a state or a picture with a wrong part is none", () => {
    expect(readState({ model: "x" })).toBeNull();
    expect(readState(null)).toBeNull();
    expect(readPicture({ png: "", width: 1 })).toBeNull();
  });
});

describe("arguments and places", () => {
  test("are read, with what is left out as a plain phone has it", () => {
    expect(readPhoneArguments(["--home", "/h"])).toEqual({ home: "/h", model: "Test device", scene: "demo", seed: 1 });
    expect(readPhoneArguments(["--home", "/h", "--model", "Test foldable", "--scene", "busy", "--seed", "7"])).toMatchObject({
      scene: "busy",
      seed: 7,
    });
    expect(readPhoneArguments(["--home", "/h", "--fps", "32"])).toMatchObject({ fps: 32 });
  });

  test.each(["0", "61", "1.5", "many", ""])("%j frames a second are refused in words", (fps) => {
    expect(() => readPhoneArguments(["--home", "/h", "--fps", fps])).toThrow("--fps takes whole frames a second, 1 to 60");
  });

  test.each([[[]], [["--home"]], [["--home", "/h", "--scene", "party"]], [["--port", "1"]], [["--home", "/h", "--seed", "-1"]]])(
    "%j are refused in words",
    (argv) => {
      expect(() => readPhoneArguments(argv)).toThrow(/test-phone|scene|seed/i);
    },
  );

  test("a home too deep for a socket is refused with both lengths", () => {
    expect(() => phonePlaces(`/${"x".repeat(100)}`, "Test device")).toThrow(/bytes; a socket's path can have/);
  });

  test("offers are the two models and the sizes asked for", () => {
    expect(testOffers(["640x360"]).map(({ offer }) => offer.native)).toEqual(["Test device", "Test foldable", "640x360"]);
    expect(() => sizedModel("huge")).toThrow(/no test phone huge/);
  });
});
