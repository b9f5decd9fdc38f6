import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  POINTER,
  formatAck,
  formatClipboard,
  formatCommitted,
  formatKey,
  formatPointer,
  parseClipboard,
  parseSelkiesInput,
  parseSelkiesViewer,
  presses,
} from "#wire/selkies.ts";

describe("Selkies' verbs from a viewer", () => {
  it("are read", () => {
    expect(parseSelkiesViewer('SETTINGS,{"framerate":60}')).toEqual({ kind: "settings" });
    expect(parseSelkiesViewer("START_VIDEO")).toEqual({ kind: "start-video" });
    expect(parseSelkiesViewer("STOP_VIDEO")).toEqual({ kind: "stop-video" });
    expect(parseSelkiesViewer("REQUEST_KEYFRAME")).toEqual({ kind: "keyframe" });
    expect(parseSelkiesViewer("START_STILLS")).toEqual({ kind: "start-stills" });
    expect(parseSelkiesViewer("STOP_STILLS")).toEqual({ kind: "stop-stills" });
  });

  it("acknowledge with a space, as Selkies does, and with the note's comma", () => {
    expect(parseSelkiesViewer("CLIENT_FRAME_ACK 65535")).toEqual({ kind: "ack", id: 65_535 });
    expect(parseSelkiesViewer("CLIENT_FRAME_ACK,0")).toEqual({ kind: "ack", id: 0 });
    expect(parseSelkiesViewer(formatAck(12))).toEqual({ kind: "ack", id: 12 });
  });

  it.each(["CLIENT_FRAME_ACK 65536", "CLIENT_FRAME_ACK -1", "CLIENT_FRAME_ACK", "CLIENT_FRAME_ACK 1.5", "cr", "_gz,1", "js,{}", ""])(
    "ignores %j without a word",
    (text) => {
      expect(parseSelkiesViewer(text).kind).toBe("ignored");
    },
  );
});

describe("a pointer's buttons", () => {
  it("that put a finger down are left, right and a pen's eraser; the middle, the wheel and Back and Forward do not", () => {
    const downs = Object.entries(POINTER).filter(([, bit]) => presses(bit));
    expect(downs.map(([name]) => name)).toEqual(["left", "right", "eraser"]);
    expect(presses(0)).toBe(false);
    expect(presses(POINTER.middle | POINTER.eraser)).toBe(true);
  });
});

describe("Selkies' verbs from the input connection", () => {
  it("are read", () => {
    expect(parseSelkiesInput("m,10,20,1,0")).toEqual({ kind: "pointer", relative: false, x: 10, y: 20, mask: 1, notches: 0 });
    expect(parseSelkiesInput("m2,-3,4,8,2")).toEqual({ kind: "pointer", relative: true, x: -3, y: 4, mask: 8, notches: 2 });
    expect(parseSelkiesInput("kd,65293")).toEqual({ kind: "key", keysym: 65_293, down: true });
    expect(parseSelkiesInput("ku,16777294")).toEqual({ kind: "key", keysym: 16_777_294, down: false });
    expect(parseSelkiesInput("kr")).toEqual({ kind: "keys-up" });
    expect(parseSelkiesInput("co,end,こんにちは, a,b")).toEqual({ kind: "committed", text: "こんにちは, a,b" });
    expect(parseSelkiesInput(formatPointer(1.4, 2.6, 4))).toEqual({ kind: "pointer", relative: false, x: 1, y: 3, mask: 4, notches: 0 });
    expect(parseSelkiesInput(formatKey(97, true))).toEqual({ kind: "key", keysym: 97, down: true });
    expect(parseSelkiesInput(formatCommitted("é"))).toEqual({ kind: "committed", text: "é" });
  });

  it("clamps a wheel to the notches that Selkies' own server takes", () => {
    expect(parseSelkiesInput("m,0,0,8,1000")).toMatchObject({ notches: 64 });
  });

  it.each(["m,1,2,3", "m,1.5,2,3,0", "m,a,b,c,d", "kd,-1", "kd,4294967296", "kd,", "kh,97", "cw,aGk=", "cws,1,2", "r,1x1", "co,start,x"])(
    "ignores %j without a word",
    (text) => {
      expect(parseSelkiesInput(text).kind).toBe("ignored");
    },
  );

  it("never throw, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        parseSelkiesInput(text);
        parseSelkiesViewer(text);
        parseClipboard(`clipboard,${text}`);
      }),
    );
  });

  it("carry a clipboard of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(parseClipboard(formatClipboard(text))).toBe(text);
      }),
    );
    expect(parseClipboard(formatClipboard("\ufeffa"))).toBe("\ufeffa");
    expect(parseClipboard(formatClipboard("あ".repeat(10_000)))).toHaveLength(10_000);
    expect(parseClipboard("clipboard,/w==")).toBeNull();
    expect(parseClipboard("clipboard_start,text/plain,9")).toBeNull();
  });
});
