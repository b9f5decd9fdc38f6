/**
 * What a viewer costs the device server: one more of a busy stream, and one of a screen that keeps still. The whole product runs; only the
 * device server's CPU time is counted, thread by thread, by the kernel. Started by `npm run bench -- --only viewers`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connectDevice, type DeviceClient } from "#client/client.ts";
import { monotonicMs } from "../support/latency.ts";
import { serverPid, startProduct } from "../support/product.ts";

const { values: options } = parseArgs({ options: { json: { type: "string" } } });
const FPS = 32;
const MORE = 10;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const STILL_MS = 30_000;
/** A still picture is refined first, and the device server settles down. */
const QUIET_MS = 3_000;
const BARS = { viewer: { bar: 0.1, aim: 0.03 }, share: { bar: 0.003, aim: 0.003 } };
const SLACK = 1.05;

interface Row {
  readonly name: string;
  readonly value: number;
  readonly bar: number;
  readonly aim: number;
  readonly pass: boolean;
  readonly [more: string]: unknown;
}

interface Cpu {
  /** ms on a core. */
  readonly encode: number;
  /** Everything but converting and encoding. */
  readonly rest: number;
}

/** CPU time of a process's threads since each began. */
function cpuOf(pid: number): Cpu {
  let [encode, rest] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, "utf8").trim();
      const ms = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
      if (name === "device-encode") encode += ms;
      else if (name !== "device-convert") rest += ms;
    } catch {
      // It ended while we looked.
    }
  }
  return { encode, rest };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

class Viewer {
  units = 0;
  bytes = 0;
  client: DeviceClient | null = null;
  static async join(socket: string): Promise<Viewer> {
    const viewer = new Viewer();
    let came = (): void => undefined;
    const first = new Promise<void>((resolve) => (came = resolve));
    viewer.client = await connectDevice(
      { socket, role: "viewer" },
      {
        unit: ({ id, message }) => {
          viewer.units += 1;
          viewer.bytes += message.byteLength;
          viewer.client?.ack(id);
          came();
        },
      },
    );
    await first;
    return viewer;
  }
}

async function withProduct<T>(scene: "busy" | "still", run: (socket: string, pid: number) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "bb-viewers-"));
  const product = await startProduct({ home, scene, args: ["--fps", String(FPS)] });
  try {
    return await run(product.ready.socket, serverPid(home));
  } finally {
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Round extends Cpu {
  /** Units that each viewer was given. */
  readonly units: readonly number[];
}

/** CPU of the device server, in ms, and what it sent for it. */
async function spend(pid: number, viewers: readonly Viewer[]): Promise<Round> {
  const [before, unitsBefore] = [cpuOf(pid), viewers.map(({ units }) => units)];
  await pause(ROUND_MS);
  const after = cpuOf(pid);
  const units = viewers.map((viewer, at) => viewer.units - (unitsBefore[at] ?? 0));
  return { encode: after.encode - before.encode, rest: after.rest - before.rest, units };
}

function oneMore(): Promise<readonly Row[]> {
  return withProduct("busy", async (socket, pid) => {
    const viewer = await Viewer.join(socket);
    const rounds: { readonly more: number; readonly encode: number; readonly kept: number }[] = [];
    // One and many in turn, so that what else runs on the machine is in both.
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await spend(pid, [viewer]);
      const others = await Promise.all(Array.from({ length: MORE }, () => Viewer.join(socket)));
      const together = await spend(pid, [viewer, ...others]);
      for (const { client } of others) client?.terminate();
      const [single = 0, [first = 0, ...rest]] = [alone.units[0], together.units];
      // Counted for the units that were sent, as a viewer that falls behind is sent fewer.
      const sent = rest.reduce((sum, units) => sum + units, 0);
      rounds.push({
        more: (together.rest - (alone.rest / single) * first) / sent,
        encode: (alone.encode + together.encode) / (single + first),
        kept: sent / (first * MORE),
      });
    }
    viewer.client?.terminate();
    const [ms, ofMs] = [median(rounds.map(({ more }) => more)), median(rounds.map(({ encode }) => encode))];
    const value = ms / ofMs;
    const pass = value <= BARS.viewer.bar * SLACK;
    return [
      {
        name: "one more viewer / encode, CPU, phone",
        value,
        ...BARS.viewer,
        pass,
        ms,
        of_ms: ofMs,
        kept: median(rounds.map(({ kept }) => kept)),
      },
    ];
  });
}

function still(): Promise<readonly Row[]> {
  return withProduct("still", async (socket, pid) => {
    const viewer = await Viewer.join(socket);
    await pause(QUIET_MS);
    const [before, units, bytes, beganMs] = [cpuOf(pid), viewer.units, viewer.bytes, monotonicMs()];
    await pause(STILL_MS);
    const [after, tookMs] = [cpuOf(pid), monotonicMs() - beganMs];
    viewer.client?.terminate();
    const spent = after.encode + after.rest - before.encode - before.rest;
    const share = spent / tookMs;
    const none = (name: string, value: number): Row => ({
      name: `still screen, one viewer, 30 s: ${name}`,
      value,
      bar: 0,
      aim: 0,
      pass: value === 0,
    });
    return [
      none("units", viewer.units - units),
      none("bytes", viewer.bytes - bytes),
      {
        name: "still screen, one viewer, 30 s: share of a core, device server",
        value: share,
        ...BARS.share,
        pass: share <= BARS.share.bar * SLACK,
      },
    ];
  });
}

const rows: Row[] = [];
for (const measure of [oneMore, still]) {
  let measured = await measure();
  // Measured once more before it counts as a miss.
  if (measured.some(({ pass }) => !pass)) measured = await measure();
  for (const { name, value, bar, aim, pass } of measured)
    process.stdout.write(`${name}  ${value.toFixed(4)}, bar ${bar}, aim ${aim}${pass ? "" : "  MISSED"}\n`);
  rows.push(...measured);
}
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n`);
if (options.json !== undefined)
  writeFileSync(options.json, rows.map((row) => `${JSON.stringify({ ...row, load: loadavg()[0] })}\n`).join(""));
