/** Where the keyboard's focus goes: one stop in the toolbar, arrows along it, F6 between the screen, the toolbar and the top bar. */
export interface FocusHost {
  readonly renderRoot: HTMLElement | DocumentFragment;
  readonly shadowRoot: ShadowRoot | null;
  readonly model: { readonly popover: string | null };
}

export class FocusPaths {
  readonly #host: FocusHost;
  #current = "home";

  constructor(host: FocusHost) {
    this.#host = host;
  }

  attach(panel: HTMLElement): void {
    panel.addEventListener("keydown", (event) => this.#key(event));
    panel.addEventListener("focusin", (event) => {
      const action = event.target instanceof HTMLElement ? event.target.dataset["action"] : undefined;
      if (action === undefined) return;
      this.#current = action;
      this.refresh();
    });
  }

  /** Exactly one button of the bar is a stop of Tab. */
  refresh(): void {
    const targets = this.#targets();
    const current = targets.find((target) => target.dataset["action"] === this.#current) ?? targets[0];
    for (const target of targets) target.tabIndex = target === current ? 0 : -1;
  }

  /** F6 on the screen: to the toolbar, or back to the top bar. */
  fromScreen(back: boolean): void {
    if (back) this.#topBar();
    else this.#toolbar();
  }

  /** Puts the focus on a popover's own button. */
  to(popover: string): void {
    const root = this.#host.renderRoot;
    const button = root.querySelector<HTMLElement>(`#action-${popover}, #${popover}`);
    button?.focus();
  }

  toScreen(): void {
    this.#host.renderRoot.querySelector<HTMLElement>(".keys")?.focus({ preventScroll: true });
  }

  #targets(): HTMLElement[] {
    return [...this.#host.renderRoot.querySelectorAll<HTMLElement>(".bar .target")];
  }

  #toolbar(): void {
    const targets = this.#targets();
    (targets.find((target) => target.tabIndex === 0) ?? targets[0])?.focus();
  }

  #topBar(): void {
    this.#host.renderRoot.querySelector<HTMLElement>("#picker")?.focus();
  }

  #key(event: KeyboardEvent): void {
    const target = event.target;
    if (!(target instanceof HTMLElement) || target.classList.contains("keys")) return;
    const inBar = target.closest(".bar") !== null;
    const inTop = target.closest(".top, .control-strip") !== null;
    if (event.key === "F6") {
      event.preventDefault();
      if (inBar) return event.shiftKey ? this.toScreen() : this.#topBar();
      if (inTop) return event.shiftKey ? this.#toolbar() : this.toScreen();
      return this.toScreen();
    }
    if (event.key === "Escape" && (inBar || inTop) && this.#host.model.popover === null) {
      event.preventDefault();
      return this.toScreen();
    }
    if (inBar) this.#along(event, target);
  }

  #along(event: KeyboardEvent, from: HTMLElement): void {
    const targets = this.#targets();
    const at = targets.indexOf(from);
    if (at < 0) return;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: targets.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    targets[(next + targets.length) % targets.length]?.focus();
  }
}
