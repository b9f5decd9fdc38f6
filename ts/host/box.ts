/** One box: its connections, the browsers that watch it, its lease and its control. The only place where these meet. */
import { randomUUID } from "node:crypto";
import type { DeviceState } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import { type Answer, formatSuperseded, type Hello } from "#wire/device.ts";
import { CLOSE_SUPERSEDED } from "#wire/limits.ts";
import type { BoxInfo } from "#wire/panel.ts";
import { formatAck, SELKIES_SERVER } from "#wire/selkies.ts";
import type { ServerMessage } from "#wire/server-messages.ts";
import type { Latency } from "#relay/latency.ts";
import { VideoRelay } from "#relay/video-relay.ts";
import { type AgentRequest, askAsAgent } from "./agent.ts";
import { Answers } from "./answers.ts";
import { BoxError } from "./backends/box-error.ts";
import { awaitHello } from "./delivery/await-hello.ts";
import { Delivery } from "./delivery/delivery.ts";
import type { DeliverySource } from "./delivery/source.ts";
import type { DeviceConnection, Lease as LeaseName } from "./device-connection.ts";
import { Holder } from "./holder.ts";
import { BoxLease } from "./lease.ts";
import { Line } from "./line.ts";
import type { Backend, Clock, Log } from "./ports.ts";
import { deviceInfo, foreignWords, helloSince } from "./box-words.ts";
import { type PanelSocket, Session, type SessionBox } from "./session.ts";
import { CLOSE_AWAY, Watchers } from "./watchers.ts";
import { SUPERSEDED_WORDS, wordsOf } from "./words.ts";

export interface BoxOptions {
  readonly id: string;
  /** What a person calls it. */
  readonly name: string;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: LeaseName;
  readonly client: string;
  /** The viewer that had control when the host last ran. */
  readonly remembered: string | null;
  readonly remember: (viewer: string | null) => void;
  /** What is brought to a box whose device server is older; null: this host brings nothing. */
  readonly delivery: { readonly source: DeliverySource; readonly bad: number; readonly markBad: (version: number) => void } | null;
}

/** The connections outlive the last browser by this, so that a page that is loaded again finds them. */
const LINGER_MS = 10_000;
/** An ended connection: the browser connects again by itself. */
const CLOSE_RESTART = 1012;
export const DISPLAY = "device";
/** What an agent's request waits for a box that is away. */
const REACH_MS = 5_000;
/** What a first press waits for the input connection to be there. */
const INPUT_MS = 2_000;

export class Box {
  readonly id: string;
  readonly name: string;
  readonly holder: Holder;
  readonly lease: BoxLease;
  readonly delivery: Delivery | null;
  readonly #options: BoxOptions;
  readonly #relay: VideoRelay;
  readonly #video: Line;
  readonly #stills: Line;
  readonly #input: Line;
  readonly #answers = { viewer: new Answers(), input: new Answers() };
  readonly #watchers: Watchers;
  #hello: DeviceConnection | null = null;
  #lastHello: Hello | null = null;
  #rawState: string | null = null;
  #state: DeviceState | null = null;
  #lastStill: string | null = null;
  #away: string | null = null;
  #cancelLinger: (() => void) | null = null;
  #closed = false;

  constructor(options: BoxOptions) {
    const { id, name, backend, clock, log, client } = options;
    this.id = id;
    this.name = name;
    this.#options = options;
    this.#watchers = new Watchers(clock, () => this.#away);
    this.holder = new Holder({
      box: id,
      clock,
      log,
      remembered: options.remembered,
      remember: options.remember,
      setOwner: (owner) => this.lease.request({ id: randomUUID(), type: "owner", ...owner }),
      changed: () => {
        this.#watchers.each((session) => session.tellControl());
        this.#wants();
      },
      handedBack: () => this.#mayDeliver(),
    });
    this.lease = new BoxLease({
      box: id,
      backend,
      clock,
      log,
      name: options.lease,
      client,
      opened: (connection, first) => {
        this.#greeted(connection.hello);
        if (first)
          void this.holder.claim().catch((error: unknown) => log("warn", `Box ${id}: control could not be claimed: ${String(error)}`));
        this.#mayDeliver();
      },
      message: (message) => this.#heardShared(message),
      failed: (error) => this.#failed(error),
      superseded: () => this.#superseded(),
    });
    this.delivery =
      options.delivery === null
        ? null
        : new Delivery({
            ...options.delivery,
            box: id,
            backend,
            log,
            leased: () => this.lease.held,
            holder: () => this.holder.owner.holder,
            // The host itself would have asked for one, and there is nothing yet that asks.
            recording: () => false,
            hello: (version, withinMs) => awaitHello(this.lease, clock, version, withinMs),
          });
    const line = { backend, clock, client };
    this.#video = new Line({
      ...line,
      role: "viewer",
      up: (connection) => this.#videoUp(connection),
      text: (raw, message) => this.#videoText(raw, message),
      video: (message) => void this.#relay.push(message),
      down: (why) => this.#videoDown(why.words),
      failed: (error) => this.#failed(error),
    });
    this.#stills = new Line({
      ...line,
      role: "viewer",
      up: (connection) => {
        connection.send("STOP_VIDEO");
        connection.send("START_STILLS");
      },
      text: (raw, message) => {
        if (message.kind !== "still") return;
        this.#lastStill = raw;
        this.#watchers.each((session) => session.still(raw));
      },
      down: () => {},
      failed: () => {},
    });
    this.#input = new Line({
      ...line,
      role: "input",
      // Requests whose connection ended are asked for by their ids: they are never sent twice.
      up: (connection) => {
        for (const request of this.#answers.input.open()) connection.send(`BB_DEVICE ${JSON.stringify({ id: request, type: "result" })}`);
      },
      text: (raw, message) => this.#inputText(raw, message),
      down: (why) => {
        if (why.superseded)
          log("info", `Box ${id}: another client took the input connection; it is asked for again when a person takes control.`);
      },
      failed: () => {},
    });
    this.#relay = new VideoRelay(
      {
        requestKey: () => void this.#video.send("REQUEST_KEYFRAME"),
        watched: (on) => void this.#video.send(on ? "START_VIDEO" : "STOP_VIDEO"),
        ack: (unit) => void this.#video.send(formatAck(unit)),
      },
      clock,
    );
  }

  /** For lists: GET /api/boxes. */
  info(): BoxInfo {
    return {
      id: this.id,
      name: this.name,
      displays: [{ id: DISPLAY, shows: "device" }],
      device: this.#away === null ? deviceInfo(this.#state, this.#lastHello) : null,
      away: this.#away,
    };
  }

  get state(): DeviceState | null {
    return this.#state;
  }

  get hello(): Hello | null {
    return this.#lastHello;
  }

  get watching(): number {
    return this.#watchers.size;
  }

  /** A browser joins. Null: there are too many. */
  join(viewer: string, socket: PanelSocket): Session | null {
    if (this.#watchers.full) return null;
    const { clock } = this.#options;
    const seat = this.#relay.join({ send: (message) => socket.sendBinary(message), bufferedBytes: () => socket.bufferedBytes() });
    const session = new Session(viewer, this.#port(), socket, clock, seat);
    this.#watchers.add(session);
    this.holder.came(viewer);
    if (this.lease.superseded) {
      session.send(formatSuperseded());
      session.close(CLOSE_SUPERSEDED, SUPERSEDED_WORDS);
      return session;
    }
    this.#wants();
    this.lease.open();
    if (this.#hello?.open === true) session.greet(this.#greeting());
    else {
      this.#watchers.wait(session);
      this.#video.now();
    }
    return session;
  }

  /** Its socket ended. */
  leave(session: Session): void {
    if (!this.#watchers.remove(session)) return;
    session.ended();
    this.#answers.viewer.forget(session);
    this.#answers.input.forget(session);
    // What the person held is lifted by the server when their connection ends, and only then.
    if (this.holder.went(session.viewer)) this.#input.restart();
    this.#wants();
  }

  /** One request of an agent. Resolves with the answer, also a refusal; rejects with DeviceError when nobody can answer. */
  async ask(request: AgentRequest): Promise<Answer> {
    await this.reach();
    return askAsAgent(this.lease, this.holder, request);
  }

  /** The lease is open when this resolves; rejects with words, after the first try where `once` is set. */
  async reach(withinMs = REACH_MS, once = false): Promise<void> {
    try {
      const { hello } = await this.lease.ready(withinMs, once);
      const foreign = foreignWords(this.name, hello);
      if (foreign !== null) throw new DeviceError("failed", foreign);
    } catch (error) {
      this.#away = wordsOf(error);
      throw error;
    }
  }

  /** From the host's sending to each browser's drawing; browsers whose screen is still are left out. */
  latencies(): readonly Latency[] {
    return this.#watchers.latencies();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watchers.close(1001, "The host is ending.");
    this.#cancelLinger?.();
    this.#video.want(false);
    this.#stills.want(false);
    this.#input.want(false);
    this.lease.close();
    this.holder.close();
    this.#relay.close();
    await this.#options.backend.close();
  }

  #port(): SessionBox {
    return {
      seenBy: (viewer) => this.holder.seenBy(viewer),
      generation: () => this.holder.owner.generation,
      take: async (viewer) => {
        if (!this.lease.held) await this.reach();
        await this.holder.take(viewer);
        this.#input.revive();
        await this.#input.ready(INPUT_MS);
      },
      back: (viewer) => this.holder.back(viewer),
      toViewer: (text) => this.#video.send(text),
      toInput: (text) => this.#input.send(text),
      inputBacklog: () => this.#input.connection?.bufferedBytes() ?? 0,
      expect: (id, session, over) => this.#answers[over].expect(id, session),
      withdraw: (id, over) => void this.#answers[over].take(id),
      stillsChanged: () => this.#wants(),
      lastStill: () => this.#lastStill,
    };
  }

  /** Which connections are needed now. */
  #wants(): void {
    // Browsers leave after the box was closed, and must not open anything again.
    if (this.#closed) return;
    const needed = this.#watchers.size > 0 || this.holder.awaited;
    if (needed) {
      this.#cancelLinger?.();
      this.#cancelLinger = null;
      this.#video.want(true);
      this.#input.want(true);
    } else {
      this.#cancelLinger ??= this.#options.clock.after(LINGER_MS, () => {
        this.#cancelLinger = null;
        this.#video.want(false);
        this.#input.want(false);
        this.#hello = null;
      });
    }
    this.#stills.want(this.#watchers.stills);
    if (!this.#watchers.stills) this.#lastStill = null;
  }

  #greeted(hello: Hello): void {
    this.#away = foreignWords(this.name, hello);
    this.#lastHello = hello;
    this.#state = hello.state;
    // Its files were lost: what was heard of the last one says nothing about this one.
    if (hello.owner.generation < this.holder.owner.generation) this.holder.forget();
    this.holder.heard(hello.owner);
  }

  #videoUp(connection: DeviceConnection): void {
    this.#rawState = null;
    this.#greeted(connection.hello);
    this.lease.open();
    if (this.#away !== null) return this.#watchers.close(CLOSE_AWAY, this.#away);
    this.#hello = connection;
    this.#relay.reset();
    if (this.#relay.watching === 0) connection.send("STOP_VIDEO");
    this.#watchers.greet(this.#greeting());
  }

  #greeting(): readonly string[] {
    if (this.#hello === null) return [];
    return [this.#hello.rawHello, SELKIES_SERVER.mode, ...(this.#rawState === null ? [] : [this.#rawState])];
  }

  #videoText(raw: string, message: ServerMessage): void {
    switch (message.kind) {
      case "owner":
        return this.#heardShared(message);
      case "answer":
        return void this.#answers.viewer.take(message.answer.id)?.answer(raw);
      // Each browser is told of its own seat.
      case "mode":
      case "video-started":
      case "video-stopped":
      case "clipboard":
        return;
      case "state":
        this.#rawState = raw;
        this.#heardShared(message);
        break;
      default:
    }
    this.#watchers.each((session) => session.send(raw));
  }

  #inputText(raw: string, message: ServerMessage): void {
    if (message.kind === "owner") return this.#heardShared(message);
    const person = this.holder.person;
    if (message.kind === "answer") {
      if (message.answer.id !== null) return void this.#answers.input.take(message.answer.id)?.answer(raw);
    } else if (message.kind !== "clipboard") return;
    // A refused touch and the device's clipboard are for the person with control alone.
    this.#watchers.each((session) => {
      if (session.viewer === person) session.send(raw);
    });
  }

  #heardShared(message: ServerMessage): void {
    if (message.kind === "owner") this.holder.heard(message.owner);
    if (message.kind !== "state") return;
    this.#state = message.message.state;
    this.#lastHello = helloSince(this.#lastHello, message.message);
  }

  #videoDown(words: string): void {
    this.#hello = null;
    this.#rawState = null;
    this.#away = words;
    this.#lastStill = null;
    this.#watchers.close(CLOSE_RESTART, words);
  }

  #superseded(): void {
    this.#watchers.each((session) => session.send(formatSuperseded()));
    this.#watchers.close(CLOSE_SUPERSEDED, SUPERSEDED_WORDS);
  }

  #failed(error: unknown): void {
    const empty = error instanceof BoxError && error.why === "not-installed" && this.delivery !== null && this.delivery.bad === 0;
    if (empty) void this.delivery?.consider(null);
    this.#away = empty ? `${this.name} has no device server yet. One is being brought to it.` : wordsOf(error);
  }

  #mayDeliver(): void {
    const hello = this.#lastHello;
    if (hello === null || !this.lease.held) return;
    void this.delivery?.consider({ version: hello.version, protocol: hello.protocol });
  }
}
