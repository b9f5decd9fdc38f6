import { once } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import WebSocket from "ws";
import { decodeVideoHeader } from "#wire/frame.ts";
import { startProduct } from "../support/product.ts";
import { temporaryFolder } from "../support/temp.ts";

const now = () => Number(process.hrtime.bigint()) / 1e6;

interface Viewer {
  readonly socket: WebSocket;
  /** When each key unit came, from the socket's opening, ms. */
  readonly keysMs: number[];
  /** From HELLO to the first unit, ms; null until it came. */
  firstMs: number | null;
}

/** A viewer of its own on the device socket: ws, and nothing of ours but the header's reading. */
async function watch(path: string): Promise<Viewer> {
  const socket = new WebSocket(`ws+unix:${path}:/device?role=viewer`, { perMessageDeflate: false });
  let helloMs = 0;
  const viewer: Viewer = { socket, keysMs: [], firstMs: null };
  socket.on("message", (data: Buffer, binary) => {
    if (!binary) {
      if (data.toString().startsWith("BB_DEVICE_HELLO ")) helloMs = now();
      return;
    }
    const header = decodeVideoHeader(data);
    if (header === null) throw new Error("a binary message that is no video unit");
    viewer.firstMs ??= now() - helloMs;
    if (header.key) viewer.keysMs.push(now());
    socket.send(`CLIENT_FRAME_ACK ${header.id}`);
  });
  await once(socket, "open");
  onTestFinished(() => socket.terminate());
  return viewer;
}

const first = (viewer: Viewer) => expect.poll(() => viewer.firstMs, { interval: 5 });

it("a join on a still screen has its first unit within 100 ms, also 50 ms after another's key frame", async () => {
  const home = temporaryFolder();
  const product = await startProduct({ home, scene: "still" });
  onTestFinished(async () => void (await product.stop()));
  const early = await watch(product.ready.socket);
  await first(early).not.toBeNull();
  // The screen is still and refined: nothing more comes by itself.
  await after(1000);
  const later = await watch(product.ready.socket);
  await first(later).not.toBeNull();
  await after(50);
  const soon = await watch(product.ready.socket);
  await first(soon).not.toBeNull();
  process.stdout.write(`first unit after HELLO: ${[early, later, soon].map((viewer) => `${viewer.firstMs?.toFixed(1)} ms`).join(", ")}\n`);
  expect(later.firstMs).toBeLessThan(100);
  expect(soon.firstMs).toBeLessThan(100);
});

it("ten viewers that all ask for key frames all the time get at most four a second, and at least one each", async () => {
  const home = temporaryFolder();
  const product = await startProduct({ home, scene: "still" });
  onTestFinished(async () => void (await product.stop()));
  const viewers = await Promise.all(Array.from({ length: 10 }, () => watch(product.ready.socket)));
  for (const viewer of viewers) await first(viewer).not.toBeNull();
  const started = now();
  for (let round = 0; round < 300; round += 1) {
    for (const viewer of viewers) viewer.socket.send("REQUEST_KEYFRAME");
    await after(10);
  }
  const seconds = (now() - started) / 1000;
  const counts = viewers.map((viewer) => viewer.keysMs.filter((at) => at > started).length);
  process.stdout.write(`key frames a second in the storm: ${(Math.max(...counts) / seconds).toFixed(2)}\n`);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 1);
  for (const viewer of viewers) {
    const gaps = viewer.keysMs.slice(1).map((at, index) => at - (viewer.keysMs[index] ?? 0));
    // Sent at least 250 ms apart; they may arrive a little closer together.
    expect(Math.min(...gaps.slice(1))).toBeGreaterThan(200);
  }
});
