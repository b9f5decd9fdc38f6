/** H.264 as MP4 and serve-sim's stream have it: NAL units behind four-byte lengths, parameter sets apart (ISO/IEC 14496-15). */
import { NAL, joinAnnexB, nalUnits } from "./annexb.ts";
import { H264Error } from "./bits.ts";
import { parseSps } from "./sps.ts";

const HIGH_PROFILES = new Set([100, 110, 122, 144]);

/** An access unit in Annex B as AVCC. Parameter sets and delimiters are left out. */
export function toAvcc(unit: Uint8Array): Uint8Array {
  const kept: Uint8Array[] = [];
  let length = 0;
  for (const nal of nalUnits(unit)) {
    if (nal.type === NAL.sps || nal.type === NAL.pps || nal.type === NAL.delimiter) continue;
    kept.push(nal.bytes);
    length += 4 + nal.bytes.length;
  }
  const avcc = new Uint8Array(length);
  const view = new DataView(avcc.buffer);
  let at = 0;
  for (const bytes of kept) {
    view.setUint32(at, bytes.length);
    avcc.set(bytes, at + 4);
    at += 4 + bytes.length;
  }
  return avcc;
}

/** AVCC as Annex B with four-byte start codes. Throws H264Error when a length does not fit. */
export function fromAvcc(avcc: Uint8Array): Uint8Array {
  const view = new DataView(avcc.buffer, avcc.byteOffset, avcc.byteLength);
  const units: Uint8Array[] = [];
  for (let at = 0; at < avcc.length;) {
    if (at + 4 > avcc.length) throw new H264Error("a length is cut short");
    const length = view.getUint32(at);
    if (at + 4 + length > avcc.length) throw new H264Error("a length is longer than what is left");
    if (length > 0) units.push(avcc.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return joinAnnexB(units);
}

/** The AVCDecoderConfigurationRecord ("avcC") of a key unit in Annex B; null when it has no parameter sets. Throws H264Error for a broken SPS. */
export function decoderConfig(keyUnit: Uint8Array): Uint8Array | null {
  const sps: Uint8Array[] = [];
  const pps: Uint8Array[] = [];
  for (const nal of nalUnits(keyUnit)) {
    if (nal.type === NAL.sps) sps.push(nal.bytes);
    else if (nal.type === NAL.pps) pps.push(nal.bytes);
  }
  const first = sps[0];
  if (first === undefined || pps.length === 0) return null;
  const parsed = parseSps(first);
  const record: number[] = [1, parsed.profile, parsed.constraints, parsed.level, 0xff, 0xe0 | sps.length];
  for (const set of sps) record.push(set.length >> 8, set.length & 0xff, ...set);
  record.push(pps.length);
  for (const set of pps) record.push(set.length >> 8, set.length & 0xff, ...set);
  if (HIGH_PROFILES.has(parsed.profile)) {
    record.push(0xfc | parsed.chromaFormat, 0xf8 | (parsed.bitDepthLuma - 8), 0xf8 | (parsed.bitDepthChroma - 8), 0);
  }
  return Uint8Array.from(record);
}

/** The parameter sets of an avcC record, as Annex B. Throws H264Error when it is cut short or of another version. */
export function parameterSets(record: Uint8Array): Uint8Array {
  if (record.length < 7 || record[0] !== 1) throw new H264Error("not a decoder configuration record");
  const sets: Uint8Array[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (record[at] ?? 0) & mask;
    at += 1;
    for (let set = 0; set < count; set += 1) {
      const length = ((record[at] ?? 0) << 8) | (record[at + 1] ?? 0);
      if (at + 2 + length > record.length) throw new H264Error("the record is cut short");
      sets.push(record.subarray(at + 2, at + 2 + length));
      at += 2 + length;
    }
    if (at > record.length) throw new H264Error("the record is cut short");
  }
  return joinAnnexB(sets);
}
