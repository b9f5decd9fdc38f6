/** What has to come through in the end, such as a lift: tried again and again, ever more seldom, until it does or is over. */
import type { Clock } from "#server/ports.ts";
import { Alarm } from "./alarm.ts";

/** A device that failed twice may be busy for a moment, or for long. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

export class Retry {
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  #waitMs = FIRST_MS;
  #due = false;

  constructor(clock: Clock, again: () => void) {
    this.#clock = clock;
    this.#alarm = new Alarm(clock, () => {
      this.#due = false;
      again();
    });
  }

  /** It did not come through. A try that is due already stays due then. */
  failed(): void {
    if (this.#due) return;
    this.#due = true;
    this.#alarm.set(this.#clock.now() + this.#waitMs);
    this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_MS);
  }

  /** It came through, or nobody needs it any more. */
  over(): void {
    this.#due = false;
    this.#waitMs = FIRST_MS;
    this.#alarm.clear();
  }
}
