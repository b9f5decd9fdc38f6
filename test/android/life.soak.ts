/**
 * An emulator box used hard for minutes: switched, restarted, turned, its server and its emulators killed, also inside a switch. After
 * each of these the device is there again, within its time, a viewer gets a picture, and a tap lands.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { connectDevice, type DeviceClient } from "#client/client.ts";
import type { DeviceControl, DeviceState } from "#core/device.ts";
import { findEmulators } from "#drivers/android/discovery.ts";
import { SERVER_NODE_ARGS } from "#launch/server-heap.ts";

import { Heard } from "../server/support.ts";
import { tellWhenFailed } from "../support/failed.ts";
import { describeWith } from "../support/needs.ts";
import { ROOT } from "../support/product.ts";
import { Rig, SMALL, SMALL_ARGS } from "./rig.ts";

const SECONDS = Number(process.env.BB_SOAK_SECONDS ?? 600);
const SEED = Number(process.env.BB_SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Of one step, whatever it is, on a machine that does other things too. */
const STEP_MS = 30_000;
const MODELS = ["One", "Two", "Three"] as const;

interface Connection {
  readonly client: DeviceClient;
  readonly heard: Heard;
  readonly state: () => DeviceState;
}

/** Mulberry32: the same steps for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describeWith(["python3-grpcio", "protoc", "adb"], `${SECONDS} seconds of switches, restarts and kills`, () => {
  let rig: Rig;
  let home: string;
  let server: ChildProcess | null = null;
  let log = "";
  const steps: string[] = [];

  beforeEach(async () => {
    rig = await Rig.start();
    home = mkdtempSync(join(tmpdir(), "bb-"));
    for (const name of MODELS) rig.avd(name, SMALL);
    rig.installEmulator(SMALL_ARGS);
  });
  afterEach(async (context) => {
    tellWhenFailed(context, [`seed ${SEED}`, steps.slice(-12).join("\n"), log.slice(-6_000)], [join(home, "device/intent.json")]);
    await ended("SIGKILL");
    await rig.stop();
    rmSync(home, { recursive: true, force: true });
  });

  function serve(): void {
    const args = [...SERVER_NODE_ARGS, join(ROOT, "build/bb-box-device.mjs"), "serve", "--home", home, "--device", "android"];
    server = spawn(process.execPath, args, {
      env: { ...rig.env, BB_DEVICE_ADDON: process.env.BB_DEVICE_ADDON },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const output of [server.stdout, server.stderr]) output?.on("data", (chunk: Buffer) => (log += chunk.toString()));
  }
  async function ended(signal: NodeJS.Signals): Promise<void> {
    const child = server;
    server = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }
  async function connect(role: "viewer" | "input"): Promise<Connection> {
    for (;;) {
      const heard = new Heard();
      const client = await connectDevice({ socket: join(home, "device/device.sock"), role }, heard.events).catch(() => null);
      if (client === null) await new Promise((resolve) => setTimeout(resolve, 50));
      else return { client, heard, state: () => (heard.states().at(-1)?.state ?? client.hello.state) as DeviceState };
    }
  }
  async function settled(): Promise<Connection> {
    const input = await connect("input");
    await input.heard.until(() => ["booted", "failed"].includes(input.state().power.is));
    return input;
  }
  async function ask(control: DeviceControl): Promise<void> {
    const { client } = await settled();
    // The words of a refusal are no fault here: what counts is that the device is there afterwards.
    const said = await client.request({ type: "control", control }).then(
      () => "done",
      (error: unknown) => String(error),
    );
    steps.push(`  ${JSON.stringify(control)}: ${said}`);
    await client.close();
  }
  /** One that ended twice within five minutes stays failed, in words, until somebody asks: then it comes. */
  async function shown(): Promise<void> {
    const input = await settled();
    const { power, model } = input.state();
    if (power.is === "failed") {
      steps.push(`  failed: ${power.error.words}`);
      await input.client.request({ type: "control", control: { action: "reboot" } });
      await input.client.close();
      return shown();
    }
    // The server may not know yet that its emulator was killed.
    const left = input.heard.until(() => input.state().power.is !== "booted").then(() => false);
    const there = await Promise.race([left, shows(input, model).catch(() => false)]);
    await input.client.close();
    return there ? undefined : shown();
  }
  async function shows(input: Connection, model: string): Promise<boolean> {
    const { client, heard } = await connect("viewer");
    await heard.until(({ units }) => units.some(({ key }) => key));
    const peer = await rig.booted(model);
    const fingers = (count: number) => peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === count);
    // A lift alone may be the server's own.
    const tapped = fingers(1).then(() => fingers(0));
    // A point of the geometry before is refused, so it is made on the newest until it lands.
    for (let landed = false; !landed;) {
      const generation = input.state().geometry?.generation ?? 0;
      for (const contacts of [[{ id: 0, x: 90, y: 90 }], []])
        input.client.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts, generation })}`);
      landed = await Promise.race([tapped.then(() => true), new Promise<false>((resolve) => setTimeout(() => resolve(false), 500))]);
    }
    await client.close();
    return true;
  }
  const emulators = () => findEmulators(rig.outside());

  it(
    "leaves the device there, its picture coming and nothing running twice",
    async () => {
      const random = randomOf(SEED);
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
      const kinds: Record<string, () => Promise<void>> = {
        switch: () => ask({ action: "switch", device: pick(MODELS) }),
        reboot: () => ask({ action: "reboot" }),
        turn: () => ask({ action: "rotate", turn: pick(["left", "right"] as const) }),
        killServer: async () => {
          await ended("SIGKILL");
          serve();
        },
        stopServer: async () => {
          await ended("SIGTERM");
          serve();
        },
        killEmulator: async () => {
          for (const { pid } of await emulators()) process.kill(pid, "SIGKILL");
        },
        killServerInSwitch: async () => {
          const { client } = await settled();
          client.request({ type: "control", control: { action: "switch", device: pick(MODELS) } }).catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
          await ended("SIGKILL");
          serve();
        },
        killEmulatorInSwitch: async () => {
          const { client } = await settled();
          const switched = client.request({ type: "control", control: { action: "switch", device: pick(MODELS) } }).catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
          for (const { pid } of await emulators()) process.kill(pid, "SIGKILL");
          await switched;
          await client.close();
        },
      };
      const longest: Record<string, number> = {};
      serve();
      await shown();
      const startMs = performance.now();
      let count = 0;
      for (; performance.now() - startMs < SECONDS * 1_000; count += 1) {
        const kind = pick(Object.keys(kinds));
        steps.push(kind);
        const beganMs = performance.now();
        let late: NodeJS.Timeout | undefined;
        const tooLate = new Promise<never>((_, reject) => {
          late = setTimeout(
            () => reject(new Error(`${kind}, step ${count} of seed ${SEED}, was not over after ${STEP_MS / 1000} s`)),
            STEP_MS,
          );
        });
        await Promise.race([(kinds[kind] as () => Promise<void>)().then(shown), tooLate]).finally(() => clearTimeout(late));
        longest[kind] = Math.max(longest[kind] ?? 0, Math.round(performance.now() - beganMs));
        // A switch that was broken off may still be letting the other go.
        await expect.poll(async () => (await emulators()).length, { timeout: STEP_MS }).toBe(1);
      }
      process.stdout.write(`${JSON.stringify({ soak: "android life", seed: SEED, steps: count, longestMs: longest })}\n`);
      expect(readFileSync(join(home, "device/intent.json"), "utf8")).toContain('"switching": null');
    },
    (SECONDS + 120) * 1_000,
  );
});
