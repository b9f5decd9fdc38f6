/** Keys, text and pastes in the order they came, one at a time; the rules are rules/text.ts and rules/keyboard.ts. */
import type { KeyModifier } from "#core/device.ts";
import { badValue, DeviceError } from "#core/errors.ts";
import { isDeviceKey } from "#core/keys.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import type { HomeFiles } from "#server/files.ts";
import { wordsOf, type Clock, type Log } from "#server/ports.ts";
import { Keyboard } from "#server/rules/keyboard.ts";
import type { Source } from "#server/rules/requests.ts";
import { TextQueue, type TextOp } from "#server/rules/text.ts";
import { Alarm } from "./alarm.ts";
import { HeldKeys } from "./held-keys.ts";
import { Paster } from "./paste.ts";
import { Retry } from "./retry.ts";

interface Asker {
  readonly source: Source;
  readonly resolve: () => void;
  readonly reject: (error: DeviceError) => void;
  /** The first thing that went wrong while it was done. */
  failure: DeviceError | null;
}

export class TypedLane {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #keys: HeldKeys;
  readonly #paster: Paster;
  readonly #keyboard = new Keyboard();
  readonly #queue = new TextQueue();
  readonly #quiet: Alarm;
  readonly #stuck: Retry;
  readonly #askers = new Map<string, Asker>();
  /** Keys to be sent up before anything else. */
  #lifting: string[] = [];
  #running: { readonly source: Source; readonly op: TextOp } | null = null;
  #over: Promise<void> | null = null;
  #count = 0;

  /** `model`: of the device that is attached now. */
  constructor(driver: DeviceDriver, files: HomeFiles, clock: Clock, log: Log, model: () => string) {
    this.#log = log;
    this.#clock = clock;
    this.#keys = new HeldKeys((key, down) => driver.key(key, down), files, log);
    this.#paster = new Paster(driver, files, clock, log, model);
    this.#quiet = new Alarm(clock, () => {
      this.#queue.advance(clock.now());
      this.#go();
    });
    this.#stuck = new Retry(clock, () => {
      this.#lifting.push(...this.#keys.stuck);
      this.#go();
    });
  }

  get pasting(): boolean {
    return this.#paster.active;
  }
  /** Alt is held by the person: a drag is a pinch. */
  get altHeld(): boolean {
    return this.#keyboard.altHeld;
  }

  personKey(keysym: number, down: boolean): void {
    for (const stroke of this.#keyboard.key(keysym, down)) this.#queue.stroke(stroke, this.#clock.now());
    this.#go();
  }

  personKeysUp(): void {
    for (const stroke of this.#keyboard.lift()) this.#queue.stroke(stroke, this.#clock.now());
    this.#go();
  }

  /** Text that an input method committed. */
  committed(text: string): void {
    if (!this.#queue.type("person", text, null, false, this.#clock.now()))
      this.#log("warn", "Committed text was dropped: too much waits already.");
    this.#go();
  }

  /** Resolves when all of it is on the device. Rejects when it was dropped, or did not go as meant. */
  text(source: Source, text: string, how: "text" | "paste"): Promise<void> {
    return this.#ask(source, (id) =>
      how === "paste" ? this.#queue.paste(source, text, id) : this.#queue.type(source, text, id, source === "agent", this.#clock.now()),
    );
  }

  agentKey(key: string, modifiers: readonly KeyModifier[]): Promise<void> {
    if (!isDeviceKey(key))
      return Promise.reject(
        badValue(`${key} is no key of the device. Keys have W3C names, such as Enter, ArrowUp or a. Send other characters as text.`),
      );
    return this.#ask("agent", (id) => this.#queue.chord("agent", key, modifiers, id));
  }

  /** What was gathered goes now. Resolves when all that was typed is on the device; null when it is. */
  settled(): Promise<void> | null {
    this.#queue.close();
    this.#go();
    return this.#over;
  }

  /** What waits is never begun; a paste whose key was not pressed is given up. */
  drop(source: Source, error: DeviceError): void {
    const running = this.#running;
    const finishes = running?.source === source && running.op.do === "paste" && this.#paster.abandon();
    for (const id of this.#queue.drop(source, finishes)) this.#end(id, error);
    if (source === "person") this.#keyboard.cut();
    this.#quiet.set(this.#queue.dueMs);
  }

  /** Keys of these sources up, after what runs and before what waits. Resolves when they are. */
  async lift(sources: readonly Source[]): Promise<void> {
    this.#lifting.push(...this.#queue.lift(sources));
    if (sources.includes("person")) this.#keyboard.cut();
    this.#go();
    await this.#over;
  }

  /** Keys and clipboard of an earlier server. Never rejects: what cannot be put back is in the log, and stays kept. */
  async recover(): Promise<void> {
    await this.#keys.recover();
    this.#liftStuck();
    await this.#paster.recover();
  }

  /** The device is gone. */
  gone(): void {
    this.#queue.lift();
    this.#lifting = [];
    this.#keys.forget();
    this.#keyboard.cut();
    this.#stuck.over();
  }

  /** Resolves when nothing runs any more, and the device's clipboard is its own. */
  async close(): Promise<void> {
    this.#quiet.clear();
    await this.#over;
    this.#stuck.over();
  }

  #ask(source: Source, take: (id: string) => boolean): Promise<void> {
    const id = String(++this.#count);
    return new Promise((resolve, reject) => {
      this.#askers.set(id, { source, resolve, reject, failure: null });
      if (!take(id)) {
        this.#askers.delete(id);
        reject(new DeviceError("busy", "The device does not keep up with what is typed. Wait, then send less at a time."));
      }
      this.#go();
    });
  }

  #end(id: string, error: DeviceError | null): void {
    const asker = this.#askers.get(id);
    if (asker === undefined) return;
    this.#askers.delete(id);
    const failure = error ?? asker.failure;
    if (failure === null) asker.resolve();
    else asker.reject(failure);
  }

  #go(): void {
    this.#quiet.set(this.#queue.dueMs);
    this.#over ??= this.#run();
  }

  async #run(): Promise<void> {
    // One turn later, so that `#over` is set while anything runs.
    await Promise.resolve();
    for (;;) {
      // What is done is answered first: a lift may take its time, and what is dropped meanwhile is answered as not done.
      const lift = this.#queue.tells ? undefined : this.#lifting.shift();
      if (lift !== undefined) {
        await this.#quietly(() => this.#keys.set(lift, false));
        continue;
      }
      const op = this.#queue.next();
      if (op === null) break;
      this.#running = { source: op.source, op };
      await this.#do(op);
      this.#running = null;
    }
    this.#over = null;
    this.#liftStuck();
  }

  #liftStuck(): void {
    if (this.#keys.stuck.size > 0) this.#stuck.failed();
    else this.#stuck.over();
  }

  async #do(op: TextOp): Promise<void> {
    switch (op.do) {
      case "key":
        return this.#quietly(() => this.#keys.set(op.key, op.down), op.ids);
      case "paste":
        return this.#quietly(() => this.#paster.paste(op.text), op.ids);
      case "done":
        return this.#end(op.id, null);
    }
  }

  /** What goes wrong is told to whoever asked for it, and the rest goes on. */
  async #quietly(work: () => Promise<void>, ids: readonly string[] = []): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = error instanceof DeviceError ? error : new DeviceError("failed", wordsOf(error));
      if (failure.code !== "superseded") this.#log("warn", `A key or a paste did not reach the device: ${failure.words}`);
      for (const id of ids) {
        const asker = this.#askers.get(id);
        if (asker !== undefined) asker.failure ??= failure;
      }
    }
  }
}
