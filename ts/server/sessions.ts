/** Who is connected: any number of viewers, one input connection, one control connection which holds the lease (protocols 1). */
import { formatSuperseded } from "#wire/device.ts";
import { CLOSE_SUPERSEDED } from "#wire/limits.ts";
import type { Connection } from "./listener.ts";
import type { Present } from "./rules/owner.ts";

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
  get present(): Present {
    return { agent: this.#control !== null, person: this.#input !== null };
  }
  get all(): Iterable<Connection> {
    return this.#all;
  }

  /** Answers the connection that has to go for this one: the old one, this one itself, or none. `supersede` tells it so. */
  add(connection: Connection): Connection | null {
    this.#all.add(connection);
    const { hello } = connection;
    if (hello.role !== "control") {
      if (hello.role === "viewer") return null;
      const old = this.#input;
      this.#input = connection;
      return old;
    }
    const holder = this.#control;
    const held = holder?.hello;
    if (held?.role === "control" && !takesLease(held, hello)) {
      return connection;
    }
    this.#control = connection;
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

  /** Tells a connection that another has its place, and closes it. */
  supersede(connection: Connection): void {
    this.#all.delete(connection);
    connection.send(formatSuperseded());
    const control = connection.hello.role === "control";
    connection.close(
      CLOSE_SUPERSEDED,
      control ? "A host that started later holds this device." : "Another input connection took this one's place.",
    );
  }
}
