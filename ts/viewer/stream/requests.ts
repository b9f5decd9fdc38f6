/** Requests that wait for their answer: each is answered once, or settles with a reason in words. */
import type { Answer, AnswerOk, InputRequest } from "#wire/device.ts";

/** What gets exactly one answer; a touch gets one only when it is refused. */
export type AnsweredRequest = Exclude<InputRequest, { readonly type: "touch" }>;

/** Why a request came to nothing. `words` are shown as they are; null where the panel has its own sentence. */
export type Refusal = { readonly why: "refused"; readonly words: string } | { readonly why: "not-connected" | "lost" | "no-answer" };
export type Outcome = { readonly ok: true; readonly answer: AnswerOk } | { readonly ok: false; readonly refusal: Refusal };

interface Waiting {
  readonly settle: (outcome: Outcome) => void;
  readonly cancel: () => void;
}

/** The server's own deadlines are shorter, so that this only speaks when the server cannot. ms. */
const SLOWEST_MS = { switch: 130_000, other: 20_000 };

export interface RequestsDeps {
  /** False when there is no connection. */
  readonly send: (request: AnsweredRequest) => boolean;
  readonly after: (ms: number, run: () => void) => () => void;
}

export class Requests {
  readonly #deps: RequestsDeps;
  readonly #waiting = new Map<string, Waiting>();

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  /** Sends a request and gives its outcome; never rejects. */
  ask(request: AnsweredRequest): Promise<Outcome> {
    const { id } = request;
    if (!this.#deps.send(request)) return Promise.resolve({ ok: false, refusal: { why: "not-connected" } });
    return new Promise((resolve) => {
      const slow = request.type === "control" && request.control.action === "switch";
      const cancel = this.#deps.after(slow ? SLOWEST_MS.switch : SLOWEST_MS.other, () =>
        this.#settle(id, { ok: false, refusal: { why: "no-answer" } }),
      );
      this.#waiting.set(id, { settle: resolve, cancel });
    });
  }

  /** An answer from the server. True when it was asked for here. */
  answered(answer: Answer): boolean {
    if (answer.id === null) return false;
    return this.#settle(
      answer.id,
      answer.ok ? { ok: true, answer } : { ok: false, refusal: { why: "refused", words: answer.error.words } },
    );
  }

  /** The connection ended: nobody will answer. */
  lost(): void {
    for (const id of this.#waiting.keys()) this.#settle(id, { ok: false, refusal: { why: "lost" } });
  }

  #settle(id: string, outcome: Outcome): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    waiting.cancel();
    waiting.settle(outcome);
    return true;
  }
}

/** A new version 4 UUID, for requests and for this viewer. Pages without HTTPS have no randomUUID. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const set = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return set.toString(16).padStart(2, "0");
  }).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
