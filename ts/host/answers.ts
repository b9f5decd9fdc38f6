/** Whose answer is whose: requests of browsers that were sent on and not answered yet. */
import type { Session } from "./session.ts";

export class Answers {
  readonly #waiting = new Map<string, Session>();

  /** False: another request of this id still waits. */
  expect(id: string, session: Session): boolean {
    if (this.#waiting.has(id)) return false;
    this.#waiting.set(id, session);
    return true;
  }

  /** The one that waits for this id, which waits no more. */
  take(id: string | null): Session | null {
    if (id === null) return null;
    const session = this.#waiting.get(id) ?? null;
    this.#waiting.delete(id);
    return session;
  }

  /** Ids that wait. */
  open(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** A browser is gone: its answers are nobody's. */
  forget(session: Session): void {
    for (const [id, waiting] of this.#waiting) if (waiting === session) this.#waiting.delete(id);
  }
}
