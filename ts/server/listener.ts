/** The unix socket, the HTTP upgrade, and the WebSockets on it. Knows roles and liveness, and nothing of what is said. */
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from "node:http";
import { chmodSync, lstatSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import {
  CLOSE_REASON_BYTES_MAX,
  CONTROL_MESSAGE_BYTES_MAX,
  PING_INTERVAL_MS,
  PONG_TIMEOUT_MS,
  VIEWER_MESSAGE_BYTES_MAX,
} from "#wire/limits.ts";
import { wordsOf, type Clock, type Log } from "./ports.ts";

/** What the path says of a client. */
export type Hello =
  | { readonly role: "viewer" | "input"; readonly client: string | null }
  /** The instance's uuid, and when it started in wall-clock ms: the later one has the lease. */
  | { readonly role: "control"; readonly client: string | null; readonly instance: string; readonly since: number };

export interface Connection {
  readonly id: number;
  readonly hello: Hello;
  /** Text, whole. Nothing is sent once the connection closes. */
  send(text: string): void;
  sendBinary(bytes: Uint8Array): void;
  /** Bytes handed to the socket and not yet taken by it. */
  bufferedBytes(): number;
  /** Reason: cut to what a close frame holds. */
  close(code: number, reason: string): void;
  readonly open: boolean;
  onText: (text: string) => void;
  /** Once, however the connection ended. */
  onClose: () => void;
}

export interface ListenerOptions {
  readonly socket: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly connected: (connection: Connection) => void;
}

export interface Listener {
  close(): Promise<void>;
}

/** Texts that a client does not read pile up to this before it is given up: some screenshots, and no more. */
const TEXT_BACKLOG_BYTES_MAX = { viewer: 16 * 1024 * 1024, input: 16 * 1024 * 1024, control: 64 * 1024 * 1024 } as const;
/** Far more than a box has viewers, and few enough that a client gone wild fills neither memory nor descriptors. */
const CONNECTIONS_MAX = 512;
/** Connections that have not said their role yet. Past this the oldest of them makes place. */
const STRANGERS_MAX = 128;
/** How often it is seen whether the socket still has its name: cleaners delete what looks old. */
const LOOK_MS = 1000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Listens, 0600. Rejects in words when it cannot. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { clock, log } = options;
  // One server for each limit: ws takes its largest message per server.
  const sockets = {
    viewer: new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: VIEWER_MESSAGE_BYTES_MAX }),
    control: new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: CONTROL_MESSAGE_BYTES_MAX }),
  };
  const connections = new Set<SocketConnection>();
  let opening: Promise<void> | null = null;
  const strangers = new Set<Duplex>();
  let nextId = 1;
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on("error", () => socket.destroy());
    const hello = parsePath(request.url ?? "/");
    if (typeof hello === "string") return refuse(socket, 404, hello);
    if (connections.size >= CONNECTIONS_MAX)
      return refuse(socket, 503, `${connections.size} connections are open already. Close some, then try again.`);
    strangers.delete(socket);
    const accept = hello.role === "control" ? sockets.control : sockets.viewer;
    accept.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new SocketConnection(nextId++, hello, webSocket, clock, log);
      connections.add(connection);
      webSocket.once("close", () => connections.delete(connection));
      options.connected(connection);
    });
  };
  const open = async (): Promise<Bound> => {
    const server = createServer(
      { headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 },
      (_request, response) => {
        response.writeHead(426, { "content-type": "text/plain; charset=utf-8" });
        response.end("This is a device server. It speaks WebSocket at /device?role=viewer, input or control.\n");
      },
    );
    server.on("connection", (socket) => {
      strangers.add(socket);
      socket.once("close", () => strangers.delete(socket));
      const [oldest] = strangers;
      if (strangers.size > STRANGERS_MAX) oldest?.destroy();
    });
    server.on("upgrade", upgrade);
    server.on("clientError", (_error, socket) => refuse(socket, 400, "This is not HTTP."));
    const inode = await bind(server, options.socket);
    server.on("error", (error) => log("error", `The socket failed: ${error.message}`));
    return { server, inode };
  };
  let bound = await open();
  let said = "";
  let cancelLook = clock.after(LOOK_MS, look);
  function look(): void {
    cancelLook = clock.after(LOOK_MS, look);
    if (inodeOf(options.socket) !== null || opening !== null) return;
    opening = anew().finally(() => (opening = null));
  }
  /** Those who are connected stay so; the others find it again. */
  async function anew(): Promise<void> {
    try {
      const before = bound.server;
      bound = await open();
      before.close();
      said = "";
      log("warn", `${options.socket} was deleted by somebody, so it is made anew.`);
    } catch (error) {
      const words = `${options.socket} was deleted by somebody and cannot be made anew, so nobody new reaches this device server: ${wordsOf(error)}`;
      if (words !== said) log("error", words);
      said = words;
    }
  }
  return {
    async close() {
      cancelLook();
      await opening;
      const { server, inode } = bound;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.close(1001, "The device server stops.");
      server.closeAllConnections();
      for (const connection of connections) connection.terminate();
      await closed;
      try {
        // One that is there by now may be of another server, in a home made anew.
        if (inodeOf(options.socket) === inode) unlinkSync(options.socket);
      } catch {
        // Somebody cleared the folder already.
      }
    },
  };
}

interface Bound {
  readonly server: Server;
  /** Of the socket, which names it. */
  readonly inode: number | null;
}

/** The socket takes its name only once it can be connected to, by its own user alone: who watches for the name connects at once. */
async function bind(server: Server, path: string): Promise<number | null> {
  // No longer than the name itself, which is checked against the system's limit. One that is there is of a server killed just here.
  const early = join(dirname(path), "new.sock");
  rmSync(early, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(early, () => {
      server.off("error", reject);
      resolve();
    });
  });
  try {
    chmodSync(early, 0o600);
    renameSync(early, path);
  } catch (error) {
    server.close();
    throw error;
  }
  return inodeOf(path);
}

/** Null: nothing is there, or it cannot be seen. */
function inodeOf(path: string): number | null {
  try {
    return lstatSync(path).ino;
  } catch {
    return null;
  }
}

/** What a path asks for, or why it is refused, in words. */
export function parsePath(path: string): Hello | string {
  let url: URL;
  try {
    url = new URL(path, "http://device");
  } catch {
    return "The path cannot be read. Use /device?role=viewer, input or control.";
  }
  if (url.pathname !== "/device") return `There is nothing at ${url.pathname}. Use /device?role=viewer, input or control.`;
  const role = url.searchParams.get("role");
  const client = url.searchParams.get("client")?.slice(0, 100) ?? null;
  if (role === "viewer" || role === "input") return { role, client };
  if (role !== "control") return `The role ${JSON.stringify(role)} is not known. Use role=viewer, role=input or role=control.`;
  const instance = url.searchParams.get("instance") ?? "";
  const since = Number(url.searchParams.get("since") ?? Number.NaN);
  if (!UUID.test(instance) || !Number.isFinite(since))
    return "A control connection says who it is: role=control&instance=<uuid>&since=<milliseconds>.";
  return { role, client, instance: instance.toLowerCase(), since };
}

function refuse(socket: Duplex, status: number, words: string): void {
  const body = `${words}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  // A peer that never ends its own half would hold the connection, and the server's end, for ever.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

class SocketConnection implements Connection {
  readonly id: number;
  readonly hello: Hello;
  onText: (text: string) => void = () => undefined;
  onClose: () => void = () => undefined;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #log: Log;
  #cancel: () => void;

  constructor(id: number, hello: Hello, socket: WebSocket, clock: Clock, log: Log) {
    this.id = id;
    this.hello = hello;
    this.#socket = socket;
    this.#clock = clock;
    this.#log = log;
    this.#cancel = clock.after(PING_INTERVAL_MS, () => this.#ping());
    socket.on("pong", () => this.#expectPing());
    socket.on("message", (data: RawData, binary: boolean) => {
      if (!binary && this.open) this.#heard(asText(data));
    });
    // ws closes the connection itself after an error (too large, bad frame, reset); it only wants to be heard.
    socket.on("error", (error) => log("info", `Connection ${id} (${hello.role}) failed: ${error.message}`));
    socket.once("close", () => {
      this.#cancel();
      this.onClose();
    });
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(text: string): void {
    if (!this.open) return;
    if (this.#socket.bufferedAmount > TEXT_BACKLOG_BYTES_MAX[this.hello.role]) {
      this.#log("warn", `Connection ${this.id} (${this.hello.role}) does not read what it is sent, so it is ended.`);
      return this.terminate();
    }
    this.#socket.send(text);
  }

  sendBinary(bytes: Uint8Array): void {
    if (this.open) this.#socket.send(bytes, { binary: true });
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, cutUtf8(reason, CLOSE_REASON_BYTES_MAX));
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** A fault of ours while one client is heard ends that client's connection, and nothing else. */
  #heard(text: string): void {
    try {
      this.onText(text);
    } catch (error) {
      this.#log(
        "error",
        `Connection ${this.id} (${this.hello.role}): ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      this.close(1011, "The device server failed on this message.");
    }
  }

  #expectPing(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(PING_INTERVAL_MS, () => this.#ping());
  }

  #ping(): void {
    if (!this.open) return;
    this.#socket.ping();
    this.#cancel = this.#clock.after(PONG_TIMEOUT_MS, () => {
      this.#log(
        "info",
        `Connection ${this.id} (${this.hello.role}) did not answer a ping for ${PONG_TIMEOUT_MS / 1000} s, so it is ended.`,
      );
      this.terminate();
    });
  }
}

function asText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

/** The longest beginning of a text that fits so many bytes of UTF-8, no character cut. */
export function cutUtf8(text: string, bytes: number): string {
  let cut = "";
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    cut += character;
  }
  return cut;
}
