/** A popover that was closed fades where it stood, after the panel has let go of it: nothing of it can be pressed, focused or read. */

export class PopLeave {
  /** What is open now, with its scrim, and where it hangs. */
  #open: readonly HTMLElement[] = [];
  #parent: HTMLElement | null = null;
  #scrolledPx = 0;
  #leaving: readonly HTMLElement[] = [];

  attach(panel: HTMLElement): void {
    // An element that is taken out forgets how far it was scrolled.
    const scrolled = ({ target }: Event): void => {
      if (target instanceof HTMLElement && this.#open.includes(target)) this.#scrolledPx = target.scrollTop;
    };
    panel.addEventListener("scroll", scrolled, { capture: true, passive: true });
  }

  /** After each drawing: what is open, or nothing. */
  updated(open: readonly HTMLElement[], reducedMotion: boolean): void {
    if (open.length > 0) {
      this.#end();
      if (open.some((part) => !this.#open.includes(part))) this.#scrolledPx = 0;
      this.#open = open;
      this.#parent = open[0]?.parentElement ?? null;
      return;
    }
    const [closed, parent] = [this.#open, this.#parent];
    this.#open = [];
    if (closed.length === 0 || parent === null || reducedMotion) return;
    this.#leaving = closed;
    for (const part of closed) {
      part.inert = true;
      part.classList.add("leaving");
      // The next one that opens has the same names.
      for (const named of part.querySelectorAll("[id]")) named.removeAttribute("id");
      parent.append(part);
      if (part.classList.contains("pop")) part.scrollTop = this.#scrolledPx;
    }
    const fades = closed.flatMap((part) => part.getAnimations());
    void Promise.allSettled(fades.map(({ finished }) => finished)).then(() => {
      if (this.#leaving === closed) this.#end();
    });
  }

  #end(): void {
    for (const part of this.#leaving) part.remove();
    this.#leaving = [];
  }
}
