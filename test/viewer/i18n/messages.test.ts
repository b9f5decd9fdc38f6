import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { en } from "#viewer/i18n/messages.ts";
import { lengthen, pseudo } from "./pseudo.ts";

const folder = fileURLToPath(new URL("../../../ts/viewer", import.meta.url));
const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.startsWith("i18n"))
  .map((name) => readFileSync(join(folder, name), "utf8"))
  .join("\n");

describe("the message table", () => {
  it("holds no sentence that nothing says", () => {
    // Some are chosen by name: t[move], t[id], t[name].
    const byName = new Set(["smaller", "larger", "latitude", "longitude", "rotateLeft", "turnUpright"]);
    const unused = Object.keys(en).filter((key) => !byName.has(key) && !new RegExp(`\\b(t|messages|en)\\.${key}\\b`).test(sources));
    expect(unused).toEqual([]);
  });

  it("has every sentence that is asked for (the compiler's promise, kept for tables made elsewhere)", () => {
    expect(Object.keys(pseudo).sort()).toEqual(Object.keys(en).sort());
  });

  it("is where every word in a template comes from", () => {
    // Text between tags that is not an expression: letters there are words that no table has.
    const words = [...sources.matchAll(/html`([^`]*)`/g)].flatMap((match) =>
      (match[1] ?? "")
        .replace(/\$\{[^}]*\}/g, "")
        .replace(/<[^>]*>/g, " ")
        .split(/\s+/)
        .filter((word) => /^[A-Z][a-z]{2,}$/.test(word)),
    );
    expect(words).toEqual([]);
  });

  it("uses the signs that people set: a true minus, a real apostrophe, one ellipsis", () => {
    const plain = Object.values(en).filter((value): value is Extract<typeof value, string> => typeof value === "string");
    for (const sentence of plain) {
      expect(sentence).not.toMatch(/'|\.\.\./);
      expect(sentence).not.toMatch(/(^|\s)-\d/);
    }
  });
});

describe("the made-up language", () => {
  it("is four tenths longer", () => {
    expect(lengthen("Take control").length).toBeGreaterThanOrEqual("Take control".length * 1.4);
    expect(pseudo.saidReady({ name: "Pixel 8" })).toContain("réády");
  });
});
