/**
 * The addon's surface (crates/addon), written by hand because the generated typings are not part of the tree.
 * Everything that crosses the border is called Binding…; no rule lives in it.
 * All `…Ms` are CLOCK_MONOTONIC milliseconds (process.hrtime's base).
 */

export interface BindingUnit {
  readonly data: Buffer;
  readonly key: boolean;
  readonly generation: number;
  readonly width: number;
  readonly height: number;
  readonly monotonicMs: number;
  readonly captureMs: number;
  readonly convertedMs: number;
  readonly encodedMs: number;
  readonly refinement: boolean;
}

export type BindingEvent =
  | { readonly kind: "changed"; readonly monotonicMs: number }
  | { readonly kind: "encoder"; readonly name: string; readonly version: string }
  | { readonly kind: "encoder-failed"; readonly words: string }
  | { readonly kind: "region-failed"; readonly words: string };

export interface BindingFrame {
  readonly width: number;
  readonly height: number;
  readonly format: "rgb888" | "rgba8888";
  /** A generation other than the last opens a new stream with a key frame. */
  readonly generation: number;
  /** The device's own counter; checked before and after a screenshot. */
  readonly seq: number;
  readonly captureMs: number;
  /** Rows run bottom up. */
  readonly bottomUp?: boolean;
}

export interface BindingPipelineOptions {
  /** "auto": x264, else OpenH264 by path, else the compiled-in one of development builds. */
  readonly encoder?: "auto" | "x264" | "openh264" | "openh264-source";
  /** Cisco's OpenH264 2.6 library. */
  readonly openh264Path?: string;
  readonly bitsPerSecond?: number;
  /** Units waiting for JavaScript, 1 to 16: at that many nothing is encoded until there is room; should one be lost, a key frame follows. */
  readonly queue?: number;
}

export interface BindingStill {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly generation: number;
}

/** A PNG and its size in pixels. */
export interface BindingPicture {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface BindingStats {
  readonly framesIn: number;
  readonly framesUnchanged: number;
  readonly framesReplaced: number;
  readonly framesSkipped: number;
  readonly unitsOut: number;
  readonly unitsDropped: number;
  readonly keyFrames: number;
  readonly refinements: number;
  readonly encoderRestarts: number;
  readonly bytesOut: number;
  readonly loadStep: number;
}

export interface BindingPipeline {
  /** Makes the file: exclusive, 0600, sized once. Throws in words when the path exists or does not fit. */
  createRegion(path: string, bytes: number): void;
  /** A frame is whole in the region. Throws in words when it does not fit. */
  notify(frame: BindingFrame): void;
  /** A frame in hand; copied before this returns. */
  push(frame: BindingFrame, pixels: Uint8Array): void;
  keyframe(): void;
  /** Off: nothing is encoded; change detection goes on. Off at first. */
  streaming(on: boolean): void;
  setBitrate(bitsPerSecond: number): void;
  /** PNG of the newest picture (I420). */
  still(longestEdge?: number): Promise<BindingStill>;
  /** PNG of the region's own RGB, sequence checked before and after, three tries; rejects when it stays torn or there is none. */
  screenshot(longestEdge?: number): Promise<BindingStill>;
  encoder(): { readonly name: string; readonly version: string } | null;
  stats(): BindingStats;
  /** Joins the threads, closes the encoder, removes the region's file. */
  close(): Promise<void>;
}

export interface Binding {
  readonly Pipeline: new (
    options: BindingPipelineOptions,
    onUnit: (unit: BindingUnit) => void,
    onEvent: (event: BindingEvent) => void,
  ) => BindingPipeline;
  /** The test phone's drawing; see crates/core/src/phone. */
  readonly Phone: new (options: BindingPhoneOptions) => BindingPhone;
  /** flock(2), exclusive, without waiting: null when another holds it. Held until release() or the process's end. */
  lock(path: string): { release(): void } | null;
  /** Which encoders this machine can open, with the reason for each that it cannot. */
  encoders(openh264Path?: string): readonly { readonly name: string; readonly version: string | null; readonly why: string | null }[];
  /** Hash of crates/ and the features this addon was built from. */
  buildInfo(): { readonly hash: string; readonly features: readonly string[] };
}

export interface BindingPhoneOptions {
  /** "Test device", "Test foldable", or a size such as "720x1280". */
  readonly model: string;
  readonly scene: "demo" | "still" | "busy";
  /** Wall-clock ms for the status bar's clock. */
  readonly wallMs: number;
}

/** The phone's logic and drawing; ts/drivers/phone/process owns its clock, its socket and its log. */
export interface BindingPhone {
  /** Opens a region that a client made; a size that does not fit is an error in words. */
  openRegion(path: string, bytes: number): void;
  closeRegion(): void;
  /** 0 x 0 while the screen is off. */
  size(): { readonly width: number; readonly height: number };
  /** Moves animations to this monotonic time. True: the picture changed since the last draw. */
  advance(nowMs: number, wallMs: number): boolean;
  /** When `advance` has something to do next: 0 at the next frame's time, else a monotonic time; null: not before the next input. */
  nextMs(): number | null;
  /** Draws what differs into the region; a fresh region is drawn whole. */
  draw(): void;
  /** PNG of the screen at this moment, drawn apart from the region. Throws in words while the screen is off. */
  screenshot(longestEdge?: number): Promise<BindingPicture>;
  /** Every contact now down, in the natural panel's space. */
  touch(contactsJson: string, nowMs: number): void;
  key(key: string, down: boolean, nowMs: number): void;
  /** One control or setting, as JSON; answers JSON. Throws in words. */
  command(json: string, nowMs: number): string;
  tree(): string;
  state(): string;
}
