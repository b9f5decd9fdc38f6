/** The test phone as a device: its process is found or started, its pictures go through the frame pipeline. */
import { basename } from "node:path";

import type { Contact, DeviceAction, DeviceControl, DeviceElement, OfferedDevice } from "#core/device.ts";
import { isFontScale } from "#core/text-size.ts";
import { DeviceError } from "#core/errors.ts";
import type {
  DeviceDriver,
  DriverFactory,
  DriverHost,
  DriverOptions,
  PasteTimings,
  ReadBack,
  Still,
  VideoSource,
} from "#drivers/driver.ts";
import type { Binding, BindingEvent } from "#native/binding.ts";
import { FramePipeline, type FramePipelineOptions } from "#native/frame-pipeline.ts";

import { FirstPicture } from "./first-picture.ts";
import { livePhones, reachPhone, startPhone, type LivePhone, type PhoneTimers, type StartedPhone } from "./life.ts";
import { testOffers } from "./models.ts";
import { freshRegion, makeFolders, phonePlaces } from "./places.ts";
import { isFields, readPicture, readState, type FrameNotice, type PhoneNotice, type PhoneRequest, type PhoneState } from "./protocol.ts";
import { readTree } from "./tree.ts";

/** A phone keeps what it has and ends well within this. */
const SHUTDOWN_DEADLINE_MS = 3_000;
/** Times the phone is asked for its own screenshot when the screen turns meanwhile. */
const OWN_TRIES = 3;

export interface PhoneDriverParts {
  readonly binding: Binding;
  readonly timers: PhoneTimers;
  /** Starts a phone's process in a life of its own (`test-phone --home HOME --model MODEL …`, detached). Rejects in words. */
  spawn(home: string, model: string): Promise<StartedPhone>;
  /** Ends a phone's process that does not end by itself. */
  kill(pid: number): void;
  /** Encoder choice, bit rate; the driver adds its own listener. */
  readonly pipeline?: Omit<FramePipelineOptions, "onEvent">;
  /** Further models by size, such as "360x640". */
  readonly sizes?: readonly string[];
}

/** What is held while attached. */
interface Attached extends LivePhone {
  readonly target: OfferedDevice;
  readonly pipeline: FramePipeline;
  readonly lock: { release(): void };
}

/** A factory for phones that are made of these parts. */
export function phoneDriver(parts: PhoneDriverParts): DriverFactory {
  return (host, options) => new PhoneDriver(parts, host, options);
}

class PhoneDriver implements DeviceDriver {
  readonly platform = "android";
  readonly touchSpace = "natural-panel";
  readonly unsupported: readonly DeviceAction[] = [];
  /** The phone pastes the moment the key comes. */
  readonly paste: PasteTimings = { restoreAfterMs: 30, holdKeysMs: 0 };
  readonly #parts: PhoneDriverParts;
  readonly #host: DriverHost;
  readonly #options: DriverOptions;
  #attached: Attached | null = null;
  #attaching: Promise<unknown> | null = null;
  /** Until the lock of the phone that was let go of last is free. */
  #released: Promise<void> = Promise.resolve();
  #awake = true;
  #first = new FirstPicture();
  #regions = 0;
  /** Of the newest frame. */
  #generation = 0;
  /** The phone's own screenshots, one after another: each is some megabytes on its socket. */
  #pictures: Promise<unknown> = Promise.resolve();
  #onClosed: (() => void) | null = null;

  constructor(parts: PhoneDriverParts, host: DriverHost, options: DriverOptions) {
    this.#parts = parts;
    this.#host = host;
    this.#options = options;
  }

  offered(): Promise<ReturnType<typeof testOffers>> {
    return Promise.resolve(testOffers(this.#parts.sizes ?? []));
  }

  async running(): Promise<readonly string[]> {
    return await livePhones(this.#options.home, this.#parts.timers);
  }

  async attach(target: OfferedDevice, signal: AbortSignal): Promise<"reattached" | "booted"> {
    // One that ended by itself may still be being let go of.
    await this.#release();
    const attaching = this.#attach(target, signal);
    this.#attaching = attaching;
    try {
      return await attaching;
    } finally {
      if (this.#attaching === attaching) this.#attaching = null;
    }
  }

  async #attach(target: OfferedDevice, signal: AbortSignal): Promise<"reattached" | "booted"> {
    const { home } = this.#options;
    const model = target.native;
    if (!testOffers(this.#parts.sizes ?? []).some(({ offer }) => offer.native === model)) {
      throw new DeviceError("unknown-device", `There is no test phone ${model}.`);
    }
    const places = phonePlaces(home, model);
    makeFolders(places);
    const lock = this.#parts.binding.lock(places.driverLock);
    if (lock === null) throw new DeviceError("busy", `Another device server drives the test phone "${model}" of ${home}.`);
    let phone: LivePhone | null = null;
    let how: "reattached" | "booted" = "reattached";
    try {
      const events = { notice: (notice: PhoneNotice): void => this.#notice(notice), closed: (): void => this.#closed() };
      phone = await reachPhone(home, model, this.#parts.timers, events);
      if (phone === null) {
        this.#host.progress(`Starting ${model}.`);
        const { timers } = this.#parts;
        phone = await startPhone({ home, timers, spawn: (name) => this.#parts.spawn(home, name) }, model, events, signal);
        how = "booted";
      }
      await this.#stream(target, phone, lock, signal);
      return how;
    } catch (error) {
      // One that was started here and gives no picture would run on beside the device that is booted in its place.
      if (phone !== null && how === "booted") await this.#end(phone, new AbortController().signal);
      phone?.client.close();
      lock.release();
      throw error;
    }
  }

  async #stream(target: OfferedDevice, phone: LivePhone, lock: { release(): void }, signal: AbortSignal): Promise<void> {
    const first = (this.#first = new FirstPicture());
    const pipeline = new FramePipeline(this.#parts.binding, { ...this.#parts.pipeline, onEvent: (event) => this.#event(event) });
    try {
      this.#regions += 1;
      const region = freshRegion(this.#options.run, target.native, this.#regions);
      pipeline.createRegion(region, phone.hello.regionBytes);
      this.#attached = { ...phone, target, pipeline, lock };
      await phone.client.ask({ ask: "stream", region, bytes: phone.hello.regionBytes });
      await first.awaited(this.#parts.timers, signal);
    } catch (error) {
      this.#attached = null;
      await pipeline.close();
      throw error;
    }
  }

  #notice(notice: PhoneNotice): void {
    const attached = this.#attached;
    if (attached === null) return;
    switch (notice.notice) {
      case "frame":
        return this.#frame(notice, attached.pipeline);
      case "clipboard":
        return this.#host.clipboard(notice.text);
      case "stream-ended":
        return void this.#lost(notice.words);
    }
  }

  #frame(notice: FrameNotice, pipeline: FramePipeline): void {
    const { width, height, orientation, seq, captureMs, screen } = notice;
    this.#awake = width > 0;
    if (!this.#awake) return this.#first.came();
    const generation = this.#host.geometry({
      physical: orientation,
      // The picture turns with the device, whatever the app draws, as an emulator's does.
      content: orientation,
      video: { width, height },
      ...(screen === null ? {} : { screen }),
    });
    this.#generation = generation;
    try {
      pipeline.notify({ width, height, format: "rgb888", generation, seq, captureMs });
    } catch (error) {
      this.#host.log("error", "a frame of the test phone was refused", { why: String(error) });
    }
    this.#first.came();
  }

  #event(event: BindingEvent): void {
    switch (event.kind) {
      case "changed":
        return this.#host.changed(event.monotonicMs);
      case "encoder":
        this.#host.warning(null);
        return this.#host.log("info", "encoder opened", { name: event.name, version: event.version });
      case "encoder-failed":
        this.#host.warning(event.words);
        return this.#host.log("error", "encoder failed", { why: event.words });
      case "region-failed":
        return void this.#lost(event.words);
    }
  }

  /** The connection to the phone is gone. */
  #closed(): void {
    this.#onClosed?.();
    this.#first.gone();
    if (this.#attached !== null) void this.#lost("The test phone's process has ended.");
  }

  async #lost(words: string): Promise<void> {
    const attached = this.#attached;
    if (attached === null) return;
    await this.#release();
    this.#host.exited({ code: "device-exited", words });
  }

  #release(): Promise<void> {
    const attached = this.#attached;
    if (attached === null) return this.#released;
    this.#attached = null;
    attached.client.close();
    this.#released = this.#letGo(attached);
    return this.#released;
  }

  async #letGo({ pipeline, lock }: Attached): Promise<void> {
    await pipeline.close();
    lock.release();
  }

  async detach(): Promise<void> {
    // One that was given up puts away what it began; whoever gave it up did not wait for that.
    await this.#attaching?.catch(() => undefined);
    await this.#release();
  }

  async shutdown(signal: AbortSignal): Promise<void> {
    const attached = this.#live();
    // From here on its end is wanted, so it is no longer told as a loss.
    this.#attached = null;
    await this.#end(attached, signal);
    await this.#letGo(attached);
  }

  /** Asks a phone to end; one that does not until it is late, or the signal is aborted, is killed. */
  async #end({ client, hello }: LivePhone, signal: AbortSignal): Promise<void> {
    const { promise: gone, resolve: end } = deferred<"gone" | "late">();
    const late = (): void => end("late");
    const cancel = this.#parts.timers.after(SHUTDOWN_DEADLINE_MS, late);
    signal.addEventListener("abort", late, { once: true });
    this.#onClosed = () => end("gone");
    client.ask({ ask: "shutdown" }).catch(() => undefined);
    const how = await gone;
    cancel();
    signal.removeEventListener("abort", late);
    this.#onClosed = null;
    if (how === "late") this.#kill(hello.pid);
    client.close();
  }

  #kill(pid: number): void {
    try {
      this.#parts.kill(pid);
    } catch {
      // It has ended by itself meanwhile.
    }
  }

  #live(): Attached {
    if (this.#attached === null) throw new DeviceError("not-booted", "No test phone is attached. Start one first.");
    return this.#attached;
  }

  async #ask(request: PhoneRequest): Promise<unknown> {
    return await this.#live().client.ask(request);
  }

  video(): VideoSource {
    return this.#live().pipeline;
  }

  async touch(contacts: readonly Contact[]): Promise<void> {
    await this.#ask({ ask: "touch", contacts });
  }

  async key(key: string, down: boolean): Promise<void> {
    await this.#ask({ ask: "key", key, down });
  }

  async setClipboard(text: string): Promise<void> {
    await this.#ask({ ask: "set-clipboard", text });
  }

  async clipboard(): Promise<string> {
    const answer = await this.#ask({ ask: "clipboard" });
    return isFields(answer) && typeof answer["text"] === "string" ? answer["text"] : "";
  }

  async pasteKey(): Promise<void> {
    for (const [key, down] of [
      ["Control", true],
      ["v", true],
      ["v", false],
      ["Control", false],
    ] as const)
      await this.key(key, down);
  }

  async control(control: DeviceControl, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const { client } = this.#live();
    let stop: () => void = () => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
    });
    try {
      await Promise.race([client.ask({ ask: "control", control }), aborted]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async installed(paths: readonly string[]): Promise<boolean> {
    const { apps } = await this.#state();
    const names = (list: readonly string[]): string =>
      list
        .map((path) => basename(path))
        .toSorted()
        .join("\n");
    return apps.some((app) => names(app.paths) === names(paths));
  }

  async open(url: string): Promise<void> {
    await this.#ask({ ask: "open", url });
  }

  async screenshot(options: { readonly longestEdge?: number } = {}): Promise<Still> {
    const { pipeline } = this.#live();
    if (!this.#awake) throw new DeviceError("failed", "The screen is off, so there is nothing to picture. Wake the device first.");
    try {
      return await pipeline.screenshot(options.longestEdge);
    } catch (error) {
      // Under load the phone may draw during each of the region's reads; it then pictures itself.
      this.#host.log("info", "the region gave no screenshot, so the phone is asked for its own", { why: String(error) });
    }
    const picture = this.#pictures.then(() => this.#ownPicture(options.longestEdge));
    this.#pictures = picture.catch(() => undefined);
    return await picture;
  }

  async #ownPicture(longestEdge: number | undefined): Promise<Still> {
    for (let tries = 1; ; tries += 1) {
      const generation = this.#generation;
      const answer = readPicture(await this.#ask({ ask: "screenshot", ...(longestEdge === undefined ? {} : { longestEdge }) }));
      if (answer === null) throw new DeviceError("failed", "The test phone's screenshot could not be read.");
      const { png, width, height } = answer;
      if (generation === this.#generation) return { png: Buffer.from(png, "base64"), width, height, generation };
      if (tries === OWN_TRIES) throw new DeviceError("stale-geometry", "The screen turned during each try to picture it. Ask again.");
    }
  }

  async tree(): Promise<readonly DeviceElement[]> {
    return readTree(await this.#ask({ ask: "tree" }));
  }

  async readBack(): Promise<ReadBack> {
    const state = await this.#state();
    const { fontScale } = state;
    return {
      awake: state.awake,
      ...(state.posture === null ? {} : { posture: state.posture }),
      android: {
        appearance: state.appearance,
        fontScale: isFontScale(fontScale) ? fontScale : new Error(`The phone's text size ${fontScale} is not a step of Android's.`),
        location: state.location,
        battery: state.battery,
        network: state.network,
      },
    };
  }

  async #state(): Promise<PhoneState> {
    const state = readState(await this.#ask({ ask: "state" }));
    if (state === null) throw new DeviceError("failed", "The test phone's state could not be read.");
    return state;
  }

  async resumed(): Promise<void> {
    // Its clock is this machine's and a unix socket lives through a sleep: that it answers is all there is to check.
    await this.#state();
  }
}

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle(value) };
}
