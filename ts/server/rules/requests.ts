/**
 * Every request once (note 063 "Requests"; protocols 1): answers are remembered by id, controls run one after another.
 * Holds no clock and does nothing itself: it says what is to be done with a request, and is told when it was.
 */
import type { DeviceControl } from "#core/device.ts";
import { type DeviceError, busyRebooting, busySwitching, busyWaiting, inProgress, reusedId } from "#core/errors.ts";
import { ANSWERS_REMEMBERED, CONTROLS_WAITING_MAX, CONTROL_DEADLINE_MS, INSTALL_DEADLINE_MS, SWITCH_DEADLINE_MS } from "#wire/limits.ts";

export type Source = "agent" | "person";

export interface Asked {
  readonly id: string;
  /** The request without what may differ when it is sent again; the same id with another body is refused. null: not known any more. */
  readonly body: string | null;
  readonly source: Source;
  /** Controls run one after another. null: everything else, which runs beside them. */
  readonly control: DeviceControl | null;
}

export type Admission<A> =
  /** Do it now; `finish` when it is done. */
  | { readonly is: "run" }
  /** It waits behind another control; `finish` or `drop` of that one names it. */
  | { readonly is: "wait" }
  /** It was done before: this is what it was answered. */
  | { readonly is: "answered"; readonly answer: A }
  /** It was under way when an earlier server ended, so nobody knows. Answer outcome-unknown with the state read back. */
  | { readonly is: "unknown" }
  | { readonly is: "refused"; readonly error: DeviceError };

export type Result<A> =
  | { readonly is: "answered"; readonly answer: A }
  | { readonly is: "in-progress"; readonly error: DeviceError }
  /** Never heard of, or from before a restart (then `knows` says so): answer outcome-unknown with the state read back. */
  | { readonly is: "unknown" };

interface Entry<A> {
  readonly asked: Asked;
  readonly state: { readonly is: "running" } | { readonly is: "waiting" } | { readonly is: "answered"; readonly answer: A };
}

/** What the book is told of the life before it. */
export interface Earlier {
  /** Ids that were begun; none of them is done again. */
  readonly begun: readonly string[];
  /** The switch that the server carries on, from the intent file. */
  readonly switching: { readonly id: string; readonly to: string } | null;
  /** Whose device a running reboot is: for the words. */
  readonly model: () => string;
}

export class RequestBook<A> {
  /** In the order of their coming, so that the oldest answer is forgotten first. */
  readonly #entries = new Map<string, Entry<A>>();
  readonly #begunBefore: Set<string>;
  readonly #model: () => string;
  #running: Asked | null = null;
  readonly #waiting: Asked[] = [];
  #carriedOn: { readonly id: string; readonly to: string } | null;

  constructor(earlier: Earlier) {
    this.#begunBefore = new Set(earlier.begun);
    this.#carriedOn = earlier.switching;
    this.#model = earlier.model;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** A request has come. "run" and "wait" are said once for an id and never again. */
  admit(asked: Asked): Admission<A> {
    const known = this.#entries.get(asked.id);
    if (known !== undefined) {
      if (known.asked.body !== null && known.asked.body !== asked.body) return { is: "refused", error: reusedId(asked.id) };
      if (known.state.is === "answered") return { is: "answered", answer: known.state.answer };
      return { is: "refused", error: inProgress() };
    }
    if (this.#carriedOn?.id === asked.id) return { is: "refused", error: inProgress() };
    if (this.#begunBefore.has(asked.id)) return { is: "unknown" };
    if (asked.control === null) return this.#begin(asked);
    const busy = this.#busy();
    if (busy !== null) return { is: "refused", error: busy };
    if (this.#running === null) {
      this.#running = asked;
      return this.#begin(asked);
    }
    if (this.#waiting.length >= CONTROLS_WAITING_MAX) return { is: "refused", error: busyWaiting(this.#waiting.length) };
    this.#waiting.push(asked);
    this.#entries.set(asked.id, { asked, state: { is: "waiting" } });
    return { is: "wait" };
  }

  /** It was done, or its deadline passed: this is its one answer. Says which control is to be begun now, if any. */
  finish(id: string, answer: A): Asked | null {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.state.is !== "running") return null;
    this.#remember(entry.asked, answer);
    if (this.#running?.id !== id) return null;
    this.#running = null;
    return this.#next();
  }

  /** Controls of this source that wait and will not be begun; each is to be answered, and is remembered so. */
  drop(source: Source, answer: (asked: Asked) => A): readonly { readonly asked: Asked; readonly answer: A }[] {
    const dropped = this.#waiting.filter((asked) => asked.source === source);
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((asked) => asked.source !== source));
    return dropped.map((asked) => {
      const said = answer(asked);
      this.#remember(asked, said);
      return { asked, answer: said };
    });
  }

  /** Was a request of this id let in, now or before a restart? Then `admit` answers it, whatever would be said to a new one. */
  knows(id: string): boolean {
    return this.#entries.has(id) || this.#begunBefore.has(id) || this.#carriedOn?.id === id;
  }

  /** The answer to an earlier request. */
  result(id: string): Result<A> {
    const known = this.#entries.get(id);
    if (known?.state.is === "answered") return { is: "answered", answer: known.state.answer };
    if (known !== undefined || this.#carriedOn?.id === id) return { is: "in-progress", error: inProgress() };
    return { is: "unknown" };
  }

  /** The switch of an earlier server, carried on by this one, ended with this answer. */
  carriedOn(answer: A): void {
    const switching = this.#carriedOn;
    if (switching === null) return;
    this.#carriedOn = null;
    const control: DeviceControl = { action: "switch", device: switching.to };
    // Its body went with the earlier server, so whatever is sent under its id is taken for it.
    this.#remember({ id: switching.id, body: null, source: "agent", control }, answer);
  }

  #begin(asked: Asked): Admission<A> {
    this.#entries.set(asked.id, { asked, state: { is: "running" } });
    return { is: "run" };
  }

  #next(): Asked | null {
    const next = this.#waiting.shift();
    if (next === undefined) return null;
    this.#running = next;
    this.#begin(next);
    return next;
  }

  #busy(): DeviceError | null {
    if (this.#carriedOn !== null) return busySwitching(this.#carriedOn.to);
    const control = [this.#running, ...this.#waiting].find((asked) => isExclusive(asked?.control ?? null))?.control;
    if (control?.action === "switch") return busySwitching(control.device);
    return control?.action === "reboot" ? busyRebooting(this.#model()) : null;
  }

  #remember(asked: Asked, answer: A): void {
    this.#entries.delete(asked.id);
    this.#entries.set(asked.id, { asked, state: { is: "answered", answer } });
    let answered = 0;
    for (const entry of this.#entries.values()) if (entry.state.is === "answered") answered += 1;
    for (const [id, entry] of this.#entries) {
      if (answered <= ANSWERS_REMEMBERED) break;
      if (entry.state.is !== "answered") continue;
      this.#entries.delete(id);
      answered -= 1;
    }
  }
}

/** While one of these runs or waits, every other control is refused: what it would act on is about to be another device's. */
function isExclusive(control: DeviceControl | null): boolean {
  return control?.action === "switch" || control?.action === "reboot";
}

/** How long the work may take, from its start. */
export function deadlineMs(control: DeviceControl | null): number {
  switch (control?.action) {
    case "switch":
    case "reboot":
      return SWITCH_DEADLINE_MS;
    case "install":
      return INSTALL_DEADLINE_MS;
    default:
      return CONTROL_DEADLINE_MS;
  }
}
