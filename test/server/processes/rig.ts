/** Real processes: a device server that can be killed and is started again, its test phone, and clients on its socket. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll } from "vitest";
import { connectDevice, type ClientRole, type DeviceClient } from "#client/client.ts";
import { PhoneClient } from "#drivers/phone/client.ts";
import { phonePlaces } from "#drivers/phone/places.ts";
import { isFields, type Fault, type LogEntry } from "#drivers/phone/protocol.ts";
import { SERVER_NODE_ARGS } from "#launch/server-heap.ts";
import { loadAddon } from "#native/load.ts";
import { tellWhenFailed } from "../../support/failed.ts";
import { Heard, type Connected } from "../support.ts";

/** The entry, bundled once a file. */
export function entryBundle(): { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "bbe-"));
  const path = join(folder, "entry.mjs");
  beforeAll(async () => {
    await build({
      entryPoints: [join(import.meta.dirname, "entry.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      outfile: path,
      logLevel: "error",
      banner: { js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);" },
    });
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { path };
}

const open: Rig[] = [];
afterEach(async (context) => {
  tellWhenFailed(
    context,
    open.map(({ stderr }) => stderr),
  );
  for (const rig of open.splice(0)) await rig.end();
});

export class Rig {
  readonly home: string;
  readonly #base: string;
  readonly #entry: string;
  readonly #scene: string;
  #clients: DeviceClient[] = [];
  #server: ChildProcess | null = null;
  stderr = "";

  constructor(entry: string, scene: "still" | "busy" = "still") {
    this.#base = mkdtempSync(join(tmpdir(), "bbr-"));
    this.home = join(this.#base, "device");
    this.#entry = entry;
    this.#scene = scene;
    open.push(this);
  }

  get socket(): string {
    return join(this.home, "device.sock");
  }
  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** Resolves once it listens. */
  async start(model?: string): Promise<void> {
    const args = [...SERVER_NODE_ARGS, this.#entry, "serve", this.home, this.#scene, ...(model === undefined ? [] : [model])];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, BB_DEVICE_ADDON: loadAddon().path },
    });
    this.#server = child;
    child.stderr?.on("data", (chunk) => (this.stderr += String(chunk)));
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) => reject(new Error(`The server ended with ${code}:\n${this.stderr}`)));
    });
  }

  /** kill -9; resolves once it is gone. */
  async kill(): Promise<void> {
    const child = this.#server;
    if (child === null) return;
    this.#server = null;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGKILL");
    await gone;
  }

  /** SIGTERM; answers its exit code. */
  async stop(): Promise<number | null> {
    const child = this.#server;
    if (child === null) return null;
    this.#server = null;
    const gone = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    child.kill("SIGTERM");
    return gone;
  }

  /** Moves the server's clocks. Resolves when what became due was begun. */
  clock(told: { readonly move?: number; readonly sleep?: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server?.once("message", () => resolve());
      this.#server?.send(told, (error) => (error === null ? undefined : reject(error)));
    });
  }

  async connect(role: ClientRole | "viewer" | "input"): Promise<Connected> {
    const heard = new Heard();
    const whole: ClientRole = typeof role === "string" ? { role } : role;
    const client = await connectDevice({ ...whole, socket: this.socket }, heard.events);
    this.#clients.push(client);
    return { client, heard };
  }
  /** Clients that have gone are not ended once more. */
  forgetClosed(): void {
    this.#clients = this.#clients.filter(({ open: still }) => still);
  }
  control(since = Date.now()): Promise<Connected> {
    return this.connect({ role: "control", instance: randomUUID(), since });
  }

  /** A viewer that knows the device is up; its state tells. */
  async booted(): Promise<Connected> {
    const viewer = await this.connect("viewer");
    await viewer.heard.until(() => powerOf(viewer) === "booted");
    return viewer;
  }

  /** What reached the phone, told by the phone itself. */
  async phone(model = "Test device"): Promise<PhoneLog> {
    const client = await PhoneClient.open(phonePlaces(this.home, model).socket, { notice: () => undefined, closed: () => undefined });
    return new PhoneLog(client);
  }

  phonePid(model = "Test device"): number {
    const told: unknown = JSON.parse(readFileSync(phonePlaces(this.home, model).discovery, "utf8"));
    if (!isFields(told) || typeof told["pid"] !== "number") throw new Error("The phone's discovery file names no process.");
    return told["pid"];
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.terminate();
    await this.kill();
    killPhones(this.home);
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ends the phones that a device home's server started, which outlive it. */
export function killPhones(home: string): void {
  const run = join(home, "run");
  for (const name of existsSync(run) ? readdirSync(run) : []) {
    if (!/^phone-.*\.json$/.test(name)) continue;
    try {
      const told: unknown = JSON.parse(readFileSync(join(run, name), "utf8"));
      if (isFields(told) && typeof told["pid"] === "number") process.kill(told["pid"], "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
}

export function powerOf({ client, heard }: Connected): string | undefined {
  return [client.hello.state, ...heard.states().map(({ state }) => state)].at(-1)?.power.is;
}
export function generationOf({ client, heard }: Connected): number {
  return [client.hello.state, ...heard.states().map(({ state }) => state)].at(-1)?.geometry?.generation ?? -1;
}

/** The phone's own log; nothing between it and the test writes it. */
export class PhoneLog {
  readonly #client: PhoneClient;
  constructor(client: PhoneClient) {
    this.#client = client;
  }
  async entries(since = 0, waitMs = 0): Promise<readonly LogEntry[]> {
    const entries = await this.#client.ask({ ask: "log", since, waitMs });
    return Array.isArray(entries) ? (entries as LogEntry[]) : [];
  }
  /** The first entry after `since` that fits, awaited. */
  async entry(fits: (entry: LogEntry) => boolean, since = 0): Promise<LogEntry> {
    for (let after = since; ;) {
      const entries = await this.entries(after, 10_000);
      const found = entries.find(fits);
      if (found !== undefined) return found;
      const last = entries.at(-1);
      if (last === undefined) throw new Error("The phone's log had no such entry within 10 seconds.");
      after = last.seq;
    }
  }
  async last(): Promise<number> {
    return (await this.entries()).at(-1)?.seq ?? 0;
  }
  async state(): Promise<Readonly<Record<string, unknown>>> {
    const state = await this.#client.ask({ ask: "state" });
    return isFields(state) ? state : {};
  }
  /** As if it had been copied on the phone before. */
  async setClipboard(text: string): Promise<void> {
    await this.#client.ask({ ask: "set-clipboard", text });
  }
  async fault(fault: Fault): Promise<void> {
    await this.#client.ask({ ask: "fault", ...fault });
  }
  close(): void {
    this.#client.close();
  }
}

/** Fingers down and keys down after these entries. */
export function heldAfter(entries: readonly LogEntry[]): { readonly fingers: number; readonly keys: readonly string[] } {
  let fingers = 0;
  const keys = new Set<string>();
  for (const entry of entries) {
    if (entry.what === "touch") fingers = entry.contacts.length;
    if (entry.what === "lifted") fingers = 0;
    if (entry.what === "key" && entry.down) keys.add(entry.key);
    if (entry.what === "key" && !entry.down) keys.delete(entry.key);
  }
  return { fingers, keys: [...keys] };
}
