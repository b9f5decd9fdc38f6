/** One box's deliveries: planned at each chance, made one at a time, taken back when the new server does not answer. */
import type { Holder } from "#core/device.ts";
import type { Hello } from "#wire/device.ts";
import type { Backend, Log } from "#host/ports.ts";
import { wordsOf } from "#host/words.ts";
import { type Code, plan, type Plan, waitWords } from "./plan.ts";
import type { InstallAnswer } from "./installer.ts";
import { install, point, probe, restart } from "./steps.ts";
import type { DeliverySource } from "./source.ts";

export interface DeliveryOptions {
  readonly box: string;
  readonly backend: Backend;
  readonly source: DeliverySource;
  readonly log: Log;
  /** Asked for again before each step: both may change while files are on their way. */
  readonly leased: () => boolean;
  readonly holder: () => Holder;
  readonly recording: () => boolean;
  /** The newest version that did not come up in this box. */
  readonly bad: number;
  readonly markBad: (version: number) => void;
  /** Resolves with the HELLO of this version; rejects in words when it does not come in time. */
  readonly hello: (version: number, withinMs: number) => Promise<Hello>;
}

/** So long a new server has for its HELLO, each of two times. */
export const HELLO_MS = 10_000;
const TRIES = 2;

export class Delivery {
  readonly #options: DeliveryOptions;
  #running: Promise<void> | null = null;
  #bad: number;
  #waitSaid = "";
  /** Nothing there could start it anew: this host does not try again. */
  #cannot = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#bad = options.bad;
  }

  /** The version that was brought and did not come up; 0: none. */
  get bad(): number {
    return this.#bad;
  }

  get running(): boolean {
    return this.#running !== null;
  }

  /** A chance to deliver: the lease was opened, control handed back, a recording ended, or the box has nothing (null). Never rejects. */
  consider(theirs: Code | null): Promise<void> {
    if (this.#running !== null) return this.#running;
    if (this.#cannot) return Promise.resolve();
    const { box, source, log } = this.#options;
    const planned = this.#plan(theirs);
    if (planned.is === "wait") {
      const said = waitWords(box, source.code.version, planned.until);
      if (said !== this.#waitSaid) log("info", said);
      this.#waitSaid = said;
    }
    if (planned.is !== "deliver") return Promise.resolve();
    this.#waitSaid = "";
    this.#running = this.#deliver(theirs, planned.backwards)
      .catch((error: unknown) => log("error", `Box ${box}: version ${source.code.version} could not be delivered: ${wordsOf(error)}`))
      .finally(() => (this.#running = null));
    return this.#running;
  }

  /** What would be done now. */
  #plan(theirs: Code | null): Plan {
    const { source, leased, holder, recording } = this.#options;
    return plan({ ours: source.code, theirs, leased: leased(), holder: holder(), recording: recording(), bad: this.#bad });
  }

  async #deliver(theirs: Code | null, backwards: boolean): Promise<void> {
    const { box, backend, source, log } = this.#options;
    const { version } = source.code;
    const { platform } = await probe(backend);
    const installed = await install(backend, version, backwards, source.files(platform));
    if (!installed.ok) return this.#refused(installed);
    // A person who took control while the files were on their way keeps the server that runs.
    const still = this.#plan(theirs);
    if (still.is !== "deliver") return this.#putOff(still);
    const pointed = await point(backend, version, !backwards);
    if (!pointed.ok) return this.#refused(pointed);
    log("info", `Box ${box}'s device server is brought to version ${version}${theirs === null ? "" : ` from ${theirs.version}`}.`);
    let failure = "";
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        const known = await restart(backend, source.unit());
        if (known !== null) log("warn", `Box ${box}: ${known}`);
      } catch (error) {
        this.#cannot = true;
        await point(backend, pointed.before, false);
        throw error;
      }
      try {
        await this.#options.hello(version, HELLO_MS);
        return log("info", `Box ${box}'s device server runs version ${version}.`);
      } catch (error) {
        failure = wordsOf(error);
      }
    }
    await this.#takeBack(pointed.before, failure);
  }

  async #takeBack(before: number | null, failure: string): Promise<void> {
    const { box, backend, source, log, markBad } = this.#options;
    const { version } = source.code;
    this.#bad = version;
    markBad(version);
    const back = before === version ? null : before;
    const now = back === null ? "it is taken away" : `version ${back} is back`;
    log("error", `Box ${box}: version ${version} did not come up (${failure}), so ${now}. It is not tried again before a newer one.`);
    await point(backend, back, false);
    if (back !== null) await restart(backend, source.unit());
  }

  #refused(answer: Extract<InstallAnswer, { ok: false }>): void {
    const { box, source, log } = this.#options;
    if ("words" in answer) throw new Error(answer.words);
    log("info", `Box ${box} has version ${answer.newer} already, which is newer than ${source.code.version}.`);
  }

  #putOff(planned: Plan): void {
    const { box, source, log } = this.#options;
    if (planned.is !== "wait") return;
    this.#waitSaid = waitWords(box, source.code.version, planned.until);
    log("info", this.#waitSaid);
  }
}
