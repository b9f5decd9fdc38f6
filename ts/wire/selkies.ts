/**
 * Selkies' own text verbs, as far as a device takes them (protocols 1, "Selkies subset").
 * Parsing never throws: what is malformed or unknown is `ignored`, as Selkies clients send many verbs that a device has no use for.
 */
import { WHEEL_NOTCHES_MAX } from "./limits.ts";

export type SelkiesViewerMessage =
  | { readonly kind: "settings" }
  | { readonly kind: "start-video" }
  | { readonly kind: "stop-video" }
  | { readonly kind: "keyframe" }
  /** Everything up to this frame id has been drawn. */
  | { readonly kind: "ack"; readonly id: number }
  | { readonly kind: "start-stills" }
  | { readonly kind: "stop-stills" }
  | Ignored;

export type SelkiesInputMessage =
  | PointerMessage
  | { readonly kind: "key"; readonly keysym: number; readonly down: boolean }
  /** Every key up. */
  | { readonly kind: "keys-up" }
  /** Text that an input method committed. */
  | { readonly kind: "committed"; readonly text: string }
  | Ignored;

/** `m` and `m2`. The meaning of the mask's bits is POINTER's. */
export interface PointerMessage {
  readonly kind: "pointer";
  /** `m2`: x and y are a motion; 0, 0 is "look at the mask". */
  readonly relative: boolean;
  readonly x: number;
  readonly y: number;
  readonly mask: number;
  /** Wheel notches of this message, at most WHEEL_NOTCHES_MAX; 0 when it is no wheel. */
  readonly notches: number;
}

export interface Ignored {
  readonly kind: "ignored";
  readonly verb: string;
}

/** Bits of a pointer message's mask. With no notches, 3 and 4 are the mouse's Back and Forward. */
export const POINTER = {
  left: 1 << 0,
  middle: 1 << 1,
  right: 1 << 2,
  wheelDown: 1 << 3,
  wheelUp: 1 << 4,
  eraser: 1 << 5,
  wheelLeft: 1 << 6,
  wheelRight: 1 << 7,
} as const;

/** Buttons that hold a finger down for as long as they are. A pen's eraser is the pen turned over. */
export const POINTER_TOUCHES = POINTER.left | POINTER.eraser;

/** Does one of these buttons put a finger down: a touch, or the right button's long press? */
export function presses(mask: number): boolean {
  return (mask & (POINTER_TOUCHES | POINTER.right)) !== 0;
}

/** One text of a viewer's connection that is not BB_DEVICE. */
export function parseSelkiesViewer(text: string): SelkiesViewerMessage {
  switch (text) {
    case "START_VIDEO":
      return { kind: "start-video" };
    case "STOP_VIDEO":
      return { kind: "stop-video" };
    case "REQUEST_KEYFRAME":
      return { kind: "keyframe" };
    case "START_STILLS":
      return { kind: "start-stills" };
    case "STOP_STILLS":
      return { kind: "stop-stills" };
  }
  if (text.startsWith("SETTINGS,")) return { kind: "settings" };
  const ack = /^CLIENT_FRAME_ACK[ ,](\d{1,5})$/.exec(text);
  if (ack !== null) {
    const id = Number(ack[1]);
    if (id <= 65_535) return { kind: "ack", id };
  }
  return ignored(text);
}

/** One text of the input connection that is not BB_DEVICE. */
export function parseSelkiesInput(text: string): SelkiesInputMessage {
  if (text === "kr") return { kind: "keys-up" };
  const pointer = /^(m2?),(-?\d{1,9}),(-?\d{1,9}),(\d{1,9}),(\d{1,9})$/.exec(text);
  if (pointer !== null) {
    const [, verb, x, y, mask, magnitude] = pointer;
    return {
      kind: "pointer",
      relative: verb === "m2",
      x: Number(x),
      y: Number(y),
      mask: Number(mask) & 0xff,
      notches: Math.min(Number(magnitude), WHEEL_NOTCHES_MAX),
    };
  }
  const key = /^k([du]),(\d{1,10})$/.exec(text);
  if (key !== null) {
    const keysym = Number(key[2]);
    if (keysym <= 0xffff_ffff) return { kind: "key", keysym, down: key[1] === "d" };
  }
  if (text.startsWith("co,end,")) return { kind: "committed", text: text.slice("co,end,".length) };
  return ignored(text);
}

/** The acknowledgement in the form that Selkies' own servers read. */
export function formatAck(id: number): string {
  return `CLIENT_FRAME_ACK ${id}`;
}

/** `m,x,y,mask,notches` with whole numbers. */
export function formatPointer(x: number, y: number, mask: number, notches = 0): string {
  return `m,${Math.round(x)},${Math.round(y)},${mask},${notches}`;
}

export function formatKey(keysym: number, down: boolean): string {
  return `${down ? "kd" : "ku"},${keysym}`;
}

export function formatCommitted(text: string): string {
  return `co,end,${text}`;
}

/** The device's clipboard, to the input connection only. */
export function formatClipboard(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x2000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  return `clipboard,${btoa(binary)}`;
}

/** The text of a server's `clipboard,<base64>`; null for another message or broken base64 or UTF-8. */
export function parseClipboard(message: string): string | null {
  if (!message.startsWith("clipboard,")) return null;
  try {
    const binary = atob(message.slice("clipboard,".length));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
  } catch {
    return null;
  }
}

/** What a server says in Selkies' words. */
export const SELKIES_SERVER = {
  mode: "MODE websockets",
  started: "VIDEO_STARTED",
  stopped: "VIDEO_STOPPED",
} as const;

function ignored(text: string): Ignored {
  const end = text.search(/[ ,{]/);
  return { kind: "ignored", verb: text.slice(0, Math.min(end < 0 ? text.length : end, 32)) };
}
