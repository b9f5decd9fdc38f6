/** Carries out one paste after another (rules/paste.ts): the device's clipboard is kept on the disk while it is ours. */
import { DeviceError, failed, supersededInput } from "#core/errors.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import type { HomeFiles } from "#server/files.ts";
import { pause, wordsOf, type Clock, type Log } from "#server/ports.ts";
import { parseKeptClipboard } from "#wire/home-files.ts";
import { Paste, RESTORE_AGAIN_MS, RESTORE_TRIES, recoverClipboard, type PasteEffect } from "#server/rules/paste.ts";

const KEPT = "clipboard.json";
/** A device tells of its clipboard's change a little after it. */
const ECHO_MS = 500;

export class Paster {
  readonly #driver: DeviceDriver;
  readonly #files: HomeFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #model: () => string;
  #running: Paste | null = null;
  /** The device may still tell of a clipboard that was ours. */
  #echoes = 0;
  /** By model: what is to be put back, as the disk has it. */
  #kept: Readonly<Record<string, string>>;

  /** `model`: of the device that is attached now. */
  constructor(driver: DeviceDriver, files: HomeFiles, clock: Clock, log: Log, model: () => string) {
    this.#driver = driver;
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#model = model;
    const kept = files.read(KEPT, parseKeptClipboard);
    this.#kept = kept.is === "read" ? kept.value : {};
  }

  /** The device's clipboard is the server's own for now: nothing of it goes to a person. */
  get active(): boolean {
    return this.#running !== null || this.#echoes > 0;
  }

  /** Resolves with the clipboard put back. Rejects when it was given up or failed. */
  async paste(text: string): Promise<void> {
    const model = this.#model();
    const paste = new Paste(text, this.#driver.paste, this.#kept[model] ?? null);
    this.#running = paste;
    this.#echoes++;
    try {
      let effect = paste.begin();
      while (effect.do !== "done") effect = await this.#step(paste, effect, model);
      if (effect.outcome.is === "abandoned") throw supersededInput("none");
      if (effect.outcome.is === "failed") throw failed(effect.outcome.words);
    } finally {
      this.#running = null;
      void pause(this.#clock, ECHO_MS).then(() => this.#echoes--);
    }
  }

  /** Gives up what runs, if its key has not been pressed. Answers whether it finishes all the same. */
  abandon(): boolean {
    return this.#running?.abandon() ?? false;
  }

  /** A device is there: it gets back what a paste that was cut short had kept of it. */
  async recover(): Promise<void> {
    const model = this.#model();
    const effects = recoverClipboard(this.#kept[model] ?? null);
    if (effects.length === 0) return;
    for (let tries = 1; tries <= RESTORE_TRIES; tries++) {
      try {
        for (const effect of effects) await this.#do(effect, model);
        return this.#log("info", "The device's clipboard is put back: a paste had been cut short.");
      } catch (error) {
        this.#log("warn", `The device's clipboard cannot be put back: ${wordsOf(error)}`);
      }
      if (tries < RESTORE_TRIES) await pause(this.#clock, RESTORE_AGAIN_MS);
    }
  }

  async #step(paste: Paste, effect: PasteEffect, model: string): Promise<PasteEffect> {
    try {
      return paste.ok(await this.#do(effect, model));
    } catch (error) {
      this.#log("warn", `A paste did not go as meant: ${wordsOf(error)}`);
      return paste.failed(error instanceof DeviceError ? error.words : wordsOf(error));
    }
  }

  async #do(effect: PasteEffect, model: string): Promise<string | null> {
    switch (effect.do) {
      case "read-clipboard":
        return this.#driver.clipboard();
      case "keep":
        this.#files.write(KEPT, { ...this.#kept, [model]: effect.text });
        this.#kept = { ...this.#kept, [model]: effect.text };
        return null;
      case "set-clipboard":
        this.#mustBe(model);
        await this.#driver.setClipboard(effect.text);
        return null;
      case "press-paste":
        this.#mustBe(model);
        await this.#driver.pasteKey();
        return null;
      case "wait":
        await pause(this.#clock, effect.ms);
        return null;
      case "forget":
        this.#forget(model);
        return null;
      case "done":
        return null;
    }
  }

  /** What is of one device's clipboard never goes to another's. */
  #mustBe(model: string): void {
    if (this.#model() !== model) throw failed(`The ${model} is not the device any more.`);
  }

  #forget(model: string): void {
    const { [model]: _back, ...others } = this.#kept;
    if (Object.keys(others).length === 0) this.#files.remove(KEPT);
    else this.#files.write(KEPT, others);
    this.#kept = others;
  }
}
