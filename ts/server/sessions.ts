/** Who is connected: any number of viewers, one input connection, one control connection which holds the lease (protocols 1). */
import { formatSuperseded } from "#wire/device.ts";
import { CLOSE_SUPERSEDED } from "#wire/limits.ts";
import type { Connection } from "./listener.ts";

export interface Lease {
  readonly held: boolean;
  /** When its holder started, wall-clock ms. */
  readonly since: number | null;
}

interface Instance {
  readonly instance: string;
  readonly since: number;
}

/** Has the newcomer the lease from now on? The same instance replaces its own; else the later start wins, ties by uuid. */
export function takesLease(holder: Instance, newcomer: Instance): boolean {
  if (holder.instance === newcomer.instance) return true;
  if (holder.since !== newcomer.since) return newcomer.since > holder.since;
  return newcomer.instance > holder.instance;
}

export class Sessions {
  readonly #all = new Set<Connection>();
  #input: Connection | null = null;
  #control: Connection | null = null;

  get lease(): Lease {
    const hello = this.#control?.hello;
    return hello?.role === "control" ? { held: true, since: hello.since } : { held: false, since: null };
  }
  get input(): Connection | null {
    return this.#input;
  }
  get control(): Connection | null {
    return this.#control;
  }
  get all(): Iterable<Connection> {
    return this.#all;
  }

  /** Answers the connection that had to go for this one: the old one, this one itself, or none. It is told and closed here. */
  add(connection: Connection): Connection | null {
    this.#all.add(connection);
    const { hello } = connection;
    if (hello.role !== "control") {
      if (hello.role === "viewer") return null;
      const old = this.#input;
      this.#input = connection;
      if (old !== null) this.#supersede(old, "Another input connection took this one's place.");
      return old;
    }
    const holder = this.#control;
    const held = holder?.hello;
    if (held?.role === "control" && !takesLease(held, hello)) {
      this.#supersede(connection, "A host that started later holds this device.");
      return connection;
    }
    this.#control = connection;
    if (holder !== null) this.#supersede(holder, "A host that started later holds this device.");
    return holder;
  }

  /** Answers whether it held its role until now. */
  remove(connection: Connection): boolean {
    this.#all.delete(connection);
    if (this.#input === connection) {
      this.#input = null;
      return true;
    }
    if (this.#control === connection) {
      this.#control = null;
      return true;
    }
    return connection.hello.role === "viewer";
  }

  /** Is this the connection that its role belongs to now? */
  holds(connection: Connection): boolean {
    return connection.hello.role === "viewer" ? this.#all.has(connection) : connection === this.#input || connection === this.#control;
  }

  toAll(text: string): void {
    for (const connection of this.#all) connection.send(text);
  }

  toViewers(text: string): void {
    for (const connection of this.#all) if (connection.hello.role === "viewer") connection.send(text);
  }

  #supersede(connection: Connection, reason: string): void {
    this.#all.delete(connection);
    connection.send(formatSuperseded());
    connection.close(CLOSE_SUPERSEDED, reason);
  }
}
