/** The ways that are measured, in words, and what others publish of theirs. */
import type { waysOf } from "../support/latency.ts";

export const WAYS = {
  sendToAck: "send → drawn-ack",
  captureToDrawn: "capture → drawn",
  captureToShown: "capture → end of the animation frame with it",
  captureToEncoded: "  capture → encoded",
  encodedToSent: "  encoded → sent",
  sentToArrived: "  sent → in the page",
  arrivedToDecoded: "  in the page → decoded",
  decodedToDrawn: "  decoded → drawn",
  drawnToAck: "  drawn → acknowledged at the device server",
  arrivedToDrawn: "in the page → drawn",
} as const satisfies Partial<Record<keyof ReturnType<typeof waysOf>, string>>;
export type Way = keyof typeof WAYS;

interface Published {
  readonly who: string;
  readonly figure: string;
  readonly covers: string;
  /** Which of ours comes nearest. */
  readonly beside: Way | "press";
  /** What is in ours and not in theirs, and the other way round. */
  readonly ours: string;
}

/** No two cover the same way on the same machine, so that none is a bar of ours. */
export const PUBLISHED: readonly Published[] = [
  {
    who: "liteavd",
    figure: "p50 13.6–21.5 ms, p95 38–44 ms",
    covers: "an input to the emulator's picture committed in a native window: the guest's drawing, no encode, no decode, no browser",
    beside: "press",
    ours: "has the browser, two sockets, encode, decode and canvas more; has no guest system, as the test phone draws by itself",
  },
  {
    who: "tapflow, WebCodecs",
    figure: "2.2–2.5 ms",
    covers: "decode to present in the page, by a Mac's hardware",
    beside: "arrivedToDrawn",
    ours: "is the same span without the compositor, by software, on the cores that encode",
  },
  {
    who: "tapflow, tinyh264 (WASM)",
    figure: "p50 8.7–14.8 ms, p95 22–38 ms",
    covers: "decode to present in the page on localhost, by software",
    beside: "arrivedToDrawn",
    ours: "is the same span without the compositor, by Chromium's software decoder",
  },
  {
    who: "tapflow, MSE <video>",
    figure: "about 235 ms more than WebCodecs",
    covers: "what a <video> element holds back",
    beside: "arrivedToDrawn",
    ours: "has no <video>, so nothing of it",
  },
  {
    who: "tapflow, SPS without bitstream_restriction",
    figure: "267 ms, and 2.5 ms once it says max_num_reorder_frames=0",
    covers: "decode to present, by a hardware decoder",
    beside: "arrivedToDecoded",
    ours: "says it in every SPS; a software decoder would not show the fault",
  },
  {
    who: "serve-emu, shared memory",
    figure: "p50 1.7 ms, p95 2.4 ms at 570x1280",
    covers: "produced to received, before any encode",
    beside: "captureToEncoded",
    ours: "has convert and encode more; the small phone is of their size",
  },
];

export function besideWords(beside: Published["beside"]): string {
  return beside === "press" ? "press → its picture drawn" : WAYS[beside].trim();
}
