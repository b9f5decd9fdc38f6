/**
 * What outlives a device server that is killed: the devices of a box with all they hold, and the disk of its home.
 * Everything a server does to them is an effect; a kill may come at any of them, before it took or after.
 */
import type { Contact, DeviceControl, DeviceModel, OfferedDevice, Orientation } from "#core/device.ts";
import { TEST_MODELS } from "#core/device-models.ts";
import { DeviceError } from "#core/errors.ts";
import type { DeviceDriver, DriverHost, EncodedFrame, VideoSource } from "#drivers/driver.ts";
import type { FileCalls } from "#server/files.ts";
import type { Clock } from "#server/ports.ts";

/** What a person copied on a device before any server came. */
export const ownClipboard = (native: string): string => `copied on the ${native}`;
export const MODELS: readonly DeviceModel[] = TEST_MODELS;
const PANEL = { width: 1080, height: 2400 };

interface Device {
  fingers: readonly Contact[];
  readonly keys: Set<string>;
  clipboard: string;
  physical: Orientation;
}

/** What can fail on a device. */
export const FAULTS = ["touch", "key", "clipboard", "paste key", "control", "read", "boot", "stop"] as const;
export const FAULT_WAYS = ["fails", "hangs", "takes and hangs"] as const;
export type Fault = (typeof FAULTS)[number];

/** Something that reached a device, for the model to judge. */
export type Reached =
  | { readonly what: "touch"; readonly fingers: readonly Contact[] }
  | { readonly what: "key"; readonly key: string; readonly down: boolean }
  | { readonly what: "paste"; readonly text: string }
  | { readonly what: "control"; readonly control: DeviceControl }
  | { readonly what: "boot" | "stop"; readonly model: string };

export class World {
  readonly running = new Map<string, Device>();
  /** What a device that was shut down will be when it boots again. */
  readonly stopped = new Map<string, Device>();
  readonly files = new Map<string, string>();
  nowMs = 1_000;
  /** Nothing more fits on the disk. */
  full = false;
  mostRunning = 0;
  /** Told of everything as it takes effect. */
  reached: (what: Reached) => void = () => undefined;

  device(native: string): Device {
    const device = this.running.get(native);
    if (device === undefined) throw new Error(`${native} does not run`);
    return device;
  }

  stop(native: string): void {
    const device = this.running.get(native);
    if (device === undefined) return;
    this.running.delete(native);
    // Fingers and keys are the glass's and the keyboard's: they do not outlive it.
    this.stopped.set(native, { ...device, fingers: [], keys: new Set() });
  }

  boot(native: string): void {
    const fresh = { fingers: [], keys: new Set<string>(), clipboard: ownClipboard(native), physical: "upright" as const };
    this.running.set(native, this.stopped.get(native) ?? fresh);
    this.stopped.delete(native);
    this.mostRunning = Math.max(this.mostRunning, this.running.size);
  }
}

/** One server's time on the world. Once killed it does nothing any more, though its code may still run. */
export class Incarnation {
  readonly world: World;
  readonly clock: Clock;
  readonly #timers: { atMs: number; run: () => void }[] = [];
  /** Effects until the kill; null: none is planned. */
  killIn: number | null = null;
  /** Does the effect that the kill comes at take? */
  killTakes = false;
  alive = true;
  /** What becomes of the next effect of this kind. */
  fault: { readonly kind: Fault; readonly how: (typeof FAULT_WAYS)[number] } | null = null;
  killed: () => void = () => undefined;
  /** Ends the device that is attached now, and tells the server. */
  endDevice: () => void = () => undefined;

  constructor(world: World) {
    this.world = world;
    this.clock = {
      now: () => world.nowMs,
      wall: () => 1_700_000_000_000 + world.nowMs,
      after: (ms, run) => {
        const timer = { atMs: world.nowMs + ms, run };
        this.#timers.push(timer);
        return () => {
          const at = this.#timers.indexOf(timer);
          if (at >= 0) this.#timers.splice(at, 1);
        };
      },
    };
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#timers.length = 0;
    this.killed();
  }

  /** Runs the next timer that is due by then; false when there is none. */
  ring(untilMs: number): boolean {
    let next: { atMs: number; run: () => void } | undefined;
    for (const timer of this.#timers) if (timer.atMs <= untilMs && (next === undefined || timer.atMs < next.atMs)) next = timer;
    if (next === undefined) return false;
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.world.nowMs = Math.max(this.world.nowMs, next.atMs);
    next.run();
    return true;
  }

  /** Something that the server does to the world. Throws when the server is no more. */
  effect<T>(take: () => T): T {
    if (!this.alive) throw new Killed();
    if (this.killIn !== null) {
      if (this.killIn === 0) {
        if (this.killTakes) take();
        this.kill();
        throw new Killed();
      }
      this.killIn -= 1;
    }
    return take();
  }

  /** An effect on a device, which answers after a while. A killed server waits for ever. */
  async later<T>(kind: Fault, ms: number, take: () => T): Promise<T> {
    const fault = this.alive && this.fault?.kind === kind ? this.fault.how : null;
    if (fault !== null) {
      this.fault = null;
      if (fault === "fails") throw new DeviceError("failed", `The device did not take the ${kind}.`);
      if (fault === "hangs") return never();
    }
    let value: T;
    try {
      value = this.effect(take);
    } catch (error) {
      if (error instanceof Killed) return never();
      throw error;
    }
    if (fault === "takes and hangs") return never();
    if (ms > 0) await new Promise<void>((resolve) => this.clock.after(ms, resolve));
    return value;
  }
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

export class Killed extends Error {}

const FULL = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
const MISSING = Object.assign(new Error("no such file"), { code: "ENOENT" });

/** The disk, as the server's files see it. A kill in the middle of a write leaves half of the new file. */
export function diskOf(life: Incarnation): FileCalls {
  const { files } = life.world;
  return {
    read(path) {
      const text = files.get(path);
      if (text !== undefined) return text;
      throw MISSING;
    },
    write(path, text) {
      if (life.killIn === 0 && !life.killTakes) files.set(path, text.slice(0, text.length / 2));
      life.effect(() => {
        if (life.world.full) throw FULL;
        files.set(path, text);
      });
    },
    append(path, text) {
      life.effect(() => {
        if (life.world.full) throw FULL;
        files.set(path, (files.get(path) ?? "") + text);
      });
    },
    rename(from, to) {
      life.effect(() => {
        const text = files.get(from);
        if (text === undefined) throw MISSING;
        files.delete(from);
        files.set(to, text);
      });
    },
    remove(path) {
      life.effect(() => files.delete(path));
    },
    syncFolder: () => undefined,
  };
}

class Frames implements VideoSource {
  readonly #life: Incarnation;
  readonly #waiting: ((frame: IteratorResult<EncodedFrame>) => void)[] = [];
  readonly #queue: EncodedFrame[] = [];
  #on = false;
  generation = 0;

  constructor(life: Incarnation) {
    this.#life = life;
  }
  frames(): AsyncIterable<EncodedFrame> {
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const frame = this.#queue.shift();
          return frame === undefined
            ? new Promise((resolve) => this.#waiting.push(resolve))
            : Promise.resolve({ done: false, value: frame });
        },
      }),
    };
  }
  keyframe(): void {
    this.push();
  }
  streaming(on: boolean): void {
    const began = on && !this.#on;
    this.#on = on;
    if (began) this.push();
  }
  setBitrate(): void {}
  still(): Promise<never> {
    return Promise.reject(new Error("no stills here"));
  }
  encoder(): null {
    return null;
  }
  stats(): never {
    throw new Error("no stats here");
  }
  push(): void {
    if (!this.#on || !this.#life.alive) return;
    const nowMs = this.#life.world.nowMs;
    const at = { monotonicMs: nowMs, captureMs: nowMs, convertedMs: nowMs, encodedMs: nowMs };
    const frame = { data: new Uint8Array(8), key: true, generation: this.generation, ...PANEL, ...at, refinement: false };
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#queue.push(frame);
    else waiting({ done: false, value: frame });
  }
}

/** How long the devices take, in ms. */
const TOOK = { boot: 300, reattach: 10, stop: 100, control: 30, turnToFrame: 20, clipboard: 4, read: 2 } as const;

/** A driver of the world's devices for one server. */
export function driverOf(life: Incarnation, host: DriverHost): DeviceDriver {
  const { world } = life;
  const video = new Frames(life);
  let attached: string | null = null;
  const device = () => world.device(attached ?? "none");
  life.endDevice = () => {
    if (attached === null || !life.alive) return;
    world.stop(attached);
    attached = null;
    host.exited({ code: "device-exited", words: "The device ended." });
  };
  const show = (): void => {
    const { physical } = device();
    const sideways = physical === "turned-left" || physical === "turned-right";
    const size = sideways ? { width: PANEL.height, height: PANEL.width } : PANEL;
    video.generation = host.geometry({ physical, content: physical, video: size });
  };
  return {
    platform: "android",
    offered: () =>
      Promise.resolve(
        MODELS.map((model) => {
          const offer: OfferedDevice = { model: model.name, native: model.name, runtime: { platform: "test", version: "1" } };
          return { offer, model };
        }),
      ),
    running: () => Promise.resolve([...world.running.keys()]),
    async attach({ native }, signal) {
      const how = world.running.has(native) ? ("reattached" as const) : ("booted" as const);
      await life.later("boot", how === "booted" ? TOOK.boot : TOOK.reattach, () => {
        if (how === "reattached") return;
        world.boot(native);
        world.reached({ what: "boot", model: native });
      });
      signal.throwIfAborted();
      attached = native;
      show();
      video.push();
      return how;
    },
    detach: () => Promise.resolve(),
    shutdown: async () => {
      const native = attached;
      if (native === null) throw new DeviceError("not-booted", "No device is attached.");
      await life.later("stop", TOOK.stop, () => {
        world.stop(native);
        world.reached({ what: "stop", model: native });
      });
      attached = null;
    },
    video: () => video,
    touch: (fingers) =>
      life.later("touch", 0, () => {
        device().fingers = fingers;
        world.reached({ what: "touch", fingers });
      }),
    key: (key, down) =>
      life.later("key", 0, () => {
        if (down) device().keys.add(key);
        else device().keys.delete(key);
        world.reached({ what: "key", key, down });
      }),
    setClipboard: (text) => life.later("clipboard", TOOK.clipboard, () => void (device().clipboard = text)),
    clipboard: () => life.later("clipboard", TOOK.clipboard, () => device().clipboard),
    pasteKey: () => life.later("paste key", TOOK.clipboard, () => world.reached({ what: "paste", text: device().clipboard })),
    paste: { restoreAfterMs: 30, holdKeysMs: 40 },
    async control(control) {
      await life.later("control", TOOK.control, () => {
        world.reached({ what: "control", control });
        if (control.action === "rotate" && "to" in control) device().physical = control.to;
      });
      if (control.action !== "rotate") return;
      show();
      life.clock.after(TOOK.turnToFrame, () => video.push());
    },
    open: () => Promise.resolve(),
    screenshot: () => Promise.reject(new Error("no pictures here")),
    tree: () => Promise.resolve([]),
    readBack: () => life.later("read", TOOK.read, () => ({ awake: true })),
    resumed: () => Promise.resolve(),
    unsupported: [],
    touchSpace: "video",
  };
}
