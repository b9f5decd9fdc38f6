/**
 * Where the bar stands. It never moves from under the pointer: while the pointer is in it or a popover hangs from it, it keeps
 * its place, and glides to the new one afterwards. With touch it waits until a while after the last tap.
 */
import type { Box } from "#viewer/frame/fit.ts";

const AFTER_TAP_MS = 1500;

export class BarPlace {
  #bar: HTMLElement | null = null;
  #inside = false;
  #holds = false;
  #at: { x: number; y: number } | null = null;
  #wanted: Box | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reduced: () => boolean = () => false;

  attach(bar: HTMLElement, coarse: () => boolean, reduced: () => boolean): void {
    this.#bar = bar;
    this.#reduced = reduced;
    bar.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse") this.#inside = true;
    });
    bar.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "mouse") return;
      this.#inside = false;
      this.#glide();
    });
    bar.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && !coarse()) return;
      this.#inside = true;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#inside = false;
        this.#glide();
      }, AFTER_TAP_MS);
    });
  }

  /** Where it stands, or is gliding to, in the stage. */
  get at(): { readonly x: number; readonly y: number } | null {
    return this.#at;
  }

  /** A popover hangs from it, or no more. */
  hold(holds: boolean): void {
    if (this.#holds === holds) return;
    this.#holds = holds;
    if (!holds) this.#glide();
  }

  /** The fit says where it belongs. It glides there, unless the panel itself changed. */
  place(box: Box, glides: boolean): void {
    const before = this.#wanted;
    this.#wanted = box;
    const bar = this.#bar;
    if (bar === null) return;
    // Another shape (row for bar) is another thing: it cannot wait.
    const reshaped = before !== null && (before.width !== box.width || before.height !== box.height);
    if (this.#at !== null && (this.#inside || this.#holds) && !reshaped) return;
    this.#move(box, glides && !reshaped && !this.#reduced());
  }

  #glide(): void {
    const box = this.#wanted;
    if (this.#inside || this.#holds || box === null || this.#at === null || (this.#at.x === box.x && this.#at.y === box.y)) return;
    this.#move(box, !this.#reduced());
  }

  #move(box: Box, glides: boolean): void {
    const bar = this.#bar;
    if (bar === null) return;
    bar.classList.toggle("glides", glides);
    bar.style.transform = `translate(${box.x}px, ${box.y}px)`;
    this.#at = { x: box.x, y: box.y };
  }
}
