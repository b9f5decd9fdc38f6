/** Control's owner with its file, its clock and its effects; the rule is rules/owner.ts. */
import type { DeviceControl, Holder, Owner } from "#core/device.ts";
import type { DeviceError } from "#core/errors.ts";
import { AWAY_MS } from "#wire/limits.ts";
import { ownerSchema } from "#wire/shapes.ts";
import type { HomeFiles } from "./files.ts";
import { Alarm } from "./input/alarm.ts";
import type { Clock, Log } from "./ports.ts";
import { Ownership, type Leave, type OwnerChange, type Present } from "./rules/owner.ts";

const OWNER = "owner.json";

export class OwnerBook {
  readonly #files: HomeFiles;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed: (change: OwnerChange) => void;
  readonly #ownership: Ownership;
  readonly #alarm: Alarm;

  /** `changed` runs after the change is kept: it lifts, drops and tells. */
  constructor(files: HomeFiles, clock: Clock, log: Log, changed: (change: OwnerChange) => void) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#changed = changed;
    const kept = files.read(OWNER, (value) => ownerSchema.parse(value));
    // A broken file tells no number, so one is taken that no earlier start can have reached.
    const unknown = { generation: Math.floor(clock.wall() / 1000), holder: "none" as const };
    this.#ownership = new Ownership(kept.is === "read" ? kept.value : kept.is === "broken" ? unknown : null, clock.now());
    this.#alarm = new Alarm(clock, () => this.#away());
    this.#keep();
    this.#alarm.set(this.#ownership.dueMs);
  }

  get owner(): Owner {
    return this.#ownership.owner;
  }

  /** Throws `superseded` for a generation that is not above the one held. */
  set(generation: number, holder: Holder, present: Present): void {
    const answer = this.#ownership.set(generation, holder, present, this.#clock.now());
    if (answer.is === "refused") throw answer.error;
    this.#apply(answer.change);
  }

  agentMay(generation: number, control: DeviceControl | null = null): Leave {
    return this.#ownership.agentMay(generation, control);
  }

  /** Why the agent's input of this owner generation is refused, or null. */
  agentRefusal(generation: number): DeviceError | null {
    const leave = this.#ownership.agentMay(generation, null);
    return leave.is === "no" ? leave.error : null;
  }

  /** Why the input connection's is refused, or null. */
  personMay(): DeviceError | null {
    const leave = this.#ownership.personMay();
    return leave.is === "no" ? leave.error : null;
  }

  /** The input or the control connection came or went. */
  presence(present: Present): void {
    this.#ownership.presence(present, this.#clock.now());
    this.#alarm.set(this.#ownership.dueMs);
  }

  close(): void {
    this.#alarm.clear();
  }

  #away(): void {
    const before = this.owner.holder;
    const change = this.#ownership.advance(this.#clock.now());
    if (change === null) return this.#alarm.set(this.#ownership.dueMs);
    const who = before === "agent" ? "The agent's host" : "The person who had control";
    this.#log("info", `${who} has been away for ${AWAY_MS / 1000} s, so control is handed back.`);
    this.#apply(change);
  }

  #apply(change: OwnerChange): void {
    this.#keep();
    this.#alarm.set(this.#ownership.dueMs);
    this.#changed(change);
  }

  /** A number that is not on the disk could be given out again after a crash, which the log then tells. */
  #keep(): void {
    this.#files.tryWrite(OWNER, this.owner);
  }
}
