import { spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createHttp } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectDevice, ConnectionError } from "#client/client.ts";
import { bench, type Bench } from "../server/support.ts";

let folder = "";
let made: Bench | null = null;
let server: Server | null = null;
const sockets = new Set<Socket>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bbk-"));
});
afterEach(async () => {
  await made?.close();
  made = null;
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  server = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Something that listens and is no device server. */
function listen(each: (socket: Socket) => void): Promise<string> {
  const path = join(folder, "x.sock");
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    each(socket);
  });
  return new Promise((resolve) => server?.listen(path, () => resolve(path)));
}

describe("a client of a device server", () => {
  it("speaks over any duplex, such as a child's stdin and stdout", async () => {
    made = await bench();
    const join = "const s=require('net').connect(process.argv[1]);process.stdin.pipe(s);s.pipe(process.stdout)";
    const child = spawn(process.execPath, ["-e", join, made.server.socket], { stdio: ["pipe", "pipe", "inherit"] });
    const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin });
    const client = await connectDevice({ role: "viewer", duplex, client: "a test" });
    expect((await client.request({ type: "tree" })).ok).toBe(true);
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    await client.close();
    child.kill();
    await ended;
  });

  it("tells that nobody listens, and what to do", async () => {
    await expect(connectDevice({ role: "viewer", socket: join(folder, "none.sock") })).rejects.toThrow(
      /No device server listens there\. Start one with: bb-box-device serve/,
    );
  });

  it("tells what answered instead, by its first bytes, as a login's greeting on a pipe is", async () => {
    const socket = await listen((s) => s.write("Welcome to the machine room!\nLast login: yesterday\n"));
    await expect(connectDevice({ role: "viewer", socket })).rejects.toThrow(
      /is no device server\. It began with: "Welcome to the machine room!/,
    );
  });

  it("gives a refusal's own words", async () => {
    const path = join(folder, "h.sock");
    const http = createHttp();
    http.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 20\r\n\r\nUse another role, do"));
    await new Promise<void>((resolve) => http.listen(path, resolve));
    await expect(connectDevice({ role: "viewer", socket: path })).rejects.toThrow("Use another role, do");
    await new Promise<void>((resolve) => http.close(() => resolve()));
  });

  it("gives up when it is told to, also before anybody answered", async () => {
    const socket = await listen(() => undefined);
    const abort = new AbortController();
    const connecting = connectDevice({ role: "viewer", socket, signal: abort.signal });
    abort.abort();
    await expect(connecting).rejects.toThrow(/given up/);
    await expect(connectDevice({ role: "viewer", socket, signal: AbortSignal.abort() })).rejects.toThrow(/given up/);
  });

  it("rejects what waits for an answer when the connection ends, with the id to ask for it again", async () => {
    made = await bench();
    made.box.hooks.tree = () => new Promise(() => undefined);
    const { client } = await made.control();
    const lost = client.request({ id: "mine", type: "tree" });
    client.terminate();
    const error = await lost.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ requestId: "mine" });
    await expect(client.request({ type: "tree" })).rejects.toBeInstanceOf(ConnectionError);
  });

  it("says of its end whether another took its place", async () => {
    made = await bench();
    const first = await made.connect("input");
    await made.connect("input");
    await first.heard.until((h) => h.closed.length > 0);
    expect(first.heard.closed[0]).toMatchObject({ superseded: true });
    const second = await made.connect("viewer");
    await made.server.close();
    await second.heard.until((h) => h.closed.length > 0);
    expect(second.heard.closed[0]).toMatchObject({ superseded: false });
  });
});
