/** What this driver needs of the frame pipeline: the encoder's side is VideoSource, this is the device's. */
import type { BindingEvent, BindingFrame } from "#native/binding.ts";

import type { Still, VideoSource } from "#drivers/driver.ts";

export interface PicturePipeline extends VideoSource {
  /** Makes the file that the emulator writes into; a second region takes the place of the first. */
  createRegion(path: string, bytes: number): void;
  notify(frame: BindingFrame): void;
  push(frame: BindingFrame, pixels: Uint8Array): void;
  /** PNG of the region's own pixels; rejects when it stays torn or there is none. */
  screenshot(longestEdge?: number): Promise<Still>;
  close(): Promise<void>;
}

export type MakePipeline = (onEvent: (event: BindingEvent) => void) => PicturePipeline;
