/** One device with everything round it: what each part tells the others is here, and nothing else. */
import { arch, platform } from "node:os";
import type { Intent, Owner } from "#core/device.ts";
import { asDeviceError, personHasControl, supersededInput, type DeviceError } from "#core/errors.ts";
import { DEVICE_PROTOCOLS, DEVICE_SERVER_VERSION } from "#core/version.ts";
import type { DeviceDriver, DriverFactory, DriverHost, EncodedFrame } from "#drivers/driver.ts";
import { formatHello, formatOwner, formatState, formatTouch, type Hello } from "#wire/device.ts";
import { READ_BACK_INTERVAL_MS, RESUME_GAP_MS } from "#wire/limits.ts";
import { formatClipboard, SELKIES_SERVER } from "#wire/selkies.ts";
import { Controls } from "./controls.ts";
import { Desk, type Remembered } from "./desk.ts";
import { HomeFiles, type FileCalls } from "./files.ts";
import { handlersOf } from "./handlers.ts";
import type { DeviceHome } from "./home.ts";
import { Inputs } from "./input/inputs.ts";
import { Journal } from "./journal.ts";
import { DeviceLife } from "./life.ts";
import type { Connection } from "./listener.ts";
import { OwnerBook } from "./owner.ts";
import { wordsOf, type Clock, type Log } from "./ports.ts";
import { Quiet } from "./quiet.ts";
import type { OwnerChange } from "./rules/owner.ts";
import { Sessions } from "./sessions.ts";
import { StateBook } from "./state-book.ts";
import { timedDriver } from "./timed-driver.ts";
import { Stills } from "./video/stills.ts";
import { VideoStream } from "./video/stream.ts";

export interface MachineOptions {
  readonly home: DeviceHome;
  readonly factory: DriverFactory;
  readonly files: FileCalls;
  readonly clock: Clock;
  readonly log: Log;
  /** The model asked for at this start. */
  readonly asked: string | null;
  readonly askedAnew?: boolean;
  readonly libc: string | null;
}

/** How often the two clocks are compared. */
const CLOCK_CHECK_MS = 1000;

export class Machine {
  readonly #options: MachineOptions;
  readonly #driver: DeviceDriver;
  readonly #sessions = new Sessions();
  readonly #quiet: Quiet;
  readonly #stream: VideoStream;
  readonly #stills: Stills;
  readonly #book: StateBook;
  readonly #owner: OwnerBook;
  readonly #inputs: Inputs;
  readonly #life: DeviceLife;
  readonly #controls: Controls;
  readonly #desk: Desk;
  readonly #frameWaiters = new Set<() => void>();
  readonly #journal: Journal;
  #endWant: (() => void) | null = null;
  #cancelReads: (() => void) | null = null;
  #cancelClocks: () => void = () => undefined;
  #closed = false;

  /** Asks the driver what it offers. Rejects in words when there is nothing, or not what was asked for. */
  static async make(options: MachineOptions): Promise<Machine> {
    const { home, clock, log } = options;
    let machine: Machine | null = null;
    const host: DriverHost = {
      geometry: (geometry) => machine?.geometry(geometry) ?? 0,
      changed: (atMs) => machine?.changed(atMs),
      exited: (why) => machine?.exited(why),
      clipboard: (text) => machine?.clipboard(text),
      warning: (words) => machine?.warning(words),
      progress: (words) => machine?.progress(words),
      log,
    };
    const driver = timedDriver(options.factory(host, { home: home.folder, run: home.run, clock }), clock);
    const offers = await driver.offered();
    machine = new Machine(options, driver, offers);
    await machine.#life.prepare(options.asked, options.askedAnew);
    return machine;
  }

  private constructor(options: MachineOptions, driver: DeviceDriver, offers: Awaited<ReturnType<DeviceDriver["offered"]>>) {
    const { home, clock, log } = options;
    this.#options = options;
    this.#driver = driver;
    const first = offers[0];
    if (first === undefined) throw new Error("There is no device that this machine can boot.");
    const files = new HomeFiles(home.folder, options.files, log);
    this.#quiet = new Quiet(clock);
    this.#stream = new VideoStream(clock, log, (frame) => this.#frame(frame));
    this.#stills = new Stills(clock, log, () => driver.video().still());
    this.#book = new StateBook(files, clock, first.model, (message) => this.#sessions.toAll(formatState(message)));
    this.#owner = new OwnerBook(files, clock, log, (change) => this.#ownerChanged(change));
    this.#inputs = new Inputs({
      driver,
      book: this.#book,
      files,
      clock,
      log,
      owner: this.#owner,
      ready: () => this.#life.ready,
      echo: (touch) => this.#sessions.toViewers(formatTouch(touch)),
      wantPicture: (on) => this.#wantPicture(on),
    });
    this.#life = new DeviceLife({
      driver,
      offers,
      files,
      book: this.#book,
      clock,
      log,
      events: {
        attached: () => this.#attached(),
        leaving: () => this.#inputs.leaving(),
        up: () => this.#readSoon(),
        gone: () => this.#inputs.gone(),
        firstFrame: (signal) => this.#firstFrame(signal),
      },
    });
    this.#controls = new Controls({
      driver,
      book: this.#book,
      life: this.#life,
      clock,
      log,
      inputs: this.#inputs,
    });
    this.#journal = new Journal(files);
    this.#desk = new Desk({
      sessions: this.#sessions,
      book: this.#book,
      stream: this.#stream,
      stills: this.#stills,
      nowMs: () => clock.now(),
      changed: () => this.#watchChanged(),
      person: (message) => this.#inputs.person(message),
      refusal: (request) => this.#refusal(request),
      earlier: { begun: this.#journal.begun, switching: switchOf(this.#life.intent) },
      began: (id) => this.#journal.begins(id),
      handlers: handlersOf({
        driver,
        book: this.#book,
        life: this.#life,
        controls: this.#controls,
        inputs: this.#inputs,
        owner: this.#owner,
        quiet: this.#quiet,
        stream: this.#stream,
        present: () => this.#sessions.present,
      }),
    });
  }

  /** Boots or attaches, carrying on what an earlier server began; a failure is in the state. */
  async start(): Promise<void> {
    this.#watchClocks();
    const carried = this.#life.intent?.switching?.id ?? null;
    let failure: DeviceError | null = null;
    try {
      await this.#life.start();
    } catch (error) {
      failure = asDeviceError(error);
      if (!this.#closed) this.#options.log("error", `The device does not run as meant: ${failure.words}`);
    }
    if (carried !== null) this.#desk.carriedOn(carried, failure);
  }

  connected(connection: Connection): void {
    const gone = this.#sessions.add(connection);
    connection.onClose = () => this.#left(connection);
    connection.send(formatHello(this.#hello()));
    if (connection.hello.role !== "control") connection.send(SELKIES_SERVER.mode);
    if (gone !== null) this.#sessions.supersede(gone);
    if (gone === connection) return;
    if (gone !== null) this.#leftRole(gone);
    this.#desk.connected(connection);
    this.#presence();
    this.#readSoon();
    this.#watchChanged();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelClocks();
    this.#cancelReads?.();
    this.#owner.close();
    this.#stills.close();
    await this.#inputs.close();
    this.#stream.close();
    await this.#life.close();
  }

  // What the driver tells.

  geometry(geometry: Parameters<DriverHost["geometry"]>[0]): number {
    const before = this.#book.generation;
    const generation = this.#book.number(geometry);
    if (generation !== before) this.#inputs.geometryChanged();
    return generation;
  }
  changed(atMs: number): void {
    this.#quiet.changed(atMs);
    this.#stills.changed();
  }
  exited(why: Parameters<DriverHost["exited"]>[0]): void {
    this.#life.exited(why);
  }
  clipboard(text: string): void {
    if (!this.#inputs.pasting) this.#sessions.input?.send(formatClipboard(text));
  }
  warning(words: string | null): void {
    this.#book.warn(words);
  }
  progress(words: string): void {
    this.#book.progress(words);
  }

  #hello(): Hello {
    return {
      protocol: DEVICE_PROTOCOLS,
      version: DEVICE_SERVER_VERSION,
      host: { os: platform(), cpu: arch(), libc: this.#options.libc, node: process.versions.node },
      platform: this.#driver.platform,
      devices: this.#life.offers.map(({ offer }) => offer),
      models: this.#life.offers.map(({ model }) => model),
      state: this.#book.state,
      lease: this.#sessions.lease,
      owner: this.#owner.owner,
      encoder: this.#stream.encoder(),
      bootedHere: this.#life.bootedHere,
      warning: this.#book.warning,
    };
  }

  /** The connection is no more; a role that another took over is not left by this. */
  #left(connection: Connection): void {
    this.#desk.left(connection);
    if (this.#sessions.remove(connection)) this.#leftRole(connection);
    this.#watchChanged();
  }

  #leftRole(connection: Connection): void {
    if (connection.hello.role === "viewer") return;
    this.#inputs.left(connection.hello.role === "input" ? "person" : "agent");
    this.#presence();
  }

  #presence(): void {
    if (!this.#closed) this.#owner.presence(this.#sessions.present);
  }

  #ownerChanged({ owner, drop }: OwnerChange): void {
    for (const source of drop) this.#desk.drop(source, source === "agent" ? this.#agentDropped(owner) : supersededInput(owner.holder));
    this.#inputs.ownerChanged(drop, owner.holder);
    this.#sessions.toAll(formatOwner(owner));
  }

  #agentDropped(owner: Owner): DeviceError {
    return owner.holder === "person" ? personHasControl() : supersededInput(owner.holder);
  }

  /** Refused at once, not held: the one who may not would wait for as long as the other has control. */
  #refusal(request: Remembered): DeviceError | null {
    switch (request.type) {
      case "control": {
        const bad = this.#controls.check(request.control);
        if (bad !== null) return bad;
        if (!("owner" in request)) return this.#owner.personMay();
        const leave = this.#owner.agentMay(request.owner, request.control);
        return leave.is === "no" ? leave.error : null;
      }
      case "input":
        return this.#owner.agentRefusal(request.owner);
      case "open":
        return "owner" in request ? this.#owner.agentRefusal(request.owner) : this.#owner.personMay();
      case "text":
      case "paste":
        return this.#owner.personMay();
      case "owner":
      case "record":
        return null;
    }
  }

  #wantPicture(on: boolean): void {
    if (on) this.#endWant ??= this.#stream.keepStreaming();
    else {
      this.#endWant?.();
      this.#endWant = null;
    }
  }

  async #attached(): Promise<void> {
    await this.#inputs.began();
    this.#stream.attach(this.#driver.video());
    // A device that is said to be booted takes touches, so its first picture comes before that.
    await this.#inputs.opened();
  }

  #frame(frame: EncodedFrame): void {
    this.#inputs.frame(frame.generation);
    for (const waiter of this.#frameWaiters) waiter();
  }

  /** The first frame of a device that just came up; encoded even when nobody watches. */
  async #firstFrame(signal: AbortSignal): Promise<void> {
    this.#stream.attach(this.#driver.video());
    const end = this.#stream.keepStreaming();
    try {
      const frame = this.#nextFrame(signal);
      this.#stream.forceKey();
      await frame;
    } finally {
      end();
    }
  }

  #nextFrame(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error: unknown): void => {
        this.#frameWaiters.delete(look);
        signal.removeEventListener("abort", abort);
        if (error === null) resolve();
        else reject(error instanceof Error ? error : new Error(String(error)));
      };
      const look = (): void => end(null);
      const abort = (): void => end(signal.reason);
      if (signal.aborted) return abort();
      this.#frameWaiters.add(look);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  // What is looked at again and again.

  get #watched(): boolean {
    return this.#stream.watching > 0 || this.#stills.watching > 0;
  }

  #watchChanged(): void {
    if (this.#watched === (this.#cancelReads !== null)) return;
    if (this.#watched) this.#readLater();
    else {
      this.#cancelReads?.();
      this.#cancelReads = null;
    }
  }

  #readLater(): void {
    this.#cancelReads = this.#options.clock.after(READ_BACK_INTERVAL_MS, () => {
      if (this.#closed) return;
      this.#readLater();
      this.#readSoon();
    });
  }

  #readSoon(): void {
    if (!this.#closed && this.#life.ready)
      void this.#controls.readBack().catch((error: unknown) => this.#options.log("warn", `The device cannot be read: ${wordsOf(error)}`));
  }

  /** A machine that slept has a wall clock that went on without its monotonic one. */
  #watchClocks(): void {
    const { clock, log } = this.#options;
    let apartMs = clock.wall() - clock.now();
    const look = (): void => {
      const nowApartMs = clock.wall() - clock.now();
      const gapMs = Math.abs(nowApartMs - apartMs);
      apartMs = nowApartMs;
      if (gapMs > RESUME_GAP_MS) {
        log("info", `The clocks parted by ${Math.round(gapMs / 1000)} s: this machine slept and woke.`);
        void this.#resumed();
      }
      this.#cancelClocks = clock.after(CLOCK_CHECK_MS, look);
    };
    this.#cancelClocks = clock.after(CLOCK_CHECK_MS, look);
  }

  async #resumed(): Promise<void> {
    const { log } = this.#options;
    try {
      await this.#inputs.began();
      await this.#driver.resumed();
    } catch (error) {
      log("warn", `The device did not resume cleanly: ${wordsOf(error)}`);
    }
    this.#stream.forceKey();
    this.#readSoon();
  }
}

/** The switch that an earlier server had under way. */
function switchOf(intent: Intent | null): { readonly id: string; readonly to: string } | null {
  return intent === null || intent.switching === null ? null : { id: intent.switching.id, to: intent.target };
}
