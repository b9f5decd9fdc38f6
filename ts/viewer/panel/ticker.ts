/** Calls again and again while there are seconds to be counted, and not otherwise. */
export class Ticker {
  readonly #window: Window;
  readonly #everyMs: number;
  readonly #tick: () => void;
  #timer: number | null = null;

  constructor(window: Window, everyMs: number, tick: () => void) {
    this.#window = window;
    this.#everyMs = everyMs;
    this.#tick = tick;
  }

  run(on: boolean): void {
    if (on) this.#timer ??= this.#window.setInterval(this.#tick, this.#everyMs);
    else if (this.#timer !== null) {
      this.#window.clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}
