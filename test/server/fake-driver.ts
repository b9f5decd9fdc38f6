/** A driver with no device: it records what it is told, and a test decides when a frame, a crash or an answer comes. */
import type { Contact, DeviceAction, DeviceControl, DeviceElement, DeviceModel, OfferedDevice } from "#core/device.ts";
import { TEST_MODELS } from "#core/device-models.ts";
import { DeviceError } from "#core/errors.ts";
import type {
  DeviceDriver,
  DriverFactory,
  DriverGeometry,
  DriverHost,
  EncodedFrame,
  PasteTimings,
  ReadBack,
  Still,
  VideoSource,
  VideoStats,
} from "#drivers/driver.ts";

const NO_STATS: VideoStats = {
  framesIn: 0,
  framesUnchanged: 0,
  framesReplaced: 0,
  framesSkipped: 0,
  unitsOut: 0,
  unitsDropped: 0,
  keyFrames: 0,
  refinements: 0,
  encoderRestarts: 0,
  bytesOut: 0,
  loadStep: 0,
};

/** An endless stream of what is pushed; one consumer at a time. */
class Pushed<T> implements AsyncIterable<T> {
  #waiting: ((result: IteratorResult<T>) => void) | null = null;
  #queue: T[] = [];
  #ended = false;

  push(value: T): void {
    if (this.#waiting !== null) {
      this.#waiting({ done: false, value });
      this.#waiting = null;
    } else this.#queue.push(value);
  }
  end(): void {
    this.#ended = true;
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = null;
  }
  [Symbol.asyncIterator](): AsyncIterator<T> {
    this.#ended = false;
    return {
      next: () => {
        const value = this.#queue.shift();
        if (value !== undefined) return Promise.resolve({ done: false, value });
        if (this.#ended) return Promise.resolve({ done: true, value: undefined });
        return new Promise((resolve) => (this.#waiting = resolve));
      },
    };
  }
}

export type Told =
  | { readonly what: "touch"; readonly contacts: readonly Contact[] }
  | { readonly what: "key"; readonly key: string; readonly down: boolean }
  | { readonly what: "setClipboard"; readonly text: string }
  | { readonly what: "pasteKey" }
  | { readonly what: "control"; readonly control: DeviceControl }
  | { readonly what: "attach"; readonly native: string; readonly how: "reattached" | "booted" }
  | { readonly what: "shutdown" }
  | { readonly what: "detach" }
  | { readonly what: "open"; readonly url: string }
  | { readonly what: "resumed" };

/** The box around a driver: it outlives servers, as devices do. */
export class FakeBox {
  readonly told: Told[] = [];
  /** Names of running devices. */
  running: string[] = [];
  models: readonly DeviceModel[] = TEST_MODELS;
  clipboardText = "the device's own";
  geometry: DriverGeometry = { physical: "upright", content: "upright", video: { width: 1080, height: 2400 } };
  readBackValue: ReadBack = { awake: true, android: { appearance: "light", fontScale: 1, location: null, network: "online" } };
  elements: readonly DeviceElement[] = [];
  unsupported: readonly DeviceAction[] = [];
  installedPaths: readonly string[] = [];
  /** What a call does instead of its own, by name. */
  hooks: Partial<{
    attach: (native: string, signal: AbortSignal) => Promise<void>;
    shutdown: () => Promise<void>;
    control: (control: DeviceControl, signal: AbortSignal) => Promise<void>;
    touch: (contacts: readonly Contact[]) => Promise<void>;
    key: (key: string, down: boolean) => Promise<void>;
    tree: () => Promise<readonly DeviceElement[]>;
    readBack: () => Promise<ReadBack>;
    clipboard: () => Promise<string>;
    pasteKey: () => Promise<void>;
  }> = {};
  /** True: a forced key frame is made by the encoder at once, and a new geometry's first frame comes at once. */
  encoder = true;
  paste: PasteTimings = { restoreAfterMs: 300, holdKeysMs: 0 };
  streaming = false;
  forcedKeys = 0;
  driver: FakeDriver | null = null;
  readonly #waiters = new Set<() => void>();

  readonly factory: DriverFactory = (host, options) => {
    this.driver = new FakeDriver(this, host, options.clock);
    return this.driver;
  };

  tell(told: Told): void {
    this.told.push(told);
    for (const waiter of this.#waiters) waiter();
  }

  /** Resolves when what was told holds what the test waits for. */
  until(check: (told: readonly Told[]) => boolean): Promise<void> {
    if (check(this.told)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = (): void => {
        if (!check(this.told)) return;
        this.#waiters.delete(waiter);
        resolve();
      };
      this.#waiters.add(waiter);
    });
  }

  touches(): (readonly Contact[])[] {
    return this.told.flatMap((t) => (t.what === "touch" ? [t.contacts] : []));
  }
  keys(): string[] {
    return this.told.flatMap((t) => (t.what === "key" ? [`${t.down ? "+" : "-"}${t.key}`] : []));
  }
  controls(): string[] {
    return this.told.flatMap((t) => (t.what === "control" ? [t.control.action] : []));
  }
  count(what: Told["what"]): number {
    return this.told.filter((t) => t.what === what).length;
  }
}

export class FakeDriver implements DeviceDriver {
  readonly platform = "android";
  readonly touchSpace = "natural-panel";
  readonly host: DriverHost;
  readonly #box: FakeBox;
  readonly #clock: { now(): number };
  readonly #frames = new Pushed<EncodedFrame>();
  #attached: string | null = null;
  #frameCount = 0;

  constructor(box: FakeBox, host: DriverHost, clock: { now(): number }) {
    this.#box = box;
    this.host = host;
    this.#clock = clock;
  }
  get paste(): PasteTimings {
    return this.#box.paste;
  }
  get unsupported(): readonly DeviceAction[] {
    return this.#box.unsupported;
  }
  offered(): Promise<{ offer: OfferedDevice; model: DeviceModel }[]> {
    return Promise.resolve(
      this.#box.models.map((model) => ({
        offer: { model: model.name, native: model.name, runtime: { platform: "test", version: "1" } },
        model,
      })),
    );
  }
  running(): Promise<string[]> {
    return Promise.resolve([...this.#box.running]);
  }
  async attach(target: OfferedDevice, signal: AbortSignal): Promise<"reattached" | "booted"> {
    await this.#box.hooks.attach?.(target.native, signal);
    if (signal.aborted) throw new DeviceError("failed", "The boot was given up.");
    const how = this.#box.running.includes(target.native) ? "reattached" : "booted";
    if (how === "booted") this.#box.running.push(target.native);
    this.#attached = target.native;
    this.#box.tell({ what: "attach", native: target.native, how });
    this.frame(true);
    return how;
  }
  detach(): Promise<void> {
    this.#attached = null;
    this.#box.tell({ what: "detach" });
    this.#frames.end();
    return Promise.resolve();
  }
  async shutdown(): Promise<void> {
    await this.#box.hooks.shutdown?.();
    this.#box.running = this.#box.running.filter((name) => name !== this.#attached);
    this.#attached = null;
    this.#box.tell({ what: "shutdown" });
  }
  video(): VideoSource {
    return {
      frames: () => this.#frames,
      keyframe: () => {
        this.#box.forcedKeys++;
        if (this.#box.encoder) this.frame(true);
      },
      streaming: (on) => {
        const begins = on && !this.#box.streaming;
        this.#box.streaming = on;
        if (begins && this.#box.encoder) this.frame(true);
      },
      setBitrate: () => undefined,
      still: () => this.#still(),
      encoder: () => ({ name: "fake", version: "1" }),
      stats: () => NO_STATS,
    };
  }
  #still(): Promise<Still> {
    const { video } = this.#box.geometry;
    return Promise.resolve({ png: new Uint8Array([1, 2, 3]), ...video, generation: this.host.geometry(this.#box.geometry) });
  }
  async touch(contacts: readonly Contact[]): Promise<void> {
    this.#box.tell({ what: "touch", contacts });
    await this.#box.hooks.touch?.(contacts);
  }
  async key(key: string, down: boolean): Promise<void> {
    this.#box.tell({ what: "key", key, down });
    await this.#box.hooks.key?.(key, down);
  }
  setClipboard(text: string): Promise<void> {
    this.#box.clipboardText = text;
    this.#box.tell({ what: "setClipboard", text });
    return Promise.resolve();
  }
  async clipboard(): Promise<string> {
    return (await this.#box.hooks.clipboard?.()) ?? this.#box.clipboardText;
  }
  async pasteKey(): Promise<void> {
    this.#box.tell({ what: "pasteKey" });
    await this.#box.hooks.pasteKey?.();
  }
  async control(control: DeviceControl, signal: AbortSignal): Promise<void> {
    this.#box.tell({ what: "control", control });
    await this.#box.hooks.control?.(control, signal);
    if (control.action === "rotate" && "to" in control) {
      const sideways = control.to === "turned-left" || control.to === "turned-right";
      const video = sideways ? { width: 2400, height: 1080 } : { width: 1080, height: 2400 };
      this.turn({ physical: control.to, content: control.to, video });
    }
  }
  installed(paths: readonly string[]): Promise<boolean> {
    return Promise.resolve(paths.some((path) => this.#box.installedPaths.includes(path)));
  }
  open(url: string): Promise<void> {
    this.#box.tell({ what: "open", url });
    return Promise.resolve();
  }
  screenshot(): Promise<Still> {
    return this.#still();
  }
  async tree(): Promise<readonly DeviceElement[]> {
    return (await this.#box.hooks.tree?.()) ?? this.#box.elements;
  }
  async readBack(): Promise<ReadBack> {
    return (await this.#box.hooks.readBack?.()) ?? this.#box.readBackValue;
  }
  resumed(): Promise<void> {
    this.#box.tell({ what: "resumed" });
    return Promise.resolve();
  }

  /** The device's screen turned: its number first, then its first frame. */
  turn(geometry: DriverGeometry): void {
    this.#box.geometry = geometry;
    this.frame(true);
  }
  /** One access unit of the screen as it is. */
  frame(key: boolean, bytes = 100, refinement = false): void {
    const generation = this.host.geometry(this.#box.geometry);
    const nowMs = this.#clock.now();
    const data = new Uint8Array(bytes);
    data[0] = this.#frameCount++ & 0xff;
    const { width, height } = this.#box.geometry.video;
    this.#frames.push({
      data,
      key,
      generation,
      width,
      height,
      monotonicMs: nowMs,
      captureMs: nowMs,
      convertedMs: nowMs,
      encodedMs: nowMs,
      refinement,
    });
    if (!refinement) this.host.changed(nowMs);
  }
  /** The device ends by itself. */
  crash(words = "The device exited."): void {
    this.#box.running = this.#box.running.filter((name) => name !== this.#attached);
    this.#attached = null;
    this.host.exited({ code: "device-exited", words });
  }
}
