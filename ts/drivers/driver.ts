/**
 * What a platform gives the device server (063 "One program, a driver per platform"; protocols 8).
 * Text batching, paste, the coordinate transform, gestures, owners and requests are the server's, once.
 */
import type {
  AndroidSettings,
  Contact,
  DeviceAction,
  DeviceControl,
  DeviceElement,
  DeviceInput,
  DeviceModel,
  EncoderInfo,
  FailureCode,
  IosSettings,
  OfferedDevice,
  Orientation,
  Posture,
  Size,
} from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

/** A device that could not be started, for a reason that the state has a code of its own for; any other rejection of attach is boot-failed. */
export class StartError extends DeviceError {
  readonly failure: FailureCode;
  constructor(failure: FailureCode, words: string, options?: ErrorOptions) {
    super("failed", words, options);
    this.name = "StartError";
    this.failure = failure;
  }
}

/** One whole H.264 access unit (Annex B, four-byte start codes; a key unit opens with SPS and PPS). */
export interface EncodedFrame {
  readonly data: Uint8Array;
  readonly key: boolean;
  /** The geometry generation of the picture. */
  readonly generation: number;
  /** The picture's size in pixels. */
  readonly width: number;
  readonly height: number;
  /** When the unit was handed over, in CLOCK_MONOTONIC milliseconds (process.hrtime's base, the same in every process of the machine). */
  readonly monotonicMs: number;
  /** The stage clocks, same base: when the picture was posted by the device, converted, encoded. */
  readonly captureMs: number;
  readonly convertedMs: number;
  readonly encodedMs: number;
  /** A re-encode of a still picture at better quality: not a change of the screen. */
  readonly refinement: boolean;
}

export interface Still {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly generation: number;
}

export interface VideoStats {
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
  /** Load ladder's step: 0 is full quality. */
  readonly loadStep: number;
}

export interface VideoSource {
  /** Whole access units, only when the screen changes. One consumer: a newer call ends the one before. Ends when the driver detaches. */
  frames(): AsyncIterable<EncodedFrame>;
  /** The next frame is an IDR with SPS and PPS, even on a still screen. */
  keyframe(): void;
  /** With no viewer or recorder nothing is encoded; change detection goes on. Turned on, it begins with a key frame, still screen or not. */
  streaming(on: boolean): void;
  /** Bits a second. */
  setBitrate(bitsPerSecond: number): void;
  /** A PNG of the newest picture for stills; `longestEdge` in pixels, area-averaged. Rejects when there is no picture. */
  still(longestEdge?: number): Promise<Still>;
  encoder(): EncoderInfo | null;
  stats(): VideoStats;
}

/** The device's geometry without the number, which the server gives. */
export interface DriverGeometry {
  readonly physical: Orientation;
  readonly content: Orientation;
  readonly video: Size;
  /** On a foldable only. */
  readonly screen?: "outer" | "inner";
}

/** What the server hands a driver. */
export interface DriverHost {
  /** Called before the first picture of a changed screen is handed to the pipeline; answers its generation. Same geometry: same generation. */
  geometry(geometry: DriverGeometry): number;
  /** The screen changed, at this monotonic time (never for refinements). */
  changed(monotonicMs: number): void;
  /** The device ended by itself. */
  exited(why: { readonly code: FailureCode; readonly words: string }): void;
  /** The device's clipboard changed. */
  clipboard(text: string): void;
  /** A lasting warning for the panel, or null when it is over. */
  warning(words: string | null): void;
  /** A log line; never a token or text a person typed. */
  log(level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Progress words while a device boots. */
  progress(words: string): void;
}

/** What readBack reports; the server makes Observed of it. `undefined`: not read; an Error: why it cannot be. */
export interface ReadBack {
  readonly awake?: boolean;
  readonly posture?: Posture;
  readonly android?: { readonly [K in Exclude<keyof AndroidSettings, "statusBar">]?: SettingValue<AndroidSettings[K]> | Error };
  readonly ios?: { readonly [K in "appearance" | "textSize"]?: SettingValue<IosSettings[K]> | Error };
}
type SettingValue<O> = O extends { readonly known: true; readonly value: infer V } ? V : never;

/** The waits a platform needs round a paste (063 "Text other than ASCII"). */
export interface PasteTimings {
  /** From the paste key to putting the clipboard back. */
  readonly restoreAfterMs: number;
  /** From the paste key to the next key. */
  readonly holdKeysMs: number;
}

export interface DeviceDriver {
  readonly platform: "ios" | "android";
  /** What this box can boot; models of devices outside the table are built here. */
  offered(): Promise<readonly { readonly offer: OfferedDevice; readonly model: DeviceModel }[]>;
  /** Names (OfferedDevice.native) of the devices that run now and that this driver could attach to. */
  running(): Promise<readonly string[]>;
  /** Reattach to the running device, or boot it. Resolves once its first picture is there, or its display is off. Rejects with DeviceError in words. */
  attach(target: OfferedDevice, signal: AbortSignal): Promise<"reattached" | "booted">;
  /** Leave the device running; release what this process holds of it. */
  detach(): Promise<void>;
  shutdown(signal: AbortSignal): Promise<void>;
  /** Did a server of this home start the device that is attached or booting? One that was found running is not ours to stop at the end. */
  startedHere?(): Promise<boolean>;
  video(): VideoSource;
  /** Every contact now down, in the device's own space; empty lifts all. */
  touch(contacts: readonly Contact[]): Promise<void>;
  /** A W3C key name. */
  key(key: string, down: boolean): Promise<void>;
  setClipboard(text: string): Promise<void>;
  clipboard(): Promise<string>;
  /** The key or chord that pastes, sent down and up. */
  pasteKey(): Promise<void>;
  readonly paste: PasteTimings;
  /** Any control but switch, which is the server's. `rotate` comes with `to`, `text_size` with a step. */
  control(control: DeviceControl, signal: AbortSignal): Promise<void>;
  /** Is this app installed? For an install under a person's control. */
  installed?(paths: readonly string[]): Promise<boolean>;
  open(url: string): Promise<void>;
  /** PNG of the device's own pixels, never from the stream's YUV. */
  screenshot(options?: { readonly longestEdge?: number }): Promise<Still>;
  /** Frames in the video's pixels. */
  tree(): Promise<readonly DeviceElement[]>;
  readBack(): Promise<ReadBack>;
  /** Set the device's clock, open channels again: after a resume (clocks apart by more than 5 s). */
  resumed(): Promise<void>;
  /** Gestures whole, where single events are slow (idb). Points already in the device's own space. */
  gesture?(input: DeviceInput): Promise<void>;
  readonly unsupported: readonly DeviceAction[];
  /** From a point of the video's pixels to this driver's touch space. The maths is core/geometry's; a driver names which. */
  readonly touchSpace: "natural-panel" | "video" | "points";
}

/** Builds a driver for one device home. `home` is the 0700 folder; `run` is where regions go. */
export type DriverFactory = (host: DriverHost, options: DriverOptions) => DeviceDriver;

export interface DriverOptions {
  readonly home: string;
  readonly run: string;
  /** CLOCK_MONOTONIC ms (process.hrtime's base) and wall ms; handed in so that a test can hold them. */
  readonly clock: { now(): number; wall(): number };
}
