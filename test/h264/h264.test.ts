import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSps, isKeyUnit, joinAnnexB, nalUnits, withoutEmulation } from "#h264/annexb.ts";
import { decoderConfig, fromAvcc, parameterSets, toAvcc } from "#h264/avcc.ts";
import { H264Error } from "#h264/bits.ts";
import { codecString, parseSps } from "#h264/sps.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
const vector = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8")) as T;

interface SpsCase {
  readonly name: string;
  readonly hex: string;
  readonly codec: string;
  readonly [field: string]: unknown;
}
const SPS = vector<readonly SpsCase[]>("sps");
const PPS = bytes("68ce3c80");
const IDR = bytes("65888040ff");
const DELTA = bytes("419a1234");

describe("Annex B", () => {
  const { cases } = vector<{ cases: readonly { name: string; data: string; units: readonly string[] }[] }>("annexb");
  it.each(cases)("$name", ({ data, units }) => {
    expect([...nalUnits(bytes(data))].map((unit) => hex(unit.bytes))).toEqual(units);
  });

  it("finds exactly the units that were joined, whatever is in them", () => {
    // A unit holds no 00 00 0x with x under 3 and does not end in a zero: the encoder's rule.
    const unit = fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map((raw) => Uint8Array.from([0x41, ...raw.map((byte, at) => (byte < 4 && at % 3 !== 0 ? 9 : byte)), 0x80]));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 6 }), (units) => {
        expect([...nalUnits(joinAnnexB(units))].map((found) => hex(found.bytes))).toEqual(units.map(hex));
      }),
    );
  });

  it("tells a key unit from a delta, with or without parameter sets before it", () => {
    const sps = bytes(SPS[0]?.hex ?? "");
    expect(isKeyUnit(joinAnnexB([sps, PPS, IDR]))).toBe(true);
    expect(isKeyUnit(joinAnnexB([IDR]))).toBe(true);
    expect(isKeyUnit(joinAnnexB([DELTA]))).toBe(false);
    expect(isKeyUnit(new Uint8Array(0))).toBe(false);
    expect(findSps(joinAnnexB([sps, PPS, IDR]))).toEqual(sps);
    expect(findSps(joinAnnexB([DELTA]))).toBeNull();
  });

  it("takes emulation prevention bytes out", () => {
    expect(hex(withoutEmulation(bytes("0000030000030001000003")))).toBe("00000000000100" + "00");
  });
});

describe("a sequence parameter set", () => {
  it.each(SPS)("is read: $name", ({ name: _name, hex: data, codec, ...expected }) => {
    const sps = bytes(data);
    expect(parseSps(sps)).toMatchObject(expected);
    expect(codecString(sps)).toBe(codec);
  });

  it("cut at any byte, or with any bytes, gives a typed error or a value and never anything else", () => {
    for (const { hex: data } of SPS) {
      const whole = bytes(data);
      for (let length = 0; length < whole.length; length += 1) onlyTyped(() => parseSps(whole.subarray(0, length)));
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (data) => onlyTyped(() => parseSps(Uint8Array.from([0x67, ...data])))));
    expect(() => parseSps(IDR)).toThrow(H264Error);
    expect(() => codecString(bytes("6742c0"))).toThrow(H264Error);
  });
});

describe("AVCC", () => {
  const sps = bytes(SPS[2]?.hex ?? "");
  const key = joinAnnexB([bytes("09f0"), sps, PPS, IDR, DELTA]);

  it("holds the slices behind their lengths, without parameter sets and delimiters", () => {
    expect(hex(toAvcc(key))).toBe(`00000005${hex(IDR)}00000004${hex(DELTA)}`);
  });

  it("turned back is the same slices in Annex B", () => {
    expect(fromAvcc(toAvcc(key))).toEqual(joinAnnexB([IDR, DELTA]));
  });

  it("has a record that opens with the SPS's profile and gives back the parameter sets", () => {
    const record = decoderConfig(key);
    expect(record).not.toBeNull();
    if (record === null) return;
    expect([...record.subarray(0, 6)]).toEqual([1, sps[1], sps[2], sps[3], 0xff, 0xe1]);
    expect([...record.subarray(-4)]).toEqual([0xfd, 0xf8, 0xf8, 0]);
    expect(parameterSets(record)).toEqual(joinAnnexB([sps, PPS]));
    expect(decoderConfig(joinAnnexB([DELTA]))).toBeNull();
  });

  it("cut at any byte gives a typed error or a value", () => {
    const avcc = toAvcc(key);
    for (let length = 0; length < avcc.length; length += 1) onlyTyped(() => fromAvcc(avcc.subarray(0, length)));
    const record = decoderConfig(key) ?? new Uint8Array(0);
    for (let length = 0; length < record.length; length += 1) onlyTyped(() => parameterSets(record.subarray(0, length)));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (data) => onlyTyped(() => fromAvcc(data))));
  });
});

/** Any throw but H264Error fails. */
function onlyTyped(act: () => unknown): void {
  try {
    act();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(H264Error);
  }
}
