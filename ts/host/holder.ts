/**
 * Who has control of a box. The device server keeps the owner; the host keeps only which viewer the person is (protocols 1, "Control's owner").
 * Changes run one after another, each under a generation above the last one heard.
 */
import type { Owner } from "#core/device.ts";
import { DeviceError, personHasControl } from "#core/errors.ts";
import { AWAY_MS } from "#wire/limits.ts";
import type { Answer } from "#wire/device.ts";
import type { Clock, Log } from "./ports.ts";

export interface HolderOptions {
  readonly box: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Tells the device server, and answers what it said. */
  readonly setOwner: (owner: Owner) => Promise<Answer>;
  /** The viewer that had control when the host last ran, so that control outlives a restart of the host. */
  readonly remembered: string | null;
  readonly remember: (viewer: string | null) => void;
  readonly changed: () => void;
  /** No person has control any more. */
  readonly handedBack: () => void;
}

export type SeenHolder = "none" | "agent" | "you" | "other";
const TRIES = 3;

export class Holder {
  readonly #options: HolderOptions;
  readonly #present = new Map<string, number>();
  #owner: Owner = { generation: 0, holder: "none" };
  #person: string | null = null;
  /** The change that the server was told of and has not answered yet: its own message about it may come first. */
  #asked: { readonly generation: number; readonly person: string | null } | null = null;
  #cancelAway: (() => void) | null = null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: HolderOptions) {
    this.#options = options;
    this.#person = options.remembered;
  }

  get owner(): Owner {
    return this.#owner;
  }

  /** The viewer that has control, or null. */
  get person(): string | null {
    return this.#owner.holder === "person" ? this.#person : null;
  }

  seenBy(viewer: string): SeenHolder {
    if (this.#owner.holder !== "person") return this.#owner.holder;
    return this.#person === viewer ? "you" : "other";
  }

  /** The server said who the owner is. An older generation is old news. */
  heard(owner: Owner): void {
    if (owner.generation < this.#owner.generation) return;
    const before = this.#owner;
    if (owner.generation === before.generation && owner.holder === before.holder) return this.#watchPerson();
    this.#owner = { generation: owner.generation, holder: owner.holder };
    if (owner.holder !== "person") this.#setPerson(null);
    else if (this.#asked?.generation === owner.generation) this.#setPerson(this.#asked.person);
    this.#watchPerson();
    this.#options.changed();
    if (before.holder === "person" && owner.holder !== "person") this.#options.handedBack();
  }

  /** A later start of the server may have begun below what was heard of the last one (its files were lost). */
  forget(): void {
    this.#owner = { generation: 0, holder: "none" };
  }

  /**
   * A host that starts goes one above the owner it finds, so that nothing of an earlier host matches. A person keeps control; the agent of an
   * earlier host ended with it, so nobody has it then.
   */
  claim(): Promise<void> {
    const found = this.#owner;
    return this.#one(async () => {
      // Somebody was quicker, and has gone above it already.
      if (found.holder === "none" || this.#owner.generation !== found.generation) return;
      await this.#set(() => (this.#owner.holder === "person" ? "person" : "none"), this.#person);
    });
  }

  /** This viewer takes control from whoever has it. */
  take(viewer: string): Promise<void> {
    return this.#one(async () => {
      if (this.seenBy(viewer) === "you") return;
      await this.#set(() => "person", viewer);
    });
  }

  /** Back to the agent, from the viewer that has it. */
  back(viewer: string): Promise<void> {
    return this.#one(async () => {
      if (this.seenBy(viewer) !== "you") return;
      await this.#set(() => "agent", null);
    });
  }

  /** The generation that an agent's act goes under. Rejects `person-has-control`. */
  agent(): Promise<number> {
    return this.#one(async () => {
      if (this.#owner.holder === "person") throw personHasControl();
      if (this.#owner.holder === "none") await this.#set(() => "agent", null);
      return this.#owner.generation;
    });
  }

  /** A viewer connected, once for each of its connections. */
  came(viewer: string): void {
    this.#present.set(viewer, (this.#present.get(viewer) ?? 0) + 1);
    this.#watchPerson();
  }

  /** One of its connections ended. True: that was its last one, and it had control. */
  went(viewer: string): boolean {
    const left = (this.#present.get(viewer) ?? 1) - 1;
    if (left > 0) this.#present.set(viewer, left);
    else this.#present.delete(viewer);
    this.#watchPerson();
    return left <= 0 && this.person === viewer;
  }

  /** A person who is away, and may still come back to their control. */
  get awaited(): boolean {
    return this.#cancelAway !== null;
  }

  close(): void {
    this.#cancelAway?.();
    this.#cancelAway = null;
  }

  #watchPerson(): void {
    const away = this.#owner.holder === "person" && (this.#person === null || !this.#present.has(this.#person));
    if (!away) return this.close();
    this.#cancelAway ??= this.#options.clock.after(AWAY_MS, () => {
      this.#cancelAway = null;
      void this.#handBackOfAway();
    });
  }

  async #handBackOfAway(): Promise<void> {
    const { box, log } = this.#options;
    try {
      await this.#one(async () => {
        if (this.#owner.holder !== "person" || (this.#person !== null && this.#present.has(this.#person))) return;
        await this.#set(() => "none", null);
        log("info", `Box ${box}: the person with control was away for ${AWAY_MS / 1_000} s, so control is handed back.`);
      });
    } catch (error) {
      log("warn", `Box ${box}: control could not be handed back: ${error instanceof Error ? error.message : String(error)}`);
      this.#watchPerson();
    }
  }

  async #set(holder: () => Owner["holder"], person: string | null): Promise<void> {
    for (let tries = 1; ; tries++) {
      const owner: Owner = { generation: this.#owner.generation + 1, holder: holder() };
      // Kept before the server is told: a host that ends in between still knows whom to expect.
      if (owner.holder === "person") this.#options.remember(person);
      this.#asked = { generation: owner.generation, person: owner.holder === "person" ? person : null };
      const answer = await this.#options.setOwner(owner).finally(() => (this.#asked = null));
      if (answer.ok) {
        if (owner.generation >= this.#owner.generation) this.#setPerson(owner.holder === "person" ? person : null);
        this.heard(owner);
        return;
      }
      this.#options.remember(this.#person);
      if (answer.error.code !== "superseded" || tries >= TRIES) throw new DeviceError(answer.error.code, answer.error.words);
      // Refused as old: somebody else went above it. What the server told in the meantime is the number to go above.
      if (this.#owner.generation < owner.generation) this.#owner = { ...this.#owner, generation: owner.generation };
    }
  }

  #setPerson(viewer: string | null): void {
    if (this.#person === viewer) return;
    this.#person = viewer;
    this.#options.remember(viewer);
  }

  #one<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => {});
    return result;
  }
}
