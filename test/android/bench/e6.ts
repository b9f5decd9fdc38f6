/**
 * E6: frames by shared memory against frames in messages through Node, from a peer in its own process at 32 frames a second, to the same
 * encoder; and from a touch's message to the emulator's call. One JSON line a figure; bars are ratios, which a loaded machine moves least.
 */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { connectDevice, type DeviceClient } from "#client/client.ts";
import type { DeviceState } from "#core/device.ts";
import type { PicturePipeline } from "#drivers/android/pipeline.ts";
import type { EncodedFrame, Still, VideoStats } from "#drivers/driver.ts";
import { loadBinding } from "#native/load.ts";
import { startDeviceServer } from "#server/server.ts";

import { monotonicMs, offerOf, type Peer, Rig, soon } from "../rig.ts";

const FPS = 32;
const SECONDS = Number(process.env.BB_BENCH_SECONDS ?? 3);
const ROUNDS = Number(process.env.BB_BENCH_ROUNDS ?? 3);
const TOUCHES = 300;
const SIZES = [
  [1080, 2400],
  [2208, 1840],
  [2560, 1600],
  [570, 1280],
] as const;
/** Published for 570x1280, on another machine: produce to receive, p50 and p95 in ms. */
const PUBLISHED = { "shared-memory": [1.7, 2.4], "in-band": [8.8, 13.7] } as const;
const BARS = { total: 0.65, transport: 0.1 };
const MODES = ["shared-memory", "in-band"] as const;
type Mode = (typeof MODES)[number];

interface Measured {
  readonly cpuMsPerFrame: number;
  readonly latenciesMs: readonly number[];
  readonly frames: number;
  /** Frames that a newer one replaced before they were converted: on a loaded machine the figures are of fewer encodes. */
  readonly replaced: number;
}

/** Takes every frame and does nothing with it: what is left is the way the frame came. */
class NoPipeline implements PicturePipeline {
  #path: string | null = null;
  #stats = { framesIn: 0 };
  createRegion(path: string, bytes: number): void {
    const file = openSync(path, "wx", 0o600);
    ftruncateSync(file, bytes);
    closeSync(file);
    this.#path = path;
  }
  notify(): void {
    this.#stats.framesIn += 1;
  }
  push(): void {
    this.#stats.framesIn += 1;
  }
  stats(): VideoStats {
    return this.#stats as VideoStats;
  }
  async close(): Promise<void> {
    if (this.#path !== null) rmSync(this.#path, { force: true });
  }
  // oxlint-disable-next-line require-yield -- no unit ever comes
  async *frames(): AsyncGenerator<EncodedFrame> {}
  keyframe(): void {}
  streaming(): void {}
  setBitrate(): void {}
  encoder(): null {
    return null;
  }
  still(): Promise<Still> {
    return Promise.reject(new Error("no picture"));
  }
  screenshot(): Promise<Still> {
    return Promise.reject(new Error("no picture"));
  }
}

async function measure(rig: Rig, mode: Mode, encode: boolean): Promise<Measured> {
  const { driver } = rig.driver(encode ? { frames: mode } : { frames: mode, makePipeline: () => new NoPipeline() });
  const video = driver.video();
  video.streaming(true);
  await driver.attach(await offerOf(driver, "Bench"), soon());
  const latenciesMs: number[] = [];
  let counting = false;
  const reading = (async () => {
    for await (const unit of video.frames()) if (counting && !unit.refinement) latenciesMs.push(unit.monotonicMs - unit.captureMs);
  })();
  await pause(400);
  counting = true;
  const before = { cpu: process.cpuUsage(), stats: { ...video.stats() } };
  await pause(SECONDS * 1000);
  const cpu = process.cpuUsage(before.cpu);
  const after = video.stats();
  const frames = after.framesIn - before.stats.framesIn;
  const replaced = (after.framesReplaced ?? 0) - (before.stats.framesReplaced ?? 0);
  await driver.detach();
  await reading;
  // With an encoder, a frame counts when it came out of it: replaced ones would make a loaded machine look good.
  const counted = encode ? latenciesMs.length : frames;
  return { cpuMsPerFrame: (cpu.user + cpu.system) / 1000 / counted, latenciesMs, frames, replaced };
}

/**
 * From a client's message to the emulator's own receipt of the call, through the device server and its socket, with a busy stream. Both
 * clocks are the machine's monotonic one. The client is in this process, so its sending is counted too.
 */
async function touchLatency(rig: Rig, peer: Peer): Promise<readonly number[]> {
  const binding = loadBinding();
  const home = mkdtempSync(join(tmpdir(), "bb-"));
  const server = await startDeviceServer({
    home,
    driver: rig.factory({ frames: "shared-memory" }),
    lock: (path) => binding.lock(path),
    log: () => {},
  });
  const viewer = await connectDevice({ socket: server.socket, role: "viewer" }, { unit: (unit) => viewer.ack(unit.id) });
  let input: DeviceClient | null = null;
  const ready = new Promise<number>((resolve) => {
    const look = (state: DeviceState) => {
      if (state.power.is === "booted" && state.geometry !== null) resolve(state.geometry.generation);
    };
    void connectDevice(
      { socket: server.socket, role: "input" },
      { message: (message) => message.kind === "state" && look(message.message.state) },
    ).then((client) => {
      input = client;
      look(client.hello.state);
    });
  });
  const generation = await ready;
  const took: number[] = [];
  for (let count = 0; count < TOUCHES; count += 1) {
    const received = peer.feed.next((said) => said.method === "sendTouch");
    const contacts = count % 2 === 0 ? [{ id: 0, x: 10 + count, y: 10 }] : [];
    const sentMs = monotonicMs();
    (input as DeviceClient | null)?.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts, generation })}`);
    took.push(((await received).atMs as number) - sentMs);
    await pause(11);
  }
  viewer.terminate();
  (input as DeviceClient | null)?.terminate();
  await server.close();
  rmSync(home, { recursive: true, force: true });
  return took;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
}
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
function say(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function sizeBench(width: number, height: number): Promise<void> {
  const rig = await Rig.start();
  try {
    rig.avd("Bench", { "hw.lcd.width": String(width), "hw.lcd.height": String(height), "hw.lcd.density": "420" });
    const peer = await rig.peer(["--size", `${width}x${height}`], { avd: "Bench" });
    await peer.order("busy", { fps: FPS });
    const total: Record<Mode, Measured[]> = { "shared-memory": [], "in-band": [] };
    const bare: Record<Mode, Measured[]> = { "shared-memory": [], "in-band": [] };
    for (let turn = 0; turn < ROUNDS; turn += 1) {
      for (const mode of MODES) {
        total[mode].push(await measure(rig, mode, true));
        bare[mode].push(await measure(rig, mode, false));
      }
    }
    const median = (list: readonly Measured[]) =>
      quantile(
        list.map((one) => one.cpuMsPerFrame),
        0.5,
      );
    for (const mode of MODES) {
      const latencies = total[mode].flatMap((one) => one.latenciesMs);
      say({
        bench: "e6",
        size: `${width}x${height}`,
        mode,
        framesPerSecond: round(total[mode].reduce((sum, one) => sum + one.frames, 0) / (ROUNDS * SECONDS)),
        replaced: total[mode].reduce((sum, one) => sum + one.replaced, 0),
        cpuMsPerFrame: median(total[mode]),
        transportCpuMsPerFrame: median(bare[mode]),
        produceToUnitMs: { p50: quantile(latencies, 0.5), p95: quantile(latencies, 0.95) },
        ...(width === 570 ? { publishedProduceToReceiveMs: PUBLISHED[mode] } : {}),
      });
    }
    const ratio = (by: typeof total) => round(median(by["shared-memory"]) / median(by["in-band"]));
    say({
      bench: "e6",
      size: `${width}x${height}`,
      ratio: "total CPU",
      value: ratio(total),
      bar: BARS.total,
      passed: ratio(total) <= BARS.total,
    });
    say({
      bench: "e6",
      size: `${width}x${height}`,
      ratio: "transport CPU",
      value: ratio(bare),
      bar: BARS.transport,
      passed: ratio(bare) <= BARS.transport,
    });
    if (width === 1080) {
      const took = await touchLatency(rig, peer);
      say({
        bench: "touch message to the emulator's call, busy stream",
        calls: took.length,
        ms: { p50: quantile(took, 0.5), p95: quantile(took, 0.95) },
      });
    }
  } finally {
    await rig.stop();
  }
}

for (const [width, height] of SIZES) await sizeBench(width, height);
process.exit(0);
