/** One panel's life with one port: what comes in becomes the model, what the person does becomes commands. */
import type { DeviceControl } from "#core/device.ts";
import type { Answer, Hello, StateMessage, StillMessage, TouchEcho } from "#wire/device.ts";
import type { ControlMessageForViewer, LatencyMessage } from "#wire/panel.ts";
import type { CanvasPicture } from "#viewer/frame/frame-view.ts";
import { type Command, type DevicePort, type Link, type PortListener, type VideoUnit, controlRequest } from "#viewer/stream/port.ts";
import { type AnsweredRequest, type Outcome, Requests, newId } from "#viewer/stream/requests.ts";
import { GeometryLog } from "./geometry-log.ts";
import { type PanelModel, type StillsWhy, firstModel } from "./model.ts";

/** Plays units onto the canvas; made by the element, which has the canvas. */
export interface Screenplay {
  unit(unit: VideoUnit): void;
  still(still: StillMessage): void;
  /** What is under way is forgotten; the next key frame begins anew. The picture stays. */
  pause(): void;
  /** Draws the picture that waited for its geometry. */
  redraw(): void;
  close(): void;
}

export interface SessionDeps {
  readonly port: DevicePort;
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** The model is another one now. */
  readonly changed: (before: PanelModel, after: PanelModel) => void;
  readonly touched: (touch: TouchEcho) => void;
  /** What the device copied, for this viewer which has control. */
  readonly copied: (text: string) => void;
  /** The picture on the canvas, drawn before anyone told how it lies, is this one. */
  readonly repictured: (picture: CanvasPicture) => void;
  /** A touch that was refused, in words. */
  readonly refusedWithoutId: (words: string) => void;
  /** null: this browser plays no H.264, and why. */
  readonly cannotPlay: StillsWhy | null;
}

/** A hidden tab stops its video after this long: an unloading page must not stop its successor's. ms. */
export const HIDDEN_AFTER_MS = 250;
/** After a touch of the agent's the top bar says that it is using the device. ms. */
export const AGENT_TOUCHES_MS = 2000;
/** A picture whose geometry nobody has told is drawn anyway after this. ms. */
const UNKNOWN_GEOMETRY_MS = 300;
/** Control that is asked for comes within this, or not at all. ms. */
const CONTROL_WITHIN_MS = 3000;

export class Session implements PortListener {
  readonly #deps: SessionDeps;
  readonly #requests: Requests;
  readonly #log = new GeometryLog();
  #model: PanelModel;
  #play: Screenplay | null = null;
  #cancelAgent: (() => void) | null = null;
  #cancelHide: (() => void) | null = null;
  #hidden = false;
  #unknown: { readonly generation: number; readonly cancel: () => void; due: boolean } | null = null;
  #shown: CanvasPicture | null = null;
  /** What is shown was drawn before a state told how it lies. */
  #guessed = false;
  #controlWaits: { readonly settle: (yours: boolean) => void; readonly cancel: () => void }[] = [];

  constructor(deps: SessionDeps, carried: Partial<PanelModel>) {
    this.#deps = deps;
    this.#model = { ...firstModel(deps.now()), ...carried, stills: deps.cannotPlay };
    this.#requests = new Requests({ send: (request) => deps.port.send({ do: "ask", request }), after: deps.after });
  }

  get model(): PanelModel {
    return this.#model;
  }

  get shown(): CanvasPicture | null {
    return this.#shown;
  }

  start(play: Screenplay): void {
    this.#play = play;
    this.#deps.port.open(this);
  }

  close(): void {
    this.#deps.port.close();
    this.#cancelAgent?.();
    this.#cancelHide?.();
    this.#unknown?.cancel();
    this.#requests.lost();
    this.#settleControl(false);
    this.#play?.close();
    this.#play = null;
  }

  update(change: Partial<PanelModel>): void {
    const before = this.#model;
    this.#model = { ...before, ...change };
    this.#deps.changed(before, this.#model);
  }

  // What the person does.

  send(command: Command): void {
    this.#deps.port.send(command);
  }

  takeControl(): void {
    this.#deps.port.send({ do: "take-control" });
  }

  handBack(): void {
    this.#deps.port.send({ do: "hand-back" });
  }

  connectNow(): void {
    this.#deps.port.connectNow();
  }

  /** A control of the device's. Takes control first where this viewer has none. */
  async press(control: DeviceControl): Promise<Outcome | "no-control"> {
    return this.askWithControl(controlRequest(newId(), control));
  }

  async askWithControl(request: AnsweredRequest): Promise<Outcome | "no-control"> {
    if (this.#model.holder !== "you" && !(await this.#takenControl())) return "no-control";
    return this.#requests.ask(request);
  }

  /** A read, which needs no control. */
  ask(request: AnsweredRequest): Promise<Outcome> {
    return this.#requests.ask(request);
  }

  /** The page is hidden or shown. */
  visible(visible: boolean): void {
    this.#cancelHide?.();
    this.#cancelHide = null;
    if (!visible) {
      this.#cancelHide = this.#deps.after(HIDDEN_AFTER_MS, () => {
        this.#hidden = true;
        this.#play?.pause();
        this.#deps.port.send({ do: this.#model.stills === null ? "stop-video" : "stop-stills" });
      });
      return;
    }
    if (!this.#hidden) return;
    this.#hidden = false;
    this.#startPictures();
  }

  /** Video cannot be played here: pictures instead. */
  fallBack(why: StillsWhy): void {
    if (this.#model.stills !== null) return;
    this.#deps.port.send({ do: "stop-video" });
    this.update({ stills: why });
    this.#startPictures();
  }

  /** What a decoded picture is of; null when it must wait for a state that tells. */
  pictureFor(generation: number, size: { readonly width: number; readonly height: number }): CanvasPicture | null {
    const known = this.#log.pictureOf(generation, size);
    if (known !== null) {
      this.#guessed = false;
      return known;
    }
    const waiting = this.#unknown;
    if (waiting?.generation === generation && waiting.due) {
      this.#guessed = true;
      return { size, content: "upright", generation, lit: "inner" };
    }
    if (waiting?.generation !== generation) {
      waiting?.cancel();
      const cancel = this.#deps.after(UNKNOWN_GEOMETRY_MS, () => {
        if (this.#unknown?.generation !== generation) return;
        this.#unknown.due = true;
        this.#play?.redraw();
      });
      this.#unknown = { generation, cancel, due: false };
    }
    return null;
  }

  /** A picture stands on the canvas. */
  drew(picture: CanvasPicture): void {
    this.#shown = picture;
    const current = this.#model.state?.geometry?.generation;
    const ofNow = current === undefined || picture.generation === current;
    if (!this.#model.pictured && ofNow && this.#model.state?.power.is !== "switching") this.update({ pictured: true });
  }

  /** The canvas shows an older picture than the device's own: taps on it would miss. */
  get held(): boolean {
    const current = this.#model.state?.geometry?.generation;
    return this.#shown === null || (current !== undefined && this.#shown.generation !== current);
  }

  // What the port tells.

  link(link: Link): void {
    const was = this.#model.link;
    if (link.is === "open") {
      this.#play?.pause();
      this.update({ link, waitingSinceMs: this.#deps.now() });
      if (!this.#hidden) this.#startPictures();
      return;
    }
    if (was.is === "open") {
      this.#requests.lost();
      this.#settleControl(false);
      this.#play?.pause();
      this.update({ link, holder: "none", agentTouches: false, busy: new Set(), latency: null });
      return;
    }
    this.update({ link });
  }

  hello(hello: Hello): void {
    // Another device in the box, or a server that counts anew: nothing known of its pictures holds.
    this.#log.forget();
    this.#log.saw(hello.state);
    const sameDevice = this.#model.state?.model === hello.state.model;
    this.update({
      hello,
      state: hello.state,
      warning: hello.warning,
      progress: null,
      pictured: this.#model.pictured && sameDevice,
      switchedFrom: hello.state.power.is === "switching" ? hello.state.model : null,
    });
    this.#play?.redraw();
    this.#reconsider();
  }

  state(message: StateMessage): void {
    const { state, bootedHere } = message;
    const { state: before, hello } = this.#model;
    this.#log.saw(state);
    const switching = state.power.is === "switching";
    const begins = switching && before?.power.is !== "switching";
    const another = before !== null && before.model !== state.model;
    const restarts = state.power.is === "booting" && before?.power.is !== "booting";
    this.update({
      state,
      // HELLO comes once a connection; what has booted in the box since comes here.
      ...(hello === null || bootedHere === undefined ? {} : { hello: { ...hello, bootedHere } }),
      warning: message.warning,
      progress: message.progress,
      switchedFrom: begins ? (before?.model ?? null) : switching ? this.#model.switchedFrom : null,
      ...(begins || another || restarts ? { pictured: false, waitingSinceMs: this.#deps.now() } : {}),
    });
    this.#play?.redraw();
    this.#reconsider();
  }

  control(control: ControlMessageForViewer): void {
    this.update({ holder: control.holder });
    if (control.holder === "you") this.#settleControl(true);
  }

  latency(latency: LatencyMessage): void {
    this.update({ latency });
  }

  touches(touch: TouchEcho): void {
    if (touch.by === "agent") {
      this.#cancelAgent?.();
      this.#cancelAgent = this.#deps.after(AGENT_TOUCHES_MS, () => this.update({ agentTouches: false }));
      if (!this.#model.agentTouches) this.update({ agentTouches: true });
    }
    if (this.#model.holder !== "you") this.#deps.touched(touch);
  }

  unit(unit: VideoUnit): void {
    this.#play?.unit(unit);
  }

  still(still: StillMessage): void {
    this.#play?.still(still);
  }

  answer(answer: Answer): void {
    if (this.#requests.answered(answer)) return;
    // A touch that crossed a turn or a change of control is seen for what it is: the picture and the top bar say so.
    const seen: readonly string[] = ["stale-geometry", "superseded", "person-has-control"];
    if (!answer.ok && answer.id === null && !seen.includes(answer.error.code)) this.#deps.refusedWithoutId(answer.error.words);
  }

  clipboard(text: string): void {
    if (this.#model.holder === "you") this.#deps.copied(text);
  }

  /** A state may tell, too late, how the picture shown lies. */
  #reconsider(): void {
    const shown = this.#shown;
    if (!this.#guessed || shown === null) return;
    const known = this.#log.pictureOf(shown.generation, shown.size);
    if (known === null) return;
    this.#guessed = false;
    this.drew(known);
    this.#deps.repictured(known);
  }

  #startPictures(): void {
    if (this.#model.stills !== null) {
      this.#deps.port.send({ do: "stop-video" });
      this.#deps.port.send({ do: "start-stills" });
      return;
    }
    // The answer to this is a key frame, so none is asked for besides.
    this.#deps.port.send({ do: "start-video" });
  }

  #takenControl(): Promise<boolean> {
    if (!this.#deps.port.send({ do: "take-control" })) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancel = this.#deps.after(CONTROL_WITHIN_MS, () => {
        this.#controlWaits = this.#controlWaits.filter((wait) => wait.settle !== resolve);
        resolve(false);
      });
      this.#controlWaits.push({ settle: resolve, cancel });
    });
  }

  #settleControl(yours: boolean): void {
    const waits = this.#controlWaits;
    this.#controlWaits = [];
    for (const wait of waits) {
      wait.cancel();
      wait.settle(yours);
    }
  }
}
