/** Tooltips: after half a second of hover, at once on keyboard focus, never on touch. They repeat names and are not announced. */
const AFTER_MS = 500;
const GRACE_MS = 300;
const AWAY_PX = 10;
const EDGE_PX = 8;

export class TipView {
  #panel: HTMLElement | null = null;
  #tip: HTMLElement | null = null;
  #for: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hiddenAtMs = Number.NEGATIVE_INFINITY;
  #coarse: () => boolean = () => false;

  attach(panel: HTMLElement, coarse: () => boolean): void {
    this.#panel = panel;
    this.#coarse = coarse;
    this.#tip = panel.querySelector<HTMLElement>(".tip");
    panel.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "mouse") return;
      const target = owner(event.target);
      if (target === this.#for) return;
      this.#hide();
      if (target === null) return;
      const graced = performance.now() - this.#hiddenAtMs < GRACE_MS;
      this.#timer = setTimeout(() => this.#show(target), graced ? 0 : AFTER_MS);
    });
    panel.addEventListener("pointerleave", () => this.#hide());
    panel.addEventListener("pointerdown", () => this.#hide());
    panel.addEventListener("focusin", (event) => {
      const target = owner(event.target);
      this.#hide();
      if (target !== null && target.matches(":focus-visible")) this.#show(target);
    });
    panel.addEventListener("focusout", () => this.#hide());
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" || event.key === "Enter" || event.key === " ") this.#hide();
    });
  }

  #show(target: HTMLElement): void {
    const { tip: words, tipMore: more } = target.dataset;
    const tip = this.#tip;
    if (tip === null || this.#panel === null || words === undefined || this.#coarse() || target.getAttribute("aria-expanded") === "true")
      return;
    this.#for = target;
    tip.textContent = words;
    if (more !== undefined) {
      const quiet = tip.ownerDocument.createElement("span");
      quiet.className = "tip-more";
      quiet.textContent = more;
      tip.append(quiet);
    }
    tip.hidden = false;
    const panel = this.#panel.getBoundingClientRect();
    const at = target.getBoundingClientRect();
    const size = tip.getBoundingClientRect();
    const beside = target.closest(".bar.beside");
    let x: number;
    let y: number;
    if (beside !== null) {
      const bar = beside.getBoundingClientRect();
      x = bar.right + AWAY_PX;
      if (x + size.width + EDGE_PX > panel.right) x = bar.left - AWAY_PX - size.width;
      y = at.top + (at.height - size.height) / 2;
    } else {
      x = at.left + (at.width - size.width) / 2;
      y = target.closest(".bar") === null ? at.bottom + AWAY_PX : at.top - AWAY_PX - size.height;
    }
    x = Math.min(Math.max(x, panel.left + EDGE_PX), panel.right - EDGE_PX - size.width);
    y = Math.min(Math.max(y, panel.top + EDGE_PX), panel.bottom - EDGE_PX - size.height);
    tip.style.transform = `translate(${Math.round(x - panel.left)}px, ${Math.round(y - panel.top)}px)`;
  }

  #hide(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#for !== null) this.#hiddenAtMs = performance.now();
    this.#for = null;
    if (this.#tip !== null) this.#tip.hidden = true;
  }
}

function owner(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;
}
