/**
 * Everything that presses the device: a person's pointer, fingers and keys, the agent's gestures, text and pastes.
 * The rules are in ../rules; this file gives them the clock and carries what they decide to the driver, in order.
 */
import type { Contact, DeviceInput, Holder, Owner } from "#core/device.ts";
import { geometryChanging, notBooted, supersededInput, type DeviceError } from "#core/errors.ts";
import { videoToDevice } from "#core/geometry.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import type { HomeFiles } from "#server/files.ts";
import type { Clock, Log } from "#server/ports.ts";
import { Fingers } from "#server/rules/fingers.ts";
import { GeometryGate, type HeldTouch } from "#server/rules/geometry-gate.ts";
import { PointerFingers } from "#server/rules/pointer.ts";
import type { Source } from "#server/rules/requests.ts";
import type { StateBook } from "#server/state-book.ts";
import type { TouchEcho } from "#wire/device.ts";
import type { PointerMessage, SelkiesInputMessage } from "#wire/selkies.ts";
import { Alarm } from "./alarm.ts";
import { GestureLane } from "./gesture-lane.ts";
import { TouchPump } from "./touch-pump.ts";
import { TypedLane } from "./typed-lane.ts";

export interface InputsParts {
  readonly driver: DeviceDriver;
  readonly book: StateBook;
  readonly files: HomeFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: { readonly owner: Owner; personMay(): DeviceError | null };
  /** The device takes input. */
  readonly ready: () => boolean;
  readonly echo: (touch: TouchEcho) => void;
  /** A picture of the new geometry is wanted, whether anybody watches or not. */
  readonly wantPicture: (on: boolean) => void;
}

const ALL: readonly Source[] = ["agent", "person"];

export class Inputs {
  readonly #parts: InputsParts;
  readonly #fingers = new Fingers();
  /** One for each input connection: the next one's buttons are all up. */
  #pointer = new PointerFingers();
  readonly #gate: GeometryGate;
  readonly #pump: TouchPump;
  readonly #typed: TypedLane;
  readonly #gestures: GestureLane;
  readonly #pointerAlarm: Alarm;
  readonly #gateAlarm: Alarm;
  #gateWaiters: (() => void)[] = [];

  constructor(parts: InputsParts) {
    const { driver, book, files, clock, log } = parts;
    this.#parts = parts;
    this.#gate = new GeometryGate(book.generation);
    this.#pump = new TouchPump((contacts) => driver.touch(contacts), clock, log);
    this.#typed = new TypedLane(driver, files, clock, log, () => book.state.model);
    this.#gestures = new GestureLane(clock, {
      fingers: (contacts) => this.#apply("agent", contacts),
      flushed: () => this.#pump.flushed(),
      failures: () => this.#pump.failures,
    });
    this.#pointerAlarm = new Alarm(clock, () => this.#pointerMoves());
    this.#gateAlarm = new Alarm(clock, () => this.#opened(this.#gate.advance(clock.now())));
  }

  /** A paste is under way: the device's clipboard is not its own. */
  get pasting(): boolean {
    return this.#typed.pasting;
  }

  // A person, over the input connection.

  /** The pointer, a key, committed text. While the agent holds control it is ignored without a word. */
  person(message: Exclude<SelkiesInputMessage, { readonly kind: "ignored" }>): void {
    const { owner, ready } = this.#parts;
    if (owner.personMay() !== null || !ready()) return;
    switch (message.kind) {
      case "pointer":
        return this.#pointed(message);
      case "key":
        return this.#typed.personKey(message.keysym, message.down);
      case "keys-up":
        return this.#typed.personKeysUp();
      case "committed":
        return this.#typed.committed(message.text);
    }
  }

  /** All fingers of a touch screen. Answers why they do not land, or null. */
  touch(contacts: readonly Contact[], generation: number): DeviceError | null {
    const refusal = this.#personRefusal();
    return refusal ?? this.#personTouch({ contacts, generation });
  }

  /** A text or a paste, whole. Rejects when it was dropped. */
  personText(text: string, how: "text" | "paste"): Promise<void> {
    const refusal = this.#personRefusal();
    return refusal === null ? this.#typed.text("person", text, how) : Promise.reject(refusal);
  }

  // The agent, over the control connection.

  /** Resolves when it is done and every finger is up. `refusal` is asked again when its turn comes. */
  async agent(input: DeviceInput, refusal: () => DeviceError | null): Promise<void> {
    const { driver, book } = this.#parts;
    const check = (): DeviceError | null => refusal() ?? this.#notReady();
    const refused = check();
    if (refused !== null) throw refused;
    if (input.type === "key") return this.#typed.agentKey(input.key, input.modifiers);
    if (input.type === "text") return this.#typed.text("agent", input.text, "text");
    await this.#gestures.run(
      input,
      (generations) => check() ?? this.#gate.agent(generations),
      () => book.geometry?.video ?? null,
      driver.gesture === undefined ? null : (whole) => this.#wholeGesture(whole),
    );
  }

  // What happens round it.

  /** Control changed hands: whose input is dropped; everything is lifted where it is. */
  ownerChanged(drop: readonly Source[], holder: Holder): void {
    for (const source of drop) this.#drop(source, supersededInput(holder));
    this.#lift(ALL);
    void this.#typed.lift(ALL);
  }

  /** A connection ended: what it held is lifted and what it had queued is dropped. */
  left(source: Source): void {
    this.#drop(source, supersededInput("none"));
    this.#void(source, this.#fingers.forget(source));
    if (source === "person") {
      this.#pointer = new PointerFingers();
      this.#pointerAlarm.clear();
    }
    void this.#typed.lift([source]);
  }

  /** A control that turns the screen begins. */
  hold(): void {
    this.#gate.controlBegins();
    this.#endGestures();
    this.#gateMoved();
  }

  /** It is over. Resolves when touches may land again. */
  release(): Promise<void> {
    this.#opened(this.#gate.controlEnds(this.#parts.clock.now()));
    return this.opened();
  }

  /** Resolves when touches may land: the picture of the newest geometry has come, or is waited for no longer. */
  opened(): Promise<void> {
    if (this.#gate.open) return Promise.resolve();
    return new Promise((resolve) => this.#gateWaiters.push(resolve));
  }

  /** The device's screen has another geometry; its first picture is still to come. */
  geometryChanged(): void {
    if (this.#gate.geometry(this.#parts.book.generation, this.#parts.clock.now())) this.#endGestures();
    this.#gateMoved();
  }

  /** A picture of this generation was made. */
  frame(generation: number): void {
    if (!this.#gate.open) this.#opened(this.#gate.frame(generation));
  }

  /** The device is about to be stopped: what waits is dropped. Resolves once everything is up and its clipboard is its own. */
  async leaving(): Promise<void> {
    const error = notBooted(this.#parts.book.state.model, "booting");
    for (const source of ALL) this.#drop(source, error);
    this.#lift(ALL);
    await this.#typed.lift(ALL);
    await this.#pump.flushed();
  }

  /** The device is gone: nothing more goes to it. */
  gone(): void {
    const error = notBooted(this.#parts.book.state.model, "booting");
    for (const source of ALL) this.#drop(source, error);
    for (const source of ALL) this.#fingers.forget(source);
    this.#pump.drop();
    this.#typed.gone();
    this.#pointer.cut();
    this.#gate.gone();
    this.#gateMoved();
  }

  /** A device is there: every touch and key up, whoever pressed it, and a clipboard that a crash left put back. */
  async began(): Promise<void> {
    this.#fingers.lift();
    this.#pump.replace([]);
    await this.#pump.flushed();
    await this.#typed.recover();
  }

  async close(): Promise<void> {
    this.#pointerAlarm.clear();
    this.#gateAlarm.clear();
    for (const source of ALL) this.#drop(source, supersededInput("none"));
    this.#lift(ALL);
    await this.#typed.lift(ALL);
    await this.#pump.flushed();
    this.#pump.drop();
    await this.#typed.close();
  }

  #personRefusal(): DeviceError | null {
    return this.#parts.owner.personMay() ?? this.#notReady();
  }

  #notReady(): DeviceError | null {
    const { ready, book } = this.#parts;
    if (ready()) return null;
    const { power, model } = book.state;
    return notBooted(model, power.is === "booted" ? "booting" : power.is);
  }

  #pointed(message: PointerMessage): void {
    const { book, clock } = this.#parts;
    const { geometry } = book;
    if (geometry === null) return;
    this.#pointerLists(this.#pointer.message(message, geometry.video, this.#typed.altHeld, clock.now()));
  }

  #pointerMoves(): void {
    const { book, clock } = this.#parts;
    if (book.geometry !== null) this.#pointerLists(this.#pointer.advance(book.geometry.video, clock.now()));
  }

  #pointerLists(lists: readonly (readonly Contact[])[]): void {
    for (const contacts of lists) this.#personTouch({ contacts, generation: this.#parts.book.generation });
    this.#pointerAlarm.set(this.#pointer.dueMs);
  }

  #personTouch(touch: HeldTouch): DeviceError | null {
    const verdict = this.#gate.person(touch, this.#fingers.presses("person", touch.contacts));
    if (verdict.is === "apply") this.#apply("person", touch.contacts);
    return verdict.is === "refused" ? verdict.error : null;
  }

  #apply(source: Source, contacts: readonly Contact[]): void {
    const presses = this.#fingers.presses(source, contacts);
    const list = this.#fingers.set(source, contacts);
    if (list === null) return;
    // Text typed before a press is for the field that has the focus now.
    const after = presses && source === "person" ? this.#typed.settled() : null;
    this.#send(source, list, after, false);
  }

  /** `list`: the device's fingers, in the video's pixels of now. */
  #send(source: Source, list: readonly Contact[], after: Promise<void> | null, next: boolean): void {
    const { book, driver, echo } = this.#parts;
    const { model, geometry, generation } = book;
    if (geometry === null && list.length > 0) return;
    const mapped =
      geometry === null ? [] : list.map((contact) => ({ id: contact.id, ...videoToDevice(model, geometry, driver.touchSpace, contact) }));
    echo({ contacts: list, by: source, generation });
    if (next) this.#pump.replace(mapped);
    else this.#pump.push(mapped, after);
  }

  #lift(sources: readonly Source[]): void {
    this.#void(sources[0] ?? "person", this.#fingers.lift(sources));
    this.#pointer.cut();
    this.#pointerAlarm.clear();
  }

  /** Nothing that waits is pressed any more, though it was lifted again before it was sent: only what is down now counts. */
  #void(source: Source, list: readonly Contact[] | null): void {
    if (list !== null || this.#pump.waits) this.#send(source, list ?? this.#fingers.list, null, true);
  }

  #endGestures(): void {
    this.#gestures.end(geometryChanging());
    this.#lift(ALL);
  }

  #drop(source: Source, error: DeviceError): void {
    this.#typed.drop(source, error);
    if (source === "agent") this.#gestures.drop(error);
    else this.#gate.drop();
  }

  #opened(held: readonly HeldTouch[]): void {
    for (const touch of held) this.#apply("person", touch.contacts);
    this.#gateMoved();
  }

  #gateMoved(): void {
    this.#parts.wantPicture(!this.#gate.open);
    this.#gateAlarm.set(this.#gate.dueMs);
    if (!this.#gate.open) return;
    const waiters = this.#gateWaiters;
    this.#gateWaiters = [];
    for (const waiter of waiters) waiter();
  }

  /** For drivers whose single events are slow: the whole gesture, in the device's own space. */
  async #wholeGesture(input: DeviceInput): Promise<void> {
    const { book, driver, echo } = this.#parts;
    const { model, geometry, generation } = book;
    if (geometry === null || driver.gesture === undefined) return;
    const mapped = <P extends { readonly x: number; readonly y: number; readonly generation: number }>(point: P) => ({
      ...videoToDevice(model, geometry, driver.touchSpace, point),
      generation: point.generation,
    });
    switch (input.type) {
      case "tap":
      case "long_press":
        echo({ contacts: [{ id: 0, x: input.at.x, y: input.at.y }], by: "agent", generation });
        return driver.gesture({ ...input, at: mapped(input.at) });
      case "swipe":
        echo({ contacts: [{ id: 0, x: input.from.x, y: input.from.y }], by: "agent", generation });
        return driver.gesture({ ...input, from: mapped(input.from), to: mapped(input.to) });
      case "pinch":
        echo({ contacts: [{ id: 0, x: input.centre.x, y: input.centre.y }], by: "agent", generation });
        return driver.gesture({ ...input, centre: mapped(input.centre) });
      case "key":
      case "text":
        return;
    }
  }
}
