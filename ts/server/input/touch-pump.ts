/** Lists of fingers on their way to the driver, in order, one at a time. Moves give way to newer ones; presses and lifts never do. */
import type { Contact } from "#core/device.ts";
import { wordsOf, type Clock, type Log } from "#server/ports.ts";
import { Retry } from "./retry.ts";

/** Lists that may wait. Only presses and lifts pile up this far, and only before a device that does not take them. */
const WAITING_MAX = 512;

interface Waiting {
  readonly contacts: readonly Contact[];
  readonly fingers: string;
  /** The same fingers as the list before it: only where they are differs. */
  readonly move: boolean;
  /** It waits for this: text typed before a press goes before it. */
  readonly after: Promise<void> | null;
}

export class TouchPump {
  readonly #touch: (contacts: readonly Contact[]) => Promise<void>;
  readonly #log: Log;
  #waiting: Waiting[] = [];
  #last = "";
  #failures = 0;
  #running: Promise<void> | null = null;
  /** A lift that the device did not take, for as long as nothing newer is sent. */
  readonly #lift: Retry;
  /** Rises as a device goes: what was on its way to it is not sent to the next one. */
  #device = 0;

  /** `touch` takes points in the device's own space. */
  constructor(touch: (contacts: readonly Contact[]) => Promise<void>, clock: Clock, log: Log) {
    this.#touch = touch;
    this.#log = log;
    this.#lift = new Retry(clock, () => this.#add([], null));
  }

  /** How many lists have not reached the device. */
  get failures(): number {
    return this.#failures;
  }

  /** Are there lists that have not been sent? */
  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Every finger now down, in the device's own space. */
  push(contacts: readonly Contact[], after: Promise<void> | null): void {
    this.#lift.over();
    this.#add(contacts, after);
  }

  #add(contacts: readonly Contact[], after: Promise<void> | null): void {
    const fingers = contacts.map(({ id }) => id).join(" ");
    const list = { contacts, fingers, move: fingers === this.#last && fingers !== "", after };
    this.#last = fingers;
    const last = this.#waiting.at(-1);
    if (list.move && last?.move === true && last.fingers === fingers) this.#waiting[this.#waiting.length - 1] = list;
    else this.#waiting.push(list);
    // Beyond the bound only the newest state counts, and what it lifts is lifted.
    if (this.#waiting.length > WAITING_MAX) this.#waiting = [list];
    this.#running ??= this.#run();
  }

  /** Everything before this is void: this list goes next. */
  replace(contacts: readonly Contact[]): void {
    this.#waiting = [];
    this.push(contacts, null);
  }

  /** Resolves when all that was pushed has reached the device. */
  flushed(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** The device is gone, and what waits with it. */
  drop(): void {
    this.#device++;
    this.#lift.over();
    this.#waiting = [];
    this.#last = "";
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const device = this.#device;
      try {
        if (next.after !== null) await next.after;
        // While it waited it may have been made void.
        if (this.#waiting[0] !== next) continue;
        this.#waiting.shift();
        const { contacts } = next;
        // A lift is tried once more, as one that is lost leaves a finger down; a press is not, as it may have come through.
        if (contacts.length > 0) await this.#touch(contacts);
        else await this.#touch(contacts).catch(() => this.#touch(contacts));
        this.#lift.over();
      } catch (error) {
        this.#failures++;
        this.#log("warn", `A touch did not reach the device: ${wordsOf(error)}`);
        if (next.contacts.length === 0 && this.#waiting.length === 0 && device === this.#device) this.#lift.failed();
      }
    }
    this.#running = null;
  }
}
