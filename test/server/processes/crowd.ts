/** Fifty viewers of one busy stream: five stalled, five slow, five that come and go each second, and what became of the others. */
import { connect, type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { WebSocket } from "ws";
import { decodeVideoHeader } from "#wire/frame.ts";
import { formatAck } from "#wire/selkies.ts";
import type { Rig } from "./rig.ts";

interface Viewer {
  readonly socket: WebSocket;
  readonly pipe: Socket;
  /** Every unit's, in the order they came. */
  readonly got: { readonly id: number; readonly key: boolean }[];
}

export interface CrowdFigures {
  readonly seconds: number;
  /** Units that the device server encoded meanwhile, and the key frames among them. */
  readonly encoded: number;
  readonly keys: number;
  /** What the worst of the well viewers got of them: 1 is all. */
  readonly worstKept: number;
  /** The server's resident bytes, once a second. */
  readonly memory: readonly number[];
  /** What each viewer that stayed and was not stalled got. */
  readonly stayed: readonly (readonly { readonly id: number; readonly key: boolean }[])[];
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

/** Runs them on a rig that is up and busy, for so many seconds; all have left when it resolves. */
export async function crowd(rig: Rig, seconds: number): Promise<CrowdFigures> {
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
  while (performance.now() - startMs < seconds * 1000) {
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
  const worstKept = Math.min(...well.map((v, i) => (v.got.length - (starts[i] ?? 0)) / encoded));
  for (const { pipe } of stalled) pipe.resume();
  for (const { socket } of [...well, ...stalled, ...slow]) socket.terminate();
  for (const gone of coming) (await gone).socket.terminate();
  return {
    seconds: took,
    encoded,
    keys: (after["keyFrames"] ?? 0) - (before["keyFrames"] ?? 0),
    worstKept,
    memory,
    stayed: [...well, ...slow].map(({ got }) => got),
  };
}

/** For a person. */
export function crowdWords({ encoded, seconds, keys, worstKept, memory }: CrowdFigures): string {
  return (
    `50 viewers: ${encoded} units in ${seconds.toFixed(1)} s, ${keys} of them key frames; the worst well viewer kept ${(worstKept * 100).toFixed(1)}%; ` +
    `${(memory[0] ?? 0) >> 20} to ${(memory.at(-1) ?? 0) >> 20} MiB`
  );
}
