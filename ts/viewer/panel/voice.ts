/** Speaks to screen readers: one polite region, in which the newest replaces what is not yet read, and an assertive one for refusals. */
import type { Messages } from "#viewer/i18n/messages.ts";
import { sayings } from "./announcer.ts";
import type { PanelModel, Toast } from "./model.ts";

/** Just after loading only the device's state is news. ms. */
const QUIET_MS = 1000;

export class Voice {
  readonly #root: () => ParentNode;
  readonly #now: () => number;
  #beganAtMs = 0;

  constructor(root: () => ParentNode, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** A port was set: what comes first is not news. */
  begins(): void {
    this.#beganAtMs = this.#now();
  }

  change(before: PanelModel, after: PanelModel, t: Messages): void {
    const said = sayings(before, after, t);
    const early = this.#now() - this.#beganAtMs < QUIET_MS;
    const heard = early ? said.filter((saying) => saying.kind === "power") : said;
    if (heard.length > 0) this.#speak(".said[role=status]", heard.map((saying) => saying.words).join(" "));
  }

  toast(toast: Toast): void {
    this.#speak(toast.refusal ? ".said[role=alert]" : ".said[role=status]", toast.words);
  }

  #speak(region: string, words: string): void {
    const found = this.#root().querySelector(region);
    if (found !== null) found.textContent = words;
  }
}
