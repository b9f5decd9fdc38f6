/** Carries out one paste after another (rules/paste.ts): the device's clipboard is kept on the disk while it is ours. */
import { DeviceError, failed, supersededInput } from "#core/errors.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import type { HomeFiles } from "#server/files.ts";
import { pause, wordsOf, type Clock, type Log } from "#server/ports.ts";
import { parseKeptClipboard } from "#wire/home-files.ts";
import { Paste, recoverClipboard, type PasteEffect } from "#server/rules/paste.ts";

const KEPT = "clipboard.json";
/** A device tells of its clipboard's change a little after it. */
const ECHO_MS = 500;

export class Paster {
  readonly #driver: DeviceDriver;
  readonly #files: HomeFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  #running: Paste | null = null;
  /** The device may still tell of a clipboard that was ours. */
  #echoes = 0;
  /** What a paste before could not put back. */
  #owed: string | null = null;

  constructor(driver: DeviceDriver, files: HomeFiles, clock: Clock, log: Log) {
    this.#driver = driver;
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
  }

  /** The device's clipboard is the server's own for now: nothing of it goes to a person. */
  get active(): boolean {
    return this.#running !== null || this.#echoes > 0;
  }

  /** Resolves with the clipboard put back. Rejects when it was given up or failed. */
  async paste(text: string): Promise<void> {
    const paste = new Paste(text, this.#driver.paste, this.#owed);
    this.#running = paste;
    this.#echoes++;
    try {
      let effect = paste.begin();
      while (effect.do !== "done") effect = await this.#step(paste, effect);
      if (effect.outcome.is === "abandoned") throw supersededInput("none");
      if (effect.outcome.is === "failed") throw failed(effect.outcome.words);
    } finally {
      this.#running = null;
      void pause(this.#clock, ECHO_MS).then(() => this.#echoes--);
    }
  }

  /** Gives up what runs, if its key has not been pressed. */
  abandon(): void {
    this.#running?.abandon();
  }

  /** As the server starts: what a paste that a crash cut short had kept. */
  async recover(): Promise<void> {
    const kept = this.#files.read(KEPT, parseKeptClipboard);
    if (kept.is !== "read") return;
    this.#owed = kept.value.text;
    for (const effect of recoverClipboard(kept.value.text)) await this.#do(effect);
    this.#log("info", "The device's clipboard is put back: a paste had been cut short.");
  }

  async #step(paste: Paste, effect: PasteEffect): Promise<PasteEffect> {
    try {
      return paste.ok(await this.#do(effect));
    } catch (error) {
      this.#log("warn", `A paste did not go as meant: ${wordsOf(error)}`);
      return paste.failed(error instanceof DeviceError ? error.words : wordsOf(error));
    }
  }

  async #do(effect: PasteEffect): Promise<string | null> {
    switch (effect.do) {
      case "read-clipboard":
        return this.#driver.clipboard();
      case "keep":
        this.#files.write(KEPT, { text: effect.text });
        this.#owed = effect.text;
        return null;
      case "set-clipboard":
        await this.#driver.setClipboard(effect.text);
        return null;
      case "press-paste":
        await this.#driver.pasteKey();
        return null;
      case "wait":
        await pause(this.#clock, effect.ms);
        return null;
      case "forget":
        this.#files.remove(KEPT);
        this.#owed = null;
        return null;
      case "done":
        return null;
    }
  }
}
