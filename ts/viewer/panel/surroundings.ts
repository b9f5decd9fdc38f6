/** What the page, the screen and the reader's settings are, and that they changed. */

export interface SurroundingsDeps {
  /** The reader's settings or the pointer are others now. */
  readonly changed: () => void;
  /** Another screen, or another zoom: physical pixels are other ones now. */
  readonly density: () => void;
  readonly visible: (visible: boolean) => void;
}

export class Surroundings {
  readonly #window: Window;
  readonly #deps: SurroundingsDeps;
  readonly #reducedMotion: MediaQueryList;
  readonly #coarse: MediaQueryList;
  readonly #dark: MediaQueryList;
  #density: MediaQueryList | null = null;
  readonly #onVisibility = (): void => this.#deps.visible(this.visible);
  readonly #onMedia = (): void => this.#deps.changed();
  readonly #onDensity = (): void => {
    this.#watchDensity();
    this.#deps.density();
  };

  constructor(window: Window, deps: SurroundingsDeps) {
    this.#window = window;
    this.#deps = deps;
    this.#reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.#coarse = window.matchMedia("(pointer: coarse)");
    this.#dark = window.matchMedia("(prefers-color-scheme: dark)");
  }

  get reducedMotion(): boolean {
    return this.#reducedMotion.matches;
  }
  /** Fingers rather than a mouse. */
  get coarse(): boolean {
    return this.#coarse.matches;
  }
  get dark(): boolean {
    return this.#dark.matches;
  }
  get canHover(): boolean {
    return this.#window.matchMedia("(hover: hover)").matches;
  }
  /** Physical pixels for one of the page's. */
  get density(): number {
    return this.#window.devicePixelRatio;
  }
  get visible(): boolean {
    return this.#window.document.visibilityState === "visible";
  }

  connect(): void {
    this.#window.document.addEventListener("visibilitychange", this.#onVisibility);
    for (const media of [this.#reducedMotion, this.#coarse, this.#dark]) media.addEventListener("change", this.#onMedia);
    this.#onDensity();
  }

  disconnect(): void {
    this.#window.document.removeEventListener("visibilitychange", this.#onVisibility);
    for (const media of [this.#reducedMotion, this.#coarse, this.#dark]) media.removeEventListener("change", this.#onMedia);
    this.#density?.removeEventListener("change", this.#onDensity);
    this.#density = null;
  }

  #watchDensity(): void {
    this.#density?.removeEventListener("change", this.#onDensity);
    this.#density = this.#window.matchMedia(`(resolution: ${this.#window.devicePixelRatio}dppx)`);
    this.#density.addEventListener("change", this.#onDensity);
  }
}
