/** A host: its boxes, their panel, and what it keeps in its home. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { GuardKeys } from "#guard/guard.ts";
import { makeApi } from "./api.ts";
import { Box } from "./box.ts";
import { openPanel, type Panel } from "./panel-server.ts";
import type { Backend, Clock, Log } from "./ports.ts";
import { readJsonFile, textField, writeJson } from "./state-files.ts";
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
  const persons = rememberPersons(join(home, "control.json"), log);
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

/** Which viewer the person of each box is, so that control outlives a restart of the host. */
function rememberPersons(path: string, log: Log) {
  const read = readJsonFile(path);
  const persons = new Map<string, string>();
  if (typeof read === "object" && read !== null) {
    for (const box of Object.keys(read)) {
      const viewer = textField(read, box);
      if (viewer !== null) persons.set(box, viewer);
    }
  }
  return {
    of: (box: string) => persons.get(box) ?? null,
    set: (box: string, viewer: string | null) => {
      if (viewer === null ? !persons.delete(box) : persons.get(box) === viewer) return;
      if (viewer !== null) persons.set(box, viewer);
      try {
        writeJson(path, Object.fromEntries(persons));
      } catch (error) {
        log("warn", `Who has control cannot be kept for the host's next start: ${wordsOf(error)}`);
      }
    },
  };
}
