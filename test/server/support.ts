/** A device server in this process, on a home of its own, over real sockets, with the fake driver and a clock that a test may move. */
import { mkdtempSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect } from "vitest";
import { connectDevice, type ClientEvents, type Closed, type DeviceClient, type Unit } from "#client/client.ts";
import type { DeviceError } from "#core/errors.ts";
import { systemFiles, type FileCalls } from "#server/files.ts";
import type { TakeLock } from "#server/home.ts";
import type { Clock } from "#server/ports.ts";
import { systemClock } from "#server/ports.ts";
import { startDeviceServer, type DeviceServer } from "#server/server.ts";
import type { StateMessage } from "#wire/device.ts";
import type { ServerMessage } from "#wire/server-messages.ts";
import { FakeBox } from "./fake-driver.ts";

/** Locks of this process alone: two servers of one test on one home. */
const locked = new Set<string>();
export const takeLock: TakeLock = (path) => {
  if (locked.has(path)) return null;
  locked.add(path);
  return { release: () => locked.delete(path) };
};

/** Moves by hand. Timers run in order; `settle` lets what they began go on before the next. */
export class ManualClock implements Clock {
  nowMs = 1000;
  wallMs = 1_700_000_000_000;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];
  now(): number {
    return this.nowMs;
  }
  wall(): number {
    return this.wallMs;
  }
  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.nowMs + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }
  /** The machine sleeps: only the wall clock goes on. */
  sleep(ms: number): void {
    this.wallMs += ms;
  }
  async move(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      await settled();
      const due = this.#timers.filter((t) => t.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((t) => t !== due);
      const step = Math.max(0, due.atMs - this.nowMs);
      this.nowMs += step;
      this.wallMs += step;
      due.run();
    }
    this.wallMs += endMs - this.nowMs;
    this.nowMs = endMs;
    await settled();
  }
}

/** What was begun without waiting for the outside has gone as far as it can. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
}

export class Heard {
  readonly messages: ServerMessage[] = [];
  readonly units: Unit[] = [];
  readonly closed: Closed[] = [];
  readonly #waiters = new Set<() => void>();
  readonly events: ClientEvents = {
    message: (message) => this.#add(() => this.messages.push(message)),
    unit: (unit) => this.#add(() => this.units.push(unit)),
    closed: (closed) => this.#add(() => this.closed.push(closed)),
  };
  #add(what: () => void): void {
    what();
    for (const waiter of this.#waiters) waiter();
  }
  /** Resolves when what was heard holds what the test waits for. */
  until(check: (heard: Heard) => boolean): Promise<void> {
    if (check(this)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = (): void => {
        if (!check(this)) return;
        this.#waiters.delete(waiter);
        resolve();
      };
      this.#waiters.add(waiter);
    });
  }
  states(): StateMessage[] {
    return this.messages.flatMap((m) => (m.kind === "state" ? [m.message] : []));
  }
  kinds(): string[] {
    return this.messages.map((m) => m.kind);
  }
}

export interface Connected {
  readonly client: DeviceClient;
  readonly heard: Heard;
}

export interface Bench {
  readonly box: FakeBox;
  readonly home: string;
  readonly log: LogLine[];
  readonly clock: Clock;
  server: DeviceServer;
  connect(role: "viewer" | "input", client?: string): Promise<Connected>;
  control(instance?: string, since?: number): Promise<Connected>;
  /** Ends the server and starts another on the same home and box. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly box?: FakeBox;
  readonly clock?: Clock;
  readonly files?: FileCalls;
  readonly model?: string;
  readonly home?: string;
  /** Do not wait until the device is up. */
  readonly early?: boolean;
}

export async function bench(options: BenchOptions = {}): Promise<Bench> {
  const home = options.home ?? join(mkdtempSync(join(tmpdir(), "bbd-")), "device");
  const box = options.box ?? new FakeBox();
  const log: LogLine[] = [];
  const clock = options.clock ?? systemClock;
  const start = (): Promise<DeviceServer> =>
    startDeviceServer({
      home,
      driver: box.factory,
      lock: takeLock,
      log: (level, message) => log.push({ level, message }),
      clock,
      files: options.files ?? systemFiles,
      ...(options.model === undefined ? {} : { model: options.model }),
    });
  const clients: DeviceClient[] = [];
  const open = async (role: Parameters<typeof connectDevice>[0]): Promise<Connected> => {
    const heard = new Heard();
    const client = await connectDevice(role, heard.events);
    clients.push(client);
    return { client, heard };
  };
  const made: Bench = {
    box,
    home,
    log,
    clock,
    server: await start(),
    connect: (role, client) => open({ role, socket: made.server.socket, ...(client === undefined ? {} : { client }) }),
    control: (instance = randomUUID(), since = Date.now()) => open({ role: "control", instance, since, socket: made.server.socket }),
    async restart() {
      await made.server.close();
      made.server = await start();
    },
    async close() {
      for (const client of clients) client.terminate();
      await made.server.close();
      rmSync(join(home, ".."), { recursive: true, force: true });
    },
  };
  if (options.early !== true) await booted(made);
  return made;
}

/** Resolves when the device is up. */
export async function booted({ server }: Bench): Promise<void> {
  const heard = new Heard();
  const client = await connectDevice({ role: "viewer", socket: server.socket }, heard.events);
  client.send("STOP_VIDEO");
  await heard.until((h) => [client.hello.state, ...h.states().map(({ state }) => state)].at(-1)?.power.is === "booted");
  await client.close();
}

/** Benches of a file's tests, each closed after its test. */
export function benches(): {
  open(options?: BenchOptions): Promise<Bench>;
  /** On a clock that only the test moves. */
  held(options?: BenchOptions): Promise<{ readonly bench: Bench; readonly clock: ManualClock; readonly box: FakeBox }>;
} {
  const made: Bench[] = [];
  afterEach(async () => {
    // The newest first: it may stand on the home of an older one, which closes last.
    for (const one of made.splice(0).toReversed()) await one.close();
  });
  const open = async (options: BenchOptions = {}): Promise<Bench> => {
    const opened = await bench(options);
    made.push(opened);
    return opened;
  };
  return {
    open,
    async held(options = {}) {
      const clock = new ManualClock();
      const bench = await open({ ...options, clock });
      return { bench, clock, box: bench.box };
    },
  };
}

export interface Agent extends Connected {
  /** The generation of its ownership. */
  owner: number;
  give(holder: "agent" | "person" | "none"): Promise<void>;
}

/** The next owner after the one of HELLO, held by the agent. */
export async function agent(bench: Bench): Promise<Agent> {
  const connected = await bench.control();
  let owner = connected.client.hello.owner.generation;
  const give = async (holder: "agent" | "person" | "none"): Promise<void> => {
    owner++;
    held.owner = owner;
    await connected.client.request({ type: "owner", generation: owner, holder });
  };
  const held: Agent = { ...connected, owner, give };
  await give("agent");
  return held;
}

/** The generation of the geometry that a connection was told last; -1 without one. */
export function generationOf({ client, heard }: Connected): number {
  return ([client.hello.state, ...heard.states().map(({ state }) => state)].at(-1)?.geometry ?? { generation: -1 }).generation;
}

/** An error of this code. */
export const refused = (code: string): DeviceError => expect.objectContaining({ code }) as unknown as DeviceError;
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
