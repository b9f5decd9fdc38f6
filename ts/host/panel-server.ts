/** The panel's HTTP server on loopback: the page, the list of boxes, an agent's requests, and one WebSocket for each browser on a box. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { checkOrigin, checkToken, type Guarded, type GuardKeys, refuse, type Refusal } from "#guard/guard.ts";
import { securityHeaders } from "#guard/headers.ts";
import { PANEL_PROTOCOL } from "#guard/token.ts";
import { PING_INTERVAL_MS, PONG_TIMEOUT_MS, VIEWER_MESSAGE_BYTES_MAX } from "#wire/limits.ts";
import { type Api, NOTHING_THERE, type Reply } from "./api.ts";
import type { Box } from "./box.ts";
import { DISPLAY } from "./box.ts";
import type { Clock, Log } from "./ports.ts";
import type { PanelSocket } from "./session.ts";
import type { StaticFiles } from "./static.ts";
import { wordsOf } from "./words.ts";

export interface PanelOptions {
  readonly keys: GuardKeys;
  readonly files: StaticFiles;
  readonly api: Api;
  readonly box: (id: string) => Box | null;
  readonly clock: Clock;
  readonly log: Log;
  /** 0: any free one. Taken: the next free one is used, and said. */
  readonly port: number;
}

export interface Panel {
  readonly port: number;
  close(): Promise<void>;
}

const PORTS_TRIED = 100;
const CONNECTIONS_MAX = 512;
/** Connections that have shown no token. Past this the oldest of them makes place, so that those who never finish asking keep nobody out. */
const STRANGERS_MAX = 128;
/** A browser that leaves more than this unread is not there any more: video is paced by its acks, so this is words and pictures asked for. */
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;
const VIEWER = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DISPLAY_PATH = /^\/api\/boxes\/([^/]{1,200})\/displays\/([^/]{1,200})$/;

/** Listens. Rejects in words when no port is free. */
export async function openPanel(options: PanelOptions): Promise<Panel> {
  const { log } = options;
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = CONNECTIONS_MAX;
  const strangers = new Set<Duplex>();
  const known = (socket: Duplex): void => void strangers.delete(socket);
  server.on("connection", (socket) => {
    strangers.add(socket);
    socket.once("close", () => strangers.delete(socket));
    const [oldest] = strangers;
    if (strangers.size > STRANGERS_MAX) oldest?.destroy();
  });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: VIEWER_MESSAGE_BYTES_MAX,
    handleProtocols: (offered) => (offered.has(PANEL_PROTOCOL) ? PANEL_PROTOCOL : false),
  });
  const open = new Set<WebSocket>();
  server.on("request", (request, response) => {
    answer(request, response, options, known).catch((error: unknown) => {
      log("error", `A request failed: ${wordsOf(error)}`);
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, json: { error: { code: "failed", words: "The host could not answer. Its log says why." } } });
    });
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const found = checkUpgrade(request, options);
    if ("code" in found) return refuseUpgrade(socket, request.headers.host ?? "localhost", found);
    known(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      open.add(webSocket);
      webSocket.once("close", () => open.delete(webSocket));
      attach(webSocket, found.box, found.viewer, options);
    });
  });
  server.on("clientError", (_error, socket) => {
    if (!socket.writable) return void socket.destroy();
    lastWords(socket, "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  });
  const port = await listen(server, options.port, log);
  server.on("error", (error) => log("error", `The panel's server failed: ${error.message}`));
  return {
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const webSocket of open) webSocket.close(1001, "The host is ending.");
      server.closeAllConnections();
      for (const webSocket of open) webSocket.terminate();
      await closed;
    },
  };
}

async function listen(server: Server, wanted: number, log: Log): Promise<number> {
  for (let port = wanted; ; port++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => {
          server.off("error", reject);
          resolve();
        });
      });
      const bound = (server.address() as AddressInfo).port;
      if (wanted !== 0 && bound !== wanted) log("warn", `Port ${wanted} is taken, so the panel is at port ${bound}.`);
      return bound;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "EADDRINUSE" && code !== "EACCES") || port === 0 || port - wanted >= PORTS_TRIED || port >= 65_535) {
        throw new Error(
          `The panel cannot listen on 127.0.0.1:${port}: ${wordsOf(error)}. Choose another port with --port, or --port 0 for any.`,
          {
            cause: error,
          },
        );
      }
    }
  }
}

function guarded(request: IncomingMessage, upgrade: boolean): Guarded {
  return { method: request.method ?? "GET", target: request.url ?? "/", headers: request.headers, upgrade };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: PanelOptions,
  known: (socket: Duplex) => void,
): Promise<void> {
  const refused = checkOrigin(guarded(request, false), options.keys.token);
  if (refused !== null) return send(response, refusal(refused));
  for (const [name, value] of Object.entries(securityHeaders(request.headers.host ?? ""))) response.setHeader(name, value);
  const path = pathOf(request.url);
  if (path === null) return send(response, refusal(refuse(400, "bad-address", "The address cannot be read.")));
  const reads = request.method === "GET" || request.method === "HEAD";
  if (path === "/healthz") {
    return reads ? send(response, { status: 200, json: { ok: true } }) : send(response, refusal(wrongMethod("GET")));
  }
  if (path === "/api" || path.startsWith("/api/")) {
    const noToken = checkToken(guarded(request, false), options.keys);
    if (noToken !== null) return send(response, refusal(noToken), { "www-authenticate": "Bearer" });
    known(request.socket);
    return send(response, await options.api.answer(request, path));
  }
  const file = options.files.get(path);
  if (file === undefined) return send(response, refusal(NOTHING_THERE));
  if (!reads) return send(response, refusal(wrongMethod("GET")));
  response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.byteLength });
  response.end(request.method === "HEAD" ? undefined : file.bytes);
}

function checkUpgrade(request: IncomingMessage, options: PanelOptions): { readonly box: Box; readonly viewer: string } | Refusal {
  const asked = guarded(request, true);
  const refused = checkOrigin(asked, options.keys.token) ?? checkToken(asked, options.keys);
  if (refused !== null) return refused;
  const path = pathOf(request.url);
  const match = DISPLAY_PATH.exec(path ?? "");
  if (match === null) return NOTHING_THERE;
  const [, id = "", display = ""] = match;
  const box = options.box(decode(id));
  if (box === null) return refuse(404, "no-such-thing", `There is no box ${JSON.stringify(decode(id))}. GET /api/boxes lists them.`);
  if (decode(display) !== DISPLAY)
    return refuse(404, "no-such-thing", `This box has no display ${JSON.stringify(decode(display))}. It has: ${DISPLAY}.`);
  const viewer = new URL(request.url ?? "/", "http://host").searchParams.get("viewer") ?? "";
  if (!VIEWER.test(viewer)) return refuse(400, "bad-address", "A viewer says who it is: ?viewer=<uuid>.");
  return { box, viewer: viewer.toLowerCase() };
}

function attach(webSocket: WebSocket, box: Box, viewer: string, options: PanelOptions): void {
  const { clock, log } = options;
  const socket: PanelSocket = {
    send: (text) => {
      if (webSocket.readyState !== webSocket.OPEN) return;
      if (webSocket.bufferedAmount <= UNREAD_BYTES_MAX) return webSocket.send(text);
      log("info", "A browser does not read what it is sent, so its connection is ended.");
      webSocket.terminate();
    },
    sendBinary: (bytes) => {
      if (webSocket.readyState === webSocket.OPEN) webSocket.send(bytes, { binary: true });
    },
    bufferedBytes: () => webSocket.bufferedAmount,
    close: (code, reason) => webSocket.close(code, reason),
  };
  let cancel = clock.after(PING_INTERVAL_MS, ping);
  function ping(): void {
    webSocket.ping();
    cancel = clock.after(PONG_TIMEOUT_MS, () => webSocket.terminate());
  }
  webSocket.on("pong", () => {
    cancel();
    cancel = clock.after(PING_INTERVAL_MS, ping);
  });
  webSocket.on("error", (error) => log("info", `A browser's connection failed: ${error.message}`));
  const session = box.join(viewer, socket);
  if (session === null) {
    cancel();
    return webSocket.close(1013, "Too many browsers watch this box. Close one first.");
  }
  webSocket.on("message", (data: RawData, binary: boolean) => {
    if (!binary) session.heard(textOf(data));
  });
  webSocket.once("close", () => {
    cancel();
    box.leave(session);
  });
}

/** As it came: nothing is resolved, so that only what is in a table is found. */
function pathOf(target: string | undefined): string | null {
  if (target === undefined || !target.startsWith("/")) return null;
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.isBuffer(data) ? data.toString("utf8") : Buffer.from(data).toString("utf8");
}

function refusal(refused: Refusal): Reply {
  return { status: refused.status, json: { error: { code: refused.code, words: refused.words } } };
}

function wrongMethod(allowed: string): Refusal {
  return refuse(405, "wrong-method", `Only ${allowed} is answered here.`);
}

function send(response: ServerResponse, reply: Reply, headers: Readonly<Record<string, string>> = {}): void {
  const body = Buffer.from(`${JSON.stringify(reply.json)}\n`);
  response.writeHead(reply.status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": body.byteLength,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(body);
}

function refuseUpgrade(socket: Duplex, host: string, refused: Refusal): void {
  const body = `${JSON.stringify({ error: { code: refused.code, words: refused.words } })}\n`;
  const headers = {
    ...(refused.code === "wrong-host" ? {} : securityHeaders(host)),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  lastWords(socket, [`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? "Refused"}`, ...lines, "", body].join("\r\n"));
}

/** A peer that never ends its own half would hold the connection for ever. */
function lastWords(socket: Duplex, text: string): void {
  socket.end(text, () => socket.destroy());
}
