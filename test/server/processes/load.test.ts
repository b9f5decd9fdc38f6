/** A thousand requests a second on the control connection beside a busy stream: neither hurts the other. */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { decodeVideoHeader } from "#wire/frame.ts";
import { formatAck } from "#wire/selkies.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();
const A_SECOND = 1000;
const EVERY_MS = 10;
const SECONDS = 4;
/** A bare echo this late at its 99th percentile: whatever is measured beside it tells of the machine alone. */
const BUSY_MACHINE_MS = 30;

function open(socket: string, query: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const made = new WebSocket(`ws://device/device?${query}`, { createConnection: () => connect(socket), perMessageDeflate: false });
    made.once("open", () => resolve(made));
    made.once("error", reject);
  });
}

/** A process that sends back what it gets, and nothing else: how late this machine is by itself just now. */
async function echo(): Promise<{ readonly ping: () => void; readonly p99Ms: () => number; readonly end: () => void }> {
  const child = spawn(process.execPath, ["-e", "process.stdin.pipe(process.stdout)"], { stdio: ["pipe", "pipe", "inherit"] });
  const sentMs: number[] = [];
  let tookMs: number[] = [];
  const up = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  child.stdout.on("data", (chunk: Buffer) => {
    for (let i = 0; i < chunk.length; i++) tookMs.push(performance.now() - (sentMs.shift() ?? 0));
  });
  const ping = (): void => {
    sentMs.push(performance.now());
    child.stdin.write("x");
  };
  ping();
  await up;
  return {
    ping,
    p99Ms: () => {
      const sorted = tookMs.toSorted((a, b) => a - b);
      tookMs = [];
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    },
    end: () => child.kill(),
  };
}

/** Resolves with the answers' times in ms, sorted. `tick` runs with each handful that is sent. */
async function hammer(control: WebSocket, tick: () => void): Promise<number[]> {
  const sentMs = new Map<string, number>();
  const tookMs: number[] = [];
  let sent = 0;
  return new Promise((resolve) => {
    const done = (): void => {
      if (sent === A_SECOND * SECONDS && sentMs.size === 0) resolve(tookMs.toSorted((a, b) => a - b));
    };
    control.removeAllListeners("message");
    control.on("message", (data, binary) => {
      if (binary) return;
      // Only the id is read here: what is measured is the server, not this process's parsing.
      const id = /^BB_DEVICE_ANSWER \{"id":"([^"]+)"/.exec(String(data).slice(0, 80))?.[1];
      const at = id === undefined ? undefined : sentMs.get(id);
      if (id === undefined || at === undefined) return;
      sentMs.delete(id);
      tookMs.push(performance.now() - at);
      done();
    });
    const startMs = performance.now();
    const timer = setInterval(() => {
      tick();
      const due = Math.min(A_SECOND * SECONDS, Math.floor(((performance.now() - startMs) / 1000) * A_SECOND));
      for (; sent < due; sent++) {
        const id = `r${sent}`;
        sentMs.set(id, performance.now());
        control.send(`BB_DEVICE ${JSON.stringify(sent % 2 === 0 ? { id, type: "tree" } : { id, type: "result" })}`);
      }
      if (sent === A_SECOND * SECONDS) clearInterval(timer);
      done();
    }, EVERY_MS);
  });
}

describe("a thousand tree and result requests a second beside a busy stream", () => {
  it("are answered within 50 ms at the 99th percentile, beyond what the machine itself is late, and the video keeps 95% of its frames", async () => {
    const rig = new Rig(entry.path, "busy");
    await rig.start();
    const boot = await rig.booted();
    boot.client.terminate();
    const control = await open(rig.socket, `role=control&instance=${randomUUID()}&since=1`);
    const viewer = await open(rig.socket, "role=viewer");
    let units = 0;
    let counting = false;
    viewer.on("message", (data, binary) => {
      if (!binary || !Buffer.isBuffer(data)) return;
      const header = decodeVideoHeader(data);
      if (header === null) return;
      if (counting) units++;
      viewer.send(formatAck(header.id));
    });
    const asker = await rig.connect("viewer");
    asker.client.send("STOP_VIDEO");
    const made = async (): Promise<number> => (await asker.client.request({ type: "stats" })).stats?.video?.["unitsOut"] ?? 0;
    await new Promise<void>((resolve) => viewer.on("message", (_data, binary) => (binary ? resolve() : undefined)));
    const bare = await echo();
    const round = async (): Promise<{
      readonly p99Ms: number;
      readonly bareMs: number;
      readonly kept: number;
      readonly encoded: number;
    }> => {
      const before = await made();
      units = 0;
      counting = true;
      const tookMs = await hammer(control, bare.ping);
      const encoded = (await made()) - before;
      counting = false;
      expect(tookMs).toHaveLength(A_SECOND * SECONDS);
      const bareMs = bare.p99Ms();
      const p99Ms = (tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.POSITIVE_INFINITY) - bareMs;
      const p50Ms = tookMs[Math.floor(tookMs.length / 2)] ?? Number.POSITIVE_INFINITY;
      process.stderr.write(
        `${A_SECOND} requests a second: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms over a bare echo's ${bareMs.toFixed(1)} ms; ${units} of ${encoded} units\n`,
      );
      return { p99Ms, bareMs, kept: units / encoded, encoded };
    };
    let measured = await round();
    // A machine that did something else meanwhile is measured again before it counts as a miss.
    for (let again = 0; again < 3 && measured.p99Ms >= 50; again++) measured = await round();
    if (measured.bareMs > BUSY_MACHINE_MS)
      process.stderr.write(`not judged: this machine is ${measured.bareMs.toFixed(0)} ms late by itself\n`);
    else expect(measured.p99Ms).toBeLessThan(50);
    expect(measured.kept).toBeGreaterThanOrEqual(0.95);
    expect(measured.encoded).toBeGreaterThan(SECONDS);
    bare.end();
    control.terminate();
    viewer.terminate();
  }, 60_000);
});
