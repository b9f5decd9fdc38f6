/**
 * One paste, step by step (note 063 "Text other than ASCII"): the device's clipboard is read and kept on the disk before it is
 * set, and put back once the paste has landed, whatever happens in between. Says what to do next and is told how that went.
 */
export type PasteEffect =
  | { readonly do: "read-clipboard" }
  /** Keep this on the disk, so that a server that dies before it is put back does so at its next start. */
  | { readonly do: "keep"; readonly text: string }
  | { readonly do: "set-clipboard"; readonly text: string }
  | { readonly do: "press-paste" }
  | { readonly do: "wait"; readonly ms: number }
  /** Remove what was kept. */
  | { readonly do: "forget" }
  | { readonly do: "done"; readonly outcome: PasteOutcome };

export type PasteOutcome =
  | { readonly is: "pasted" }
  /** Given up before its key was pressed: nothing was pasted, and the clipboard is back. */
  | { readonly is: "abandoned" }
  | { readonly is: "failed"; readonly words: string };

export interface PasteWaits {
  /** From the paste key to putting the clipboard back. */
  readonly restoreAfterMs: number;
  /** From the paste key to the next key. */
  readonly holdKeysMs: number;
}

type Step = "reading" | "keeping" | "setting" | "pressing" | "waiting" | "restoring" | "resting" | "forgetting" | "holding" | "done";

/** How often the clipboard is put back before that is given up, and how long after one try the next comes. */
export const RESTORE_TRIES = 3;
export const RESTORE_AGAIN_MS = 1_000;

export class Paste {
  readonly #text: string;
  readonly #waits: PasteWaits;
  #saved: string | null;
  #step: Step = "reading";
  #outcome: PasteOutcome = { is: "pasted" };
  #abandoned = false;
  #tries = 0;
  /** The clipboard is not what it was even before this paste sets it. */
  readonly #owed: boolean;

  /** `kept`: what an earlier paste could not put back; it is what the clipboard really was. */
  constructor(text: string, waits: PasteWaits, kept: string | null = null) {
    this.#text = text;
    this.#waits = waits;
    this.#saved = kept;
    this.#owed = kept !== null;
  }

  /** From its begin to its done what the device's clipboard says is ours and is told to nobody. */
  get pausesSync(): boolean {
    return this.#step !== "done";
  }
  /** Was the key pressed? Then it is too late to give it up. */
  get pressed(): boolean {
    return this.#step !== "reading" && this.#step !== "keeping" && this.#step !== "setting";
  }

  begin(): PasteEffect {
    if (this.#saved === null) return { do: "read-clipboard" };
    this.#step = "keeping";
    return { do: "keep", text: this.#saved };
  }

  /** The last effect was done; `text` is what a read gave. */
  ok(text: string | null = null): PasteEffect {
    switch (this.#step) {
      case "reading":
        this.#saved = text ?? "";
        if (this.#abandoned) return this.#done();
        this.#step = "keeping";
        return { do: "keep", text: this.#saved };
      case "keeping":
        if (this.#abandoned) return this.#owed ? this.#restore() : this.#forget();
        this.#step = "setting";
        return { do: "set-clipboard", text: this.#text };
      case "setting":
        if (this.#abandoned) return this.#restore();
        this.#step = "pressing";
        return { do: "press-paste" };
      case "pressing":
        this.#step = "waiting";
        return { do: "wait", ms: this.#waits.restoreAfterMs };
      case "waiting":
      case "resting":
        return this.#restore();
      case "restoring":
        return this.#forget();
      case "forgetting":
        return this.#hold();
      case "holding":
      case "done":
        return this.#done();
    }
  }

  /** The last effect failed, in these words. */
  failed(words: string): PasteEffect {
    if (this.#step === "restoring" && this.#tries < RESTORE_TRIES) {
      this.#step = "resting";
      return { do: "wait", ms: RESTORE_AGAIN_MS };
    }
    const first = this.#outcome.is !== "failed";
    if (first) this.#outcome = { is: "failed", words };
    switch (this.#step) {
      case "reading":
        return this.#done();
      case "keeping":
        // Nothing was set. A half-written file is not there: it is renamed into place.
        return this.#done();
      case "setting":
      case "pressing":
      case "waiting":
      case "resting":
        // It may have been set all the same.
        return this.#restore();
      case "restoring":
        // The file stays: the next paste, or the next start, puts it back.
        if (first) this.#outcome = { is: "failed", words: `The device's clipboard could not be put back: ${words}` };
        return this.#done();
      case "forgetting":
      case "holding":
      case "done":
        return this.#done();
    }
  }

  /**
   * Control changed hands: give it up if its key has not been pressed. The effect under way ends first.
   * Answers whether it goes to its own end all the same, well or not: a key that may have been pressed cannot be said not to have been.
   */
  abandon(): boolean {
    if (this.pressed || this.#outcome.is !== "pasted") return this.#outcome.is !== "abandoned";
    this.#abandoned = true;
    this.#outcome = { is: "abandoned" };
    return false;
  }

  #restore(): PasteEffect {
    this.#step = "restoring";
    this.#tries += 1;
    return { do: "set-clipboard", text: this.#saved ?? "" };
  }

  #forget(): PasteEffect {
    this.#step = "forgetting";
    return { do: "forget" };
  }

  #hold(): PasteEffect {
    const left = this.#waits.holdKeysMs - this.#waits.restoreAfterMs;
    if (this.#outcome.is !== "pasted" || left <= 0) return this.#done();
    this.#step = "holding";
    return { do: "wait", ms: left };
  }

  #done(): PasteEffect {
    this.#step = "done";
    return { do: "done", outcome: this.#outcome };
  }
}

/** What a start does with a clipboard that an earlier server kept and did not put back. */
export function recoverClipboard(kept: string | null): readonly PasteEffect[] {
  return kept === null ? [] : [{ do: "set-clipboard", text: kept }, { do: "forget" }];
}
