/** Reads a sequence parameter set (ITU-T H.264, 7.3.2.1.1 and annex E): size, colour, reordering, and the codec string. */
import { NAL, withoutEmulation } from "./annexb.ts";
import { BitReader, H264Error } from "./bits.ts";

export interface Sps {
  readonly profile: number;
  /** constraint_set0_flag is the top bit. */
  readonly constraints: number;
  /** Level times ten. */
  readonly level: number;
  /** 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4. */
  readonly chromaFormat: number;
  readonly bitDepthLuma: number;
  readonly bitDepthChroma: number;
  /** Cropped, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly maxRefFrames: number;
  readonly colour: SpsColour | null;
  /** How many frames may be held back for reordering; null when the SPS does not say. */
  readonly maxReorderFrames: number | null;
  readonly maxDecodedFrames: number | null;
}

export interface SpsColour {
  readonly fullRange: boolean;
  /** ITU-T H.273 code points; 1 is BT.709, 2 unspecified. */
  readonly primaries: number;
  readonly transfer: number;
  readonly matrix: number;
}

const EXTENDED_SAR = 255;
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
/** Fields are refused beyond this, as no picture of a device is that large. */
const MACROBLOCKS_MAX = 4096;

/** Throws H264Error for a unit that is no SPS, that ends early, or whose numbers cannot be. */
export function parseSps(unit: Uint8Array): Sps {
  if (((unit[0] ?? 0) & 0x1f) !== NAL.sps) throw new H264Error("not a sequence parameter set");
  const bits = new BitReader(withoutEmulation(unit.subarray(1)));
  const profile = bits.bits(8);
  const constraints = bits.bits(8);
  const level = bits.bits(8);
  bits.ue();
  let chromaFormat = 1;
  let bitDepthLuma = 8;
  let bitDepthChroma = 8;
  let separatePlanes = false;
  if (HIGH_PROFILES.has(profile)) {
    chromaFormat = bits.ue(3);
    if (chromaFormat === 3) separatePlanes = bits.flag();
    bitDepthLuma = 8 + bits.ue(6);
    bitDepthChroma = 8 + bits.ue(6);
    bits.flag();
    if (bits.flag()) skipScalingMatrix(bits, chromaFormat === 3 ? 12 : 8);
  }
  bits.ue(12);
  skipOrderCount(bits);
  const maxRefFrames = bits.ue(16);
  bits.flag();
  const widthMbs = bits.ue(MACROBLOCKS_MAX) + 1;
  const heightMapUnits = bits.ue(MACROBLOCKS_MAX) + 1;
  const framesOnly = bits.flag();
  if (!framesOnly) bits.flag();
  bits.flag();
  const crop = bits.flag()
    ? { left: bits.ue(), right: bits.ue(), top: bits.ue(), bottom: bits.ue() }
    : { left: 0, right: 0, top: 0, bottom: 0 };
  const planes = separatePlanes ? 0 : chromaFormat;
  const unitX = planes === 1 || planes === 2 ? 2 : 1;
  const unitY = (planes === 1 ? 2 : 1) * (framesOnly ? 1 : 2);
  const width = widthMbs * 16 - (crop.left + crop.right) * unitX;
  const height = heightMapUnits * 16 * (framesOnly ? 1 : 2) - (crop.top + crop.bottom) * unitY;
  if (width <= 0 || height <= 0) throw new H264Error("the crop leaves nothing of the picture");
  const vui = bits.flag() ? parseVui(bits) : NO_VUI;
  return { profile, constraints, level, chromaFormat, bitDepthLuma, bitDepthChroma, width, height, maxRefFrames, ...vui };
}

/** RFC 6381: "avc1." and profile, constraints, level in hexadecimal, from an SPS's first bytes. Throws H264Error. */
export function codecString(sps: Uint8Array): string {
  if (((sps[0] ?? 0) & 0x1f) !== NAL.sps || sps.length < 4) throw new H264Error("not a sequence parameter set");
  return `avc1.${[sps[1], sps[2], sps[3]].map((byte) => (byte ?? 0).toString(16).padStart(2, "0").toUpperCase()).join("")}`;
}

type Vui = Pick<Sps, "colour" | "maxReorderFrames" | "maxDecodedFrames">;
const NO_VUI: Vui = { colour: null, maxReorderFrames: null, maxDecodedFrames: null };

function parseVui(bits: BitReader): Vui {
  if (bits.flag() && bits.bits(8) === EXTENDED_SAR) bits.bits(32);
  if (bits.flag()) bits.flag();
  let colour: SpsColour | null = null;
  if (bits.flag()) {
    bits.bits(3);
    const fullRange = bits.flag();
    const described = bits.flag();
    colour = {
      fullRange,
      primaries: described ? bits.bits(8) : 2,
      transfer: described ? bits.bits(8) : 2,
      matrix: described ? bits.bits(8) : 2,
    };
  }
  if (bits.flag()) {
    bits.ue(5);
    bits.ue(5);
  }
  if (bits.flag()) {
    bits.bits(32);
    bits.bits(32);
    bits.flag();
  }
  const nalHrd = bits.flag();
  if (nalHrd) skipHrd(bits);
  const vclHrd = bits.flag();
  if (vclHrd) skipHrd(bits);
  if (nalHrd || vclHrd) bits.flag();
  bits.flag();
  if (!bits.flag()) return { colour, maxReorderFrames: null, maxDecodedFrames: null };
  bits.flag();
  bits.ue();
  bits.ue();
  bits.ue();
  bits.ue();
  return { colour, maxReorderFrames: bits.ue(16), maxDecodedFrames: bits.ue(16) };
}

function skipHrd(bits: BitReader): void {
  const count = bits.ue(31) + 1;
  bits.bits(8);
  for (let at = 0; at < count; at += 1) {
    bits.ue();
    bits.ue();
    bits.flag();
  }
  bits.bits(20);
}

function skipScalingMatrix(bits: BitReader, lists: number): void {
  for (let list = 0; list < lists; list += 1) {
    if (!bits.flag()) continue;
    let last = 8;
    let next = 8;
    for (let at = 0; at < (list < 6 ? 16 : 64); at += 1) {
      if (next !== 0) next = (last + bits.se() + 256) % 256;
      if (next !== 0) last = next;
    }
  }
}

function skipOrderCount(bits: BitReader): void {
  const type = bits.ue(2);
  if (type === 0) {
    bits.ue(12);
  } else if (type === 1) {
    bits.flag();
    bits.se();
    bits.se();
    const cycle = bits.ue(255);
    for (let at = 0; at < cycle; at += 1) bits.se();
  }
}
