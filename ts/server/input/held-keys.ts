/** The keys that are down on the device. Remembered on the disk, so that a server that starts after a crash can lift them. */
import type { HomeFiles } from "#server/files.ts";
import { wordsOf, type Log } from "#server/ports.ts";
import { parseNames } from "#wire/home-files.ts";

const HELD = "held-keys.json";

export class HeldKeys {
  readonly #key: (key: string, down: boolean) => Promise<void>;
  readonly #files: HomeFiles;
  readonly #log: Log;
  readonly #down = new Set<string>();
  readonly #stuck = new Set<string>();

  constructor(key: (key: string, down: boolean) => Promise<void>, files: HomeFiles, log: Log) {
    this.#key = key;
    this.#files = files;
    this.#log = log;
  }

  get down(): ReadonlySet<string> {
    return this.#down;
  }

  /** Keys whose release the device did not take. */
  get stuck(): ReadonlySet<string> {
    return this.#stuck;
  }

  /** By its W3C name. A key that is down already, or up already, is not told again: the device repeats by itself. */
  async set(key: string, down: boolean): Promise<void> {
    this.#stuck.delete(key);
    if (down === this.#down.has(key)) return;
    // Kept from before it goes down until after it is up, so that a start after a crash in between lifts it.
    if (down) {
      this.#down.add(key);
      this.#keep();
      return this.#key(key, true);
    }
    // A release that fails is tried once more: a key left down would type for ever. When that fails too it stays kept, and is stuck.
    this.#stuck.add(key);
    await this.#key(key, false).catch(() => this.#key(key, false));
    this.#stuck.delete(key);
    this.#down.delete(key);
    this.#keep();
  }

  #keep(): void {
    this.#files.tryWrite(HELD, [...this.#down], false);
  }

  /** Down and up. */
  async stroke(key: string): Promise<void> {
    await this.set(key, true);
    await this.set(key, false);
  }

  /** Every key up, as far as the device takes it. */
  async lift(): Promise<void> {
    for (const key of [...this.#down].reverse()) {
      try {
        await this.set(key, false);
      } catch (error) {
        this.#log("warn", `A key was not lifted: ${wordsOf(error)}`);
      }
    }
  }

  /** As the server starts: what an earlier one held. */
  async recover(): Promise<void> {
    const held = this.#files.read(HELD, parseNames);
    for (const key of held.is === "read" ? held.value : []) this.#down.add(key);
    await this.lift();
  }

  /** The device is gone. */
  forget(): void {
    this.#down.clear();
    this.#stuck.clear();
  }
}
