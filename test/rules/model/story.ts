/** What a host, an agent and a person may do to a box in any order, and one telling of it from begin to end. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Holder } from "#core/device.ts";
import type { Hello } from "#server/listener.ts";
import { Box, type Client, drain } from "./box.ts";
import { AGENT_X, type By, Judge, type Kind, PERSON_X, type Request, latitudeOf, rowOf, tokenOf } from "./judge.ts";
import { FAULTS, FAULT_WAYS, type Fault, MODELS, ownClipboard } from "./world.ts";

type Command =
  | { readonly do: "ask"; readonly by: By; readonly kind: Exclude<Kind, "owner">; readonly stale: boolean; readonly flavour: number }
  | { readonly do: "owner"; readonly holder: "none" | "agent" | "person"; readonly stale: boolean }
  | { readonly do: "finger"; readonly down: boolean; readonly mouse: boolean }
  | { readonly do: "key"; readonly letter: string; readonly down: boolean }
  | { readonly do: "again"; readonly which: number; readonly how: "same" | "other body" | "result" }
  | { readonly do: "reload"; readonly instance: number; readonly since: number }
  | { readonly do: "leave"; readonly role: "control" | "input" }
  | { readonly do: "exit" }
  | { readonly do: "kill"; readonly after: number; readonly takes: boolean; readonly again: boolean }
  | { readonly do: "fault"; readonly kind: Fault; readonly how: (typeof FAULT_WAYS)[number] }
  | { readonly do: "pass"; readonly ms: number };

export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      by: fc.constantFrom("agent" as const, "person" as const),
      kind: fc.constantFrom("control" as const, "rotate" as const, "switch" as const, "tap" as const, "text" as const, "paste" as const),
      stale: fc.nat(9).map((n) => n === 0),
      flavour: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("owner" as const),
      holder: fc.constantFrom("none" as const, "agent" as const, "person" as const),
      stale: fc.nat(9).map((n) => n === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("finger" as const), down: fc.boolean(), mouse: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("key" as const), letter: fc.constantFrom("p", "q", "ü", "Control"), down: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("again" as const),
      which: fc.nat(5),
      how: fc.constantFrom("same" as const, "same" as const, "other body" as const, "result" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reload" as const), instance: fc.nat(2), since: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), role: fc.constantFrom("control" as const, "input" as const) }) },
  { weight: 1, arbitrary: fc.constant({ do: "exit" as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("kill" as const), after: fc.nat(12), takes: fc.boolean(), again: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("fault" as const), kind: fc.constantFrom(...FAULTS), how: fc.constantFrom(...FAULT_WAYS) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(0, 3, 10, 25, 60, 150, 400, 1_000, 31_000) }) },
);

/** Control outlives its holder's connection by this. */
const AWAY_MS = 30_000;

const uuid = (instance: number): string => `00000000-0000-4000-8000-00000000000${instance}`;

/** The host and the person at the box, and what they do. */
class Story {
  readonly judge = new Judge();
  readonly box = new Box((text, client) => this.#judged(() => this.judge.heard(text, client)));
  control: Client | null = null;
  input: Client | null = null;
  #lease: { readonly instance: string; readonly since: number } | null = null;
  #count = 0;
  #fingerDown = false;
  #again = false;
  /** A call may have hung: it takes its whole deadline to end, and what waits behind it as well. */
  #hung = false;
  #failure: Error | null = null;

  constructor() {
    this.box.world.reached = (what) => this.#judged(() => this.judge.reached(what));
  }

  async begin(): Promise<void> {
    await this.box.start();
    this.comeBack();
    await this.box.pass(400);
  }

  async run(step: Command): Promise<void> {
    switch (step.do) {
      case "ask":
        this.#ask(step.by, step.kind, step.stale, step.flavour);
        break;
      case "owner":
        this.#setOwner(step.holder, step.stale);
        break;
      case "finger":
        this.#finger(step.down, step.mouse);
        break;
      case "key":
        if (this.input !== null) this.box.say(this.input, `${step.down ? "kd" : "ku"},${KEYSYMS[step.letter] ?? 0}`);
        break;
      case "again":
        this.#sendAgain(step.which, step.how);
        break;
      case "reload":
        this.#reload(step.instance, step.since);
        break;
      case "leave":
        this[step.role]?.leave();
        if (step.role === "control") this.#lease = null;
        this[step.role] = null;
        break;
      case "exit":
        this.box.life.endDevice();
        break;
      case "kill":
        this.#again = step.again;
        this.box.life.killTakes = step.takes;
        this.box.life.killIn = step.after;
        break;
      case "fault":
        this.box.life.fault = step;
        this.#hung ||= step.how !== "fails";
        break;
      case "pass":
        await this.#pass(step.ms);
        break;
    }
    await drain();
    if (!this.box.life.alive) await this.#restart();
    if (this.#failure !== null) throw this.#failure;
  }

  /** Whoever holds control without a connection for so long has lost it. */
  async #pass(ms: number): Promise<void> {
    const { life } = this.box;
    const away = { none: false, agent: this.control?.open !== true, person: this.input?.open !== true };
    await this.box.pass(ms);
    if (ms <= AWAY_MS || !life.alive || this.box.machine === null) return;
    const owner = JSON.parse(this.box.world.files.get("/home/owner.json") ?? "{}") as { readonly holder?: Holder };
    if (owner.holder !== undefined && away[owner.holder]) throw new Error(`the ${owner.holder} still has control after ${ms} ms away`);
  }

  /** Everything gets its time, everyone leaves, and all must be as it was found. */
  async end(): Promise<void> {
    this.box.life.killIn = null;
    this.box.life.fault = null;
    await this.box.pass(this.#hung ? 600_000 : 3_000);
    if (this.#failure !== null) throw this.#failure;
    this.judge.settle();
    for (const client of this.box.clients) client.leave();
    await this.box.pass(1_000);
    if (this.#failure !== null) throw this.#failure;
    // One who comes now hears how the device is.
    this.box.connect({ role: "viewer", client: null });
    const { world } = this.box;
    expect(world.mostRunning).toBe(1);
    const intent = JSON.parse(world.files.get("/home/intent.json") ?? "{}") as { target?: string; switching?: unknown };
    expect(intent.switching).toBeNull();
    // A device that failed may run all the same, as one does whose boot never answered.
    if (!this.judge.failed || world.running.size > 0) expect([...world.running.keys()]).toEqual([intent.target]);
    for (const device of world.running.values()) {
      expect(device.fingers).toEqual([]);
      expect([...device.keys]).toEqual([]);
    }
    // What a device that ended could not be given back waits on the disk for its next boot.
    const kept = JSON.parse(world.files.get("/home/clipboard.json") ?? "{}") as Record<string, string>;
    if (!this.judge.failed) expect(kept[intent.target ?? ""]).toBeUndefined();
    for (const [native, device] of [...world.running, ...world.stopped])
      expect(kept[native] ?? device.clipboard).toBe(ownClipboard(native));
  }

  /** As clients do after a lost connection: the host asks for what it has no answer to, by id, or sends it again. */
  comeBack(): void {
    this.#reload(1, 1);
    this.input = this.box.connect({ role: "input", client: null });
    this.#fingerDown = false;
    for (const request of this.judge.requests.values()) {
      if (request.answers.length > 0) continue;
      this.#send(request, this.#again ? request.text : resultOf(request.id));
    }
  }

  /** A verdict thrown in the server's own code would be taken for its failure, so it is kept for the test. */
  #judged(judge: () => void): void {
    try {
      judge();
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  async #restart(): Promise<void> {
    this.judge.restarted();
    this.#lease = null;
    this.control = null;
    this.input = null;
    await this.box.start();
    this.comeBack();
  }

  #ask(by: By, kind: Exclude<Kind, "owner">, stale: boolean, flavour: number): void {
    this.#count += 1;
    const n = this.#count;
    const id = `r${n}`;
    const what = bodyOf(by, kind, n, flavour, this.judge);
    if (what === null) return;
    const owner = by === "agent" ? { owner: this.judge.ownerGeneration - (stale ? 1 : 0) } : {};
    const text = `BB_DEVICE ${JSON.stringify({ id, ...what, ...owner })}`;
    const request: Request = { id, n, by, kind, text, sends: [], answers: [], done: 0 };
    this.judge.requests.set(id, request);
    this.#send(request, text);
  }

  #setOwner(holder: "none" | "agent" | "person", stale: boolean): void {
    this.#count += 1;
    const id = `r${this.#count}`;
    const generation = this.judge.ownerGeneration + (stale ? 0 : 1);
    const text = `BB_DEVICE ${JSON.stringify({ id, type: "owner", generation, holder })}`;
    const request: Request = { id, n: this.#count, by: "agent", kind: "owner", text, sends: [], answers: [], done: 0 };
    this.judge.requests.set(id, request);
    this.#send(request, text);
  }

  #send(request: Request, text: string): void {
    const client = request.by === "agent" ? this.control : this.input;
    if (client === null || !client.open || this.box.machine === null) return;
    request.sends.push(client);
    this.box.say(client, text);
  }

  #sendAgain(which: number, how: "same" | "other body" | "result"): void {
    const request = [...this.judge.requests.values()].at(-1 - which);
    if (request === undefined) return;
    if (how === "same") this.#send(request, request.text);
    else if (how === "result") this.#send(request, resultOf(request.id));
    else if (request.sends.length > 0) {
      const other = request.by === "agent" ? { type: "record", to: "start" } : { type: "open", url: "https://example.com" };
      // Refused when the id is known. Where nobody knows it any more it is a request of its own, which changes no device here.
      if (request.answers.some(({ answer }) => answer.ok)) this.#send(request, `BB_DEVICE ${JSON.stringify({ id: request.id, ...other })}`);
    }
  }

  #finger(down: boolean, mouse: boolean): void {
    if (this.input === null) return;
    if (down) this.#count += 1;
    this.#fingerDown = down;
    const at = { x: PERSON_X, y: rowOf(this.#count) };
    if (mouse) this.box.say(this.input, `m,${at.x},${at.y},${this.#fingerDown ? 1 : 0},0`);
    else {
      const contacts = down ? [{ id: 3, ...at }] : [];
      this.box.say(this.input, `BB_DEVICE ${JSON.stringify({ type: "touch", contacts, generation: this.judge.geometryGeneration })}`);
    }
  }

  /** A control connection. The rule is the note's: its own instance always replaces, else the later start wins, ties by uuid. */
  #reload(instance: number, since: number): void {
    const hello: Hello = { role: "control", client: null, instance: uuid(instance), since };
    const before = this.#lease;
    const wins =
      before === null ||
      before.instance === hello.instance ||
      since > before.since ||
      (since === before.since && hello.instance > before.instance);
    const old = this.control;
    const client = this.box.connect(hello);
    if (!this.box.life.alive || this.box.machine === null) return;
    const loser = wins ? old : client;
    if (wins) {
      this.#lease = { instance: hello.instance, since };
      this.control = client;
    }
    expect(loser === null || loser.closedWith === 4000).toBe(true);
    expect(this.control?.open).toBe(true);
  }
}

const KEYSYMS: Readonly<Record<string, number>> = { p: 0x70, q: 0x71, ü: 0xfc, Control: 0xffe3 };

const resultOf = (id: string): string => `BB_DEVICE ${JSON.stringify({ id, type: "result" })}`;

function bodyOf(by: By, kind: Exclude<Kind, "owner">, n: number, flavour: number, judge: Judge): object | null {
  const generation = judge.geometryGeneration;
  const input = (value: object): object => ({ type: "input", input: value });
  switch (kind) {
    case "control":
      return { type: "control", control: { action: "location", to: { latitude: latitudeOf(n), longitude: 1 } } };
    case "rotate":
      return { type: "control", control: { action: "rotate", turn: flavour % 2 === 0 ? "left" : "right" } };
    case "switch":
      return { type: "control", control: { action: "switch", device: (MODELS[flavour % 2] ?? MODELS[0])?.name } };
    case "tap": {
      if (by === "person") return null;
      const at = { x: AGENT_X, y: rowOf(n), generation };
      if (flavour === 0) return input({ type: "tap", at });
      if (flavour === 1) return input({ type: "long_press", at, ms: 100 });
      return input({ type: "swipe", from: at, to: { ...at, x: AGENT_X + 200 }, ms: 100 });
    }
    case "text": {
      const text = `${by === "agent" ? "ab" : "pq"}${tokenOf(by, n)}`;
      return by === "agent" ? input({ type: "text", text }) : { type: "text", text };
    }
    case "paste":
      return by === "agent" ? input({ type: "text", text: tokenOf(by, n) }) : { type: "paste", text: tokenOf(by, n) };
  }
}

/** Tells one story on a box of its own. Rejects with what should not have been. */
export async function tell(steps: readonly Command[]): Promise<void> {
  const story = new Story();
  await story.begin();
  for (const step of steps) await story.run(step);
  await story.end();
}
