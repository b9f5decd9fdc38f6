/** A box's device over the host's WebSocket: reconnects by itself, and says in words why it cannot. */
import { VIDEO_HEADER_BYTES, decodeVideoHeader } from "#wire/frame.ts";
import { formatRequest } from "#wire/device.ts";
import { CLOSE_SUPERSEDED, RECONNECT_MS } from "#wire/limits.ts";
import { CONTROL_BACK, CONTROL_TAKE, parsePanelMessage } from "#wire/panel.ts";
import { POINTER, formatAck, formatKey, formatPointer } from "#wire/selkies.ts";
import { parseServerMessage } from "#wire/server-messages.ts";
import type { Command, DevicePort, Link, PortListener } from "./port.ts";

/** The part of the browser's WebSocket that is used. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: string): void;
  close(): void;
}

/** What the host answers to a plain request with the same token; it tells a wrong token from a host that is away. */
export type ProbeAnswer = "welcome" | "old-token" | "away";

export interface SocketPortOptions {
  readonly url: string;
  /** null: none was given to this page. */
  readonly token: string | null;
  readonly makeSocket: (url: string, protocols: string[]) => SocketLike;
  readonly probe: (token: string) => Promise<ProbeAnswer>;
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Returns what cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** More than this unsent is a connection that stands still: moves are let go rather than piled up. Bytes. */
const STALLED_BYTES = 256 * 1024;

/** Opens the socket and keeps it open until it is closed, taken over or refused. */
export class SocketPort implements DevicePort {
  readonly #options: SocketPortOptions;
  #listener: PortListener | null = null;
  #socket: SocketLike | null = null;
  #isOpen = false;
  #wasOpen = false;
  #tries = 0;
  #cancelRetry: (() => void) | null = null;
  #closed = false;

  constructor(options: SocketPortOptions) {
    this.#options = options;
  }

  open(listener: PortListener): void {
    this.#listener = listener;
    this.#cancelRetry = this.#options.after(0, () => this.#connect());
  }

  connectNow(): void {
    if (this.#closed || this.#socket !== null || this.#cancelRetry === null) return;
    this.#cancelRetry();
    this.#connect();
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#cancelRetry = null;
    this.#drop();
  }

  send(command: Command): boolean {
    const socket = this.#socket;
    if (socket === null || !this.#isOpen) return false;
    if (command.do === "pointer" && command.move && socket.bufferedAmount > STALLED_BYTES) return false;
    for (const text of encodeCommand(command)) socket.send(text);
    return true;
  }

  #connect(): void {
    this.#cancelRetry = null;
    const { token } = this.#options;
    if (token === null) return this.#tell({ is: "refused", why: "no-token" });
    this.#tell(this.#wasOpen ? { is: "lost", retryAtMs: null } : { is: "connecting" });
    const socket = this.#options.makeSocket(this.#options.url, ["bb.panel", `bb.token.${token}`]);
    this.#socket = socket;
    this.#isOpen = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#isOpen = true;
      this.#wasOpen = true;
      this.#tries = 0;
      this.#tell({ is: "open" });
    };
    socket.onmessage = (event) => this.#read(event.data);
    socket.onclose = (event) => {
      const opened = this.#isOpen;
      this.#drop();
      if (this.#closed) return;
      if (event.code === CLOSE_SUPERSEDED) return this.#tell({ is: "superseded" });
      if (opened) return this.#retry();
      // An upgrade that is refused tells a page nothing, so the host is asked in a way that does.
      void this.#options.probe(token).then((answer) => {
        if (this.#closed) return;
        if (answer === "old-token") this.#tell({ is: "refused", why: "old-token" });
        else this.#retry();
      });
    };
  }

  #retry(): void {
    const waitMs = RECONNECT_MS[Math.min(this.#tries, RECONNECT_MS.length - 1)] ?? RECONNECT_MS[0];
    this.#tries += 1;
    this.#cancelRetry = this.#options.after(waitMs, () => this.#connect());
    if (this.#wasOpen) this.#tell({ is: "lost", retryAtMs: this.#options.now() + waitMs });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    if (socket === null) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #tell(link: Link): void {
    this.#listener?.link(link);
  }

  #read(data: unknown): void {
    const listener = this.#listener;
    if (listener === null) return;
    if (data instanceof ArrayBuffer) {
      const bytes = new Uint8Array(data);
      const header = decodeVideoHeader(bytes);
      if (header === null) return;
      return listener.unit({ key: header.key, id: header.id, generation: header.generation, data: bytes.subarray(VIDEO_HEADER_BYTES) });
    }
    if (typeof data !== "string") return;
    const ours = parsePanelMessage(data);
    if (ours?.kind === "control") return listener.control(ours.control);
    if (ours?.kind === "latency") return listener.latency(ours.latency);
    const message = parseServerMessage(data);
    switch (message.kind) {
      case "hello":
        return listener.hello(message.hello);
      case "state":
        return listener.state(message.message);
      case "touch":
        return listener.touches(message.touch);
      case "still":
        return listener.still(message.still);
      case "answer":
        return listener.answer(message.answer);
      case "clipboard":
        return listener.clipboard(message.text);
      case "superseded":
        return this.#supersede();
      default:
        return;
    }
  }

  #supersede(): void {
    this.#drop();
    this.#tell({ is: "superseded" });
  }
}

const PLAIN: Partial<Record<Command["do"], string>> = {
  "start-video": "START_VIDEO",
  "stop-video": "STOP_VIDEO",
  "key-frame": "REQUEST_KEYFRAME",
  "start-stills": "START_STILLS",
  "stop-stills": "STOP_STILLS",
  "take-control": CONTROL_TAKE,
  "hand-back": CONTROL_BACK,
  "keys-up": "kr",
};

/** A command as the texts that carry it, in order. */
export function encodeCommand(command: Command): readonly string[] {
  switch (command.do) {
    case "ack":
      return [formatAck(command.id)];
    case "pointer":
      return [formatPointer(command.x, command.y, command.mask)];
    case "wheel":
      return wheelTexts(command.axis, command.notches, command.mask);
    case "key":
      return [formatKey(command.keysym, command.down)];
    case "ask":
      return [formatRequest(command.request)];
    default:
      return [PLAIN[command.do] ?? ""].filter((text) => text !== "");
  }
}

/** A wheel's notch is a bit that comes and goes: without it, with it and the count, and back. */
function wheelTexts(axis: "x" | "y", notches: number, held: number): readonly string[] {
  const count = Math.abs(Math.trunc(notches));
  if (count === 0) return [];
  const forward = notches > 0;
  const bit = axis === "y" ? (forward ? POINTER.wheelDown : POINTER.wheelUp) : forward ? POINTER.wheelRight : POINTER.wheelLeft;
  const text = (mask: number, magnitude: number): string => `m2,0,0,${mask},${magnitude}`;
  return [text(held, 0), text(held | bit, count), text(held, 0)];
}
