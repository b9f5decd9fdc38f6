/** Fifty viewers of one busy stream: five stalled, five slow, five that come and go; the others notice none of it. */
import { connect, type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { decodeVideoHeader } from "#wire/frame.ts";
import { formatAck } from "#wire/selkies.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();
const SECONDS = 8;

interface Viewer {
  readonly socket: WebSocket;
  readonly pipe: Socket;
  readonly got: { readonly id: number; readonly key: boolean }[];
}

/** `ackAfterMs`: how late this viewer draws; null: it never acknowledges. */
function join(path: string, ackAfterMs: number | null): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const pipe = connect(path);
    const socket = new WebSocket("ws://device/device?role=viewer", { createConnection: () => pipe, perMessageDeflate: false });
    const got: Viewer["got"] = [];
    socket.on("message", (data, binary) => {
      if (!binary || !Buffer.isBuffer(data)) return;
      const header = decodeVideoHeader(data);
      if (header === null) return;
      got.push({ id: header.id, key: header.key });
      const ack = (): void => {
        if (socket.readyState === WebSocket.OPEN) socket.send(formatAck(header.id));
      };
      if (ackAfterMs === 0) ack();
      else if (ackAfterMs !== null) setTimeout(ack, ackAfterMs);
    });
    socket.on("error", () => undefined);
    socket.once("open", () => resolve({ socket, pipe, got }));
    socket.once("unexpected-response", () => reject(new Error("refused")));
  });
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}

describe.skipIf(process.platform !== "linux")("fifty viewers", () => {
  it("get one encode a frame; the well ones keep 95% of it, whatever the others do; at most four key frames a second", async () => {
    const rig = new Rig(entry.path, "busy");
    await rig.start();
    const asker = await rig.booted();
    asker.client.send("STOP_VIDEO");
    const stats = async () => (await asker.client.request({ type: "stats" })).stats?.video ?? {};
    const well = await Promise.all(Array.from({ length: 35 }, () => join(rig.socket, 0)));
    const stalled = await Promise.all(Array.from({ length: 5 }, () => join(rig.socket, 0)));
    const slow = await Promise.all(Array.from({ length: 5 }, () => join(rig.socket, 700)));
    await Promise.all(well.map((v) => new Promise<void>((resolve) => v.socket.once("message", () => resolve()))));
    for (const { pipe } of stalled) pipe.pause();
    const before = await stats();
    const startMs = performance.now();
    const starts = well.map((v) => v.got.length);
    const memory = [residentBytes(rig.pid)];
    let coming: Promise<Viewer>[] = [];
    let last = startMs;
    while (performance.now() - startMs < SECONDS * 1000) {
      // Paced by the stream itself: the next unit of a well viewer.
      await new Promise<void>((resolve) => well[0]?.socket.once("message", () => resolve()));
      if (performance.now() - last < 1000) continue;
      last = performance.now();
      memory.push(residentBytes(rig.pid));
      for (const gone of coming) void gone.then(({ socket }) => socket.terminate());
      coming = Array.from({ length: 5 }, () => join(rig.socket, 0));
    }
    const took = (performance.now() - startMs) / 1000;
    const after = await stats();
    const encoded = (after["unitsOut"] ?? 0) - (before["unitsOut"] ?? 0);
    const keys = (after["keyFrames"] ?? 0) - (before["keyFrames"] ?? 0);
    const kept = well.map((v, i) => (v.got.length - (starts[i] ?? 0)) / encoded);
    const worst = Math.min(...kept);
    process.stderr.write(
      `50 viewers: ${encoded} units in ${took.toFixed(1)} s, ${keys} of them key frames; the worst well viewer kept ${(worst * 100).toFixed(1)}%; ` +
        `${(memory[0] ?? 0) >> 20} to ${(memory.at(-1) ?? 0) >> 20} MiB\n`,
    );
    expect(worst).toBeGreaterThanOrEqual(0.95);
    expect(keys).toBeLessThanOrEqual(4 * took + 1);
    // A stalled viewer is held at its limits: what is kept for all five is bounded.
    expect(Math.max(...memory) - (memory[1] ?? 0)).toBeLessThan(5 * 4 * 1024 * 1024 + 48 * 1024 * 1024);
    for (const { got } of [...well, ...slow]) {
      // Nothing but a key frame follows a dropped unit.
      for (let i = 1; i < got.length; i++) {
        const gap = ((got[i]?.id ?? 0) - (got[i - 1]?.id ?? 0)) & 0xffff;
        if (gap !== 1) expect(got[i]?.key).toBe(true);
      }
    }
    for (const { pipe } of stalled) pipe.resume();
    for (const { socket } of [...well, ...stalled, ...slow]) socket.terminate();
    for (const gone of coming) (await gone).socket.terminate();
  }, 60_000);
});

describe("a join of a still screen that nobody watched", () => {
  it("costs one key frame of the real pipeline, with a START_VIDEO said twice, pause after pause", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const { client, heard } = await rig.booted();
    const input = await rig.connect("input");
    const keys = async (): Promise<number> => (await input.client.request({ type: "stats" })).stats?.video?.["keyFrames"] ?? Number.NaN;
    const quiet = () => input.client.request({ type: "settle", quietMs: 600, maxMs: 5000 });
    const shown = (): number => heard.units.filter(({ key }) => key).length;
    for (let round = 0; round < 5; round++) {
      client.send("STOP_VIDEO");
      await heard.until((h) => h.kinds().filter((kind) => kind === "video-stopped").length > round);
      await quiet();
      const [made, had, units] = [await keys(), shown(), heard.units.length];
      client.send("START_VIDEO");
      await heard.until((h) => h.units.length > units);
      client.send("START_VIDEO");
      await quiet();
      expect([(await keys()) - made, shown() - had]).toEqual([1, 1]);
    }
  }, 60_000);
});
