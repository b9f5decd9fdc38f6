/** Reads the PNGs that this product and its peer write: 8-bit RGB or RGBA, not interlaced. */
import { inflateSync } from "node:zlib";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Rows top down, three bytes a pixel. */
  readonly rgb: Buffer;
  at(x: number, y: number): readonly [number, number, number];
}

export function readPng(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  let width = 0;
  let height = 0;
  let channels = 3;
  const packed: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const kind = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR") {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = body[9] === 6 ? 4 : 3;
    } else if (kind === "IDAT") packed.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(packed));
  const stride = width * channels;
  const out = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column += 1) {
      const value = raw[row * (stride + 1) + 1 + column] ?? 0;
      const left = column >= channels ? (out[row * stride + column - channels] ?? 0) : 0;
      const up = row > 0 ? (out[(row - 1) * stride + column] ?? 0) : 0;
      const corner = row > 0 && column >= channels ? (out[(row - 1) * stride + column - channels] ?? 0) : 0;
      out[row * stride + column] = (value + predicted(filter, left, up, corner)) & 0xff;
    }
  }
  const rgb = channels === 3 ? out : Buffer.from(out.filter((_, index) => index % 4 !== 3));
  return {
    width,
    height,
    rgb,
    at: (x, y) => {
      const start = y * stride + x * channels;
      return [out[start] ?? 0, out[start + 1] ?? 0, out[start + 2] ?? 0];
    },
  };
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const estimate = left + up - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
