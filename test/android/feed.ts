/** What something says, line by line as JSON, to be waited for: nothing that was said is missed, nothing is polled. */
import { createInterface } from "node:readline";

export type Said = Readonly<Record<string, unknown>> & { readonly event: string };

export class Feed {
  readonly all: Said[] = [];
  #waiting: { readonly test: (said: Said) => boolean; readonly done: (said: Said) => void }[] = [];

  constructor(input: NodeJS.ReadableStream | null) {
    if (input === null) return;
    createInterface({ input })
      .on("line", (line) => this.say(JSON.parse(line) as Said))
      // Who is killed ends its socket with one; readline tells it on, and nobody would hear it.
      .on("error", () => {});
  }

  say(said: Said): void {
    this.all.push(said);
    const met = this.#waiting.filter((waiter) => waiter.test(said));
    this.#waiting = this.#waiting.filter((waiter) => !met.includes(waiter));
    for (const waiter of met) waiter.done(said);
  }

  /** The next one said from now on that passes. */
  next(test: (said: Said) => boolean): Promise<Said> {
    return new Promise((done) => this.#waiting.push({ test, done }));
  }

  /** The first one that passes, said already or not. */
  any(test: (said: Said) => boolean): Promise<Said> {
    const before = this.all.find(test);
    return before === undefined ? this.next(test) : Promise.resolve(before);
  }

  /** Every call of this method that reached the peer. */
  calls(method: string): readonly Said[] {
    return this.all.filter((said) => said.event === "call" && said.method === method);
  }
}

/** The emulator calls' bodies, as the peer logs them. */
export function bodyOf(said: Said | undefined): Readonly<Record<string, unknown>> {
  return (said?.body ?? {}) as Readonly<Record<string, unknown>>;
}
