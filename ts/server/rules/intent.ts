/**
 * A switch from one model to another, step by step (note 063 "Switching"): the intent is written whole before each step, so that
 * a server that starts again carries on from the step it finds. There is never a second device: the new one is booted only once
 * the old one has stopped. When the new one does not come up, the old one is booted again. Says what to do next.
 */
import type { Intent, SwitchStep } from "#core/device.ts";
import { type DeviceError, failed, switchFailed } from "#core/errors.ts";

export type SwitchEffect =
  /** Write the intent whole, by renaming it into place. */
  | { readonly do: "write"; readonly intent: Intent }
  /** Shut this model down, if it runs; its snapshot is saved. */
  | { readonly do: "stop"; readonly model: string }
  /** Attach to this model, or boot it. */
  | { readonly do: "boot"; readonly model: string }
  | { readonly do: "wait-ready"; readonly model: string }
  | { readonly do: "first-frame"; readonly model: string }
  | { readonly do: "done"; readonly outcome: SwitchOutcome };

export type SwitchOutcome =
  | { readonly is: "switched" }
  /** `runs`: the old model, or null when nothing runs now. */
  | { readonly is: "failed"; readonly error: DeviceError; readonly runs: string | null };

export interface SwitchPlan {
  /** The request's. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Wall-clock ms. */
  readonly since: number;
}

type At =
  | { readonly phase: "write"; readonly step: SwitchStep }
  | { readonly phase: "work"; readonly step: SwitchStep }
  | { readonly phase: "settle" }
  | { readonly phase: "back"; readonly step: "stop-new" | "write" | "boot-old" | "wait-old" }
  /** The new model neither comes up nor stops: it stays the one that is meant, so that no other is booted beside it. */
  | { readonly phase: "stuck" }
  | { readonly phase: "done" };

const AFTER: Readonly<Record<SwitchStep, SwitchStep | null>> = {
  stopping: "booting",
  booting: "waiting",
  waiting: "streaming",
  streaming: null,
};

export class Switch {
  readonly plan: SwitchPlan;
  #at: At;
  #why = "";
  #outcome: SwitchOutcome = { is: "switched" };

  constructor(plan: SwitchPlan, from: SwitchStep = "stopping") {
    this.plan = plan;
    this.#at = { phase: "write", step: from };
  }

  /**
   * The switch that an intent holds, or null when it holds none. `running`: the models that run now. What runs decides, as the
   * step that is written may have been done already: a running old model is stopped first, a running new one is attached to.
   */
  static resume(intent: Intent, running: readonly string[]): Switch | null {
    const { target, switching } = intent;
    if (switching === null) return null;
    const { id, from, since } = switching;
    return new Switch({ id, from, to: target, since }, running.includes(from) && from !== target ? "stopping" : "booting");
  }

  /** The step that the state shows. */
  get step(): SwitchStep {
    return this.#at.phase === "write" || this.#at.phase === "work" ? this.#at.step : this.#at.phase === "settle" ? "streaming" : "stopping";
  }
  /** Is the old model being booted again? */
  get goesBack(): boolean {
    return this.#at.phase === "back" || this.#at.phase === "stuck";
  }

  begin(): SwitchEffect {
    return this.#effect();
  }

  /** The last effect was done. */
  ok(): SwitchEffect {
    this.#at = this.#next(this.#at);
    return this.#effect();
  }

  /** The last effect failed, or took too long. */
  failed(why: string): SwitchEffect {
    const at = this.#at;
    if (at.phase === "write" || at.phase === "settle" || at.phase === "stuck") {
      // A full disk stops no switch: what runs is what the next start looks at first.
      return this.ok();
    }
    if (at.phase === "work") return this.#goBack(at.step, why);
    if (at.phase === "back" && at.step !== "write") {
      const also =
        at.step === "stop-new" ? `, and it does not stop: ${why}` : `. The ${this.plan.from} does not start again either: ${why}`;
      this.#outcome = { is: "failed", error: failed(`${this.#why}${also}`), runs: null };
      this.#at = at.step === "stop-new" ? { phase: "stuck" } : { phase: "done" };
      return this.#effect();
    }
    return this.ok();
  }

  #goBack(step: SwitchStep, why: string): SwitchEffect {
    const { from, to } = this.plan;
    const stopping = step === "stopping";
    this.#why = `Could not ${stopping ? `stop the ${from}` : `start the ${to}`}: ${clause(why)}`;
    this.#outcome = { is: "failed", error: stopping ? failed(`${this.#why}.`) : switchFailed(to, why, from), runs: from };
    this.#at = { phase: "back", step: stopping ? "write" : "stop-new" };
    return this.#effect();
  }

  #next(at: At): At {
    switch (at.phase) {
      case "write":
        return { phase: "work", step: at.step };
      case "work": {
        const step = AFTER[at.step];
        return step === null ? { phase: "settle" } : { phase: "write", step };
      }
      case "settle":
      case "stuck":
      case "done":
        return { phase: "done" };
      case "back":
        switch (at.step) {
          case "stop-new":
            return { phase: "back", step: "write" };
          case "write":
            return { phase: "back", step: "boot-old" };
          case "boot-old":
            return { phase: "back", step: "wait-old" };
          case "wait-old":
            return { phase: "done" };
        }
    }
  }

  #effect(): SwitchEffect {
    const { id, from, to, since } = this.plan;
    const at = this.#at;
    switch (at.phase) {
      case "write":
        return { do: "write", intent: { target: to, switching: { id, from, step: at.step, since } } };
      case "settle":
      case "stuck":
        return { do: "write", intent: { target: to, switching: null } };
      case "done":
        return { do: "done", outcome: this.#outcome };
      case "work":
        return workEffect(at.step, from, to);
      case "back":
        return at.step === "write" ? { do: "write", intent: { target: from, switching: null } } : backEffect(at.step, from, to);
    }
  }
}

function workEffect(step: SwitchStep, from: string, to: string): SwitchEffect {
  switch (step) {
    case "stopping":
      return { do: "stop", model: from };
    case "booting":
      return { do: "boot", model: to };
    case "waiting":
      return { do: "wait-ready", model: to };
    case "streaming":
      return { do: "first-frame", model: to };
  }
}

function backEffect(step: "stop-new" | "boot-old" | "wait-old", from: string, to: string): SwitchEffect {
  switch (step) {
    case "stop-new":
      return { do: "stop", model: to };
    case "boot-old":
      return { do: "boot", model: from };
    case "wait-old":
      return { do: "wait-ready", model: from };
  }
}

function clause(words: string): string {
  return words.replace(/\.$/, "");
}
