/** One emulator that is attached: its channel, frames, input, clipboard. Made anew for each attach. */
import type { Contact, Size } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import type { DriverGeometry } from "#drivers/driver.ts";

import type { AdbShell } from "./adb.ts";
import { Channel, ChannelError, deviceError, type PictureStream } from "./channel.ts";
import { findEmulators, type GrpcEndpoint, type RunningEmulator } from "./discovery.ts";
import { Frames, type Transport } from "./frames.ts";
import { KeyboardEvent_KeyEventType } from "./generated/emulator_controller_pb.js";
import { InputLine } from "./input-line.ts";
import { emulatorKey, MODIFIER_KEYS, pressByAdb } from "./keys.ts";
import type { Outside } from "./outside.ts";
import type { PicturePipeline } from "./pipeline.ts";
import { Fingers, liftAll } from "./touch.ts";

export interface SessionParts {
  readonly emulator: RunningEmulator;
  readonly shell: AdbShell;
  readonly pipeline: PicturePipeline;
  readonly outside: Outside;
  readonly clock: { now(): number; wall(): number };
  readonly run: string;
  readonly extentPx: number;
  readonly outer: Size | null;
  readonly wanted: Transport | "auto";
  /** The AVD has a hardware keyboard, without which the emulator takes no keys. */
  readonly keyboard: boolean;
  readonly geometry: (geometry: DriverGeometry) => number;
  readonly clipboard: (text: string) => void;
  readonly log: (level: "info" | "warn" | "error", message: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** The emulator is gone, or has not answered for long. Told once. */
  readonly ended: (how: "gone" | "silent") => void;
}

/** An emulator that lives but does not answer for this long is lost. */
const UNREACHABLE_MS = 20_000;
const ASK_TIMEOUT_MS = 1_000;
const CLIPBOARD_AGAIN_MS = 1_000;

export class Session {
  readonly #parts: SessionParts;
  #emulator: RunningEmulator;
  #channel: Channel;
  readonly frames: Frames;
  readonly #fingers = new Fingers();
  readonly #input = new InputLine();
  #clipboards: PictureStream | null = null;
  #lastSet: string | null = null;
  #unreachableSinceMs: number | null = null;
  #over = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#emulator = parts.emulator;
    this.#channel = new Channel(endpointOf(parts.emulator));
    this.frames = new Frames({
      pipeline: parts.pipeline,
      outside: parts.outside,
      clock: parts.clock,
      run: parts.run,
      extentPx: parts.extentPx,
      outer: parts.outer,
      wanted: parts.wanted,
      geometry: parts.geometry,
      revive: () => this.#revive(),
      log: parts.log,
    });
  }

  get emulator(): RunningEmulator {
    return this.#emulator;
  }
  get channel(): Channel {
    return this.#channel;
  }
  get shell(): AdbShell {
    return this.#parts.shell;
  }

  /** Opens everything. Rejects in words. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#greet(signal);
    await this.#lift();
    await this.frames.start(this.#channel, signal);
    this.#followClipboard();
  }

  /** Lets go of the emulator, which runs on. */
  close(): void {
    this.#over = true;
    this.#input.clear();
    this.#clipboards?.stop();
    this.frames.stop();
    this.#channel.close();
  }

  touch(contacts: readonly Contact[]): Promise<void> {
    const next = this.#fingers.to(contacts);
    if (next === null) return Promise.resolve();
    return this.#send("touch", () => this.#channel.call("sendTouch", next.event), next.moveOf);
  }

  /** A W3C key name, or the emulator's own. */
  key(key: string, down: boolean): Promise<void> {
    const name = emulatorKey(key);
    if (!this.#parts.keyboard) return down ? this.#send("key", () => pressByAdb(this.#parts.shell, name)) : Promise.resolve();
    const eventType = down ? KeyboardEvent_KeyEventType.keydown : KeyboardEvent_KeyEventType.keyup;
    return this.#send("key", () => this.#channel.call("sendKey", { key: name, eventType }));
  }

  async press(key: string): Promise<void> {
    await this.key(key, true);
    await this.key(key, false);
  }

  async setClipboard(text: string): Promise<void> {
    this.#lastSet = text;
    await this.#channel.call("setClipboard", { text }).catch((error: unknown) => {
      throw deviceError(error, "set the clipboard");
    });
  }

  async clipboard(): Promise<string> {
    const { text } = await this.#channel.call("getClipboard", {}).catch((error: unknown) => {
      throw deviceError(error, "read the clipboard");
    });
    return text;
  }

  /** New channels and a key frame: what was held open slept with the machine. */
  async reopen(signal: AbortSignal): Promise<void> {
    await this.#renew();
    await this.#greet(signal);
    await this.#lift();
    this.frames.reopen(this.#channel);
    this.#followClipboard();
  }

  #send(what: string, call: () => Promise<unknown>, moveOf: string | null = null): Promise<void> {
    return this.#input.add(async () => {
      try {
        await call();
      } catch (error) {
        throw deviceError(error, `send a ${what}`);
      }
    }, moveOf);
  }

  async #greet(signal: AbortSignal): Promise<void> {
    try {
      await this.#channel.call("getStatus", {}, { signal });
    } catch (error) {
      const denied = error instanceof ChannelError && error.failure === "unauthenticated";
      if (!denied) throw deviceError(error, `reach ${this.#emulator.serial}`);
      const words =
        this.#emulator.grpc?.token === null ? "It asks for a token and its discovery file names none." : "It did not take its own token.";
      throw new DeviceError("failed", `${this.#emulator.serial} lets nobody in. ${words} Start it again.`, { cause: error });
    }
  }

  /** What a server before this one may have left held is lifted. */
  async #lift(): Promise<void> {
    this.#fingers.forget();
    await this.#send("touch", () => this.#channel.call("sendTouch", liftAll()));
    if (!this.#parts.keyboard) return;
    for (const key of MODIFIER_KEYS) await this.key(key, false);
  }

  #followClipboard(): void {
    this.#clipboards?.stop();
    const stream = this.#channel.clipboards({
      text: (text) => {
        // What was set from here is no news.
        if (text !== this.#lastSet) this.#parts.clipboard(text);
        this.#lastSet = null;
      },
      ended: (error) => {
        if (this.#clipboards !== stream || this.#over) return;
        if (error?.failure === "denied" || error?.failure === "unimplemented") return;
        this.#parts.outside.later(CLIPBOARD_AGAIN_MS, () => {
          if (this.#clipboards === stream && !this.#over) this.#followClipboard();
        });
      },
    });
    this.#clipboards = stream;
  }

  /** A channel to the same emulator after its stream ended. Tells when it is gone. */
  async #revive(): Promise<Channel> {
    const { outside, clock } = this.#parts;
    if (!outside.alive(this.#emulator.pid)) {
      this.#end("gone");
      throw new Error("the emulator's process is no more");
    }
    const answers = await this.#channel.call("getStatus", {}, { timeoutMs: ASK_TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
    if (!answers) {
      await this.#renew();
      try {
        await this.#channel.call("getStatus", {}, { timeoutMs: ASK_TIMEOUT_MS });
      } catch (error) {
        this.#unreachableSinceMs ??= clock.now();
        if (clock.now() - this.#unreachableSinceMs > UNREACHABLE_MS) this.#end("silent");
        throw error;
      }
      // A lift that was sent into the dead connection may not have arrived.
      void this.#lift().catch(() => {});
      this.#followClipboard();
    }
    this.#unreachableSinceMs = null;
    return this.#channel;
  }

  /** A new connection, with the port and token that the discovery file names now. */
  async #renew(): Promise<void> {
    const found = await findEmulators(this.#parts.outside, this.#emulator.pid);
    const now = found.find((emulator) => emulator.pid === this.#emulator.pid);
    if (now !== undefined && now.grpc !== null) this.#emulator = { ...now, avd: this.#emulator.avd };
    const old = this.#channel;
    this.#channel = new Channel(endpointOf(this.#emulator));
    old.close();
  }

  #end(how: "gone" | "silent"): void {
    if (this.#over) return;
    this.close();
    this.#parts.ended(how);
  }
}

/** The endpoint that can be used. Throws in words when there is none. */
export function endpointOf(emulator: RunningEmulator): GrpcEndpoint {
  if (emulator.grpc === null) {
    throw new DeviceError(
      "failed",
      `${emulator.serial} has no gRPC endpoint. Start it with "-grpc 8554 -grpc-use-token", or from Android Studio, which opens one by itself.`,
    );
  }
  if (emulator.grpc.token === null && emulator.grpc.jwks !== null) {
    throw new DeviceError(
      "unsupported",
      `${emulator.serial} takes only signed tokens (-grpc-use-jwt). Start it with "-grpc-use-token", whose token its discovery file names.`,
    );
  }
  return emulator.grpc;
}
