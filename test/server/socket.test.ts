/** The socket's file and its connections before they say who they are: what is deleted, never finished or left half open. */
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { benches } from "./support.ts";

const { open, held } = benches();

/** Resolves once what is written to it reaches nobody. */
function gone(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.on("error", () => resolve());
    const write = (): void => void socket.write("x", (error) => (error ? resolve() : setImmediate(write)));
    write();
  });
}

describe("the socket's file", () => {
  it("is made anew when somebody deletes it: who is connected stays, others find it again, and the log says so", async () => {
    const { bench, clock } = await held();
    const before = await bench.connect("viewer");
    for (let deleted = 0; deleted < 2; deleted++) {
      rmSync(bench.server.socket);
      await clock.move(1000);
      await expect.poll(() => existsSync(bench.server.socket)).toBe(true);
      expect(statSync(bench.server.socket).mode & 0o777).toBe(0o600);
      expect((await (await bench.connect("viewer")).client.request({ type: "tree" })).ok).toBe(true);
    }
    expect((await before.client.request({ type: "tree" })).ok).toBe(true);
    expect(bench.log.filter(({ message }) => /was deleted by somebody, so it is made anew/.test(message))).toHaveLength(2);
  });

  it("whose folder is gone is said once, and made when the folder is back", async () => {
    const { bench, clock } = await held();
    const before = await bench.connect("viewer");
    rmSync(bench.home, { recursive: true });
    const said = () => bench.log.filter(({ message }) => /cannot be made anew, so nobody new reaches this device server/.test(message));
    await clock.move(1000);
    await expect.poll(() => said().length).toBe(1);
    await clock.move(5000);
    expect((await before.client.request({ type: "tree" })).ok).toBe(true);
    expect(said()).toHaveLength(1);
    mkdirSync(bench.home, { mode: 0o700 });
    await clock.move(1000);
    await expect.poll(() => existsSync(bench.server.socket)).toBe(true);
    await bench.connect("viewer");
  });

  it("that is another's by the end is left alone", async () => {
    const bench = await open();
    rmSync(bench.server.socket);
    writeFileSync(bench.server.socket, "precious");
    await bench.server.close();
    expect(existsSync(bench.server.socket)).toBe(true);
    rmSync(bench.server.socket);
  });
});

describe("connections that have not said their role", () => {
  it("keep nobody out, however many never finish: the oldest make place", async () => {
    const { server, connect: join } = await open();
    let closed = 0;
    for (let i = 0; i < 600; i++) {
      const socket = connect(server.socket).on("error", () => undefined);
      socket.once("close", () => closed++);
      await once(socket, "connect");
      socket.write("GET /device?role=vie");
    }
    expect((await (await join("viewer")).client.request({ type: "tree" })).ok).toBe(true);
    await expect.poll(() => closed).toBeGreaterThan(400);
  });

  it.each([
    ["speaks no HTTP", "nonsense\r\n\r\n"],
    ["asks for no role", "GET /device HTTP/1.1\r\nHost: device\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ])("end wholly when they are refused, though the other side leaves its half open: one that %s", async (_name, text) => {
    const { server } = await open();
    const socket = connect({ path: server.socket, allowHalfOpen: true });
    await once(socket, "connect");
    socket.write(text);
    socket.resume();
    await once(socket, "end");
    await gone(socket);
  });
});
