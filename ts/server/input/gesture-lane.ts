/** The agent's gestures, one after another, each as fingers over time. Ended ones are lifted where they are by whoever ends them. */
import type { Contact, DeviceInput, Size } from "#core/device.ts";
import { DeviceError, failed, geometryChanging } from "#core/errors.ts";
import { pause, type Clock } from "#server/ports.ts";
import { checkPoints, gestureSteps, pointsOf, type TouchInput } from "#server/rules/gestures.ts";

/** Gestures that may wait. */
const WAITING_MAX = 64;

interface Ports {
  /** All of the agent's fingers now. */
  readonly fingers: (contacts: readonly Contact[]) => void;
  readonly flushed: () => Promise<void>;
  /** Rises with each list of fingers that did not reach the device. */
  readonly failures: () => number;
}

interface Waiting {
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GestureLane {
  readonly #clock: Clock;
  readonly #ports: Ports;
  #waiting: Waiting[] = [];
  #abort: AbortController | null = null;

  constructor(clock: Clock, ports: Ports) {
    this.#clock = clock;
    this.#ports = ports;
  }

  /** Resolves with every finger up again. `refusal`, given the generations of the points, is asked now and again when its turn comes. */
  run(
    input: TouchInput,
    refusal: (generations: readonly number[]) => DeviceError | null,
    video: () => Size | null,
    whole: ((input: DeviceInput) => Promise<void>) | null,
  ): Promise<void> {
    const check = (): DeviceError | null => {
      const refused = refusal(pointsOf(input).map(({ generation }) => generation));
      const size = video();
      return refused ?? (size === null ? geometryChanging() : checkPoints(input, size));
    };
    const refused = check();
    if (refused !== null) return Promise.reject(refused);
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(new DeviceError("busy", `${this.#waiting.length} gestures wait already. Wait for their answers.`));
    return new Promise((resolve, reject) => {
      const work = async (signal: AbortSignal): Promise<void> => {
        const late = check();
        if (late !== null) throw late;
        const size = video();
        if (whole !== null) await whole(input);
        else if (size !== null) await this.#steps(input, size, signal);
      };
      this.#waiting.push({ work, resolve, reject });
      if (this.#abort === null) void this.#next();
    });
  }

  /** Ends the gesture under way. The caller lifts. */
  end(error: DeviceError): void {
    this.#abort?.abort(error);
  }

  /** Ends the one under way, and those that wait are never begun. */
  drop(error: DeviceError): void {
    const gone = this.#waiting;
    this.#waiting = [];
    for (const { reject } of gone) reject(error);
    this.end(error);
  }

  async #next(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const abort = new AbortController();
      this.#abort = abort;
      try {
        await next.work(abort.signal);
        if (abort.signal.aborted) next.reject(abort.signal.reason);
        else next.resolve();
      } catch (error) {
        next.reject(abort.signal.aborted ? abort.signal.reason : error);
      }
    }
    this.#abort = null;
  }

  async #steps(input: TouchInput, video: Size, signal: AbortSignal): Promise<void> {
    const failures = this.#ports.failures();
    const startMs = this.#clock.now();
    const steps = gestureSteps(input, video);
    for (const [index, step] of steps.entries()) {
      const waitMs = startMs + step.atMs - this.#clock.now();
      if (waitMs > 0) await pause(this.#clock, waitMs, signal);
      if (signal.aborted) {
        // Its fingers were lifted for it; this lets go of them, so that the next gesture's are new ones.
        this.#ports.fingers([]);
        return;
      }
      // Late already: the positions between are left out, the first and the last ones never.
      const after = steps[index + 1];
      if (index > 0 && after !== undefined && after.contacts.length > 0 && this.#clock.now() >= startMs + after.atMs) continue;
      this.#ports.fingers(step.contacts);
    }
    await this.#ports.flushed();
    if (this.#ports.failures() !== failures) throw failed("Not every touch of this gesture reached the device.");
  }
}
