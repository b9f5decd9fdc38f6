/** What is wrong for as long as it lasts, as the one line the panel shows. */
export const NO_KEYBOARD =
  "This AVD has no hardware keyboard (hw.keyboard=no), so typed keys go by adb, one at a time and without modifiers. " +
  "Set hw.keyboard=yes in its config.ini and cold boot it.";

export class Warnings {
  readonly #show: (words: string | null) => void;
  readonly #all = new Map<"keyboard" | "ports", string>();

  constructor(show: (words: string | null) => void) {
    this.#show = show;
  }

  set(about: "keyboard" | "ports", words: string | null): void {
    if (words === null) this.#all.delete(about);
    else this.#all.set(about, words);
    this.#show(this.#all.size === 0 ? null : [...this.#all.values()].join(" "));
  }
}
