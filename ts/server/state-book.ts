/** The one place the device's state is changed: numbered, kept in state.json, and told on. */
import { isDeepStrictEqual } from "node:util";
import type { DeviceControl, DeviceModel, DeviceState, FoldGeometry, Geometry, Power } from "#core/device.ts";
import type { DriverGeometry, ReadBack } from "#drivers/driver.ts";
import type { StateMessage } from "#wire/device.ts";
import { parseStateFile } from "#wire/home-files.ts";
import type { HomeFiles } from "./files.ts";
import type { Clock } from "./ports.ts";
import { LastSet } from "./rules/state.ts";
import { newState, withControl, withReadBack } from "./settings.ts";

const STATE = "state.json";

export class StateBook {
  readonly #files: HomeFiles;
  readonly #clock: Clock;
  readonly #changed: (message: StateMessage) => void;
  readonly #kept: DeviceState | null;
  #generation: number;
  #geometry: DriverGeometry | null = null;
  #state: DeviceState;
  #model: DeviceModel;
  #last = new LastSet();
  #begun = false;
  readonly #waiters = new Set<() => void>();
  #warning: string | null = null;
  #progress: string | null = null;
  #bootedHere: readonly string[] = [];

  /** `model`: what the state is of until the device is known. `changed` is called at each change. */
  constructor(files: HomeFiles, clock: Clock, model: DeviceModel, changed: (message: StateMessage) => void) {
    this.#files = files;
    this.#clock = clock;
    this.#changed = changed;
    const file = files.read(STATE, parseStateFile);
    this.#kept = file.is === "read" ? file.value.state : null;
    // A broken file tells no number, so one is taken that no earlier start can have reached: nothing from before may match.
    const last = file.is === "read" ? file.value.generation : file.is === "broken" ? Math.floor(clock.wall() / 1000) : 0;
    this.#generation = last + 1;
    this.#model = model;
    this.#state = newState(model, { is: "stopped" }, clock.wall());
    // The number counts from now on; what was known of the device is kept until it is begun.
    files.tryWrite(STATE, { generation: this.#generation, state: this.#kept }, false);
  }

  get state(): DeviceState {
    return this.#state;
  }
  get model(): DeviceModel {
    return this.#model;
  }
  /** The generation of the newest geometry; a point of another is void. */
  get generation(): number {
    return this.#generation;
  }
  get geometry(): Geometry | FoldGeometry | null {
    return this.#state.geometry;
  }
  get warning(): string | null {
    return this.#warning;
  }
  get message(): StateMessage {
    return { state: this.#state, warning: this.#warning, progress: this.#progress, bootedHere: this.#bootedHere };
  }

  /** Another device, or the same one again: its geometry is not known yet and will get a new number. What is known of its settings stays. */
  begin(model: DeviceModel, power: Power): void {
    const before = this.#begun ? this.#state : this.#kept;
    this.#begun = true;
    const same = before !== null && before.model === model.name && before.platform === model.platform;
    this.#model = model;
    this.#geometry = null;
    if (before !== this.#state || !same) this.#last = LastSet.of(same ? before : null);
    const fresh = newState(model, power, this.#clock.wall());
    this.#set(same ? ({ ...fresh, settings: before.settings } as DeviceState) : fresh);
  }

  power(power: Power): void {
    if (power.is !== "booting") this.#progress = null;
    if (!isDeepStrictEqual(this.#state.power, power)) this.#set({ ...this.#state, power });
  }

  /** The generation of this geometry: the same for the same, the next one for another. */
  number(geometry: DriverGeometry): number {
    if (this.#geometry === null || !isDeepStrictEqual(this.#geometry, geometry)) this.#generation++;
    this.#geometry = geometry;
    const { physical, content, video, screen } = geometry;
    const numbered = { generation: this.#generation, physical, content, video };
    const shown: Geometry | FoldGeometry = this.#model.form === "foldable" ? { ...numbered, screen: screen ?? "inner" } : numbered;
    if (!isDeepStrictEqual(this.#state.geometry, shown)) this.#set({ ...this.#state, geometry: shown } as DeviceState);
    return this.#generation;
  }

  /** What a control set, known before it is read back. */
  control(control: DeviceControl): void {
    this.#last.control(control);
    this.#set(withControl(this.#state, control, this.#clock.wall()));
  }

  readBack(read: ReadBack): void {
    this.#set(withReadBack(this.#state, read, this.#last, this.#clock.wall()));
  }

  /** Resolves once the state is so; at once when it is. Rejects with the signal's reason. */
  until(check: (state: DeviceState) => boolean, signal: AbortSignal): Promise<void> {
    if (check(this.#state)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const over = (): void => {
        this.#waiters.delete(look);
        signal.removeEventListener("abort", stop);
      };
      const look = (): void => {
        if (!check(this.#state)) return;
        over();
        resolve();
      };
      const stop = (): void => {
        over();
        reject(signal.reason as Error);
      };
      if (signal.aborted) return stop();
      this.#waiters.add(look);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  warn(words: string | null): void {
    if (this.#warning === words) return;
    this.#warning = words;
    this.#tell();
  }

  /** Models that have booted in this box; told with the next state, which follows each boot. */
  bootedHere(models: readonly string[]): void {
    this.#bootedHere = models;
  }

  progress(words: string | null): void {
    if (this.#progress === words) return;
    this.#progress = words;
    this.#tell();
  }

  #set(state: DeviceState): void {
    const same = isDeepStrictEqual({ ...state, at: 0 }, { ...this.#state, at: 0 });
    if (same) return;
    this.#state = { ...state, at: this.#clock.wall() };
    this.#keep();
    this.#tell();
    for (const waiter of this.#waiters) waiter();
  }

  #tell(): void {
    this.#changed(this.message);
  }

  #keep(): void {
    this.#files.tryWrite(STATE, { generation: this.#generation, state: this.#state }, false);
  }
}
