/** A device server for the host's tests: says HELLO, keeps the owner, answers requests, and records what reached it. */
import { createServer, type Server } from "node:http";
import { EventEmitter, once } from "node:events";
import { WebSocketServer, type WebSocket } from "ws";
import type { Hello } from "#wire/device.ts";
import type { Owner } from "#core/device.ts";
import { encodeVideoHeader } from "#wire/frame.ts";

export interface FakeConnection {
  readonly role: string;
  readonly query: URLSearchParams;
  readonly socket: WebSocket;
  readonly heard: string[];
}

const STATE = {
  platform: "android",
  form: "phone",
  model: "Test device",
  power: { is: "booted", awake: true },
  geometry: { generation: 3, physical: "upright", content: "upright", video: { width: 1080, height: 2400 } },
  settings: {
    appearance: { known: false, why: "not read" },
    fontScale: { known: false, why: "not read" },
    location: { known: false, why: "not read" },
    battery: { known: false, why: "not read" },
    network: { known: false, why: "not read" },
    statusBar: { set: null, at: null },
  },
  at: 1,
} as const satisfies Hello["state"];

export class FakeDevice {
  readonly connections: FakeConnection[] = [];
  readonly events = new EventEmitter();
  owner: Owner = { generation: 1, holder: "none" };
  version = 7;
  protocol = { min: 1, max: 1 };
  /** Requests that are not answered by themselves. */
  silent = new Set<string>();
  /** Answers that were given, by id. */
  readonly done = new Map<string, object>();
  #server: Server | null = null;
  readonly #sockets = new WebSocketServer({ noServer: true });

  async listen(path: string): Promise<void> {
    const server = createServer();
    server.on("upgrade", (request, socket, head) => {
      socket.on("error", () => {});
      const query = new URL(request.url ?? "", "http://device").searchParams;
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#joined(webSocket, query));
    });
    this.#server = server;
    server.listen(path);
    await once(server, "listening");
  }

  /** As kill -9: every socket at once, without a word. */
  async kill(): Promise<void> {
    for (const connection of this.connections) connection.socket.terminate();
    await this.#end();
  }

  async close(): Promise<void> {
    await this.kill();
    this.#sockets.close();
  }

  hello(): Hello {
    return {
      protocol: this.protocol,
      version: this.version,
      host: { os: "linux", cpu: "x64", libc: "glibc 2.36", node: "20.20.2" },
      platform: "android",
      devices: [{ model: "Test device", native: "test", runtime: { platform: "test", version: "1" } }],
      models: [],
      state: STATE,
      lease: { held: false, since: null },
      owner: this.owner,
      encoder: { name: "x264", version: "164" },
      bootedHere: ["Test device"],
      warning: null,
    };
  }

  open(role: string): FakeConnection[] {
    return this.connections.filter((one) => one.role === role && one.socket.readyState === one.socket.OPEN);
  }

  all(text: string): void {
    for (const { socket } of this.connections) if (socket.readyState === socket.OPEN) socket.send(text);
  }

  say(role: string, text: string): void {
    for (const { socket } of this.open(role)) socket.send(text);
  }

  unit(id: number, key: boolean, bytes = 100): void {
    const message = Buffer.alloc(10 + bytes);
    message.set(encodeVideoHeader({ id, key, width: 1080, generation: 3 }));
    for (const { socket } of this.open("viewer")) socket.send(message);
  }

  setOwner(owner: Owner): void {
    this.owner = owner;
    this.all(`BB_DEVICE_OWNER ${JSON.stringify(owner)}`);
  }

  /** The first text of a role for which this holds, past or to come. */
  async heard(role: string, matches: (text: string) => boolean): Promise<string> {
    for (;;) {
      for (const connection of this.connections) {
        const found = connection.role === role ? connection.heard.find(matches) : undefined;
        if (found !== undefined) return found;
      }
      await once(this.events, "heard");
    }
  }

  async connected(role: string): Promise<FakeConnection> {
    for (;;) {
      const [found] = this.open(role);
      if (found !== undefined) return found;
      await once(this.events, "joined");
    }
  }

  texts(role: string): string[] {
    return this.connections.filter((one) => one.role === role).flatMap((one) => one.heard);
  }

  #joined(socket: WebSocket, query: URLSearchParams): void {
    const role = query.get("role") ?? "";
    if (role === "control") {
      for (const other of this.open("control")) {
        if (other.query.get("instance") === query.get("instance") || Number(other.query.get("since")) <= Number(query.get("since"))) {
          other.socket.send("BB_DEVICE_SUPERSEDED {}");
          other.socket.close(4000, "superseded");
        } else {
          socket.send(`BB_DEVICE_HELLO ${JSON.stringify(this.hello())}`);
          socket.send("BB_DEVICE_SUPERSEDED {}");
          return socket.close(4000, "superseded");
        }
      }
    }
    const connection: FakeConnection = { role, query, socket, heard: [] };
    this.connections.push(connection);
    socket.on("error", () => {});
    socket.on("message", (data: Buffer) => {
      const text = data.toString();
      connection.heard.push(text);
      this.#request(connection, text);
      this.events.emit("heard");
    });
    socket.once("close", () => this.events.emit("left"));
    socket.send(`BB_DEVICE_HELLO ${JSON.stringify(this.hello())}`);
    socket.send("MODE websockets");
    this.events.emit("joined");
  }

  #request(connection: FakeConnection, text: string): void {
    if (!text.startsWith("BB_DEVICE ")) return;
    const request = JSON.parse(text.slice(10)) as {
      id?: string;
      type: string;
      generation?: number;
      holder?: Owner["holder"];
      owner?: number;
    };
    const id = request.id ?? null;
    const answer = (body: object) => connection.socket.send(`BB_DEVICE_ANSWER ${JSON.stringify({ id, ...body })}`);
    const refused = (code: string, words: string) => ({ ok: false, error: { code, words } });
    if (this.silent.has(request.type)) return;
    if (request.type === "result") return answer(this.done.get(id ?? "") ?? refused("bad-value", "No such request."));
    let body: object = { ok: true, state: STATE, ms: 1 };
    if (request.type === "owner") {
      if ((request.generation ?? 0) <= this.owner.generation) body = refused("superseded", "That is an older owner.");
      else this.setOwner({ generation: request.generation ?? 0, holder: request.holder ?? "none" });
    } else if (connection.role === "control" && request.owner !== undefined && request.owner !== this.owner.generation) {
      body = refused("superseded", "Control changed since.");
    }
    if (id !== null) this.done.set(id, body);
    if (id !== null) answer(body);
  }

  async #end(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }
}
