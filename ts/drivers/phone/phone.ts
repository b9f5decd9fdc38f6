/** The test phone without its socket: one drawn phone, when it draws, its log, and what each request does. */
import { DeviceError } from "#core/errors.ts";
import type { BindingPhone } from "#native/binding.ts";

import { Pictures } from "./pictures.ts";
import { FPS_MAX } from "./rate.ts";
import { isFields, isOrientation, PHONE_PROTOCOL, wordsOf, type PhoneNotice, type PhoneRequest, type PhoneScreen } from "./protocol.ts";
import { Record } from "./record.ts";

/** The time between two frames, as a phone of 60 Hz has it. */
export const FRAME_MS = 1000 / FPS_MAX;
/** How early a frame may come: a timer that fires a hair before its time must not cost a whole frame. */
const EARLY_MS = 0.5;
/** From a reboot to the first picture after the mark. */
const BOOT_MS = 750;
/** How long changes wait before they are kept, so that a slider does not write at each move. */
const SAVE_AFTER_MS = 100;

export interface PhoneClock {
  /** CLOCK_MONOTONIC ms. */
  now(): number;
  /** The wall clock in the person's own time zone, in ms. */
  wall(): number;
  /** Calls after `ms`; the answer takes it back. */
  after(ms: number, call: () => void): () => void;
}

export interface PhoneParts {
  readonly phone: BindingPhone;
  readonly model: string;
  readonly scene: string;
  readonly pid: number;
  readonly clock: PhoneClock;
  /** Between two frames of what moves, in ms; FRAME_MS when left out. */
  readonly frameMs?: number;
  exists(path: string): boolean;
  /** Keeps what outlives a reboot. */
  save(text: string): void;
  /** Ends the process as if it were killed. */
  crash(): void;
  /** Ends the process in order. */
  shutdown(): void;
}

/** One connection, as the phone sees it. */
export interface PhoneClient {
  notice(notice: PhoneNotice): void;
}

export class TestPhone {
  readonly #parts: PhoneParts;
  readonly #phone: BindingPhone;
  readonly #clock: PhoneClock;
  readonly #frameMs: number;
  readonly log: Record;
  readonly #pictures: Pictures;
  readonly #clients = new Set<PhoneClient>();
  /** Who streams. */
  #viewer: PhoneClient | null = null;
  /** Who has fingers or keys down: they lift when it goes. */
  readonly #holding = new Set<PhoneClient>();
  #screen: PhoneScreen;
  #awake = true;
  #seq = 0;
  /** A frame must go out although nothing differs from what is drawn. */
  #must = false;
  #due = 0;
  #heldUntil = 0;
  #cancelTick: (() => void) | null = null;
  #cancelSave: (() => void) | null = null;
  #hangControlMs = 0;
  #slowTurnMs = 0;
  #closed = false;

  constructor(parts: PhoneParts, saved: string | null) {
    this.#parts = parts;
    this.#phone = parts.phone;
    this.#clock = parts.clock;
    this.#frameMs = parts.frameMs ?? FRAME_MS;
    this.log = new Record(() => this.#clock.now());
    this.#pictures = new Pictures({
      behind: () => this.#viewer !== null && this.#awake && this.#must,
      take: (longestEdge) => {
        this.#advance();
        return this.#phone.screenshot(longestEdge);
      },
    });
    if (saved !== null) this.#restore(saved);
    this.log.add({ what: "started", model: parts.model, scene: parts.scene });
    this.#screen = this.#readScreen();
  }

  #restore(saved: string): void {
    try {
      this.#phone.command(JSON.stringify({ do: "load", saved: JSON.parse(saved) }), this.#clock.now());
    } catch {
      // A file that cannot be read any more is a phone as it came; the next save writes it whole.
    }
  }

  #readState(): { readonly [name: string]: unknown } {
    const state: unknown = JSON.parse(this.#phone.state());
    return isFields(state) ? state : {};
  }

  #readScreen(): PhoneScreen {
    const { orientation, screen } = this.#readState();
    return {
      orientation: isOrientation(orientation) ? orientation : "upright",
      screen: screen === "outer" || screen === "inner" ? screen : null,
    };
  }

  /** What the busy page is made from; the same seed draws the same. */
  seed(seed: number): void {
    this.#command({ do: "seed", seed });
  }

  connected(client: PhoneClient): void {
    this.#clients.add(client);
    this.log.add({ what: "connected" });
  }

  disconnected(client: PhoneClient): void {
    this.#clients.delete(client);
    if (this.#viewer === client) this.#endStream();
    if (this.#holding.delete(client)) {
      this.#command({ do: "lift" });
      this.log.add({ what: "lifted" });
      this.#wake();
    }
    this.log.add({ what: "disconnected" });
  }

  #endStream(): void {
    this.#viewer = null;
    this.#pictures.told();
    this.#phone.closeRegion();
    this.#cancelTick?.();
    this.#cancelTick = null;
    this.log.add({ what: "stream-ended" });
  }

  /** Keeps what is unsaved and stops. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#cancelSave !== null) this.#save();
    this.#cancelTick?.();
    this.#phone.closeRegion();
  }

  /** Does what is asked; the answer is the result. Rejects with DeviceError. */
  async handle(request: PhoneRequest, client: PhoneClient): Promise<unknown> {
    const { log } = this;
    switch (request.ask) {
      case "hello": {
        const { pid, model } = this.#parts;
        return { protocol: PHONE_PROTOCOL, pid, model, regionBytes: this.#readState()["regionBytes"] };
      }
      case "stream":
        return this.#stream(request.region, request.bytes, client);
      case "stream-end":
        if (this.#viewer === client) this.#endStream();
        return {};
      case "touch":
        log.add({ what: "touch", contacts: request.contacts });
        this.#advance();
        this.#hold(client, request.contacts.length > 0);
        this.#phone.touch(JSON.stringify(request.contacts), this.#clock.now());
        return this.#after();
      case "key":
        log.add({ what: "key", key: request.key, down: request.down });
        this.#hold(client, request.down);
        this.#phone.key(request.key, request.down, this.#clock.now());
        return this.#after();
      case "control":
        return await this.#control(request.control);
      case "clipboard":
        log.add({ what: "clipboard-read" });
        return this.#command({ do: "clipboard" });
      case "set-clipboard":
        log.add({ what: "clipboard", from: "client", text: request.text });
        return this.#command({ do: "clipboard", text: request.text });
      case "compose":
        log.add({ what: "compose", text: request.text, done: request.done });
        this.#command({ do: "compose", text: request.text, done: request.done });
        return this.#after();
      case "open":
        log.add({ what: "open", url: request.url });
        this.#command({ do: "open", url: request.url });
        return this.#after();
      case "tree":
        this.#advance();
        return JSON.parse(this.#phone.tree());
      case "state":
        this.#advance();
        return { ...this.#readState(), streaming: this.#viewer !== null, frames: this.#seq };
      case "screenshot":
        log.add({ what: "screenshot" });
        return await this.#pictures.take(request.longestEdge);
      case "log":
        return await this.#entries(request.since, request.waitMs);
      case "seed":
        return this.#command({ do: "seed", seed: request.seed });
      case "fault":
        log.add({ what: "fault", fault: request.fault });
        if (request.fault === "crash") this.#parts.crash();
        else if (request.fault === "hang-control") this.#hangControlMs = request.ms;
        else this.#slowTurnMs = request.ms;
        return {};
      case "shutdown":
        this.#parts.shutdown();
        return {};
    }
  }

  #hold(client: PhoneClient, down: boolean): void {
    if (down) this.#holding.add(client);
  }

  #stream(region: string, bytes: number, client: PhoneClient): unknown {
    try {
      this.#phone.openRegion(region, bytes);
    } catch (error) {
      throw new DeviceError("bad-value", wordsOf(error), { cause: error });
    }
    if (this.#viewer !== null && this.#viewer !== client) {
      this.#viewer.notice({ notice: "stream-ended", words: "Another client streams this phone now." });
    }
    this.#viewer = client;
    this.#must = true;
    this.log.add({ what: "stream", region });
    if (!this.#awake) this.#off();
    this.#wake();
    return {};
  }

  async #control(control: Extract<PhoneRequest, { ask: "control" }>["control"]): Promise<unknown> {
    const { action } = control;
    this.log.add({ what: "control", control });
    if (this.#hangControlMs > 0) await this.#wait(this.#hangControlMs);
    try {
      if (control.action === "install") {
        const missing = control.paths.find((path) => !this.#parts.exists(path));
        if (missing !== undefined) throw new DeviceError("bad-value", `There is no file ${missing} to install.`);
      }
      if (action === "switch") throw new DeviceError("unsupported", "A phone cannot become another one; the device server switches.");
      if (action === "reboot" && this.#viewer !== null) this.#off();
      const result = this.#command({ do: "control", control });
      this.#after();
      if (action === "reboot") {
        this.#must = true;
        this.#wake();
        await this.#wait(BOOT_MS);
      }
      this.log.add({ what: "control-ended", action, refused: null });
      return result;
    } catch (error) {
      this.log.add({ what: "control-ended", action, refused: wordsOf(error) });
      throw error;
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }

  async #entries(since: number, waitMs: number): Promise<unknown> {
    const now = this.log.after(since);
    if (now.length > 0 || waitMs === 0) return now;
    await new Promise<void>((resolve) => {
      const takeBack = this.log.once(() => {
        cancel();
        resolve();
      });
      const cancel = this.#clock.after(waitMs, () => {
        takeBack();
        resolve();
      });
    });
    return this.log.after(since);
  }

  #command(command: object): unknown {
    try {
      return JSON.parse(this.#phone.command(JSON.stringify(command), this.#clock.now()));
    } catch (error) {
      throw new DeviceError("bad-value", wordsOf(error), { cause: error });
    }
  }

  #advance(): boolean {
    return this.#phone.advance(this.#clock.now(), this.#clock.wall());
  }

  /** After anything that may have changed the phone: what it tells, how it lies, whether it is on, and the next frame. */
  #after(): object {
    const events = this.#command({ do: "events" });
    for (const event of Array.isArray(events) ? events : []) this.#event(event);
    const screen = this.#readScreen();
    if (screen.orientation !== this.#screen.orientation || screen.screen !== this.#screen.screen) {
      this.#screen = screen;
      this.#must = true;
      this.#heldUntil = this.#clock.now() + this.#slowTurnMs;
    }
    const awake = this.#phone.size().width > 0;
    if (awake !== this.#awake) {
      this.#awake = awake;
      this.#must = awake;
      if (!awake) this.#off();
    }
    this.#wake();
    return {};
  }

  #event(event: unknown): void {
    if (!isFields(event)) return;
    if (event["event"] === "changed") {
      this.#cancelSave ??= this.#clock.after(SAVE_AFTER_MS, () => this.#save());
    } else if (event["event"] === "clipboard" && typeof event["text"] === "string") {
      this.log.add({ what: "clipboard", from: "phone", text: event["text"] });
      for (const client of this.#clients) client.notice({ notice: "clipboard", text: event["text"] });
    }
  }

  #save(): void {
    this.#cancelSave?.();
    this.#cancelSave = null;
    this.#parts.save(JSON.stringify(this.#command({ do: "save" })));
    this.log.add({ what: "saved" });
  }

  /** Tells the viewer that the screen is off. */
  #off(): void {
    this.#seq += 1;
    this.#pictures.told();
    this.#viewer?.notice({ notice: "frame", seq: this.#seq, width: 0, height: 0, captureMs: this.#clock.now(), ...this.#screen });
  }

  /** The next tick comes at the next frame's time. */
  #wake(): void {
    if (this.#viewer === null || this.#closed) return;
    const now = this.#clock.now();
    this.#tickAt(Math.max(now, this.#due + this.#frameMs, this.#heldUntil));
  }

  #tickAt(at: number): void {
    this.#cancelTick?.();
    this.#cancelTick = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#tick());
  }

  #tick(): void {
    this.#cancelTick = null;
    const viewer = this.#viewer;
    if (viewer === null) return;
    const now = this.#clock.now();
    const differs = this.#advance();
    const awake = this.#phone.size().width > 0;
    if (awake && (differs || this.#must) && now + EARLY_MS >= this.#heldUntil) {
      // On the grid of frames where the last one was just before; else the grid begins here.
      this.#due = now - this.#due < this.#frameMs * 2 ? this.#due + this.#frameMs : now;
      this.#must = false;
      if (!this.#post(viewer)) return;
    }
    const next = this.#phone.nextMs();
    // What moves but looks the same is looked at again a frame later, and nothing twice at one time.
    const frame = this.#due + this.#frameMs > now ? this.#due + this.#frameMs : now + this.#frameMs;
    if (this.#must) this.#tickAt(Math.max(this.#heldUntil, now + 1));
    else if (next !== null) this.#tickAt(next === 0 ? frame : Math.max(next, now + 1));
  }

  /** False: the region has gone bad and the stream has ended. */
  #post(viewer: PhoneClient): boolean {
    try {
      this.#phone.draw();
    } catch (error) {
      viewer.notice({ notice: "stream-ended", words: wordsOf(error) });
      this.#endStream();
      return false;
    }
    this.#seq += 1;
    const { width, height } = this.#phone.size();
    viewer.notice({ notice: "frame", seq: this.#seq, width, height, captureMs: this.#clock.now(), ...this.#screen });
    this.#pictures.told();
    return true;
  }
}
