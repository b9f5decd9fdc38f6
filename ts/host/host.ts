/** A host: its boxes, their panel, and what it keeps in its home. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { GuardKeys } from "#guard/guard.ts";
import { makeApi } from "./api.ts";
import { Box } from "./box.ts";
import { openPanel, type Panel } from "./panel-server.ts";
import type { DeliverySource } from "./delivery/source.ts";
import type { Backend, Clock, Log } from "./ports.ts";
import { readJsonFile, writeJson } from "./state-files.ts";
import type { StaticFiles } from "./static.ts";
import { wordsOf } from "./words.ts";

export interface HostBox {
  readonly id: string;
  readonly name: string;
  readonly backend: Backend;
}

export interface HostOptions {
  /** The host's own folder, 0700. */
  readonly home: string;
  readonly boxes: readonly HostBox[];
  readonly keys: GuardKeys;
  readonly files: StaticFiles;
  readonly port: number;
  /** What is brought to boxes whose device server is older; null: nothing. */
  readonly source: DeliverySource | null;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Host {
  /** With the token after the #. */
  readonly url: string;
  readonly port: number;
  readonly boxes: readonly Box[];
  close(): Promise<void>;
}

/** Opens the panel. Rejects in words. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { home, clock, log, keys } = options;
  const lease = { instance: randomUUID(), since: clock.wall() };
  const persons = keptMap(join(home, "control.json"), (value) => (typeof value === "string" ? value : null), log);
  // The newest version that did not come up, for each box.
  const bad = keptMap(join(home, "bad-versions.json"), (value) => (typeof value === "number" ? value : null), log);
  const boxes = options.boxes.map(
    ({ id, name, backend }) =>
      new Box({
        id,
        name,
        backend,
        clock,
        log,
        lease,
        client: "host",
        remembered: persons.of(id),
        remember: (viewer) => persons.set(id, viewer),
        delivery:
          options.source === null ? null : { source: options.source, bad: bad.of(id) ?? 0, markBad: (version) => bad.set(id, version) },
      }),
  );
  let panel: Panel;
  try {
    panel = await openPanel({
      keys,
      files: options.files,
      api: makeApi(boxes),
      box: (id) => boxes.find((box) => box.id === id) ?? null,
      clock,
      log,
      port: options.port,
    });
  } catch (error) {
    await Promise.all(boxes.map((box) => box.close()));
    throw error;
  }
  return {
    url: linkOf(panel.port, keys.token),
    port: panel.port,
    boxes,
    close: async () => {
      await Promise.all([...boxes.map((box) => box.close()), panel.close()]);
    },
  };
}

/** The link a person opens: what stands after the # never leaves the browser. */
export function linkOf(port: number, token: string): string {
  return `http://127.0.0.1:${port}/#token=${token}`;
}

/** One value for each box, kept in a small file, so that it outlives a restart of the host. */
function keptMap<T extends string | number>(path: string, read: (value: unknown) => T | null, log: Log) {
  const kept = new Map<string, T>();
  const file = readJsonFile(path);
  if (typeof file === "object" && file !== null) {
    for (const [box, value] of Object.entries(file)) {
      const one = read(value);
      if (one !== null) kept.set(box, one);
    }
  }
  return {
    of: (box: string) => kept.get(box) ?? null,
    set: (box: string, value: T | null) => {
      if (value === null ? !kept.delete(box) : kept.get(box) === value) return;
      if (value !== null) kept.set(box, value);
      try {
        writeJson(path, Object.fromEntries(kept));
      } catch (error) {
        log("warn", `${path} cannot be written, so it is lost at the host's next start: ${wordsOf(error)}`);
      }
    },
  };
}
