/** The messages of every connection: one dispatcher, and one table of what each request does (protocols 1). */
import { asDeviceError, badValue, DeviceError, outcomeUnknown, unknownRequest } from "#core/errors.ts";
import { takes } from "#core/supports.ts";
import { stateWords } from "#core/words.ts";
import {
  formatAnswer,
  parseControlMessage,
  parseInputMessage,
  parseViewerMessage,
  type AnswerOk,
  type AnyRequest,
  type Answer,
  type Bad,
} from "#wire/device.ts";
import { SELKIES_SERVER, type SelkiesInputMessage, type SelkiesViewerMessage } from "#wire/selkies.ts";
import type { Seat } from "#wire/unit-hub.ts";
import type { Connection } from "./listener.ts";
import { RequestBook, type Asked, type Source } from "./rules/requests.ts";
import type { Sessions } from "./sessions.ts";
import type { StateBook } from "./state-book.ts";
import type { Stills } from "./video/stills.ts";
import type { VideoStream } from "./video/stream.ts";

/** What an answer carries beside its state and its time. */
export type Extra = Omit<AnswerOk, "id" | "ok" | "state" | "ms">;
type Of<T extends AnyRequest["type"]> = Extract<AnyRequest, { readonly type: T }>;
/** Rejects with a DeviceError. `ms` of the answer is the time until it resolves, unless it tells its own. */
type Handler<R> = (request: R, from: Connection) => Promise<Extra & { readonly tookMs?: number }>;

/** One row for each request there is. */
export type Handlers = { readonly [T in Exclude<AnyRequest["type"], "result" | "touch">]: Handler<Of<T>> } & {
  /** Answered only when refused. */
  readonly touch: (request: Of<"touch">, from: Connection) => DeviceError | null;
};

export interface DeskParts {
  readonly sessions: Sessions;
  readonly book: StateBook;
  readonly stream: VideoStream;
  readonly stills: Stills;
  readonly handlers: Handlers;
  /** A pointer, a key or committed text of the input connection. */
  readonly person: (message: Exclude<SelkiesInputMessage, { readonly kind: "ignored" }>) => void;
  /** Why this is refused at once, before it waits for anything; null: it may go on. */
  readonly refusal: (request: Remembered) => DeviceError | null;
  /** Requests that were begun before this server started, and the switch that it carries on. */
  readonly earlier: { readonly begun: readonly string[]; readonly switching: { readonly id: string; readonly to: string } | null };
  /** This request begins now: after a crash it is not done again. */
  readonly began: (id: string) => void;
  readonly nowMs: () => number;
  /** Somebody connected, left, or began or stopped to watch. */
  readonly changed: () => void;
}

/** Asked for again after a lost connection, so remembered; a read is simply made again. */
const REMEMBERED = ["control", "input", "text", "paste", "owner", "record", "open"] as const satisfies readonly AnyRequest["type"][];
export type Remembered = Extract<AnyRequest, { readonly type: (typeof REMEMBERED)[number] }>;
/** Reads of one connection that may be under way. */
const READS_MAX = 256;

export class Desk {
  readonly #parts: DeskParts;
  readonly #requests: RequestBook<Answer>;
  /** Controls that wait for their turn, by id. */
  readonly #waiting = new Map<string, { readonly request: Remembered; readonly from: Connection }>();
  readonly #reads = new Map<Connection, number>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#requests = new RequestBook<Answer>({ ...parts.earlier, model: () => parts.book.state.model });
  }

  /** The switch of an earlier server that this one carried on has ended; its asker may ask for the result. */
  carriedOn(id: string, error: DeviceError | null): void {
    this.#requests.carriedOn(error === null ? { id, ok: true, state: this.#parts.book.state, ms: 0 } : failure(id, error));
  }

  /** What this source has waiting is never begun; each is answered. */
  drop(source: Source, error: DeviceError): void {
    for (const { asked, answer } of this.#requests.drop(source, ({ id }) => failure(id, error))) {
      this.#waiting.get(asked.id)?.from.send(formatAnswer(answer));
      this.#waiting.delete(asked.id);
    }
  }

  /** A connection that has its HELLO; from here on it is heard. */
  connected(connection: Connection): void {
    if (connection.hello.role === "viewer") this.#viewer(connection);
    else if (connection.hello.role === "input") this.#input(connection);
    else
      connection.onText = (text) => {
        const message = parseControlMessage(text);
        if (message.kind === "request") this.#request(message.request, connection);
        else if (message.kind === "bad") this.#bad(message, connection);
      };
  }

  left(connection: Connection): void {
    this.#reads.delete(connection);
  }

  #viewer(connection: Connection): void {
    const { stream, stills, changed } = this.#parts;
    const seat = stream.join(connection);
    const leave = connection.onClose;
    connection.onClose = () => {
      seat.leave();
      stills.stop(connection);
      leave();
    };
    seat.resume();
    changed();
    connection.onText = (text) => {
      const message = parseViewerMessage(text);
      if (message.kind === "request") this.#request(message.request, connection);
      else if (message.kind === "bad") this.#bad(message, connection);
      else {
        this.#watch(message, connection, seat);
        if (message.kind !== "ack" && message.kind !== "ignored") changed();
      }
    };
  }

  #watch(message: SelkiesViewerMessage, connection: Connection, seat: Seat): void {
    const { stills } = this.#parts;
    switch (message.kind) {
      case "start-video":
        stills.stop(connection);
        connection.send(SELKIES_SERVER.started);
        return seat.resume();
      case "stop-video":
        seat.pause();
        connection.send(SELKIES_SERVER.stopped);
        return;
      case "keyframe":
        return seat.requestKey();
      case "ack":
        seat.acked(message.id);
        return;
      case "start-stills":
        seat.pause();
        return stills.start(connection);
      case "stop-stills":
        return stills.stop(connection);
      case "settings":
      case "ignored":
        return;
    }
  }

  #input(connection: Connection): void {
    connection.onText = (text) => {
      if (this.#parts.sessions.input !== connection) return;
      const message = parseInputMessage(text);
      if (message.kind === "request") {
        const { request } = message;
        if (request.type !== "touch") return this.#request(request, connection);
        const refusal = this.#parts.handlers.touch(request, connection);
        if (refusal !== null) connection.send(formatAnswer(failure(null, refusal)));
      } else if (message.kind === "bad") this.#bad(message, connection);
      else if (message.kind !== "ignored") this.#parts.person(message);
    };
  }

  #bad(bad: Bad, connection: Connection): void {
    const words = bad.action === null ? bad.words : `${takes(bad.action, this.#parts.book.state.platform)}.`;
    connection.send(formatAnswer(failure(bad.id, badValue(words))));
  }

  #request(request: Exclude<AnyRequest, { readonly type: "touch" }>, from: Connection): void {
    if (request.type === "result") return from.send(formatAnswer(this.#result(request.id)));
    if (!isRemembered(request)) return this.#read(request, from);
    const { id } = request;
    const asked: Asked = {
      id,
      body: JSON.stringify(request),
      source: from.hello.role === "control" ? "agent" : "person",
      control: request.type === "control" ? request.control : null,
    };
    const refusal = this.#requests.knows(id) ? null : this.#parts.refusal(request);
    if (refusal !== null) return from.send(formatAnswer(failure(id, refusal)));
    const admission = this.#requests.admit(asked);
    switch (admission.is) {
      case "refused":
        return from.send(formatAnswer(failure(id, admission.error)));
      case "answered":
        return from.send(formatAnswer(admission.answer));
      case "unknown":
        return from.send(formatAnswer(this.#result(id)));
      case "wait":
        this.#waiting.set(id, { request, from });
        return;
      case "run":
        this.#begin(request, from);
    }
  }

  #begin(request: Remembered, from: Connection): void {
    this.#parts.began(request.id);
    void this.#work(request, from).then((answer) => {
      const next = this.#requests.finish(request.id, answer);
      from.send(formatAnswer(answer));
      const waiting = next === null ? undefined : this.#waiting.get(next.id);
      if (waiting === undefined) return;
      this.#waiting.delete(waiting.request.id);
      this.#begin(waiting.request, waiting.from);
    });
  }

  #read(request: Exclude<AnyRequest, { readonly type: "touch" | "result" }>, from: Connection): void {
    const running = this.#reads.get(from) ?? 0;
    if (running >= READS_MAX) {
      const busy = new DeviceError("busy", `${running} reads of this connection are under way. Wait for their answers.`);
      return from.send(formatAnswer(failure(request.id, busy)));
    }
    this.#reads.set(from, running + 1);
    void this.#work(request, from).then((answer) => {
      const left = this.#reads.get(from);
      if (left !== undefined) this.#reads.set(from, left - 1);
      from.send(formatAnswer(answer));
    });
  }

  async #work(request: Exclude<AnyRequest, { readonly type: "touch" | "result" }>, from: Connection): Promise<Answer> {
    const { handlers, book, nowMs } = this.#parts;
    const startedMs = nowMs();
    try {
      // The table's row for a type takes exactly that type, which TypeScript cannot follow through the index.
      const handler = handlers[request.type] as Handler<typeof request>;
      const { tookMs, ...extra } = await handler(request, from);
      return { id: request.id, ok: true, state: book.state, ms: tookMs ?? Math.round(nowMs() - startedMs), ...extra };
    } catch (error) {
      const refusal = asDeviceError(error);
      const answer = failure(request.id, refusal);
      return refusal.code === "outcome-unknown" ? { ...answer, state: book.state } : answer;
    }
  }

  /** What was begun before a restart, or is not known at all: whether it was done cannot be told, but the state can. */
  #result(id: string): Answer {
    const result = this.#requests.result(id);
    if (result.is === "answered") return result.answer;
    if (result.is === "in-progress") return failure(id, result.error);
    const { state } = this.#parts.book;
    const error = this.#requests.knows(id)
      ? outcomeUnknown("The device server started anew", `working on ${id}`, stateWords(state))
      : unknownRequest(id, stateWords(state));
    return { ...failure(id, error), state };
  }
}

function isRemembered(request: AnyRequest): request is Remembered {
  return (REMEMBERED as readonly string[]).includes(request.type);
}

export function failure(id: string | null, error: DeviceError): Extract<Answer, { readonly ok: false }> {
  return { id, ok: false, error: { code: error.code, words: error.words } };
}
