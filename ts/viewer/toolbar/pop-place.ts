/** Where a popover opens, how its focus goes, and what closes it. */
import type { PanelModel } from "#viewer/panel/model.ts";
import { PopLeave } from "./pop-leave.ts";
import { anchorId } from "./popover.ts";

const GAP_PX = 8;
const UNDER_TOP_BAR_PX = 4;
/** Pulled down this far a sheet closes. */
const PULL_PX = 60;
/** What a page is opened for comes first, wherever it stands in it; else what stands first. */
const WANTED = '[aria-checked="true"].tile, textarea, input.field:not(#field-latitude):not(#field-longitude)';
const FIRST = '[role^="menuitem"], .row-button, .button.primary, .dots, button';

export interface PopPlaceDeps {
  readonly root: () => ParentNode;
  readonly model: () => PanelModel;
  readonly close: () => void;
  readonly back: () => void;
  readonly reducedMotion: () => boolean;
  /** Where the bar stands or is gliding to, in the stage. */
  readonly barAt: () => { readonly x: number; readonly y: number } | null;
}

export class PopPlace {
  readonly #deps: PopPlaceDeps;
  readonly #leave = new PopLeave();
  #shown = "";
  #pullFrom: number | null = null;
  /** The row of the first page that led to another one, by its place. */
  #ledFrom = 0;

  constructor(deps: PopPlaceDeps) {
    this.#deps = deps;
  }

  attach(panel: HTMLElement): void {
    this.#leave.attach(panel);
    panel.addEventListener("keydown", (event) => this.#key(event));
    panel.addEventListener("pointerdown", (event) => {
      const target = event.target instanceof Element ? event.target : null;
      const { popover } = this.#deps.model();
      if (popover === null || target === null) return;
      if (target.closest(".grip") !== null) this.#pullFrom = event.clientY;
      // A press outside closes; the popover's own button and the screen see to themselves.
      if (target.closest(`.pop, .app, .scrim, #${anchorId(this.#deps.model())}`) === null) this.#deps.close();
    });
    // Before the row's own listener, which turns the page.
    panel.addEventListener(
      "click",
      ({ target }) => {
        const row = target instanceof Element ? target.closest<HTMLElement>('.pop [role^="menuitem"]') : null;
        const pop = row?.closest<HTMLElement>(".pop") ?? null;
        if (row !== null && pop !== null && this.#deps.model().page === "main") this.#ledFrom = menuRows(pop).indexOf(row);
      },
      { capture: true },
    );
    panel.addEventListener("pointermove", (event) => {
      if (this.#pullFrom === null || event.clientY - this.#pullFrom < PULL_PX) return;
      this.#pullFrom = null;
      this.#deps.close();
    });
    panel.addEventListener("pointerup", () => {
      this.#pullFrom = null;
    });
  }

  /** After each drawing: puts the popover in its place, and the focus into one that has just opened. */
  updated(): void {
    const { popover, page } = this.#deps.model();
    const open = [...this.#deps.root().querySelectorAll<HTMLElement>(".scrim:not(.leaving), .pop:not(.leaving)")];
    this.#leave.updated(open, this.#deps.reducedMotion());
    const pop = open.at(-1) ?? null;
    const key = popover === null ? "" : `${popover}-${page}`;
    const fresh = key !== this.#shown;
    const cameBack = fresh && page === "main" && popover !== null && this.#shown.startsWith(`${popover}-`);
    this.#shown = key;
    if (pop === null) return;
    if (!pop.classList.contains("sheet")) this.#place(pop);
    if (!fresh) return;
    const led = cameBack ? menuRows(pop)[this.#ledFrom] : undefined;
    const first = led ?? pop.querySelector<HTMLElement>(WANTED) ?? pop.querySelector<HTMLElement>(FIRST);
    (first ?? pop).focus({ preventScroll: true });
  }

  #place(pop: HTMLElement): void {
    const anchor = this.#deps.root().querySelector<HTMLElement>(`#${anchorId(this.#deps.model())}`);
    const frame = this.#deps.root().querySelector<HTMLElement>(".stage-frame");
    if (anchor === null || frame === null) return;
    const stage = frame.getBoundingClientRect();
    const bar = anchor.closest<HTMLElement>(".bar");
    const barAt = bar === null ? null : this.#deps.barAt();
    const seen = anchor.getBoundingClientRect();
    // A bar that still glides is taken to be where it will come to rest.
    const barLeft = barAt === null ? 0 : stage.left + barAt.x;
    const barTop = barAt === null ? 0 : stage.top + barAt.y;
    const at = barAt === null ? seen : new DOMRect(barLeft + anchor.offsetLeft, barTop + anchor.offsetTop, seen.width, seen.height);
    const width = pop.offsetWidth;
    const height = pop.offsetHeight;
    let x: number;
    let y: number;
    if (bar === null) {
      // From the top bar: the right group hangs from the button's right edge, the left from its left.
      x = anchor.closest(".left") === null ? at.right - stage.left - width : at.left - stage.left;
      y = UNDER_TOP_BAR_PX;
    } else if (bar.classList.contains("row")) {
      x = at.right - stage.left - width;
      y = barTop - stage.top - GAP_PX - height;
    } else {
      const right = barLeft + bar.offsetWidth - stage.left + GAP_PX;
      x = right + width + GAP_PX <= stage.width ? right : barLeft - stage.left - GAP_PX - width;
      // Its nearest row faces its button: the first one's middle, or the last one's where the button stands low.
      const low = at.top - stage.top > stage.height / 2;
      y = low ? at.bottom - stage.top + 6 - height : at.top - stage.top - 6;
    }
    x = Math.min(Math.max(x, GAP_PX), Math.max(GAP_PX, stage.width - GAP_PX - width));
    y = Math.min(Math.max(y, bar === null ? UNDER_TOP_BAR_PX : GAP_PX), Math.max(GAP_PX, stage.height - GAP_PX - height));
    pop.style.left = `${Math.round(x)}px`;
    pop.style.top = `${Math.round(y)}px`;
  }

  #key(event: KeyboardEvent): void {
    const { popover, page } = this.#deps.model();
    if (popover === null) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (page !== "main" && popover === "more") this.#deps.back();
      else this.#deps.close();
      return;
    }
    const pop = target?.closest<HTMLElement>(".pop") ?? null;
    if (pop === null || target === null) return;
    if (event.key === "Tab") return this.#tab(event, pop, target);
    if (pop.getAttribute("role") === "menu" || target.getAttribute("role") === "radio") this.#arrows(event, pop, target);
  }

  /** Focus stays in an open popover: it would otherwise be lost behind it. */
  #tab(event: KeyboardEvent, pop: HTMLElement, target: HTMLElement): void {
    const stops = [...pop.querySelectorAll<HTMLElement>("button, input, textarea, [tabindex='0']")].filter((stop) => stop.tabIndex >= 0);
    const at = stops.indexOf(target);
    const end = event.shiftKey ? at <= 0 : at === stops.length - 1;
    if (!end) return;
    event.preventDefault();
    stops[event.shiftKey ? stops.length - 1 : 0]?.focus();
  }

  #arrows(event: KeyboardEvent, pop: HTMLElement, target: HTMLElement): void {
    if (target.classList.contains("tile") || target.classList.contains("dots")) return;
    const items = [...pop.querySelectorAll<HTMLElement>('[role^="menuitem"], [role="radio"]')];
    const at = items.indexOf(target);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1, ArrowRight: at + 1, ArrowLeft: at - 1 }[event.key];
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    items[(step + items.length) % items.length]?.focus();
  }
}

function menuRows(pop: HTMLElement): HTMLElement[] {
  return [...pop.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}
