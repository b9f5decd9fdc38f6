/**
 * The device's life under this server: attached, booted, switched, crashed, failed (063 "Operations and recovery", "When things stop and start").
 * One device at a time; what a switch does next is on the disk before it does it.
 */
import { randomUUID } from "node:crypto";
import type { DeviceModel, FailureCode, Intent, OfferedDevice } from "#core/device.ts";
import { DeviceError, unknownDevice } from "#core/errors.ts";
import { durationWords, listOf, withThe } from "#core/words.ts";
import { StartError, type DeviceDriver } from "#drivers/driver.ts";
import { DEVICE_CRASH_WINDOW_MS, SWITCH_DEADLINE_MS } from "#wire/limits.ts";
import { parseAsked, parseNames } from "#wire/home-files.ts";
import { intentSchema } from "#wire/shapes.ts";
import type { HomeFiles } from "./files.ts";
import { aborted, within, wordsOf, type Clock, type Log } from "./ports.ts";
import { Switch, type SwitchEffect } from "./rules/intent.ts";
import type { StateBook } from "./state-book.ts";

export interface Offer {
  readonly offer: OfferedDevice;
  readonly model: DeviceModel;
}

/** What the rest of the server does as the device comes and goes. */
export interface LifeEvents {
  /** The device is there, and its first frame came or is about to: video can be taken, everything is to be lifted. */
  readonly attached: () => Promise<void>;
  /** The device is about to be stopped. Resolves once everything is up and its clipboard is its own again. */
  readonly leaving: () => Promise<void>;
  /** It is booted and takes everything. */
  readonly up: () => void;
  /** The device goes or went: nothing more is to be sent to it. */
  readonly gone: () => void;
  /** Resolves at the next frame of the device that is attached now; rejects when aborted. */
  readonly firstFrame: (signal: AbortSignal) => Promise<void>;
}

export interface LifeParts {
  readonly driver: DeviceDriver;
  readonly offers: readonly Offer[];
  readonly files: HomeFiles;
  readonly book: StateBook;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: LifeEvents;
}

interface Exit {
  readonly code: FailureCode;
  readonly words: string;
}

/** How long a device that is about to be stopped is given to have everything lifted. */
const LEAVE_MS = 10_000;
const INTENT = "intent.json";
const BOOTED_HERE = "booted-here.json";
const ASKED = "asked.json";

export class DeviceLife {
  readonly #parts: LifeParts;
  readonly #offers: readonly Offer[];
  #intent: Intent | null = null;
  #bootedHere: readonly string[] = [];
  #crashedAtMs = Number.NEGATIVE_INFINITY;
  #current: Offer | null = null;
  /** One boot, switch or reboot at a time. */
  #moving: Promise<void> | null = null;
  /** The device ended while it was being booted or switched to. */
  #endedMeanwhile: Exit | null = null;
  #awake = true;
  readonly #closing = new AbortController();

  constructor(parts: LifeParts) {
    this.#parts = parts;
    this.#offers = parts.offers;
    const kept = parts.files.read(INTENT, (value) => intentSchema.parse(value));
    this.#intent = kept.is === "read" && this.#has(kept.value.target) ? kept.value : null;
  }

  get offers(): readonly Offer[] {
    return this.#offers;
  }
  get bootedHere(): readonly string[] {
    return this.#bootedHere;
  }
  get intent(): Intent | null {
    return this.#intent;
  }
  get current(): Offer | null {
    return this.#current;
  }
  /** The device takes input and answers reads. */
  get ready(): boolean {
    return this.#current !== null && this.#moving === null && this.#parts.book.state.power.is === "booted";
  }

  /** Finds out what was meant to run, and shows it as booting. Rejects in words for a model that is not here. */
  async prepare(asked: string | null, anew = false): Promise<void> {
    const { files, book } = this.#parts;
    const first = this.#offers[0];
    if (first === undefined) throw new Error("There is no device that this machine can boot.");
    const booted = files.read(BOOTED_HERE, parseNames);
    this.#bootedHere = booted.is === "read" ? booted.value : [];
    book.bootedHere(this.#bootedHere);
    this.#intent ??= { target: (await this.#runningOffer())?.model.name ?? first.model.name, switching: null };
    if (asked !== null) await this.#heed(asked, anew);
    book.begin(this.#offer(this.#intent.target).model, { is: "booting", since: this.#parts.clock.wall() });
  }

  /** Attaches or boots what the intent says, carrying on a switch where it stands. Rejects with what failed, which is in the state too. */
  async start(): Promise<void> {
    const intent = this.#intent;
    if (intent === null) throw new Error("prepare comes first");
    await this.#move(async () => {
      const plan = intent.switching === null ? null : Switch.resume(intent, await this.#runningModels());
      if (plan === null) await this.#boot(this.#offer(intent.target));
      else await this.#switch(plan);
    });
  }

  /** Switches to another model. Rejects with 063's sentence when the old one had to be booted again. */
  async switchTo(name: string, requestId: string): Promise<void> {
    const from = this.#intent?.target;
    if (!this.#has(name))
      throw unknownDevice(
        name,
        this.#offers.map(({ model }) => model.name),
      );
    if (from === undefined || (from === name && this.ready)) return;
    await this.#move(() => this.#switch(new Switch({ id: requestId, from, to: name, since: this.#parts.clock.wall() })));
  }

  /** Boots the device again, cold. On a failed device this is the way back. */
  async reboot(run: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { book, clock, log } = this.#parts;
    await this.#move(async () => {
      const power = book.state.power.is;
      if (this.#current === null || power === "failed" || power === "stopped") {
        await this.#boot(this.#offer(this.#intent?.target ?? book.state.model));
        return;
      }
      await this.#leave();
      book.power({ is: "booting", since: clock.wall() });
      this.#endedMeanwhile = null;
      this.#awake = true;
      try {
        await run(signal);
      } catch (error) {
        const offer = this.#current;
        if (!signal.aborted && !(error instanceof StartError) && !(await this.#runs(offer))) {
          // It ended by itself meanwhile: a boot is what was asked for, and this is the one after a crash.
          log("warn", `${withThe(offer.model.name, "The")} ended while it was rebooted: ${wordsOf(error)}`);
          this.#crashedAtMs = clock.now();
          return this.#boot(offer);
        }
        this.#fail("boot-failed", wordsOf(error));
        throw error;
      }
      await this.#came();
    });
  }

  /** The device ended by itself: booted once again; a second end within five minutes leaves it failed. */
  exited(why: Exit): void {
    const { clock, log, events, book } = this.#parts;
    this.#endedMeanwhile = why;
    if (this.#moving !== null || this.#closing.signal.aborted || this.#current === null) return;
    const again = clock.now() - this.#crashedAtMs < DEVICE_CRASH_WINDOW_MS;
    this.#crashedAtMs = clock.now();
    const lost = this.#current;
    this.#current = null;
    events.gone();
    log("warn", `${withThe(lost.model.name, "The")} ended: ${why.words}`);
    if (again) {
      this.#fail(why.code, `${why.words} It ended twice within five minutes, so it is not booted again by itself. Use Reboot device.`);
      return;
    }
    book.power({ is: "booting", since: clock.wall() });
    void this.#move(() => this.#boot(lost)).catch((error: unknown) => log("error", `It does not boot again: ${wordsOf(error)}`));
  }

  /** Leaves the device running. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The device server stops."));
    await this.#moving?.catch(() => undefined);
    this.#current = null;
    await this.#parts.driver.detach();
  }

  async #move(work: () => Promise<void>): Promise<void> {
    if (this.#moving !== null) throw new DeviceError("busy", "The device is booting or switching. Wait until it is up.");
    const moving = work();
    this.#moving = moving;
    try {
      await moving;
    } finally {
      this.#moving = null;
      // Also after a switch that failed, since the old model is up again.
      if (this.#endedMeanwhile !== null) this.exited(this.#endedMeanwhile);
      if (this.ready) this.#parts.events.up();
    }
  }

  /** Does what the rule says, step by step, and tells it how each went (rules/intent.ts). Rejects when the old model had to come back. */
  async #switch(plan: Switch): Promise<void> {
    const { clock, log } = this.#parts;
    const { from, to } = plan.plan;
    log("info", `Switching from ${from} to ${to}, beginning with ${plan.step}.`);
    await this.#leave();
    let endMs = clock.now() + SWITCH_DEADLINE_MS;
    let back = false;
    let effect = plan.begin();
    while (effect.do !== "done") {
      if (plan.goesBack && !back) {
        back = true;
        endMs = clock.now() + SWITCH_DEADLINE_MS;
      }
      // What is told is on the disk: a step is shown once its intent is written.
      if (effect.do !== "write") this.#show(plan);
      const doing = effect;
      try {
        const late = (): Error => new Error(`it was not up within ${durationWords(SWITCH_DEADLINE_MS)}`);
        await within(clock, Math.max(1, endMs - clock.now()), (signal) => this.#do(doing, signal), late, this.#closing.signal);
        effect = plan.ok();
      } catch (error) {
        if (this.#closing.signal.aborted) throw error;
        log("warn", `Switching to ${to}: ${doing.do} failed: ${wordsOf(error)}`);
        effect = plan.failed(wordsOf(error));
      }
    }
    const { outcome } = effect;
    if (outcome.is === "switched" || outcome.runs !== null) await this.#came();
    else this.#fail("boot-failed", outcome.error.words);
    if (outcome.is === "failed") throw outcome.error;
    log("info", `Switched to ${to}.`);
  }

  #show(plan: Switch): void {
    const { book } = this.#parts;
    const { to, since } = plan.plan;
    if (plan.goesBack) book.power({ is: "booting", since });
    else book.power({ is: "switching", to, step: plan.step, since });
  }

  async #do(effect: Exclude<SwitchEffect, { readonly do: "done" }>, signal: AbortSignal): Promise<void> {
    const { driver, book, events } = this.#parts;
    switch (effect.do) {
      case "write":
        this.#intent = effect.intent;
        return this.#parts.files.write(INTENT, effect.intent);
      case "stop":
        return this.#stop(effect.model, signal);
      case "boot": {
        const offer = this.#offer(effect.model);
        book.begin(offer.model, book.state.power);
        this.#endedMeanwhile = null;
        await driver.attach(offer.offer, signal);
        this.#current = offer;
        return;
      }
      case "wait-ready":
        this.#awake = (await driver.readBack()).awake !== false;
        return;
      case "first-frame":
        // A device that sleeps shows no picture, and is up all the same.
        return this.#awake ? events.firstFrame(signal) : undefined;
    }
  }

  /** A paste under way ends first, so that the device is not left with its text on the clipboard; one that does not end is not waited for. */
  async #leave(): Promise<void> {
    const { clock, events, log } = this.#parts;
    if (this.#current !== null) {
      const late = (): Error => new Error("what was typed did not end");
      await within(clock, LEAVE_MS, () => events.leaving(), late).catch((error: unknown) =>
        log("warn", `The device is left as it is: ${wordsOf(error)}`),
      );
    }
    events.gone();
  }

  /** Shuts a model down if it runs; one that an earlier server booted is attached to for that. */
  async #stop(name: string, signal: AbortSignal): Promise<void> {
    const { driver } = this.#parts;
    const offer = this.#offers.find(({ model }) => model.name === name);
    if (offer === undefined) return;
    if (this.#current?.model.name !== name) {
      if (!(await driver.running()).includes(offer.offer.native)) return;
      await driver.attach(offer.offer, signal);
    }
    this.#current = null;
    try {
      await driver.shutdown(signal);
    } catch (error) {
      // It may have ended by itself just then, which is all that was wanted.
      if (signal.aborted || (await this.#runs(offer))) throw error;
    }
  }

  async #boot(offer: Offer): Promise<void> {
    const { driver, book, clock, log } = this.#parts;
    book.begin(offer.model, { is: "booting", since: clock.wall() });
    this.#endedMeanwhile = null;
    this.#awake = true;
    this.#write({ target: offer.model.name, switching: null });
    try {
      const how = await within(
        clock,
        SWITCH_DEADLINE_MS,
        (signal) => driver.attach(offer.offer, signal),
        () => new Error(`${withThe(offer.model.name, "The")} was not up within ${SWITCH_DEADLINE_MS / 1000} s.`),
        this.#closing.signal,
      );
      log("info", `${offer.model.name}: ${how}.`);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fail(error instanceof StartError ? error.failure : "boot-failed", wordsOf(error));
      throw error;
    }
    this.#current = offer;
    await this.#came();
  }

  async #came(): Promise<void> {
    const { book, events } = this.#parts;
    const name = this.#current?.model.name;
    if (name !== undefined && !this.#bootedHere.includes(name)) {
      this.#bootedHere = [...this.#bootedHere, name];
      this.#parts.files.tryWrite(BOOTED_HERE, this.#bootedHere);
      book.bootedHere(this.#bootedHere);
    }
    // A server that ends waits for no picture.
    await Promise.race([events.attached(), aborted(this.#closing.signal)]);
    book.power({ is: "booted", awake: this.#awake });
  }

  #fail(code: FailureCode, words: string): void {
    this.#current = null;
    this.#parts.events.gone();
    this.#parts.book.power({ is: "failed", error: { code, words }, since: this.#parts.clock.wall() });
  }

  /** An intent that cannot be written is no reason to stop: the device itself is what the next start looks at first. */
  #write(intent: Intent): void {
    this.#intent = intent;
    this.#parts.files.tryWrite(INTENT, intent);
  }

  /**
   * A model named at the start counts once: when it is another than the last start named, it is what the box should run. `anew`: it counts
   * in any case, and no other device is stopped for it.
   */
  async #heed(asked: string, anew: boolean): Promise<void> {
    const { files } = this.#parts;
    const offer = this.#offers.find(({ model, offer: { native } }) => model.name === asked || native === asked);
    if (offer === undefined) {
      const names = listOf(
        this.#offers.map(({ model }) => model.name),
        "and",
      );
      throw new Error(`There is no device named ${asked} here. There is: ${names}.`);
    }
    const last = files.read(ASKED, parseAsked);
    if (!anew && last.is === "read" && last.value.model === offer.model.name) return;
    files.tryWrite(ASKED, { model: offer.model.name });
    const from = this.#intent?.target;
    const oldRuns = !anew && from !== undefined && from !== offer.model.name && (await this.#runningModels()).includes(from);
    const switching = oldRuns ? { id: randomUUID(), from, step: "stopping" as const, since: this.#parts.clock.wall() } : null;
    this.#intent = { target: offer.model.name, switching };
  }

  async #runs({ offer }: Offer): Promise<boolean> {
    return (await this.#parts.driver.running()).includes(offer.native);
  }

  async #runningModels(): Promise<readonly string[]> {
    const running = await this.#parts.driver.running();
    return this.#offers.filter(({ offer }) => running.includes(offer.native)).map(({ model }) => model.name);
  }

  async #runningOffer(): Promise<Offer | undefined> {
    const running = await this.#parts.driver.running();
    return this.#offers.find(({ offer }) => running.includes(offer.native));
  }

  #has(name: string): boolean {
    return this.#offers.some(({ model }) => model.name === name);
  }

  #offer(name: string): Offer {
    const offer = this.#offers.find(({ model }) => model.name === name) ?? this.#offers[0];
    if (offer === undefined) throw new Error("There is no device that this machine can boot.");
    return offer;
  }
}
