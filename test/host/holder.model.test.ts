import fc from "fast-check";
import { expect, it } from "vitest";
import type { Owner } from "#core/device.ts";
import { Holder } from "#host/holder.ts";
import type { Answer } from "#wire/device.ts";
import { settle } from "../launch/manual-timers.ts";
import { ManualClock } from "./rig.ts";

const VIEWERS = ["ann", "bob", "cy"] as const;
type Viewer = (typeof VIEWERS)[number];

/** The device server's side of it: the rule of protocols 1, and messages that come before or after their answers, or late. */
class Server {
  owner: Owner = { generation: 1, holder: "none" };
  readonly history: Owner[] = [];
  tell: (owner: Owner) => void = () => {};
  /** What is on its way and has not arrived. */
  readonly #flying: (() => void)[] = [];
  messageFirst = true;

  set(owner: Owner): Promise<Answer> {
    // Answers and messages come over one connection, so what was said before this answer arrives before it.
    this.land();
    if (owner.generation <= this.owner.generation) {
      return Promise.resolve({ id: "x", ok: false, error: { code: "superseded", words: "old" } });
    }
    this.#to(owner);
    return Promise.resolve({ id: "x", ok: true, ms: 0 } as Answer);
  }

  /** The server's own change: its thirty seconds, or its start. */
  byItself(holder: Owner["holder"]): void {
    this.#to({ generation: this.owner.generation + 1, holder });
  }

  /** Nothing that the host does not know of. */
  get told(): boolean {
    return this.#flying.length === 0;
  }

  land(): void {
    for (const arrive of this.#flying.splice(0)) arrive();
  }

  #to(owner: Owner): void {
    this.owner = owner;
    this.history.push(owner);
    const arrive = () => this.tell(owner);
    if (this.messageFirst) arrive();
    else this.#flying.push(arrive);
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constantFrom("take", "back", "come", "go"), who: fc.constantFrom(...VIEWERS) }),
  fc.record({
    do: fc.constantFrom("agent", "server-none", "server-agent", "land", "wait", "late", "early"),
    who: fc.constant<Viewer>("ann"),
  }),
);

it(
  "whatever happens in whatever order: generations rise, one viewer at most has control, and the host ends at what the server says",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new ManualClock();
        const server = new Server();
        let remembered: string | null = null;
        const holder = new Holder({
          box: "b",
          clock,
          log: () => {},
          setOwner: (owner) => server.set(owner),
          remembered: null,
          remember: (viewer) => (remembered = viewer),
          changed: () => {},
          handedBack: () => {},
        });
        server.tell = (owner) => holder.heard(owner);
        holder.heard(server.owner);
        const present = new Map<string, number>();
        for (const { do: what, who } of steps) {
          const before = server.history.length;
          const told = server.told;
          switch (what) {
            case "take":
              await holder.take(who);
              expect(holder.seenBy(who)).toBe("you");
              // News that is still on its way may say otherwise.
              if (told) expect(server.owner.holder).toBe("person");
              break;
            case "back": {
              const mine = holder.seenBy(who) === "you" && server.owner.holder === "person";
              await holder.back(who);
              if (mine && told) expect(server.owner.holder).toBe("agent");
              break;
            }
            case "agent":
              await holder.agent().then(
                (generation) => expect(generation).toBeLessThanOrEqual(server.owner.generation),
                (error: { code: string }) => expect(error.code).toBe("person-has-control"),
              );
              break;
            case "come":
              present.set(who, (present.get(who) ?? 0) + 1);
              holder.came(who);
              break;
            case "go":
              if ((present.get(who) ?? 0) === 0) break;
              present.set(who, (present.get(who) ?? 0) - 1);
              holder.went(who);
              break;
            case "server-none":
            case "server-agent":
              server.byItself(what === "server-none" ? "none" : "agent");
              break;
            case "land":
              server.land();
              break;
            case "wait":
              await clock.move(31_000);
              break;
            case "late":
            case "early":
              server.messageFirst = what === "early";
          }
          await settle();
          expect(VIEWERS.filter((viewer) => holder.seenBy(viewer) === "you").length).toBeLessThanOrEqual(1);
          for (let i = Math.max(1, before); i < server.history.length; i++) {
            expect(server.history[i]?.generation).toBeGreaterThan(server.history[i - 1]?.generation ?? 0);
          }
        }
        server.land();
        await settle();
        expect(holder.owner).toEqual(server.owner);
        expect(remembered).toBe(holder.person);
        // A person of whom nothing is seen any more does not keep it.
        await clock.move(31_000);
        server.land();
        await settle();
        const person = holder.person;
        if (person !== null) expect(present.get(person) ?? 0).toBeGreaterThan(0);
        holder.close();
        expect(clock.waiting).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  },
);
