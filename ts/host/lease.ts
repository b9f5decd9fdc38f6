/**
 * The box's lease: the one control connection, opened on first use and closed after ten idle minutes (note 063, "Where it listens").
 * A request that loses its connection is asked for again by its id, so it is never done twice and never forgotten.
 */
import { DeviceError } from "#core/errors.ts";
import type { Answer, ControlRequest } from "#wire/device.ts";
import { formatRequest } from "#wire/device.ts";
import { CONTROL_IDLE_MS, INSTALL_DEADLINE_MS, READ_BACK_DEADLINE_MS, RECONNECT_MS } from "#wire/limits.ts";
import type { ServerMessage } from "#wire/server-messages.ts";
import { connectBox, type DeviceConnection, type Lease as LeaseName } from "./device-connection.ts";
import type { Backend, Clock, Log } from "./ports.ts";
import { SUPERSEDED_WORDS, wordsOf } from "./words.ts";

export interface LeaseOptions {
  readonly box: string;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly log: Log;
  readonly name: LeaseName;
  readonly client: string;
  /** It is open: before any request of this connection is sent. `first`: of this instance. */
  readonly opened: (connection: DeviceConnection, first: boolean) => void;
  readonly message: (message: ServerMessage) => void;
  /** It could not be dialled. */
  readonly failed: (error: unknown) => void;
  /** A later instance has the lease; this one never asks for it again. */
  readonly superseded: () => void;
}

interface Pending {
  readonly request: ControlRequest;
  sent: boolean;
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
  readonly cancel: () => void;
}

interface Waiter {
  readonly once: boolean;
  readonly resolve: (connection: DeviceConnection) => void;
  readonly reject: (error: Error) => void;
}

/** The longest work and its read-back, and a little for the way. */
const REQUEST_MS = INSTALL_DEADLINE_MS + READ_BACK_DEADLINE_MS + 5_000;
/** How long a box that is away is tried for a request that waits. */
const AWAY_MS = 15_000;
const ASK_AGAIN_MS = 500;
const PENDING_MAX = 64;
const HOST_ENDS_WORDS = "The host is ending.";

export class BoxLease {
  readonly #options: LeaseOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #waiters = new Set<Waiter>();
  #connection: DeviceConnection | null = null;
  #dialling: AbortController | null = null;
  #cancelRedial: (() => void) | null = null;
  #cancelIdle: (() => void) | null = null;
  #awaySinceMs: number | null = null;
  #lastWords: string | null = null;
  #tries = 0;
  #first = true;
  #superseded = false;
  #closed = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get held(): boolean {
    return this.#connection?.open === true;
  }

  get superseded(): boolean {
    return this.#superseded;
  }

  get connection(): DeviceConnection | null {
    return this.#connection;
  }

  /** Opens it if it is not; nothing waits for it. */
  open(): void {
    if (this.#closed || this.#superseded) return;
    this.#rest();
    if (this.#connection === null) this.#dial();
  }

  /**
   * Resolves once it is open; rejects in words with what the last try said when that takes longer than this.
   * `once`: rejects with what the first try says.
   */
  ready(withinMs: number, once = false): Promise<DeviceConnection> {
    if (this.#connection?.open === true) return Promise.resolve(this.#connection);
    if (this.#superseded) return Promise.reject(new DeviceError("superseded", SUPERSEDED_WORDS));
    if (this.#closed) return Promise.reject(new DeviceError("failed", HOST_ENDS_WORDS));
    return new Promise((resolve, reject) => {
      const over = () => {
        cancel();
        this.#waiters.delete(waiter);
      };
      const waiter = {
        once,
        resolve: (connection: DeviceConnection) => {
          over();
          resolve(connection);
        },
        reject: (error: Error) => {
          over();
          reject(error);
        },
      };
      const cancel = this.#options.clock.after(withinMs, () =>
        waiter.reject(new DeviceError("failed", this.#lastWords ?? "The device server does not answer yet.")),
      );
      this.#waiters.add(waiter);
      this.#cancelRedial?.();
      this.#cancelRedial = null;
      this.#dial();
    });
  }

  /** Resolves with the answer, also a refusal. Rejects with DeviceError when nobody can answer. */
  request(request: ControlRequest): Promise<Answer> {
    if (this.#superseded) return Promise.reject(new DeviceError("superseded", SUPERSEDED_WORDS));
    if (this.#closed) return Promise.reject(new DeviceError("failed", HOST_ENDS_WORDS));
    if (this.#pending.has(request.id)) return Promise.reject(new DeviceError("in-progress", `The request ${request.id} still runs.`));
    if (this.#pending.size >= PENDING_MAX)
      return Promise.reject(new DeviceError("busy", `${PENDING_MAX} requests wait for this box already.`));
    return new Promise((settle, fail) => {
      const cancel = this.#options.clock.after(REQUEST_MS, () => {
        this.#pending.delete(request.id);
        fail(
          new DeviceError("outcome-unknown", "The device server did not answer in time. Read where the device is before you try again."),
        );
      });
      this.#pending.set(request.id, { request, sent: false, settle, fail, cancel });
      this.#cancelIdle?.();
      this.#cancelIdle = null;
      if (this.#connection?.open === true) this.#send(request.id);
      else this.#dial();
    });
  }

  /** Ends this connection; the next use opens another. */
  drop(): void {
    const connection = this.#connection;
    this.#connection = null;
    connection?.close();
  }

  /** Gives the lease up: the box is released, or the host ends. */
  close(): void {
    this.#closed = true;
    this.#end(new DeviceError("failed", HOST_ENDS_WORDS));
  }

  #send(id: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined || this.#connection === null) return;
    // A read that was cut off is simply asked again; what acts is asked for by its id.
    const again = pending.sent && remembered(pending.request);
    pending.sent = true;
    this.#connection.send(formatRequest(again ? { id, type: "result" } : pending.request));
  }

  #answered(answer: Answer): void {
    if (answer.id === null) return;
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    if (!answer.ok && answer.error.code === "in-progress" && remembered(pending.request)) {
      this.#options.clock.after(ASK_AGAIN_MS, () => this.#send(answer.id ?? ""));
      return;
    }
    this.#pending.delete(answer.id);
    pending.cancel();
    pending.settle(answer);
    this.#rest();
  }

  #dial(): void {
    if (this.#dialling !== null || this.#cancelRedial !== null || this.#connection !== null || this.#superseded || this.#closed) return;
    const { backend, name, client, log, box, opened, message, superseded } = this.#options;
    const abort = new AbortController();
    this.#dialling = abort;
    connectBox(backend, { role: "control", ...name }, client, abort.signal).then(
      (connection) => {
        if (this.#dialling !== abort) return connection.close();
        this.#dialling = null;
        this.#connection = connection;
        this.#awaySinceMs = null;
        this.#lastWords = null;
        this.#tries = 0;
        const first = this.#first;
        this.#first = false;
        opened(connection, first);
        for (const id of this.#pending.keys()) this.#send(id);
        for (const waiter of this.#waiters) waiter.resolve(connection);
        this.#rest();
        connection.listen({
          text: (_raw, said) => {
            if (said.kind === "answer") this.#answered(said.answer);
            message(said);
          },
          closed: (why) => {
            if (this.#connection !== connection) return;
            this.#connection = null;
            if (why.superseded) {
              this.#superseded = true;
              log("info", `Box ${box}: a later bb-box took the lease.`);
              this.#end(new DeviceError("superseded", SUPERSEDED_WORDS));
              superseded();
            } else this.#redial(why.words);
          },
        });
      },
      (error: unknown) => {
        if (this.#dialling !== abort) return;
        this.#dialling = null;
        this.#options.failed(error);
        this.#redial(wordsOf(error));
      },
    );
  }

  #redial(words: string): void {
    const { clock } = this.#options;
    this.#lastWords = words;
    for (const waiter of this.#waiters) if (waiter.once) waiter.reject(new DeviceError("failed", words));
    if (this.#pending.size === 0 && this.#waiters.size === 0) return void (this.#awaySinceMs = null);
    this.#awaySinceMs ??= clock.now();
    if (clock.now() - this.#awaySinceMs >= AWAY_MS) {
      this.#awaySinceMs = null;
      for (const [id, pending] of this.#pending) {
        this.#pending.delete(id);
        pending.cancel();
        const acted = pending.sent && remembered(pending.request);
        pending.fail(
          acted
            ? new DeviceError(
                "outcome-unknown",
                `The box went away before it answered: ${words} Read where the device is before you try again.`,
              )
            : new DeviceError("failed", words),
        );
      }
      if (this.#waiters.size === 0) return;
    }
    const waitMs = RECONNECT_MS[Math.min(this.#tries, RECONNECT_MS.length - 1)] ?? 4_000;
    this.#tries++;
    this.#cancelRedial = clock.after(waitMs, () => {
      this.#cancelRedial = null;
      this.#dial();
    });
  }

  /** Ten minutes from the last use. */
  #rest(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = null;
    if (this.#pending.size > 0) return;
    this.#cancelIdle = this.#options.clock.after(CONTROL_IDLE_MS, () => {
      this.#cancelIdle = null;
      const connection = this.#connection;
      this.#connection = null;
      connection?.close();
    });
  }

  #end(error: DeviceError): void {
    this.#cancelIdle?.();
    this.#cancelRedial?.();
    this.#cancelIdle = this.#cancelRedial = null;
    this.#dialling?.abort();
    this.#dialling = null;
    for (const pending of this.#pending.values()) {
      pending.cancel();
      pending.fail(error);
    }
    this.#pending.clear();
    for (const waiter of this.#waiters) waiter.reject(error);
    const connection = this.#connection;
    this.#connection = null;
    connection?.close();
  }
}

/** Are answers to it kept by the server (protocols 1)? */
function remembered(request: ControlRequest): boolean {
  switch (request.type) {
    case "screenshot":
    case "tree":
    case "settle":
    case "stats":
    case "result":
      return false;
    default:
      return true;
  }
}
