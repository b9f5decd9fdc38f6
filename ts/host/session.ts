/** One browser that watches a box: what it says goes where control.ts says, what it is shown is paced by its own acks. */
import { DeviceError } from "#core/errors.ts";
import { formatAnswer } from "#wire/device.ts";
import { formatControl, formatLatency } from "#wire/panel.ts";
import { SELKIES_SERVER } from "#wire/selkies.ts";
import type { Latency } from "#relay/latency.ts";
import type { RelaySeat } from "#relay/video-relay.ts";
import { readVerb, type Said, type Verb, VERBS } from "./control.ts";
import type { SeenHolder } from "./holder.ts";
import type { Clock } from "./ports.ts";
import { AGENT_HAS_CONTROL_WORDS, closeReason, OTHER_HAS_CONTROL_WORDS, wordsOf } from "./words.ts";

/** The browser's socket. */
export interface PanelSocket {
  send(text: string): void;
  sendBinary(bytes: Uint8Array): void;
  bufferedBytes(): number;
  close(code: number, reason: string): void;
}

/** What a session asks of its box. */
export interface SessionBox {
  seenBy(viewer: string): SeenHolder;
  generation(): number;
  take(viewer: string): Promise<void>;
  back(viewer: string): Promise<void>;
  /** False: the device server is away just now. */
  toViewer(text: string): boolean;
  toInput(text: string): boolean;
  /** Bytes that wait towards the input connection. */
  inputBacklog(): number;
  /** This session's requests get their answers; false: another's of this id still runs. */
  expect(id: string, session: Session, over: "viewer" | "input"): boolean;
  /** It was not sent after all. */
  withdraw(id: string, over: "viewer" | "input"): void;
  stillsChanged(): void;
  lastStill(): string | null;
}

/** What waits while control is being taken. Past it moves go first; downs and ups never go. */
const HELD_MAX = 256;
/** Past this a move towards the device is dropped: the next one says where the finger is. */
const MOVE_BACKLOG_BYTES = 64 * 1024;
/** Past this the device server does not read, and what is pressed must not pile up to come late. */
const INPUT_BACKLOG_BYTES = 4 * 1024 * 1024;
/** Past this a still is left out; the newest goes once the socket took the last. */
const STILL_BACKLOG_BYTES = 1024 * 1024;
const REQUESTS_MAX = 64;
const LATENCY_EVERY_MS = 1_000;
const STILL_AGAIN_MS = 200;

export class Session {
  readonly viewer: string;
  readonly #box: SessionBox;
  readonly #socket: PanelSocket;
  readonly #clock: Clock;
  readonly #seat: RelaySeat;
  #held: { readonly text: string; readonly said: Said }[] | null = null;
  #lastMask = "";
  #latencySaid = "";
  /** The last BB_CONTROL; null before HELLO, which comes first. */
  #controlSaid: string | null = null;
  #cancelLatency: () => void;
  #cancelStill: (() => void) | null = null;
  #requests = 0;
  #paused = false;
  #stills = false;
  #closed = false;

  constructor(viewer: string, box: SessionBox, socket: PanelSocket, clock: Clock, seat: RelaySeat) {
    this.viewer = viewer;
    this.#box = box;
    this.#socket = socket;
    this.#clock = clock;
    this.#seat = seat;
    this.#cancelLatency = clock.after(LATENCY_EVERY_MS, () => this.#tellLatency());
  }

  get stills(): boolean {
    return this.#stills;
  }

  /** From sending to drawing; null on a still screen. */
  latency(): Latency | null {
    return this.#seat.latency();
  }

  /** The device server is there: its HELLO and state, who has control, and video from the next key unit. */
  greet(texts: readonly string[]): void {
    for (const text of texts) this.send(text);
    this.#controlSaid = "";
    this.tellControl();
    if (!this.#paused && !this.#stills) this.#seat.resume();
  }

  send(text: string): void {
    if (!this.#closed) this.#socket.send(text);
  }

  /** Who has control, when that is news to it. */
  tellControl(): void {
    const text = formatControl({ holder: this.#box.seenBy(this.viewer), generation: this.#box.generation() });
    if (this.#controlSaid === null || text === this.#controlSaid) return;
    this.#controlSaid = text;
    this.send(text);
  }

  /** A still, unless the last one is still on its way; then the newest follows it. */
  still(text: string): void {
    if (!this.#stills || this.#closed) return;
    if (this.#socket.bufferedBytes() <= STILL_BACKLOG_BYTES) return this.#socket.send(text);
    this.#cancelStill ??= this.#clock.after(STILL_AGAIN_MS, () => {
      this.#cancelStill = null;
      const newest = this.#box.lastStill();
      if (newest !== null) this.still(newest);
    });
  }

  /** An answer that this session waits for. */
  answer(raw: string): void {
    this.#requests--;
    this.send(raw);
  }

  close(code: number, words: string): void {
    this.#socket.close(code, closeReason(words));
  }

  /** The browser is gone. */
  ended(): void {
    this.#closed = true;
    this.#held = null;
    this.#cancelLatency();
    this.#cancelStill?.();
    this.#seat.leave();
    if (this.#stills) {
      this.#stills = false;
      this.#box.stillsChanged();
    }
  }

  /** One text of the browser. */
  heard(text: string): void {
    if (this.#closed) return;
    const said = readVerb(text);
    if (said === null) return;
    const rule = VERBS[said.verb];
    switch (rule.to) {
      case "host":
        return this.#toHost(said);
      case "seat":
        return this.#toSeat(said);
      case "viewer":
        return this.#request(said.id, "viewer", text);
      case "input":
        return this.#act(text, said);
    }
  }

  #toHost(said: Said): void {
    switch (said.verb) {
      case "take":
        return this.#take();
      case "back":
        this.#box.back(this.viewer).catch((error: unknown) => this.#refuse(null, error));
        return;
      case "bad":
        return this.#refuse(said.id, new DeviceError("bad-value", said.input?.kind === "bad" ? said.input.words : "It cannot be read."));
      default:
    }
  }

  #toSeat(said: Said): void {
    switch (said.verb) {
      case "start-video":
        this.#paused = false;
        this.send(SELKIES_SERVER.started);
        return this.#stills ? this.#setStills(false) : this.#seat.resume();
      case "stop-video":
        this.#paused = true;
        this.#seat.pause();
        return this.send(SELKIES_SERVER.stopped);
      case "keyframe":
        return this.#seat.requestKey();
      case "ack":
        if (said.viewer?.kind === "ack") this.#seat.ack(said.viewer.id);
        return;
      case "start-stills":
        return this.#setStills(true);
      case "stop-stills":
        return this.#setStills(false);
      default:
    }
  }

  #setStills(on: boolean): void {
    if (on === this.#stills) return;
    this.#stills = on;
    if (on) this.#seat.pause();
    else if (!this.#paused) this.#seat.resume();
    this.#box.stillsChanged();
    const last = on ? this.#box.lastStill() : null;
    if (last !== null) this.still(last);
  }

  #act(text: string, said: Said): void {
    if (this.#held !== null) return this.#hold(text, said);
    const seen = this.#box.seenBy(this.viewer);
    if (seen === "you") return this.#forward(text, said);
    const { takes } = VERBS[said.verb];
    if (takes === "from-anyone" || (takes === "from-none" && seen === "none")) {
      this.#take();
      return this.#hold(text, said);
    }
    if (said.id !== null) {
      this.#refuse(
        said.id,
        seen === "agent"
          ? new DeviceError("superseded", AGENT_HAS_CONTROL_WORDS)
          : new DeviceError("person-has-control", seen === "none" ? AGENT_HAS_CONTROL_WORDS : OTHER_HAS_CONTROL_WORDS),
      );
    }
  }

  #take(): void {
    if (this.#held !== null) return;
    this.#held = [];
    this.#box.take(this.viewer).then(
      () => this.#release((held) => this.#forward(held.text, held.said)),
      (error: unknown) => {
        this.#refuse(null, error);
        this.#release((held) => {
          if (held.said.id !== null) this.#refuse(held.said.id, error);
        });
      },
    );
  }

  #release(each: (held: { readonly text: string; readonly said: Said }) => void): void {
    const held = this.#held ?? [];
    this.#held = null;
    if (!this.#closed) for (const one of held) each(one);
  }

  #hold(text: string, said: Said): void {
    const held = this.#held ?? [];
    if (held.length < HELD_MAX) return void held.push({ text, said });
    const move = held.findIndex((one, index) => isMove(one.said.verb) && samePointer(one.text, held[index + 1]?.text ?? text));
    if (move >= 0) {
      held.splice(move, 1);
      held.push({ text, said });
    } else if (said.id !== null) this.#refuse(said.id, new DeviceError("busy", "Too much waits while control is being taken."));
    else this.close(1013, "Too much was sent while control was being taken. It is connected again.");
  }

  #forward(text: string, said: Said): void {
    if (this.#box.inputBacklog() > INPUT_BACKLOG_BYTES)
      return this.close(1013, "The device server does not take what is sent. It is connected again.");
    if (said.id !== null) return this.#request(said.id, "input", text);
    const mask = pointerMask(text);
    if (mask !== null) {
      const moved = mask === this.#lastMask;
      this.#lastMask = mask;
      if (moved && this.#box.inputBacklog() > MOVE_BACKLOG_BYTES) return;
    }
    // While the server is away what is pressed goes nowhere: what it held is lifted, and a late press would surprise.
    this.#box.toInput(text);
  }

  #request(id: string | null, over: "viewer" | "input", text: string): void {
    if (id === null) return;
    if (this.#requests >= REQUESTS_MAX)
      return this.#refuse(id, new DeviceError("busy", `${REQUESTS_MAX} requests of this page wait already.`));
    if (!this.#box.expect(id, this, over)) {
      return this.#refuse(id, new DeviceError("in-progress", `The request ${id} still runs.`));
    }
    this.#requests++;
    if (over === "viewer" ? this.#box.toViewer(text) : this.#box.toInput(text)) return;
    this.#box.withdraw(id, over);
    this.answer(formatAnswer({ id, ok: false, error: { code: "failed", words: "The device server is away. It is tried again." } }));
  }

  #refuse(id: string | null, error: unknown): void {
    const code = error instanceof DeviceError ? error.code : "failed";
    this.send(formatAnswer({ id, ok: false, error: { code, words: wordsOf(error) } }));
  }

  #tellLatency(): void {
    this.#cancelLatency = this.#clock.after(LATENCY_EVERY_MS, () => this.#tellLatency());
    const latency = this.#seat.latency();
    if (latency === null) return;
    const text = formatLatency(latency);
    if (text !== this.#latencySaid) this.send(text);
    this.#latencySaid = text;
  }
}

function isMove(verb: Verb): boolean {
  return verb === "move" || verb === "press";
}

/** The buttons of an absolute pointer message with no wheel in it; null for anything else. */
function pointerMask(text: string): string | null {
  const match = /^m,-?\d+,-?\d+,(\d+),0$/.exec(text);
  return match?.[1] ?? null;
}

/** The second says all that the first did: same buttons, later place. */
function samePointer(first: string, second: string): boolean {
  const mask = pointerMask(first);
  return mask !== null && mask === pointerMask(second);
}
