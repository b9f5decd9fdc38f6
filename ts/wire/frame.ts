/**
 * The binary message of the video: Selkies' type 4 with the geometry generation in its last two bytes (protocols 1).
 * `[0x04][type][frame id u16][y = 0 u16][width u16][generation u16]`, big-endian, then one access unit in Annex B.
 */

export const VIDEO_HEADER_BYTES = 10;
export const VIDEO_MESSAGE_TYPE = 0x04;
const TYPE_IDR = 0x01;
const TYPE_OTHER = 0x00;
const U16 = 0x10000;

export interface VideoHeader {
  /** An IDR, which opens with SPS and PPS. */
  readonly key: boolean;
  /** 0 to 65535; wraps. */
  readonly id: number;
  /** The picture's width in pixels. The height is only in the SPS. */
  readonly width: number;
  /** The low 16 bits of the geometry generation. */
  readonly generation: number;
}

/** The ten bytes before a unit. `id` and `generation` are cut to their low 16 bits. */
export function encodeVideoHeader(header: VideoHeader): Uint8Array {
  const bytes = new Uint8Array(VIDEO_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VIDEO_MESSAGE_TYPE);
  view.setUint8(1, header.key ? TYPE_IDR : TYPE_OTHER);
  view.setUint16(2, wrap16(header.id));
  view.setUint16(4, 0);
  view.setUint16(6, wrap16(header.width));
  view.setUint16(8, wrap16(header.generation));
  return bytes;
}

/** The header of a video message; null when the bytes are too few or of another type. The unit begins at VIDEO_HEADER_BYTES. */
export function decodeVideoHeader(bytes: Uint8Array): VideoHeader | null {
  if (bytes.byteLength < VIDEO_HEADER_BYTES || bytes[0] !== VIDEO_MESSAGE_TYPE) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, VIDEO_HEADER_BYTES);
  return { key: view.getUint8(1) === TYPE_IDR, id: view.getUint16(2), width: view.getUint16(6), generation: view.getUint16(8) };
}

/** The low 16 bits of a whole number. */
export function wrap16(value: number): number {
  return ((value % U16) + U16) % U16;
}

/** The id after this one. */
export function nextFrameId(id: number): number {
  return wrap16(id + 1);
}

/** How many frames `sent` is ahead of `acked`, modulo 65536; 0 when the ack is ahead (it is from before a restart). */
export function framesBehind(sent: number, acked: number): number {
  const distance = wrap16(sent - acked);
  return distance > 32_767 ? 0 : distance;
}

/** Does a header's generation belong to this full one? */
export function sameGeneration(headerGeneration: number, generation: number): boolean {
  return headerGeneration === wrap16(generation);
}
