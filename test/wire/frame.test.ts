import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeVideoHeader, encodeVideoHeader, framesBehind, nextFrameId, sameGeneration } from "#wire/frame.ts";

interface HeaderCase {
  readonly key: boolean;
  readonly id: number;
  readonly width: number;
  readonly generation: number;
  readonly hex: string;
}
const { cases } = JSON.parse(readFileSync(new URL("../vectors/video-header.json", import.meta.url), "utf8")) as { cases: HeaderCase[] };

describe("the video header", () => {
  it.each(cases)("is $hex", ({ hex, ...header }) => {
    const bytes = encodeVideoHeader(header);
    expect(Buffer.from(bytes).toString("hex")).toBe(hex);
    expect(decodeVideoHeader(bytes)).toEqual({ ...header, id: header.id % 65_536, generation: header.generation % 65_536 });
  });

  it("is read inside a larger buffer", () => {
    const message = new Uint8Array([...encodeVideoHeader({ key: true, id: 7, width: 8, generation: 9 }), 0, 0, 0, 1, 0x65]);
    const shared = new Uint8Array([1, 2, 3, ...message]).subarray(3);
    expect(decodeVideoHeader(shared)).toEqual({ key: true, id: 7, width: 8, generation: 9 });
  });

  it("of another type or cut short is null", () => {
    const whole = encodeVideoHeader({ key: true, id: 7, width: 8, generation: 9 });
    for (let length = 0; length < whole.length; length += 1) expect(decodeVideoHeader(whole.subarray(0, length))).toBeNull();
    expect(decodeVideoHeader(Uint8Array.from([3, ...whole.subarray(1)]))).toBeNull();
  });

  it("counts frames behind over the wrap, and an ack from before a restart as none", () => {
    fc.assert(
      fc.property(fc.nat(65_535), fc.nat(32_767), (acked, ahead) => {
        let sent = acked;
        sent = (sent + ahead) % 65_536;
        expect(framesBehind(sent, acked)).toBe(ahead);
      }),
    );
    expect(framesBehind(0, 10)).toBe(0);
    expect(nextFrameId(65_535)).toBe(0);
    expect(sameGeneration(4464, 70_000)).toBe(true);
    expect(sameGeneration(4464, 4465)).toBe(false);
  });
});
