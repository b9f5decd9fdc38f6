/**
 * Who may send the device input (note 063 "Fencing input"; protocols 1 "Control's owner").
 * The generation only rises, so what was sent under an earlier one never reaches the device. Holds no clock.
 */
import type { DeviceControl, Holder, Owner } from "#core/device.ts";
import { type DeviceError, personHasControl, supersededInput, supersededOwner } from "#core/errors.ts";
import { AWAY_MS } from "#wire/limits.ts";
import type { Source } from "./requests.ts";

/** What follows from a change of owner, in this order. */
export interface OwnerChange {
  readonly owner: Owner;
  /** Whose queued input and waiting controls are dropped. */
  readonly drop: readonly Source[];
  /** Every touch and key up, and a gesture under way ended where it is. */
  readonly lift: boolean;
  /** A paste whose key was not sent is given up, and the clipboard put back. */
  readonly abandonPaste: boolean;
}

export type OwnerAnswer =
  | { readonly is: "changed"; readonly change: OwnerChange }
  | { readonly is: "refused"; readonly error: DeviceError };

export type Leave =
  | { readonly is: "yes" }
  /** An install under a person's control runs only for an app that the device does not have. */
  | { readonly is: "if-not-installed" }
  | { readonly is: "no"; readonly error: DeviceError };

const YES: Leave = { is: "yes" };

/** Whose connection is open: the agent's is the host's control connection, a person's the input connection. */
export type Present = Readonly<Record<Source, boolean>>;

export class Ownership {
  #owner: Owner;
  /** Since when the one who holds control has no connection; null while there is one, or nobody holds it. Monotonic ms. */
  #awaySinceMs: number | null;

  /** `kept`: what owner.json says, or null. The generation rises with each start, so that nothing from before it matches. */
  constructor(kept: Owner | null, nowMs: number) {
    this.#owner = { generation: (kept?.generation ?? 0) + 1, holder: kept?.holder ?? "none" };
    this.#awaySinceMs = this.#owner.holder === "none" ? null : nowMs;
  }

  get owner(): Owner {
    return this.#owner;
  }

  /** The host's word. A generation that is not above the present one is refused. */
  set(generation: number, holder: Holder, present: Present, nowMs: number): OwnerAnswer {
    if (generation <= this.#owner.generation) return { is: "refused", error: supersededOwner(generation, this.#owner.generation) };
    return { is: "changed", change: this.#change({ generation, holder }, holder !== "none" && !present[holder] ? nowMs : null) };
  }

  /** May the agent send this under the owner generation it names? */
  agentMay(generation: number, control: DeviceControl | null): Leave {
    if (this.#owner.holder === "person" && control?.action === "install") return { is: "if-not-installed" };
    if (generation !== this.#owner.generation) return { is: "no", error: supersededInput(this.#owner.holder) };
    if (this.#owner.holder === "person") return { is: "no", error: personHasControl() };
    return YES;
  }

  /** May the input connection's person send anything? While the agent holds control its touches and keys are ignored without a word. */
  personMay(): Leave {
    return this.#owner.holder === "agent" ? { is: "no", error: supersededInput("agent") } : YES;
  }

  /** Would something of this source that waited still be let through? */
  stillMay(source: Source, generation: number): boolean {
    return source === "person" ? this.personMay().is === "yes" : this.agentMay(generation, null).is === "yes";
  }

  /** A connection came or went. */
  presence(present: Present, nowMs: number): void {
    const { holder } = this.#owner;
    if (holder !== "none") this.#awaySinceMs = present[holder] ? null : (this.#awaySinceMs ?? nowMs);
  }

  /** When the one who is away loses control; null when nobody is. Monotonic ms. */
  get dueMs(): number | null {
    return this.#awaySinceMs === null ? null : this.#awaySinceMs + AWAY_MS;
  }

  /** Hands back what its holder left for too long; null when it is not time. Nobody holds control then: the next to act takes it. */
  advance(nowMs: number): OwnerChange | null {
    const due = this.dueMs;
    if (due === null || nowMs < due) return null;
    return this.#change({ generation: this.#owner.generation + 1, holder: "none" }, null);
  }

  #change(owner: Owner, awaySinceMs: number | null): OwnerChange {
    const before = this.#owner.holder;
    this.#owner = owner;
    this.#awaySinceMs = awaySinceMs;
    // A new generation voids the agent's input in any case; a person's is void once the agent has control or they hand it back.
    const personToo = owner.holder === "agent" || (before === "person" && owner.holder === "none");
    return { owner, drop: personToo ? ["agent", "person"] : ["agent"], lift: true, abandonPaste: true };
  }
}
