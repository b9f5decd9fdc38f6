/**
 * Who changed a setting last (note 063 "A device box's state"): what the device reports is bb-box's while it is what bb-box set,
 * and outside's when it differs. Remembers what was set, so that a read that failed in between changes nothing of that.
 */
import { isDeepStrictEqual } from "node:util";
import type { DeviceControl, DeviceState, Observed } from "#core/device.ts";

export type Setting = "appearance" | "textSize" | "fontScale" | "location" | "battery" | "network" | "posture";

type Last =
  | { readonly to: "value"; readonly value: unknown }
  /** bb-box gave it back to the device: what is read next is the device's own, by bb-box's doing. */
  | { readonly to: "own" };

export class LastSet {
  readonly #set = new Map<Setting, Last>();

  /** Of a state that was kept: what it says bb-box set. */
  static of(state: DeviceState | null): LastSet {
    const last = new LastSet();
    if (state === null) return last;
    const kept = (name: Setting, observed: Observed<unknown>): void => {
      if (observed.known && observed.by === "bb-box") last.#value(name, observed.value);
    };
    if (state.platform === "ios") {
      kept("appearance", state.settings.appearance);
      kept("textSize", state.settings.textSize);
      return last;
    }
    for (const name of ["appearance", "fontScale", "location", "battery", "network"] as const) kept(name, state.settings[name]);
    if (state.form === "foldable") kept("posture", state.posture);
    return last;
  }

  /** A control took effect. */
  control(control: DeviceControl): void {
    switch (control.action) {
      case "appearance":
      case "network":
      case "posture":
        return this.#value(control.action, control.to);
      case "text_size":
        return this.#value(typeof control.to === "number" ? "fontScale" : "textSize", control.to);
      case "location":
      case "battery":
        if (control.to === null) this.#set.set(control.action, { to: "own" });
        else this.#value(control.action, control.to);
        return;
      default:
        return;
    }
  }

  /** What is known of a setting after this read: a value, why there is none, or nothing new. */
  observe<T>(name: Setting, before: Observed<T>, read: T | Error | undefined, atMs: number): Observed<T> {
    if (read === undefined) return before;
    if (read instanceof Error) return { known: false, why: read.message };
    const set = this.#set.get(name);
    if (set?.to === "own") this.#value(name, read);
    const by = set !== undefined && (set.to === "own" || isDeepStrictEqual(set.value, read)) ? "bb-box" : "outside";
    if (before.known && before.by === by && isDeepStrictEqual(before.value, read)) return before;
    return { known: true, value: read, at: atMs, by };
  }

  #value(name: Setting, value: unknown): void {
    this.#set.set(name, { to: "value", value });
  }
}
