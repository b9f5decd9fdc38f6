/** The first picture of a phone that is attached to: a device that is said to be up has a screen that can be touched. */
import { DeviceError } from "#core/errors.ts";

import type { PhoneTimers } from "./life.ts";

/** A phone draws within a frame; this is the end of one that hangs. */
const FIRST_PICTURE_MS = 10_000;

export class FirstPicture {
  #settle: (error: Error | null) => void = () => {};
  readonly #shown = new Promise<Error | null>((resolve) => (this.#settle = resolve));

  /** A picture, or that its display is off. */
  came(): void {
    this.#settle(null);
  }

  /** The phone's connection is gone. */
  gone(): void {
    this.#settle(new DeviceError("failed", "The test phone ended before its first picture."));
  }

  /** Resolves when it came. Rejects in words when the phone is gone or too late, and as the signal does. */
  async awaited(timers: PhoneTimers, signal: AbortSignal): Promise<void> {
    const late = new DeviceError("failed", `The test phone sent no picture within ${FIRST_PICTURE_MS / 1000} s.`);
    const cancel = timers.after(FIRST_PICTURE_MS, () => this.#settle(late));
    const aborted = (): void => this.#settle(signal.reason as Error);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
    const error = await this.#shown;
    cancel();
    signal.removeEventListener("abort", aborted);
    if (error !== null) throw error;
  }
}
