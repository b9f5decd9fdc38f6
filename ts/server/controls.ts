/** What a control does: checked against the model, made absolute, run in its turn, read back (063 "Controls: one union"). */
import type { DeviceControl, DeviceState } from "#core/device.ts";
import { badValue, DeviceError, notBooted, outcomeUnknown, personHasControl, unknownDevice } from "#core/errors.ts";
import { screenIn, turned } from "#core/geometry.ts";
import { supports } from "#core/supports.ts";
import { DEFAULT_CONTENT_SIZE, DEFAULT_FONT_SCALE, isTextSizeMove, movedContentSize, movedFontScale } from "#core/text-size.ts";
import { doingWords, durationWords, stateWords } from "#core/words.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import { READ_BACK_DEADLINE_MS } from "#wire/limits.ts";
import type { DeviceLife } from "./life.ts";
import { aborted, within, wordsOf, type Clock, type Log } from "./ports.ts";
import { deadlineMs } from "./rules/requests.ts";
import type { StateBook } from "./state-book.ts";

/** A turned or folded screen reports its new geometry within this, on every platform that was measured. */
const SHOWN_MS = 2000;

export interface ControlsParts {
  readonly driver: DeviceDriver;
  readonly book: StateBook;
  readonly life: DeviceLife;
  readonly clock: Clock;
  readonly log: Log;
  /** While a control turns the screen; release resolves at the first picture of the new geometry. */
  readonly inputs: { hold(): void; release(): Promise<void> };
}

/** Who asks: the refusal is looked at again when the control's turn comes. */
export interface Asker {
  readonly refusal: () => DeviceError | null;
  /** The agent, while a person holds control: an install of a new app only. */
  readonly onlyNewApps: () => boolean;
}

export class Controls {
  readonly #parts: ControlsParts;
  #reading: Promise<DeviceState> | null = null;

  constructor(parts: ControlsParts) {
    this.#parts = parts;
  }

  /** Is it one that this device can do? Rejects what is not before it waits for its turn. */
  check(control: DeviceControl): DeviceError | null {
    const { book, life, driver } = this.#parts;
    if (control.action === "switch") {
      const names = life.offers.map(({ model }) => model.name);
      return names.includes(control.device) ? null : unknownDevice(control.device, names);
    }
    const support = supports(book.model, control, driver.unsupported);
    if (support.ok) return null;
    return support.code === "bad-value" ? badValue(support.words) : new DeviceError("unsupported", support.words);
  }

  /** Its turn has come. Answers how long it took; rejects with a DeviceError in words, outcome-unknown past its deadline. */
  async run(control: DeviceControl, id: string, asker: Asker): Promise<number> {
    const { clock, book } = this.#parts;
    const exclusive = control.action === "switch" || control.action === "reboot";
    const refusal = asker.refusal() ?? this.check(control) ?? (exclusive ? null : this.#notReady());
    if (refusal !== null) throw refusal;
    const startedMs = clock.now();
    // A switch has its deadline inside: past it the old model is booted again, and the answer waits for that.
    if (control.action === "switch") await this.#do(control, id, asker, new AbortController().signal);
    else {
      const limitMs = deadlineMs(control);
      const late = new Error(`It took more than ${durationWords(limitMs)}`);
      try {
        await within(
          clock,
          limitMs,
          (signal) => this.#do(control, id, asker, signal),
          () => late,
        );
      } catch (error) {
        if (error !== late) throw error;
        throw outcomeUnknown(late.message, doingWords(control, book.state.model), await this.#stateNow());
      }
    }
    return Math.round(clock.now() - startedMs);
  }

  /** The device's settings as they are now, in the state. One read at a time; a second asker gets the same. */
  readBack(): Promise<DeviceState> {
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #read(): Promise<DeviceState> {
    const { driver, book, life } = this.#parts;
    const current = life.current;
    const read = await driver.readBack();
    if (life.current === current) book.readBack(read);
    return book.state;
  }

  /** A read that began before now may tell of before. */
  async #readAnew(): Promise<DeviceState> {
    await this.#reading?.catch(() => undefined);
    return this.readBack();
  }

  #notReady(): DeviceError | null {
    const { power, model } = this.#parts.book.state;
    if (power.is !== "booted") return notBooted(model, power.is);
    return this.#parts.life.ready ? null : notBooted(model, "booting");
  }

  async #do(control: DeviceControl, id: string, asker: Asker, signal: AbortSignal): Promise<void> {
    const { driver, book, life } = this.#parts;
    switch (control.action) {
      case "switch":
        return life.switchTo(control.device, id);
      case "reboot":
        return life.reboot((stop) => driver.control(control, stop), signal);
      case "rotate":
      case "posture":
        await this.#turn(this.#absolute(control), signal);
        break;
      case "install":
        if (asker.onlyNewApps() && (await driver.installed?.(control.paths)) !== false) throw personHasControl();
        await driver.control(control, signal);
        break;
      default:
        await driver.control(this.#absolute(control), signal);
    }
    if (signal.aborted) return;
    book.control(this.#absolute(control));
    await this.#readAfter();
  }

  /** From here to the first picture of the new geometry nothing of the old one is pressed. */
  async #turn(control: DeviceControl, signal: AbortSignal): Promise<void> {
    const { driver, inputs, book, clock, log } = this.#parts;
    inputs.hold();
    let open = Promise.resolve();
    try {
      // One that never answers is not waited for past its deadline: touches would be held for ever.
      await Promise.race([driver.control(control, signal), aborted(signal)]);
      const late = (): Error => new Error(`The screen shows nothing of ${control.action} after ${durationWords(SHOWN_MS)}.`);
      await within(clock, SHOWN_MS, (stop) => book.until((state) => shows(state, control), stop), late, signal).catch((error: unknown) =>
        log("warn", wordsOf(error)),
      );
    } finally {
      open = inputs.release();
    }
    await open;
  }

  async #stateNow(): Promise<string | null> {
    try {
      const late = (): Error => new Error("The device did not answer in time.");
      return stateWords(await within(this.#parts.clock, READ_BACK_DEADLINE_MS, () => this.#readAnew(), late));
    } catch {
      return null;
    }
  }

  /** A quarter turn from where it is, or one step of the text size, said as the end it comes to. */
  #absolute(control: DeviceControl): DeviceControl {
    const { state } = this.#parts.book;
    if (control.action === "rotate" && "turn" in control)
      return { action: "rotate", to: turned(state.geometry?.physical ?? "upright", control.turn) };
    if (control.action !== "text_size" || !isTextSizeMove(control.to)) return control;
    if (state.platform === "ios") {
      const { textSize } = state.settings;
      return { action: "text_size", to: movedContentSize(textSize.known ? textSize.value : DEFAULT_CONTENT_SIZE, control.to) };
    }
    const { fontScale } = state.settings;
    return { action: "text_size", to: movedFontScale(fontScale.known ? fontScale.value : DEFAULT_FONT_SCALE, control.to) };
  }

  /** A control that worked is not undone by a read that did not. */
  async #readAfter(): Promise<void> {
    const { clock, log } = this.#parts;
    try {
      await within(
        clock,
        READ_BACK_DEADLINE_MS,
        () => this.#readAnew(),
        () => new Error("the device did not answer in time"),
      );
    } catch (error) {
      log("warn", `The device cannot be read back: ${wordsOf(error)}`);
    }
  }
}

/** Has the screen the geometry that this control brings? */
function shows({ geometry }: DeviceState, control: DeviceControl): boolean {
  if (geometry === null) return false;
  if (control.action === "rotate" && "to" in control) return geometry.physical === control.to;
  if (control.action === "posture" && "screen" in geometry) return geometry.screen === screenIn(control.to);
  return true;
}
