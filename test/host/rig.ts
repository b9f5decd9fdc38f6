/** A host over real sockets, with a fake device server and a clock that moves when told. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { localBackend } from "#host/backends/local.ts";
import { type Host, openHost } from "#host/host.ts";
import { newKeys } from "#host/keys.ts";
import type { Clock } from "#host/ports.ts";
import type { StaticFiles } from "#host/static.ts";
import { ManualTimers } from "../launch/manual-timers.ts";
import { FakeDevice } from "./fake-device.ts";
import { PanelClient } from "./panel-client.ts";

export const FILES: StaticFiles = new Map([
  ["/", { type: "text/html; charset=utf-8", bytes: Buffer.from("<!doctype html><title>panel</title>") }],
  ["/viewer.js", { type: "text/javascript; charset=utf-8", bytes: Buffer.from("export {};") }],
]);

export class ManualClock extends ManualTimers implements Clock {
  wall(): number {
    return 1_700_000_000_000 + this.now();
  }
}

export interface Rig {
  readonly home: string;
  readonly socket: string;
  readonly device: FakeDevice;
  readonly clock: ManualClock;
  readonly host: Host;
  readonly token: string;
  /** Of the start before this one. */
  readonly oldToken: string;
  readonly logs: string[];
  watch(viewer?: string): PanelClient;
  /** Another start of the host on the same home. */
  again(): Promise<Host>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function makeRig(options: { device?: boolean } = {}): Promise<Rig> {
  const home = mkdtempSync(join(tmpdir(), "bb-host-"));
  const socket = join(home, "device.sock");
  const device = new FakeDevice();
  if (options.device !== false) await device.listen(socket);
  const clock = new ManualClock();
  const logs: string[] = [];
  const oldToken = newKeys(home).token;
  const keys = newKeys(home);
  const hosts: Host[] = [];
  const open = async () => {
    const host = await openHost({
      home,
      boxes: [{ id: "local", name: "This machine", backend: localBackend({ home, deviceHome: home }, clock) }],
      keys,
      files: FILES,
      port: 0,
      source: null,
      clock,
      log: (level, message) => logs.push(`${level} ${message}`),
    });
    hosts.push(host);
    return host;
  };
  const host = await open();
  const clients: PanelClient[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.socket.terminate();
    for (const one of hosts) await one.close();
    await device.close();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    home,
    socket,
    device,
    clock,
    host,
    token: keys.token,
    oldToken,
    logs,
    watch: (viewer = randomUUID()) => {
      const client = new PanelClient(hosts.at(-1)?.port ?? 0, keys.token, viewer);
      clients.push(client);
      return client;
    },
    again: open,
    fetch: (path, init = {}) =>
      fetch(`http://127.0.0.1:${host.port}${path}`, { ...init, headers: { authorization: `Bearer ${keys.token}`, ...init.headers } }),
  };
}
