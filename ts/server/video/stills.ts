/** Pictures instead of video (063 "Where video cannot play"): one PNG for all who asked, on change, at most five a second. */
import type { Still } from "#drivers/driver.ts";
import { formatStill } from "#wire/device.ts";
import { STILLS_PER_SECOND_MAX } from "#wire/limits.ts";
import { wordsOf, type Clock, type Log } from "#server/ports.ts";

const GAP_MS = 1000 / STILLS_PER_SECOND_MAX;
/** A viewer whose socket holds more than this gets the next still instead of this one. */
const BEHIND_BYTES = 1024 * 1024;

export interface StillSink {
  send(text: string): void;
  bufferedBytes(): number;
}

export class Stills {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #take: () => Promise<Still>;
  /** Each viewer, and whether it has not had the newest picture. */
  readonly #viewers = new Map<StillSink, boolean>();
  #takenAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #taking = false;

  constructor(clock: Clock, log: Log, take: () => Promise<Still>) {
    this.#clock = clock;
    this.#log = log;
    this.#take = take;
  }

  get watching(): number {
    return this.#viewers.size;
  }

  /** The first still comes at once. */
  start(viewer: StillSink): void {
    this.#viewers.set(viewer, true);
    this.#schedule();
  }

  stop(viewer: StillSink): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this.close();
  }

  /** The screen shows something else. */
  changed(): void {
    if (this.#viewers.size === 0) return;
    for (const viewer of this.#viewers.keys()) this.#viewers.set(viewer, true);
    this.#schedule();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    if (this.#cancel !== null || this.#taking) return;
    const waitMs = Math.max(0, this.#takenAtMs + GAP_MS - this.#clock.now());
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = null;
      void this.#round();
    });
  }

  async #round(): Promise<void> {
    const due = [...this.#viewers].filter(([viewer, dirty]) => dirty && viewer.bufferedBytes() <= BEHIND_BYTES).map(([viewer]) => viewer);
    this.#takenAtMs = this.#clock.now();
    if (due.length > 0) {
      this.#taking = true;
      for (const viewer of due) this.#viewers.set(viewer, false);
      try {
        const still = await this.#take();
        const text = formatStill({ png: Buffer.from(still.png).toString("base64"), generation: still.generation });
        for (const viewer of due) if (this.#viewers.has(viewer)) viewer.send(text);
      } catch (error) {
        // No picture yet, or the device just went: the next change brings one.
        this.#log("info", `No still: ${wordsOf(error)}`);
      } finally {
        this.#taking = false;
      }
    }
    if ([...this.#viewers.values()].some((dirty) => dirty)) this.#schedule();
  }
}
