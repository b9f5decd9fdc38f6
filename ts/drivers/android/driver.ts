/** The Android emulator as a DeviceDriver: found running and left running, or booted here. */
import { existsSync } from "node:fs";

import type { Battery, Contact, DeviceControl, DeviceElement, DeviceModel, EncoderInfo, OfferedDevice } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import {
  StartError,
  type DeviceDriver,
  type DriverFactory,
  type DriverHost,
  type DriverOptions,
  type PasteTimings,
  type ReadBack,
  type Still,
  type VideoSource,
} from "#drivers/driver.ts";

import type { AdbShell } from "./adb.ts";
import { hasKeyboard } from "./avd.ts";
import { Boot } from "./boot.ts";
import { OWN_LOCATION, runControl } from "./controls.ts";
import { lockEmulator, type Lock } from "./device-lock.ts";
import type { RunningEmulator } from "./discovery.ts";
import { giveIdentity, IMAGE_RECORD } from "./first-boot.ts";
import type { Transport } from "./frames.ts";
import { isInstalled } from "./install.ts";
import { awaitBoot, awaitReboot, openPorts, stopEmulator, type LifeParts } from "./life.ts";
import { endedUnsaved, forgetRunning, noteRunning, readStatusBar, wasStartedHere, writeStatusBar } from "./notes.ts";
import { AndroidMachine } from "./machine.ts";
import { whyNotOffered, type AndroidOffer } from "./offers.ts";
import { realOutside, type Outside } from "./outside.ts";
import type { MakePipeline, PicturePipeline } from "./pipeline.ts";
import { GRPC_PORT } from "./ports.ts";
import { readBack } from "./read-back.ts";
import { openLink, screenshotOf } from "./screen.ts";
import type { Session } from "./session.ts";
import { sessionOf } from "./session-of.ts";
import { cleanStatusBar } from "./status-bar.ts";
import { readTree, type TreeSource } from "./tree.ts";
import { NO_KEYBOARD, Warnings } from "./warnings.ts";

export interface AndroidOptions {
  readonly makePipeline: MakePipeline;
  /** flock(2) without waiting; null when another process holds it. */
  readonly lock: (path: string) => Lock | null;
  readonly outside?: Outside;
  /** Only this emulator, such as emulator-5554. */
  readonly serial?: string | null;
  /** The first port that is tried for the gRPC of an emulator that is started here; 8554 unless named. */
  readonly grpcPort?: number;
  /** How frames come; "auto" measures. */
  readonly frames?: Transport | "auto";
  /** The emulator's touch space, since public clients disagree: the panel's own upright (E8), or the picture as it is turned. */
  readonly touchSpace?: "natural-panel" | "video";
  readonly imageRecord?: string;
  /** A tree server in the device, if one is to be had. */
  readonly treeSource?: (shell: AdbShell) => TreeSource;
}

/** 063, E21: the clipboard goes back 300 ms after the paste key, and no key waits for it. */
const PASTE: PasteTimings = { restoreAfterMs: 300, holdKeysMs: 0 };

export function androidDriver(options: AndroidOptions): DriverFactory {
  return (host, driverOptions) => new AndroidDriver(options, host, driverOptions);
}

/** What is known of the device that is attached. */
interface Attached {
  readonly session: Session;
  readonly offer: AndroidOffer;
  readonly life: LifeParts;
  readonly root: boolean;
  readonly lock: Lock;
  readonly tree: TreeSource | null;
  statusBar: { readonly battery: Battery | null } | null;
}

class AndroidDriver implements DeviceDriver {
  readonly platform = "android";
  readonly paste = PASTE;
  readonly unsupported = [];
  readonly touchSpace: "natural-panel" | "video";
  readonly #options: AndroidOptions;
  readonly #host: DriverHost;
  readonly #driver: DriverOptions;
  readonly #outside: Outside;
  #pipeline: PicturePipeline | null = null;
  #attached: Attached | null = null;
  #newOnly: string | null = null;
  /** Started here, and not attached to yet. */
  readonly #boot = new Boot();
  readonly #machine: AndroidMachine;
  readonly #warnings: Warnings;

  constructor(options: AndroidOptions, host: DriverHost, driver: DriverOptions) {
    this.#options = options;
    this.#host = host;
    this.#driver = driver;
    this.#outside = options.outside ?? realOutside();
    const { serial = null, grpcPort = GRPC_PORT, lock } = options;
    this.#machine = new AndroidMachine({
      outside: this.#outside,
      serial,
      attached: () => this.#attached?.session.emulator.pid ?? null,
      life: {
        home: driver.home,
        grpcPort,
        lock,
        clock: driver.clock,
        progress: (words) => host.progress(words),
        log: (level, message, fields) => host.log(level, message, fields),
      },
    });
    this.#warnings = new Warnings((words) => host.warning(words));
    this.touchSpace = options.touchSpace ?? "natural-panel";
  }

  async offered(): Promise<readonly { readonly offer: OfferedDevice; readonly model: DeviceModel }[]> {
    return this.#machine.offers();
  }

  async running(): Promise<readonly string[]> {
    return (await this.#machine.emulators()).map((emulator) => emulator.avd);
  }

  async attach(target: OfferedDevice, signal: AbortSignal): Promise<"reattached" | "booted"> {
    await this.#leave();
    const life = await this.#machine.life();
    await this.#boot.giveWay(life, signal);
    const clash = await life.adb?.clash();
    if (clash !== null && clash !== undefined) throw new DeviceError("failed", clash);
    const all = await this.#machine.offers();
    const offer = all.find((candidate) => candidate.offer.native === target.native);
    if (offer === undefined) {
      const refused = await whyNotOffered(this.#outside, await this.#machine.emulators(), target.native);
      if (refused !== null) throw new DeviceError("unsupported", refused);
      const names = all.map((candidate) => candidate.model.name).join(", ");
      throw new DeviceError("unknown-device", `There is no AVD named ${target.native}. There is: ${names === "" ? "none" : names}.`);
    }
    const found = await this.#machine.runningOf(target.native);
    if (found !== undefined) {
      if (await wasStartedHere(this.#driver.home, found.avd, found.pid)) this.#boot.found(found);
      await this.#connect(life, offer, found, "reattached", signal);
      if (!(await endedUnsaved(this.#driver.home, found.avd))) await noteRunning(this.#driver.home, found.avd, null);
      return "reattached";
    }
    await this.#bootAndConnect(life, offer, await endedUnsaved(this.#driver.home, target.native), signal);
    return "booted";
  }

  async detach(): Promise<void> {
    await this.#leave();
    await this.#pipeline?.close();
    this.#pipeline = null;
    await this.#machine.leave();
  }

  /** One that is still booting is stopped too. */
  async shutdown(signal: AbortSignal): Promise<void> {
    if (this.#attached === null && this.#boot.underWay) return this.#boot.end(await this.#machine.life(), signal);
    const { life, session } = this.#need();
    await this.#leave();
    await stopEmulator(life, session.emulator, session.shell, signal);
  }

  async startedHere(): Promise<boolean> {
    if (this.#attached === null) return this.#boot.underWay;
    const { avd, pid } = this.#attached.session.emulator;
    return wasStartedHere(this.#driver.home, avd, pid);
  }

  video(): VideoSource {
    const pipeline = this.#pictures();
    return {
      frames: () => pipeline.frames(),
      keyframe: () => pipeline.keyframe(),
      streaming: (on) => pipeline.streaming(on),
      setBitrate: (bits) => pipeline.setBitrate(bits),
      still: (longestEdge) => pipeline.still(longestEdge),
      encoder: () => this.#encoder(pipeline),
      stats: () => pipeline.stats(),
    };
  }

  touch(contacts: readonly Contact[]): Promise<void> {
    return this.#need().session.touch(contacts);
  }
  key(key: string, down: boolean): Promise<void> {
    return this.#need().session.key(key, down);
  }
  setClipboard(text: string): Promise<void> {
    return this.#need().session.setClipboard(text);
  }
  clipboard(): Promise<string> {
    return this.#need().session.clipboard();
  }
  pasteKey(): Promise<void> {
    return this.#need().session.press("Paste");
  }

  async control(control: DeviceControl, signal: AbortSignal): Promise<void> {
    const attached = this.#need();
    const { session, root, offer } = attached;
    await runControl(
      {
        channel: () => session.channel,
        shell: session.shell,
        frames: session.frames,
        outside: this.#outside,
        root,
        press: (key) => session.press(key),
        reboot: (until) => this.#reboot(until),
        onlyNew: (paths) => this.#newOnly === JSON.stringify(paths),
        statusBar: () => attached.statusBar,
        keepStatusBar: async (clean) => {
          attached.statusBar = clean;
          await writeStatusBar(this.#driver.home, offer.offer.native, clean);
        },
      },
      control,
      signal,
    );
  }

  /** When it answers no, the next install of the same files is made one that cannot replace an app. */
  async installed(paths: readonly string[]): Promise<boolean> {
    const there = await isInstalled(this.#need().session.shell, paths);
    this.#newOnly = there ? null : JSON.stringify(paths);
    return there;
  }

  open(url: string): Promise<void> {
    return openLink(this.#need().session.shell, url);
  }

  screenshot(options: { readonly longestEdge?: number } = {}): Promise<Still> {
    return screenshotOf(this.#need().session, this.#pictures(), options.longestEdge);
  }

  tree(): Promise<readonly DeviceElement[]> {
    const { session, tree } = this.#need();
    return readTree(session.shell, tree, session.frames.geometry);
  }

  async readBack(): Promise<ReadBack> {
    const { session, offer } = this.#need();
    const foldable = offer.model.form === "foldable";
    const read = await readBack({ channel: session.channel, shell: session.shell, foldable, ownLocation: OWN_LOCATION });
    return read.awake === undefined ? { ...read, awake: session.frames.awake } : read;
  }

  async resumed(): Promise<void> {
    const { session } = this.#need();
    const wallMs = Math.round(this.#driver.clock.wall());
    await session.shell.shell(`cmd alarm set-time ${wallMs} || su 0 date -u @${Math.round(wallMs / 1000)}`, { anyCode: true });
    await session.reopen(AbortSignal.timeout(10_000));
  }

  // Attaching.

  async #connect(
    life: LifeParts,
    offer: AndroidOffer,
    emulator: RunningEmulator,
    how: "reattached" | "booted",
    signal: AbortSignal,
  ): Promise<void> {
    const lock = await lockEmulator(this.#outside, this.#options.lock, emulator.serial);
    let session: Session | null = null;
    try {
      session = sessionOf({
        life,
        offer,
        emulator,
        pipeline: this.#pictures(),
        run: this.#driver.run,
        wanted: this.#options.frames ?? "auto",
        host: this.#host,
        ended: (how) => void this.#ended(emulator, how),
      });
      await this.#watchPorts(life, emulator, session.shell, how, signal);
      await awaitBoot(life, emulator, session.shell, signal);
      const root = (await session.shell.shell("su 0 echo root", { signal, anyCode: true })).trim() === "root";
      await session.start(signal);
      this.#warnings.set("keyboard", offer.avd !== null && !hasKeyboard(offer.avd) ? NO_KEYBOARD : null);
      const tree = this.#options.treeSource?.(session.shell) ?? null;
      const statusBar = await readStatusBar(this.#driver.home, emulator.avd);
      if (statusBar !== null && how === "booted") await cleanStatusBar(session.shell, statusBar.battery, signal);
      this.#attached = { session, offer, life, root, lock, tree, statusBar };
      this.#boot.over();
    } catch (error) {
      session?.close();
      lock.release();
      throw error;
    }
  }

  async #bootAndConnect(life: LifeParts, offer: AndroidOffer, cold: boolean, signal: AbortSignal): Promise<void> {
    const emulator = await this.#boot.start(life, offer.offer.native, { cold, signal });
    await this.#connect(life, offer, emulator, "booted", signal);
    const { session } = this.#need();
    await giveIdentity(
      {
        ...life,
        shell: session.shell,
        imageRecord: this.#options.imageRecord ?? IMAGE_RECORD,
        reboot: (until) => awaitReboot(life, emulator, session.shell, until),
      },
      emulator.avd,
      signal,
    );
  }

  /** 063 "Keeping the device's own ports closed": one that was started here does not run on with an open port. */
  async #watchPorts(
    life: LifeParts,
    emulator: RunningEmulator,
    shell: AdbShell,
    how: "reattached" | "booted",
    signal: AbortSignal,
  ): Promise<void> {
    const words = await openPorts(this.#outside, emulator);
    this.#warnings.set("ports", words);
    if (words === null || how === "reattached") return;
    await stopEmulator(life, emulator, shell, signal);
    this.#boot.over();
    throw new StartError(
      "firewall-missing",
      `${words} It was stopped. Close those ports with a firewall, or use an emulator that binds to loopback.`,
    );
  }

  async #ended(emulator: RunningEmulator, how: "gone" | "silent"): Promise<void> {
    const { avd } = emulator;
    // An emulator that ends in order removes its file; one that crashed leaves it, and saved nothing.
    const crashed = existsSync(emulator.file);
    await this.#leave();
    if (how === "silent") {
      this.#host.exited({ code: "emulator-failed", words: `The emulator of ${avd} still runs, but answers nothing.` });
      return;
    }
    if (!crashed) await forgetRunning(this.#driver.home, avd);
    const words = crashed ? `The emulator of ${avd} crashed. What was not on its disk is lost.` : `The emulator of ${avd} was closed.`;
    this.#host.exited({ code: "device-exited", words });
  }

  /** Lets go of what is attached; the emulator runs on. */
  async #leave(): Promise<void> {
    const attached = this.#attached;
    this.#attached = null;
    this.#newOnly = null;
    if (attached === null) return;
    attached.session.close();
    attached.lock.release();
    await attached.tree?.close().catch(() => {});
  }

  async #reboot(signal: AbortSignal): Promise<void> {
    const attached = this.#need();
    const { life, offer, session } = attached;
    const { emulator } = session;
    if (await wasStartedHere(this.#driver.home, emulator.avd, emulator.pid)) {
      await this.#leave();
      await stopEmulator(life, emulator, session.shell, signal);
      await this.#bootAndConnect(life, offer, true, signal);
      return;
    }
    // One that was found is another's process: Android restarts inside it.
    await awaitReboot(life, emulator, session.shell, signal);
    if (attached.statusBar !== null) await cleanStatusBar(session.shell, attached.statusBar.battery, signal);
  }

  // What it stands on.

  #need(): Attached {
    if (this.#attached === null) throw new DeviceError("not-booted", "No emulator is attached.");
    return this.#attached;
  }

  #pictures(): PicturePipeline {
    this.#pipeline ??= this.#options.makePipeline((event) => {
      if (event.kind === "changed") this.#host.changed(event.monotonicMs);
      else if (event.kind === "encoder") this.#host.log("info", "encoder", { name: event.name, version: event.version });
      else this.#host.log("error", event.words, { kind: event.kind });
    });
    return this.#pipeline;
  }

  #encoder(pipeline: PicturePipeline): EncoderInfo | null {
    const encoder = pipeline.encoder();
    const transport = this.#attached?.session.frames.transport;
    if (encoder === null || transport === undefined) return encoder;
    return { ...encoder, version: `${encoder.version}, frames ${transport === "in-band" ? "in messages" : "by shared memory"}` };
  }
}
