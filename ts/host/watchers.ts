/** The browsers on one box: told together, greeted when the device server is there, told why when it is not. */
import type { Latency } from "#relay/latency.ts";
import type { Clock } from "./ports.ts";
import type { Session } from "./session.ts";

/** A browser waits this long for a device server that is away before it is told why. */
const AWAY_MS = 3_000;
/** And this long for one of which nothing is known yet: a first ssh connection takes its time. */
const SLOW_MS = 15_000;
/** The browser connects again by itself. */
export const CLOSE_AWAY = 1013;
/** Browsers on one box. */
const SESSIONS_MAX = 64;

export class Watchers {
  readonly #clock: Clock;
  /** Why the box is away, in words; null while that is not known. */
  readonly #away: () => string | null;
  readonly #sessions = new Map<Session, (() => void) | null>();

  constructor(clock: Clock, away: () => string | null) {
    this.#clock = clock;
    this.#away = away;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get full(): boolean {
    return this.#sessions.size >= SESSIONS_MAX;
  }

  /** Does one of them show stills? */
  get stills(): boolean {
    for (const session of this.#sessions.keys()) if (session.stills) return true;
    return false;
  }

  add(session: Session): void {
    this.#sessions.set(session, null);
  }

  /** False: it was not here. */
  remove(session: Session): boolean {
    this.#sessions.get(session)?.();
    return this.#sessions.delete(session);
  }

  /** Closes it in words unless it is greeted in time. */
  wait(session: Session, sinceMs = this.#clock.now()): void {
    const cancel = this.#clock.after(AWAY_MS, () => {
      const why = this.#away();
      if (why === null && this.#clock.now() - sinceMs < SLOW_MS) return this.wait(session, sinceMs);
      session.close(CLOSE_AWAY, why ?? "The device server does not answer yet.");
    });
    this.#sessions.set(session, cancel);
  }

  /** The device server is there. */
  greet(texts: readonly string[]): void {
    for (const [session, cancel] of this.#sessions) {
      cancel?.();
      this.#sessions.set(session, null);
      session.greet(texts);
    }
  }

  each(run: (session: Session) => void): void {
    for (const session of this.#sessions.keys()) run(session);
  }

  latencies(): readonly Latency[] {
    return [...this.#sessions.keys()].flatMap((session) => session.latency() ?? []);
  }

  close(code: number, words: string): void {
    this.each((session) => session.close(code, words));
  }
}
