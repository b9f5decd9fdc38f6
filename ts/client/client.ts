/** A typed client of one device server, over a unix socket or any duplex stream (a child's stdio, an SSH channel). */
import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, type RawData } from "ws";
import { DeviceError } from "#core/errors.ts";
import { formatRequest, type AnswerOk, type AnyRequest, type Answer, type Hello } from "#wire/device.ts";
import { decodeVideoHeader, VIDEO_HEADER_BYTES, type VideoHeader } from "#wire/frame.ts";
import { CLOSE_SUPERSEDED, PING_INTERVAL_MS, PONG_TIMEOUT_MS } from "#wire/limits.ts";
import { formatAck } from "#wire/selkies.ts";
import { parseServerMessage, type ServerMessage } from "#wire/server-messages.ts";

/** A screenshot of the largest panel in base64, with room. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** Longer than the longest deadline of the server, which answers every request by itself. */
const ANSWER_MS = 330_000;

export type ClientRole =
  | { readonly role: "viewer" | "input" }
  | {
      readonly role: "control";
      /** A uuid, and when this instance started in wall-clock ms: the later one has the lease. */
      readonly instance: string;
      readonly since: number;
    };

export type ClientRoute = { readonly socket: string } | { readonly duplex: Duplex };

export type ClientOptions = ClientRole &
  ClientRoute & {
    /** Said to the server for its log. */
    readonly client?: string;
    readonly signal?: AbortSignal;
  };

export interface Unit extends VideoHeader {
  /** One access unit, Annex B. */
  readonly data: Uint8Array;
  /** The whole message, header and unit. */
  readonly message: Uint8Array;
}

export interface Closed {
  readonly code: number;
  readonly reason: string;
  /** Another took this one's place: do not connect again by itself. */
  readonly superseded: boolean;
}

/** What is heard. HELLO is in `hello`, answers go to their requests. */
export interface ClientEvents {
  readonly message?: (message: ServerMessage, text: string) => void;
  readonly unit?: (unit: Unit) => void;
  readonly closed?: (closed: Closed) => void;
}

/** The server could not be reached, or went away. `requestId`: of a request whose answer is lost; ask for it with `result`. */
export class ConnectionError extends Error {
  readonly requestId: string | null;
  constructor(words: string, requestId: string | null = null, options?: ErrorOptions) {
    super(words, options);
    this.name = "ConnectionError";
    this.requestId = requestId;
  }
}

type WithoutId<R> = R extends { readonly id?: string } ? Omit<R, "id"> : never;
/** A request as a caller writes it: the id is made here unless given. */
export type RequestBody = WithoutId<AnyRequest> & { readonly id?: string };

interface Waiting {
  readonly resolve: (answer: AnswerOk) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Resolves once HELLO is here. Rejects with ConnectionError in words. */
export function connectDevice(options: ClientOptions, events: ClientEvents = {}): Promise<DeviceClient> {
  return new Promise((resolve, reject) => {
    const client: DeviceClient = new DeviceClient(options, events, (error) => (error === null ? resolve(client) : reject(error)));
  });
}

export class DeviceClient {
  readonly #socket: WebSocket;
  readonly #events: ClientEvents;
  readonly #waiting = new Map<string, Waiting>();
  #settle: ((error: Error | null) => void) | null;
  #hello: Hello | null = null;
  #closed: Closed | null = null;
  #failure: string | null = null;
  #liveness: NodeJS.Timeout | null = null;

  /** Use connectDevice. */
  constructor(options: ClientOptions, events: ClientEvents, settle: (error: Error | null) => void) {
    this.#events = events;
    const timer = setTimeout(() => {
      this.#failure = `The device server did not answer within ${CONNECT_MS / 1000} s.`;
      this.#socket.terminate();
    }, CONNECT_MS);
    this.#settle = (error) => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", abort);
      this.#settle = null;
      settle(error);
    };
    const heard = { bytes: "" };
    this.#socket = new WebSocket(`ws://device${pathOf(options)}`, {
      createConnection: () => routeOf(options),
      perMessageDeflate: false,
      maxPayload: MESSAGE_BYTES_MAX,
      handshakeTimeout: CONNECT_MS,
      finishRequest: (request: ClientRequest) => {
        request.on("socket", (socket) => socket.prependListener("data", tap));
        request.once("upgrade", (_response, socket: Duplex) => socket.off("data", tap));
        request.end();
      },
    });
    function tap(chunk: Buffer): void {
      if (heard.bytes.length < 300) heard.bytes += chunk.toString("utf8").slice(0, 300);
    }
    const abort = (): void => {
      this.#failure = "The connection was given up.";
      this.#socket.terminate();
    };
    options.signal?.addEventListener("abort", abort, { once: true });
    if (options.signal?.aborted === true) queueMicrotask(abort);
    this.#socket.on("unexpected-response", (_request, response: IncomingMessage) => {
      void wordsOfResponse(response).then((words) => {
        this.#failure = words;
        this.#socket.terminate();
      });
    });
    this.#socket.on("message", (data: RawData, binary: boolean) => this.#heard(data, binary));
    this.#socket.on("error", (error: NodeJS.ErrnoException) => (this.#failure ??= failureWords(error, heard.bytes)));
    this.#socket.on("close", (code, reason) => this.#ended(code, reason.toString("utf8")));
    this.#socket.on("ping", () => this.#alive());
    this.#socket.on("open", () => this.#alive());
  }

  get hello(): Hello {
    if (this.#hello === null) throw new Error("HELLO has not come yet.");
    return this.#hello;
  }

  get open(): boolean {
    return this.#closed === null && this.#socket.readyState === WebSocket.OPEN;
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** One text as it is: a Selkies verb, or a request whose answer the caller reads from `message`. */
  send(text: string): void {
    if (this.open) this.#socket.send(text);
  }

  /** Everything up to this unit has been drawn. */
  ack(id: number): void {
    this.send(formatAck(id));
  }

  /** One request, one answer. Rejects with the server's DeviceError, or with ConnectionError when the answer is lost. */
  request(body: RequestBody): Promise<AnswerOk> {
    const id = body.id ?? randomUUID();
    if (!this.open) return Promise.reject(new ConnectionError(this.#failure ?? "The connection to the device server is closed.", id));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new ConnectionError("The device server has not answered.", id));
      }, ANSWER_MS);
      timer.unref();
      this.#waiting.set(id, { resolve, reject, timer });
      this.#socket.send(formatRequest({ ...body, id } as AnyRequest));
    });
  }

  /** Resolves when the connection has ended. */
  close(): Promise<void> {
    if (this.#closed !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#socket.once("close", () => resolve());
      this.#socket.close(1000);
    });
  }

  /** Ends without a word. */
  terminate(): void {
    this.#socket.terminate();
  }

  #alive(): void {
    if (this.#liveness !== null) clearTimeout(this.#liveness);
    this.#liveness = setTimeout(
      () => {
        this.#failure ??= "The device server fell silent.";
        this.#socket.terminate();
      },
      2 * (PING_INTERVAL_MS + PONG_TIMEOUT_MS),
    );
    this.#liveness.unref();
  }

  #heard(data: RawData, binary: boolean): void {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);
    this.#alive();
    if (binary) {
      const header = decodeVideoHeader(bytes);
      if (header !== null) this.#events.unit?.({ ...header, data: bytes.subarray(VIDEO_HEADER_BYTES), message: bytes });
      return;
    }
    const text = bytes.toString("utf8");
    const message = parseServerMessage(text);
    if (message.kind === "hello") {
      this.#hello = message.hello;
      this.#settle?.(null);
    }
    if (message.kind === "bad" && message.verb === "BB_DEVICE_HELLO" && this.#hello === null) {
      this.#failure = `The device server's HELLO cannot be read: ${message.words}`;
      this.#socket.terminate();
      return;
    }
    if (message.kind === "answer") this.#answered(message.answer);
    this.#events.message?.(message, text);
  }

  #answered(answer: Answer): void {
    const waiting = answer.id === null ? undefined : this.#waiting.get(answer.id);
    if (waiting === undefined || answer.id === null) return;
    clearTimeout(waiting.timer);
    this.#waiting.delete(answer.id);
    if (answer.ok) waiting.resolve(answer);
    else waiting.reject(new DeviceError(answer.error.code, answer.error.words));
  }

  #ended(code: number, reason: string): void {
    if (this.#liveness !== null) clearTimeout(this.#liveness);
    this.#closed = { code, reason, superseded: code === CLOSE_SUPERSEDED };
    const words = this.#failure ?? (reason === "" ? "The device server closed the connection." : reason);
    this.#settle?.(new ConnectionError(words));
    for (const [id, waiting] of this.#waiting) {
      clearTimeout(waiting.timer);
      waiting.reject(new ConnectionError(words, id));
    }
    this.#waiting.clear();
    this.#events.closed?.(this.#closed);
  }
}

function pathOf(options: ClientOptions): string {
  const query = new URLSearchParams({ role: options.role });
  if (options.role === "control") {
    query.set("instance", options.instance);
    query.set("since", String(options.since));
  }
  if (options.client !== undefined) query.set("client", options.client);
  return `/device?${query.toString()}`;
}

function routeOf(options: ClientRoute): Duplex {
  return "socket" in options ? connect(options.socket) : options.duplex;
}

async function wordsOfResponse(response: IncomingMessage): Promise<string> {
  let body = "";
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > 1000) break;
    }
  } catch {
    // Cut short: what came is enough.
  }
  const words = body.trim();
  return words === "" ? `The device server refused the connection (HTTP ${response.statusCode ?? "?"}).` : words;
}

function failureWords(error: NodeJS.ErrnoException, heard: string): string {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return "No device server listens there. Start one with: bb-box-device serve.";
    case "EACCES":
    case "EPERM":
      return "That device server's socket belongs to another user.";
  }
  if (error.code?.startsWith("HPE_") === true && heard !== "")
    return `What answered is no device server. It began with: ${JSON.stringify(heard.slice(0, 200))}`;
  return `The connection to the device server failed: ${error.message}`;
}
