/** The emulator that is being booted: from its start until it is attached to, so that it can be ended at any stage of that. */
import type { RunningEmulator } from "./discovery.ts";
import { stopEmulator, type LifeParts } from "./life.ts";
import { runningEmulators } from "./offers.ts";
import { endProcess, endStarting, startEmulator, type Starting } from "./start.ts";

export class Boot {
  #starting: Starting | null = null;
  #emulator: RunningEmulator | null = null;

  get underWay(): boolean {
    return this.#starting !== null || this.#emulator !== null;
  }

  /** Answers the emulator once its discovery file is there. */
  async start(life: LifeParts, avd: string, options: { readonly cold: boolean; readonly signal: AbortSignal }): Promise<RunningEmulator> {
    this.over();
    const launching = (starting: Starting | null) => void (this.#starting = starting);
    this.#emulator = await startEmulator(life, avd, { ...options, launching });
    return this.#emulator;
  }

  /** One that an earlier server started, and that still boots. */
  found(emulator: RunningEmulator): void {
    this.over();
    this.#emulator = emulator;
  }

  /** It is attached to, or another's to look after. */
  over(): void {
    this.#starting = null;
    this.#emulator = null;
  }

  /** Before another boot: one that was given up on before its file came would run on beside it, unknown to everybody. */
  async giveWay(life: LifeParts, signal: AbortSignal): Promise<void> {
    const starting = this.#starting;
    const found = await this.#discovered(life);
    this.over();
    if (starting !== null && found === null) await endStarting(life, starting, signal);
  }

  /** Saves its snapshot where it is far enough to hear its console, and ends it by its process else. */
  async end(life: LifeParts, signal: AbortSignal): Promise<void> {
    const starting = this.#starting;
    const emulator = await this.#discovered(life);
    const heard = emulator !== null && (await this.#byConsole(life, emulator, signal));
    if (!heard && starting !== null) await endStarting(life, starting, signal);
    else if (!heard && emulator !== null) await endProcess(life, emulator.avd, emulator.pid, signal);
    this.over();
  }

  /** Its file may have come since it was last looked for. */
  async #discovered(life: LifeParts): Promise<RunningEmulator | null> {
    const avd = this.#starting?.avd;
    if (this.#emulator !== null || avd === undefined) return this.#emulator;
    return (await runningEmulators(life.outside)).find((emulator) => emulator.avd === avd) ?? null;
  }

  async #byConsole(life: LifeParts, emulator: RunningEmulator, signal: AbortSignal): Promise<boolean> {
    if (life.adb === null || !life.outside.alive(emulator.pid)) return false;
    try {
      await stopEmulator(life, emulator, life.adb.on(emulator.serial), signal, true);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      life.log("warn", "an emulator that still boots does not hear its console", { words: String(error) });
      return false;
    }
  }
}
