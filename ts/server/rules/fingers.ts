/**
 * The fingers on the screen, of the agent and of a person, as the one list that a driver takes: every contact now down.
 * A finger that was lifted for its owner (a turn, a change of control) stays up until its owner lifts it too.
 */
import type { Contact } from "#core/device.ts";
import { CONTACTS_MAX } from "#wire/limits.ts";
import type { Source } from "./requests.ts";

export class Fingers {
  readonly #down: Record<Source, readonly Contact[]> = { agent: [], person: [] };
  readonly #cut: Record<Source, Set<number>> = { agent: new Set(), person: new Set() };
  /** Which of the device's ten a source's finger is. */
  readonly #slots = new Map<string, number>();

  /** Is any finger down? */
  get any(): boolean {
    return this.#down.agent.length + this.#down.person.length > 0;
  }

  /** The device's list, as it was answered last. */
  get list(): readonly Contact[] {
    return this.#list();
  }

  /** All that this source has down now. Answers the device's list, or null when nothing has changed for it. */
  set(source: Source, contacts: readonly Contact[]): readonly Contact[] | null {
    const cut = this.#cut[source];
    for (const id of cut) if (!contacts.some((contact) => contact.id === id)) cut.delete(id);
    const kept = contacts.filter((contact) => !cut.has(contact.id));
    const before = this.#down[source];
    if (sameContacts(before, kept)) return null;
    this.#down[source] = kept;
    return this.#list();
  }

  /** Would this list put a finger down that is up now? */
  presses(source: Source, contacts: readonly Contact[]): boolean {
    const down = this.#down[source];
    return contacts.some(({ id }) => !this.#cut[source].has(id) && !down.some((contact) => contact.id === id));
  }

  /** Lifts this source's fingers, or everyone's, where they are. Answers the device's list, or null when none was down. */
  lift(sources: readonly Source[] = ["agent", "person"]): readonly Contact[] | null {
    let changed = false;
    for (const source of sources) {
      for (const { id } of this.#down[source]) {
        this.#cut[source].add(id);
        changed = true;
      }
      this.#down[source] = [];
    }
    return changed ? this.#list() : null;
  }

  /** This source has gone: its next finger is a new one. */
  forget(source: Source): readonly Contact[] | null {
    const list = this.lift([source]);
    this.#cut[source].clear();
    return list;
  }

  #list(): readonly Contact[] {
    const list: Contact[] = [];
    const live = new Set<string>();
    const all = (["agent", "person"] as const).flatMap((source) =>
      this.#down[source].map((contact) => ({ key: `${source} ${contact.id}`, contact })),
    );
    for (const { key } of all) live.add(key);
    for (const key of this.#slots.keys()) if (!live.has(key)) this.#slots.delete(key);
    for (const { key, contact } of all) {
      const slot = this.#slots.get(key) ?? this.#freeSlot(contact.id);
      if (slot === null) continue;
      this.#slots.set(key, slot);
      list.push({ id: slot, x: contact.x, y: contact.y });
    }
    return list;
  }

  /** Its own number when that is free. More than ten fingers do not fit on the device: the last ones stay up. */
  #freeSlot(wanted: number): number | null {
    const taken = new Set(this.#slots.values());
    if (!taken.has(wanted)) return wanted;
    for (let slot = 0; slot < CONTACTS_MAX; slot += 1) if (!taken.has(slot)) return slot;
    return null;
  }
}

function sameContacts(a: readonly Contact[], b: readonly Contact[]): boolean {
  return a.length === b.length && a.every((contact, at) => contact.id === b[at]?.id && contact.x === b[at].x && contact.y === b[at].y);
}
