/** What the phone's tests share: a home that goes away, the phone's process, a host that notes what it hears. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "esbuild";
import { afterAll, afterEach, beforeAll } from "vitest";

import type { OfferedDevice } from "#core/device.ts";
import type { DriverGeometry, DriverHost, EncodedFrame } from "#drivers/driver.ts";
import { PhoneClient } from "#drivers/phone/client.ts";
import { phoneDriver, type PhoneDriverParts } from "#drivers/phone/driver.ts";
import { phonePlaces } from "#drivers/phone/places.ts";
import { realPhoneParts } from "#drivers/phone/spawn.ts";
import { isFields, type LogEntry, type PhoneNotice } from "#drivers/phone/protocol.ts";
import { loadAddon } from "#native/load.ts";

export const addon = loadAddon();

export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function offerOf(model: string): OfferedDevice {
  return { model, native: model, runtime: { platform: "test", version: "1" } };
}

/** A home for each test; what it holds goes with it. */
export function homes(): { home(): string } {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return {
    home() {
      const folder = mkdtempSync(join(tmpdir(), "bb-phone-"));
      made.push(folder);
      return folder;
    },
  };
}

/** A test's own process, bundled once a file; `source` lies beside this file. */
export function bundled(source: string): { readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "bb-phone-bundle-"));
  const path = join(folder, "child.mjs");
  beforeAll(async () => {
    const entryPoints = [join(import.meta.dirname, source)];
    await build({ entryPoints, bundle: true, platform: "node", format: "esm", outfile: path, logLevel: "error" });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { path };
}

/** The phone's process. */
export function phoneProcess(): { readonly command: readonly [string, string] } {
  return { command: [process.execPath, bundled("child.ts").path] };
}

/** A driver's host that gives generations as the server does, and lets a test await what it hears. */
export class HostNotes implements DriverHost {
  readonly geometries: DriverGeometry[] = [];
  readonly changes: number[] = [];
  readonly clipboards: string[] = [];
  readonly exits: { readonly code: string; readonly words: string }[] = [];
  readonly warnings: (string | null)[] = [];
  readonly #waiting = new Set<() => void>();

  geometry(geometry: DriverGeometry): number {
    const last = this.geometries.at(-1);
    if (JSON.stringify(last) !== JSON.stringify(geometry)) this.geometries.push(geometry);
    this.#heard();
    return this.geometries.length;
  }
  changed(monotonicMs: number): void {
    this.changes.push(monotonicMs);
    this.#heard();
  }
  exited(why: { readonly code: string; readonly words: string }): void {
    this.exits.push(why);
    this.#heard();
  }
  clipboard(text: string): void {
    this.clipboards.push(text);
    this.#heard();
  }
  warning(words: string | null): void {
    this.warnings.push(words);
    this.#heard();
  }
  log(): void {}
  progress(): void {}

  #heard(): void {
    // A set may lose members while it is walked, and does here.
    for (const wake of this.#waiting) wake();
  }

  /** Resolves when the condition holds, looked at whenever something is heard. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

export function makeDriver(
  home: string,
  command: readonly [string, ...string[]],
  options: {
    readonly scene?: "demo" | "still" | "busy";
    readonly sizes?: readonly string[];
    readonly parts?: Partial<PhoneDriverParts>;
  } = {},
): { readonly driver: ReturnType<ReturnType<typeof phoneDriver>>; readonly host: HostNotes } {
  const host = new HostNotes();
  const real = realPhoneParts({ command, scene: options.scene ?? "still", env: { ...process.env, BB_DEVICE_ADDON: addon.path } });
  const factory = phoneDriver({ binding: addon.binding, ...real, sizes: options.sizes ?? [], ...options.parts });
  const driver = factory(host, { home, run: join(home, "run"), clock: { now: monotonic, wall: Date.now } });
  return { driver, host };
}

/** A second connection to a phone, for its log and its faults. */
export async function lookAt(home: string, model: string): Promise<Onlooker> {
  const notices: PhoneNotice[] = [];
  let gone: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const client = await PhoneClient.open(phonePlaces(home, model).socket, {
    notice: (notice) => notices.push(notice),
    closed: () => gone(),
  });
  return new Onlooker(client, closed, notices);
}

export class Onlooker {
  readonly client: PhoneClient;
  /** The phone has ended. */
  readonly closed: Promise<void>;
  readonly notices: readonly PhoneNotice[];
  constructor(client: PhoneClient, closed: Promise<void>, notices: readonly PhoneNotice[]) {
    this.client = client;
    this.closed = closed;
    this.notices = notices;
  }

  /** Every entry so far. */
  async log(since = 0, waitMs = 0): Promise<readonly LogEntry[]> {
    const entries = await this.client.ask({ ask: "log", since, waitMs });
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  }

  /** The first entry that fits, awaited. */
  async entry(fits: (entry: LogEntry) => boolean): Promise<LogEntry> {
    for (let since = 0; ;) {
      const entries = await this.log(since, 10_000);
      const found = entries.find(fits);
      if (found !== undefined) return found;
      const last = entries.at(-1);
      if (last === undefined) throw new Error("The phone's log had no such entry within 10 seconds.");
      since = last.seq;
    }
  }

  async state(): Promise<Readonly<Record<string, unknown>>> {
    const state = await this.client.ask({ ask: "state" });
    return isFields(state) ? state : {};
  }
}

function isEntry(value: unknown): value is LogEntry {
  return isFields(value) && typeof value["seq"] === "number" && typeof value["what"] === "string";
}

/** The first unit for which the condition holds. The stream stays usable. */
export async function unitWhere(frames: AsyncIterator<EncodedFrame>, holds: (frame: EncodedFrame) => boolean): Promise<EncodedFrame> {
  for (;;) {
    const next = await frames.next();
    if (next.done === true) throw new Error("The video ended.");
    if (holds(next.value)) return next.value;
  }
}
