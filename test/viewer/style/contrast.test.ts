import { describe, expect, it } from "vitest";
import { type Token, darkTokens, lightTokens } from "#viewer/style/tokens.ts";

type Rgba = readonly [number, number, number, number];

function parse(colour: string): Rgba {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour);
  if (hex !== null) {
    const value = Number.parseInt(hex[1] ?? "", 16);
    return [value >> 16, (value >> 8) & 255, value & 255, 1];
  }
  const rgb = /^rgb\((\d+) (\d+) (\d+) \/ ([.\d]+)\)$/.exec(colour);
  if (rgb === null) throw new Error(colour);
  return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3]), Number(rgb[4])];
}

function over(top: Rgba, under: Rgba): Rgba {
  const mix = (a: number, b: number): number => a * top[3] + b * (1 - top[3]);
  return [mix(top[0], under[0]), mix(top[1], under[1]), mix(top[2], under[2]), 1];
}

function luminance([r, g, b]: Rgba): number {
  const part = (value: number): number => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

function contrast(a: Rgba, b: Rgba): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const NEEDS: Partial<Record<Token, number>> = {
  text: 4.5,
  "text-2": 4.5,
  icon: 3,
  control: 3,
  "accent-line": 3,
  "accent-text": 4.5,
  "agent-text": 4.5,
  good: 4.5,
  care: 4.5,
  bad: 4.5,
  focus: 3,
};

describe.each([
  ["light", lightTokens as Record<Token, string>],
  ["dark", darkTokens],
])("the %s colours", (_name, tokens) => {
  const of = (token: Token): Rgba => parse(tokens[token]);
  const hovered = over(of("fill-1"), of("surface"));
  const grounds: [string, Rgba][] = [
    ["stage", of("stage")],
    ["glow", of("glow")],
    ["top bar", of("chrome")],
    ["surface", of("surface")],
    ["hovered row", hovered],
  ];

  it.each(Object.entries(NEEDS) as [Token, number][])("%s stands off every ground by %d or more", (token, needs) => {
    const low = grounds.filter(([, colour]) => contrast(of(token), colour) < needs).map(([ground]) => ground);
    expect(low).toEqual([]);
  });

  it("read on fills, tints and tips", () => {
    expect(contrast(of("on-accent"), of("accent"))).toBeGreaterThanOrEqual(4.5);
    for (const wash of [0.06, 0.12]) expect(contrast(of("on-accent"), over([0, 0, 0, wash], of("accent")))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(of("accent-text"), of("accent-tint"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(of("on-tip"), of("tip"))).toBeGreaterThanOrEqual(4.5);
  });

  it("read on the screen's black, whatever the theme", () => {
    for (const colour of ["#B6B8C1", "#8B8D97", "#FF7C88", "#9a9ca6"])
      expect(contrast(parse(colour), parse("#000000"))).toBeGreaterThanOrEqual(4.5);
  });
});

describe("the two themes", () => {
  it("have the same names", () => {
    expect(Object.keys(darkTokens).sort()).toEqual(Object.keys(lightTokens).sort());
  });
});
