/** While Details is open, asks the device server how long a picture takes, stage by stage. */
import { newId } from "#viewer/stream/requests.ts";
import type { PanelModel } from "./model.ts";
import type { Session } from "./session.ts";

const EVERY_MS = 2000;

export interface StatsPollDeps {
  readonly session: () => Session | null;
  readonly after: (ms: number, run: () => void) => () => void;
}

export class StatsPoll {
  readonly #deps: StatsPollDeps;
  #open = false;
  #cancel: (() => void) | null = null;

  constructor(deps: StatsPollDeps) {
    this.#deps = deps;
  }

  /** What is open now. */
  saw(model: PanelModel): void {
    const open = model.popover === "details" || (model.popover === "more" && model.page === "details");
    if (open === this.#open) return;
    this.#open = open;
    if (open) void this.#ask();
    else this.stop();
  }

  stop(): void {
    this.#open = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  async #ask(): Promise<void> {
    const session = this.#deps.session();
    const outcome = await session?.ask({ id: newId(), type: "stats" });
    if (!this.#open || session !== this.#deps.session()) return;
    // A server that gives none, or a lost connection, leaves what was known.
    if (outcome?.ok === true && outcome.answer.stats !== undefined) session?.update({ stats: outcome.answer.stats });
    this.#cancel = this.#deps.after(EVERY_MS, () => void this.#ask());
  }
}
