import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { connectDevice } from "#client/client.ts";
import { checkSocketPath } from "#server/home.ts";
import { bench, ManualClock, settled, type Bench, type BenchOptions } from "./support.ts";

let made: Bench | null = null;
afterEach(async () => {
  await made?.close();
  made = null;
});
async function open(options: BenchOptions = {}): Promise<Bench> {
  made = await bench(options);
  return made;
}

describe("where the device server listens", () => {
  it("makes a private home with a private socket", async () => {
    const { home, server } = await open();
    expect(statSync(home).mode & 0o777).toBe(0o700);
    expect(statSync(server.socket).mode & 0o777).toBe(0o600);
  });

  it("refuses a socket path that the system would cut, in words, before it makes anything", async () => {
    const base = mkdtempSync(join(tmpdir(), "bbd-"));
    const long = join(base, "x".repeat(100));
    await expect(bench({ home: long })).rejects.toThrow(/bytes long, and this system takes 107 at most.*--home/);
    expect(existsSync(long)).toBe(false);
    rmSync(base, { recursive: true });
  });

  it("counts bytes, not characters, and knows macOS's shorter limit", () => {
    expect(() => checkSocketPath("/" + "é".repeat(54), "linux")).toThrow(/109 bytes/);
    expect(() => checkSocketPath("/" + "x".repeat(106), "linux")).not.toThrow();
    expect(() => checkSocketPath("/" + "x".repeat(103), "darwin")).toThrow(/103 at most/);
  });

  it("refuses a second server on the home, in words, and leaves the first one's socket alone", async () => {
    const first = await open();
    await expect(bench({ home: first.home })).rejects.toThrow(/Another device server already runs on/);
    await (await first.connect("viewer")).client.close();
  });

  it("removes a socket that a server left behind", async () => {
    const home = join(mkdtempSync(join(tmpdir(), "bbd-")), "device");
    mkdirSync(home, { mode: 0o700 });
    await new Promise<void>((resolve) => {
      // A listener that dies with its process leaves its socket: node removes it only on close, so a rename keeps one here.
      const stale = createServer().listen(join(home, "left.sock"), () => {
        import("node:fs").then(
          ({ renameSync }) => {
            renameSync(join(home, "left.sock"), join(home, "device.sock"));
            stale.close(() => resolve());
          },
          () => undefined,
        );
      });
    });
    await (await (await open({ home })).connect("viewer")).client.close();
  });

  it("never deletes what is no socket", async () => {
    const home = join(mkdtempSync(join(tmpdir(), "bbd-")), "device");
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, "device.sock"), "precious");
    await expect(bench({ home })).rejects.toThrow(/is not a socket, so it is left alone/);
    expect(readFileSync(join(home, "device.sock"), "utf8")).toBe("precious");
    rmSync(home, { recursive: true });
  });

  it("answers another path or role with 404 and words", async () => {
    const { server } = await open();
    for (const path of ["/other", "/device", "/device?role=admin", "/device?role=control", "/device?role=control&instance=x&since=1"]) {
      const { status, body } = await upgrade(server.socket, path);
      expect(status).toBe(404);
      expect(body).toMatch(/role=|There is nothing at/);
    }
  });

  it("tells a client in words that nobody listens", async () => {
    await expect(connectDevice({ role: "viewer", socket: "/nonexistent/device.sock" })).rejects.toThrow(/No device server listens there/);
  });
});

describe("connections", () => {
  it("say HELLO first, with all that a client needs, then MODE to those that speak Selkies", async () => {
    const bench = await open();
    for (const role of ["viewer", "input"] as const) {
      const { client, heard } = await bench.connect(role);
      await heard.until((h) => h.messages.length >= 2);
      expect(heard.kinds().slice(0, 2)).toEqual(["hello", "mode"]);
      expect(client.hello).toMatchObject({
        protocol: { min: 1, max: 1 },
        platform: "android",
        lease: { held: false, since: null },
        owner: { holder: "none" },
        encoder: { name: "fake", version: "1" },
        bootedHere: ["Test device"],
      });
      expect(client.hello.devices.map((d) => d.model)).toEqual(["Test device", "Test foldable"]);
      expect(client.hello.models).toHaveLength(2);
      expect(client.hello.state.power).toEqual({ is: "booted", awake: true });
    }
  });

  it("say each change of the state to every role", async () => {
    const bench = await open();
    const all = [await bench.connect("viewer"), await bench.connect("input"), await bench.control()];
    bench.box.driver?.host.warning("Something to know.");
    for (const { heard } of all) await heard.until((h) => h.states().some((s) => s.warning === "Something to know."));
  });

  it("let the newest input connection win, and close the older with 4000", async () => {
    const bench = await open();
    const old = await bench.connect("input");
    await bench.connect("input");
    await old.heard.until((h) => h.closed.length > 0);
    expect(old.heard.closed[0]).toMatchObject({ code: 4000, superseded: true });
  });

  it("lift what an input connection held when it ends, and when another takes its place", async () => {
    const bench = await open();
    const first = await bench.connect("input");
    first.client.send("m,100,100,1,0");
    first.client.send("kd,97");
    await bench.box.until((t) => t.some((x) => x.what === "key") && t.some((x) => x.what === "touch" && x.contacts.length === 1));
    const second = await bench.connect("input");
    await bench.box.until(() => bench.box.touches().at(-1)?.length === 0 && bench.box.keys().at(-1) === "-a");
    second.client.send("m,200,200,1,0");
    await bench.box.until(() => bench.box.touches().at(-1)?.length === 1);
    second.client.terminate();
    await bench.box.until(() => bench.box.touches().at(-1)?.length === 0);
  });

  it("are pinged after 15 s and ended when no pong comes within 15 s more", async () => {
    const clock = new ManualClock();
    const { server } = await open({ clock });
    const heard: Buffer[] = [];
    let closed = false;
    const socket = connect(server.socket, () =>
      socket.write(
        "GET /device?role=input HTTP/1.1\r\nHost: device\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      ),
    );
    socket.on("data", (chunk: Buffer) => heard.push(chunk));
    socket.on("close", () => (closed = true));
    await settled();
    await settled();
    const before = heard.length;
    await clock.move(14_900);
    expect(heard.length).toBe(before);
    await clock.move(200);
    // A ping's first byte: final, opcode 9.
    expect(heard.slice(before).some((chunk) => chunk[0] === 0x89)).toBe(true);
    await clock.move(14_800);
    expect(closed).toBe(false);
    await clock.move(200);
    await settled();
    expect(closed).toBe(true);
  });

  it("stay as long as they answer pings", async () => {
    const clock = new ManualClock();
    const { client } = await (await open({ clock })).connect("viewer");
    for (let i = 0; i < 10; i++) await clock.move(16_000);
    expect(client.open).toBe(true);
  });

  it("stay open through 2,000 requests that are no JSON, each answered bad-value", async () => {
    const bench = await open();
    const bad = await bench.connect("input");
    for (let i = 0; i < 2000; i++) bad.client.send(`BB_DEVICE ${"{".repeat(i % 50)}`);
    bad.client.send('BB_DEVICE {"id":"x","type":"nothing"}');
    await bad.heard.until((h) => h.messages.some((m) => m.kind === "answer" && m.answer.id === "x"));
    const answer = bad.heard.messages.find((m) => m.kind === "answer" && m.answer.id === "x");
    expect(answer).toMatchObject({ answer: { ok: false, error: { code: "bad-value" } } });
    expect(bad.client.open).toBe(true);
  });
});

describe("the lease of the control connection", () => {
  const low = "00000000-0000-4000-8000-000000000001";
  const high = "00000000-0000-4000-8000-000000000002";
  it("goes to the later start, ties to the greater uuid, and to the same instance always", async () => {
    const bench = await open();
    const first = await bench.control(low, 1000);
    const later = await bench.control(high, 2000);
    await first.heard.until((h) => h.closed.length > 0);
    expect(first.heard.kinds()).toContain("superseded");
    expect(first.heard.closed[0]?.code).toBe(4000);
    const earlier = await bench.control(low, 1500);
    await earlier.heard.until((h) => h.closed.length > 0);
    expect(earlier.heard.kinds()).toContain("superseded");
    const again = await bench.control(high, 1);
    await later.heard.until((h) => h.closed.length > 0);
    expect(again.client.open).toBe(true);
  });
});

describe("video over the socket", () => {
  it("gives a join on a still screen its first unit within 100 ms, and also 50 ms after another's key frame", async () => {
    const bench = await open();
    const joined = async (): Promise<number> => {
      const { heard } = await bench.connect("viewer");
      const helloMs = performance.now();
      await heard.until((h) => h.units.length > 0);
      expect(heard.units[0]?.key).toBe(true);
      return performance.now() - helloMs;
    };
    expect(await joined()).toBeLessThan(100);
    expect(await joined()).toBeLessThan(100);
  });

  it("encodes only while somebody watches, and a quarter of a second after the last key frame", async () => {
    const clock = new ManualClock();
    const bench = await open({ clock });
    const { client, heard } = await bench.connect("viewer");
    await heard.until((h) => h.units.length > 0);
    expect(bench.box.streaming).toBe(true);
    client.send("STOP_VIDEO");
    await heard.until((h) => h.kinds().includes("video-stopped"));
    await clock.move(250);
    expect(bench.box.streaming).toBe(false);
    client.send("START_VIDEO");
    await heard.until((h) => h.kinds().includes("video-started"));
    expect(bench.box.streaming).toBe(true);
    await client.close();
  });

  it("carries each unit's size, generation and bytes as they were", async () => {
    const bench = await open();
    const { client, heard } = await bench.connect("viewer");
    await heard.until((h) => h.units.length > 0);
    bench.box.driver?.frame(false, 5000);
    await heard.until((h) => h.units.some((u) => u.data.byteLength === 5000));
    const unit = heard.units.find((u) => u.data.byteLength === 5000);
    expect(unit).toMatchObject({ key: false, width: 1080, generation: client.hello.state.geometry?.generation });
  });

  it("sends stills to who asked for them: at once, then at most five a second on change", async () => {
    const bench = await open();
    const { client, heard } = await bench.connect("viewer");
    client.send("START_STILLS");
    await heard.until((h) => h.kinds().includes("still"));
    for (let i = 0; i < 20; i++) bench.box.driver?.host.changed(performance.now());
    await heard.until((h) => h.kinds().filter((k) => k === "still").length >= 2);
    expect(heard.kinds().filter((k) => k === "still").length).toBe(2);
  });
});

describe("reads", () => {
  it("give a screenshot with its scale and generation, a tree, and settle", async () => {
    const bench = await open();
    const { client } = await bench.control();
    const shot = await client.request({ type: "screenshot" });
    expect(shot).toMatchObject({ png: "AQID", width: 1080, height: 2400, scale: 1, generation: client.hello.state.geometry?.generation });
    expect((await client.request({ type: "tree" })).elements).toEqual([]);
    expect((await client.request({ type: "settle", quietMs: 30, maxMs: 1000 })).still).toBe(true);
  });

  it("say where a picture's time goes", async () => {
    const bench = await open();
    const { client, heard } = await bench.connect("viewer");
    await heard.until((h) => h.units.length > 0);
    client.ack(heard.units[0]?.id ?? 0);
    bench.box.driver?.frame(false, 77);
    await heard.until((h) => h.units.some((u) => u.data.byteLength === 77));
    client.ack(heard.units.at(-1)?.id ?? 0);
    const { stats } = await client.request({ type: "stats" });
    expect(stats?.stages.captureToSent.samples).toBeGreaterThan(0);
    expect(stats?.stages.draw.samples).toBeGreaterThan(0);
    expect(stats?.viewers).toBe(1);
    expect(stats?.frames).toBeUndefined();
  });

  it("give the newest pictures' own times where they are asked for, each with its acknowledgement", async () => {
    const bench = await open();
    const { client, heard } = await bench.connect("viewer");
    await heard.until((h) => h.units.length > 0);
    bench.box.driver?.frame(false, 78);
    await heard.until((h) => h.units.some((u) => u.data.byteLength === 78));
    const { id } = heard.units.at(-1) ?? { id: -1 };
    const frame = async () => (await client.request({ type: "stats", frames: true })).stats?.frames?.find((one) => one.id === id);
    expect(await frame()).toMatchObject({ bytes: 78, ackedMs: null });
    client.ack(id);
    const acked = await frame();
    const { captureMs, sentMs, ackedMs } = acked ?? { captureMs: 0, sentMs: 0, ackedMs: null };
    expect(sentMs).toBeGreaterThanOrEqual(captureMs);
    expect(ackedMs).toBeGreaterThanOrEqual(sentMs);
    client.ack(id);
    expect((await frame())?.ackedMs).toBe(ackedMs);
  });
});

async function upgrade(socketPath: string, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      path,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
      },
    });
    sent.on("response", (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode, body }));
    });
    sent.on("upgrade", () => reject(new Error("upgraded")));
    sent.on("error", reject);
    sent.end();
  });
}
