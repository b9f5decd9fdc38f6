/** What this machine has to show a device with: its SDK, its adb, the emulators that run and the AVDs that could. Looked at anew each time. */
import { Adb } from "./adb.ts";
import type { RunningEmulator } from "./discovery.ts";
import type { LifeParts } from "./life.ts";
import { offers, runningEmulators, type AndroidOffer } from "./offers.ts";
import type { Outside } from "./outside.ts";
import { findSdk, type Sdk } from "./sdk.ts";

export interface MachineParts {
  readonly outside: Outside;
  /** Only this emulator, such as emulator-5554; null: any. */
  readonly serial: string | null;
  /** The process of the emulator that is attached: its file tells how it ended, and stays until that was read. */
  readonly attached: () => number | null;
  readonly life: Omit<LifeParts, "outside" | "sdk" | "adb">;
}

export class AndroidMachine {
  readonly #parts: MachineParts;
  /** One for as long as the path stays: it knows whether it started adb's server. */
  #adb: Adb | null = null;

  constructor(parts: MachineParts) {
    this.#parts = parts;
  }

  async emulators(): Promise<readonly RunningEmulator[]> {
    const { serial } = this.#parts;
    const all = await this.#all();
    return serial === null ? all : all.filter((emulator) => emulator.serial === serial);
  }

  /** Wherever it listens: an AVD that runs cannot be booted a second time. The named serial comes first. */
  async runningOf(avd: string): Promise<RunningEmulator | undefined> {
    const all = (await this.#all()).filter((emulator) => emulator.avd === avd);
    return all.find(({ serial }) => serial === this.#parts.serial) ?? all[0];
  }

  async offers(): Promise<readonly AndroidOffer[]> {
    const { outside } = this.#parts;
    const sdk = await findSdk(outside);
    return offers(outside, sdk, await this.emulators(), this.#adbOf(sdk));
  }

  async life(): Promise<LifeParts> {
    const { outside, life } = this.#parts;
    const sdk = await findSdk(outside);
    return { ...life, outside, sdk, adb: this.#adbOf(sdk) };
  }

  /** Leaves adb's server as it was found. */
  async leave(): Promise<void> {
    await this.#adb?.leave();
  }

  #all(): Promise<readonly RunningEmulator[]> {
    return runningEmulators(this.#parts.outside, this.#parts.attached());
  }

  #adbOf(sdk: Sdk): Adb | null {
    if (sdk.adb === null) return null;
    if (this.#adb?.path !== sdk.adb) {
      const before = this.#adb;
      this.#adb = new Adb(this.#parts.outside, sdk.adb);
      void before?.leave();
    }
    return this.#adb;
  }
}
