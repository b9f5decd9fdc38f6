/** H.264 in Annex B: NAL units behind start codes (ITU-T H.264, annex B). Pure; bytes are never copied here. */

export const NAL = { slice: 1, idr: 5, sei: 6, sps: 7, pps: 8, delimiter: 9 } as const;

/** `bytes` is the unit without its start code and without trailing zeros; its first byte is the header. */
export interface NalUnit {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** The NAL units of an access unit or of any run of Annex B, in order. Bytes before the first start code are left out. */
export function* nalUnits(data: Uint8Array): Generator<NalUnit> {
  let start = afterStartCode(data, 0);
  while (start >= 0) {
    const next = startCode(data, start);
    let end = next < 0 ? data.length : next;
    while (end > start && data[end - 1] === 0) end -= 1;
    if (end > start) yield { type: (data[start] ?? 0) & 0x1f, bytes: data.subarray(start, end) };
    start = next < 0 ? -1 : next + 3;
  }
}

/** Does it hold an IDR picture? */
export function isKeyUnit(data: Uint8Array): boolean {
  for (const unit of nalUnits(data)) {
    if (unit.type === NAL.idr) return true;
    if (unit.type === NAL.slice) return false;
  }
  return false;
}

/** The first sequence parameter set; null when there is none. */
export function findSps(data: Uint8Array): Uint8Array | null {
  for (const unit of nalUnits(data)) {
    if (unit.type === NAL.sps) return unit.bytes;
    if (unit.type === NAL.idr || unit.type === NAL.slice) return null;
  }
  return null;
}

/** Units behind four-byte start codes, as one run of Annex B. */
export function joinAnnexB(units: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(units.reduce((sum, unit) => sum + 4 + unit.length, 0));
  let at = 0;
  for (const unit of units) {
    joined[at + 3] = 1;
    joined.set(unit, at + 4);
    at += 4 + unit.length;
  }
  return joined;
}

/** Where the next 00 00 01 begins, or -1. */
function startCode(data: Uint8Array, from: number): number {
  for (let at = from + 2; at < data.length;) {
    const byte = data[at] ?? 0;
    // A byte over 1 cannot be part of a start code that ends here or one or two bytes on.
    if (byte > 1) at += 3;
    else if (byte === 0) at += 1;
    else if (data[at - 1] === 0 && data[at - 2] === 0) return at - 2;
    else at += 3;
  }
  return -1;
}

function afterStartCode(data: Uint8Array, from: number): number {
  const at = startCode(data, from);
  return at < 0 ? -1 : at + 3;
}

/** A unit's payload without the emulation prevention bytes (00 00 03). */
export function withoutEmulation(unit: Uint8Array): Uint8Array {
  const raw = new Uint8Array(unit.length);
  let length = 0;
  let zeros = 0;
  for (const byte of unit) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
    raw[length] = byte;
    length += 1;
  }
  return raw.subarray(0, length);
}
