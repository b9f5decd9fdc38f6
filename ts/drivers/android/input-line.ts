/**
 * Input in order on the one channel: the emulator serves calls side by side, so the next is sent once the last was answered.
 * A move that waits behind a call gives way to a newer one; downs, ups and keys are never dropped.
 */
import { DeviceError } from "#core/errors.ts";

interface Waiting {
  readonly send: () => Promise<void>;
  /** Waiting moves of the same fingers are one: the newest. */
  readonly moveOf: string | null;
  readonly done: (error: unknown) => void;
}

/** Past this an emulator has stopped answering; each call's own deadline is about to say so. */
const MOST_WAITING = 256;

export class InputLine {
  #waiting: Waiting[] = [];
  #busy = false;

  /** Resolves when the call was answered, or when a newer move took its place. */
  add(send: () => Promise<void>, moveOf: string | null = null): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown) => (error === undefined ? resolve() : reject(error as Error));
      const last = this.#waiting.at(-1);
      if (moveOf !== null && last?.moveOf === moveOf) {
        this.#waiting.pop();
        last.done(undefined);
      } else if (this.#waiting.length >= MOST_WAITING) {
        reject(new DeviceError("busy", "The emulator is not taking input. Try again in a moment."));
        return;
      }
      this.#waiting.push({ send, moveOf, done });
      if (!this.#busy) void this.#run();
    });
  }

  /** Drops what waits: after a crash nothing of the old device's input may reach the new one. */
  clear(): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const entry of dropped) entry.done(undefined);
  }

  async #run(): Promise<void> {
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await next.send().then(() => next?.done(undefined), next.done);
    }
    this.#busy = false;
  }
}
