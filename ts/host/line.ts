/** One connection to a device server that is wanted for as long as somebody needs it: dialled, watched, dialled again. */
import { RECONNECT_MS } from "#wire/limits.ts";
import type { ServerMessage } from "#wire/server-messages.ts";
import { connectBox, type DeviceConnection } from "./device-connection.ts";
import type { Backend, Clock } from "./ports.ts";

export interface LineOptions {
  readonly role: "viewer" | "input";
  readonly backend: Backend;
  readonly clock: Clock;
  readonly client: string;
  readonly up: (connection: DeviceConnection) => void;
  readonly text: (raw: string, message: ServerMessage) => void;
  readonly video?: (message: Uint8Array) => void;
  /** It was up and is not any more. */
  readonly down: (why: { readonly superseded: boolean; readonly words: string }) => void;
  /** It could not be dialled; it is tried again. */
  readonly failed: (error: unknown) => void;
}

export class Line {
  readonly #options: LineOptions;
  #connection: DeviceConnection | null = null;
  #dialling: AbortController | null = null;
  #cancelRedial: (() => void) | null = null;
  #unwatch: (() => void) | null = null;
  readonly #waiting = new Set<(up: boolean) => void>();
  #tries = 0;
  /** Told to dial while it dialled: what it waits to hear may be older than the word. */
  #toldAgain = false;
  #wanted = false;
  #superseded = false;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  get connection(): DeviceConnection | null {
    return this.#connection;
  }

  /** Wanted: dialled until it is up. Not wanted: ended. */
  want(on: boolean): void {
    if (on === this.#wanted) return;
    this.#wanted = on;
    if (on) {
      this.#superseded = false;
      this.#tries = 0;
      this.#unwatch = this.#options.backend.watch?.(() => this.now()) ?? null;
      this.#dial();
      return;
    }
    this.#answerWaiting(false);
    this.#unwatch?.();
    this.#unwatch = null;
    this.#anew();
    this.#dialling?.abort();
    this.#dialling = null;
    const connection = this.#connection;
    this.#connection = null;
    connection?.close();
  }

  /**
   * Dial at once, beside the tries by the clock, which go on as they were; a line that a newer client took is not won back by this.
   * Said while it dials, it dials once more if that fails.
   */
  now(): void {
    if (!this.#wanted || this.#superseded || this.#connection !== null) return;
    if (this.#dialling === null) this.#dial();
    else this.#toldAgain = true;
  }

  /** True once it is up; false when that takes longer, or it is not wanted any more. */
  ready(withinMs: number): Promise<boolean> {
    if (this.#connection?.open === true) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(withinMs, () => done(false));
      const done = (up: boolean) => {
        cancel();
        this.#waiting.delete(done);
        resolve(up);
      };
      this.#waiting.add(done);
    });
  }

  /** A person asked for it anew: also after a newer client took it. */
  revive(): void {
    this.#superseded = false;
    this.#anew();
    this.now();
  }

  /** End this connection, so that the server lifts what it held, and dial again. */
  restart(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#connection = null;
    connection.close();
    this.#anew();
    this.now();
  }

  send(text: string): boolean {
    if (this.#connection?.open !== true) return false;
    this.#connection.send(text);
    return true;
  }

  #dial(): void {
    const { role, backend, client, up, text, video, down, failed } = this.#options;
    const abort = new AbortController();
    this.#dialling = abort;
    connectBox(backend, { role }, client, abort.signal).then(
      (connection) => {
        if (this.#dialling !== abort) return connection.close();
        this.#dialling = null;
        this.#anew();
        this.#connection = connection;
        up(connection);
        this.#answerWaiting(true);
        const mine = () => this.#connection === connection;
        connection.listen({
          text: (raw, message) => {
            if (mine()) text(raw, message);
          },
          video: (message) => {
            if (mine()) video?.(message);
          },
          closed: (why) => {
            if (!mine()) return;
            this.#connection = null;
            this.#superseded = why.superseded;
            down(why);
            if (!why.superseded) this.#redial();
          },
        });
      },
      (error: unknown) => {
        if (this.#dialling !== abort) return;
        this.#dialling = null;
        failed(error);
        const again = this.#toldAgain;
        this.#toldAgain = false;
        if (again) this.now();
        this.#redial();
      },
    );
  }

  #answerWaiting(up: boolean): void {
    for (const done of this.#waiting) done(up);
  }

  /** The tries by the clock begin again. */
  #anew(): void {
    this.#tries = 0;
    this.#toldAgain = false;
    this.#cancelRedial?.();
    this.#cancelRedial = null;
  }

  #redial(): void {
    if (!this.#wanted || this.#cancelRedial !== null) return;
    const waitMs = RECONNECT_MS[Math.min(this.#tries, RECONNECT_MS.length - 1)] ?? 4_000;
    this.#tries++;
    this.#cancelRedial = this.#options.clock.after(waitMs, () => {
      this.#cancelRedial = null;
      if (this.#dialling === null) this.now();
    });
  }
}
