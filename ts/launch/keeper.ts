/** Keeps one child process up: started, started again within a second when it ends, given up in words, and ended in order. */
import type { Command, Ended, Running, Spawn } from "./process.ts";
import type { Timers } from "./timers.ts";

export interface KeeperOptions {
  /** In words: "the device server". */
  readonly name: string;
  /** Asked for at each start: what was found out since (a port) may be in it. */
  readonly command: () => Command;
  readonly spawn: Spawn;
  readonly timers: Timers;
  /** A message that says it is ready; null for any other message. */
  readonly ready: (message: unknown) => unknown;
  readonly line?: (line: string) => void;
  /** It was started, or started again; null is the end of one. */
  readonly changed?: (pid: number | null) => void;
  /** Exit codes after which starting it again is no use, each with its words. */
  readonly fatal?: ReadonlyMap<number, string>;
}

/** The first restart waits this long, each further one within the window twice that, at most the last. */
const RESTART_FIRST_MS = 100;
const RESTART_MOST_MS = 800;
/** So many ends within the window and it is given up: the same rule as its service's under systemd. */
const ENDS_MOST = 10;
const ENDS_WINDOW_MS = 60_000;
/** From SIGTERM to SIGKILL. */
const KILL_AFTER_MS = 1_500;
const LAST_LINES = 5;

export class GivenUpError extends Error {
  /** The exit code when it ended by one that starting again cannot help. */
  readonly code: number | null;
  constructor(words: string, code: number | null) {
    super(words);
    this.name = "GivenUpError";
    this.code = code;
  }
}

/** `ready` resolves with the first ready message; `gone` rejects with GivenUpError, and resolves when it was ended by `stop`. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly ready: Promise<unknown>;
  readonly gone: Promise<void>;
  #resolveReady: (message: unknown) => void = () => {};
  #rejectReady: (error: Error) => void = () => {};
  #resolveGone: () => void = () => {};
  #rejectGone: (error: Error) => void = () => {};
  #running: Running | null = null;
  #cancelRestart: (() => void) | null = null;
  #stopping = false;
  #over = false;
  #ends: number[] = [];
  #last: string[] = [];

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.gone = new Promise((resolve, reject) => {
      this.#resolveGone = resolve;
      this.#rejectGone = reject;
    });
    // Each may be left unread by its owner without ending the process.
    this.ready.catch(() => {});
    this.gone.catch(() => {});
  }

  get pid(): number | null {
    return this.#running?.pid ?? null;
  }

  start(): void {
    if (this.#running !== null || this.#stopping || this.#over) return;
    const { spawn, command, ready, line, changed } = this.#options;
    const running = spawn(command(), {
      line: (text) => {
        this.#last = [...this.#last, text].slice(-LAST_LINES);
        line?.(text);
      },
      message: (message) => {
        const said = ready(message);
        if (said !== null && said !== undefined) this.#resolveReady(said);
      },
    });
    this.#running = running;
    changed?.(running.pid);
    void running.ended.then((ended) => this.#ended(ended));
  }

  /** SIGTERM, then SIGKILL after a bound; resolves when nothing of its group runs. */
  async stop(killAfterMs = KILL_AFTER_MS): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart?.();
    this.#cancelRestart = null;
    const running = this.#running;
    if (running !== null) {
      running.signal("SIGTERM");
      const cancel = this.#options.timers.after(killAfterMs, () => running.signal("SIGKILL"));
      await running.ended;
      cancel();
      // What the child itself left in its group has no owner any more.
      running.signal("SIGKILL");
    }
    if (this.#over) return;
    this.#over = true;
    this.#rejectReady(new GivenUpError(`${capital(this.#options.name)} was ended before it was ready.`, null));
    this.#resolveGone();
  }

  #ended(ended: Ended): void {
    const { name, timers, changed, fatal } = this.#options;
    this.#running = null;
    changed?.(null);
    if (this.#stopping || this.#over) return;
    const known = ended.code === null ? undefined : fatal?.get(ended.code);
    if (known !== undefined) return this.#giveUp(known, ended.code);
    if (ended.error !== undefined) return this.#giveUp(`${capital(name)} could not be started: ${ended.error.message}.`, null);
    const now = timers.now();
    this.#ends = [...this.#ends.filter((at) => now - at < ENDS_WINDOW_MS), now];
    if (this.#ends.length >= ENDS_MOST) {
      const said = this.#last.length === 0 ? "" : ` It said last: ${this.#last.join(" / ")}`;
      return this.#giveUp(
        `${capital(name)} ended ${ENDS_MOST} times in a minute (${how(ended)}), so it is not started again.${said}`,
        ended.code,
      );
    }
    const waitMs = Math.min(RESTART_FIRST_MS * 2 ** (this.#ends.length - 1), RESTART_MOST_MS);
    this.#cancelRestart = timers.after(waitMs, () => {
      this.#cancelRestart = null;
      this.start();
    });
  }

  #giveUp(words: string, code: number | null): void {
    this.#over = true;
    const error = new GivenUpError(words, code);
    this.#rejectReady(error);
    this.#rejectGone(error);
  }
}

function how(ended: Ended): string {
  return ended.signal === null ? `exit code ${ended.code ?? "unknown"}` : ended.signal;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
