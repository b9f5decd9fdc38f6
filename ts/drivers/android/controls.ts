/** Every control of note 063's Android column, each done only once its effect can be read. */
import {
  ANDROID_FONT_SCALES,
  type AndroidFontScale,
  type Battery,
  type DeviceControl,
  type LatLon,
  type Orientation,
  type Posture,
} from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import { isTextSizeMove, movedFontScale, nearestFontScale } from "#core/text-size.ts";

import type { AdbShell } from "./adb.ts";
import { ChannelError, deviceError, type Channel } from "./channel.ts";
import type { Frames } from "./frames.ts";
import {
  BatteryState_BatteryCharger,
  BatteryState_BatteryHealth,
  BatteryState_BatteryStatus,
  PhysicalModelValue_Interpolation,
  PhysicalModelValue_PhysicalType,
  Posture_PostureValue,
} from "./generated/emulator_controller_pb.js";
import { install } from "./install.ts";
import { setNetwork } from "./network.ts";
import type { Outside } from "./outside.ts";
import { batteryOf, locationOf, postureOf, wakefulnessOf } from "./read-back.ts";
import { cleanStatusBar, liveStatusBar } from "./status-bar.ts";

export interface ControlParts {
  readonly channel: () => Channel;
  readonly shell: AdbShell;
  readonly frames: Frames;
  readonly outside: Outside;
  /** The image lets the shell be root. */
  readonly root: boolean;
  /** A key down and up, by the emulator's name. */
  readonly press: (key: string) => Promise<void>;
  readonly reboot: (signal: AbortSignal) => Promise<void>;
  /** Was this install checked to be a new app, under a person's control? */
  readonly onlyNew: (paths: readonly string[]) => boolean;
  /** Keeps whether the status bar is clean over a reboot. */
  readonly keepStatusBar: (clean: { readonly battery: Battery | null } | null) => Promise<void>;
  readonly statusBar: () => { readonly battery: Battery | null } | null;
}

/** Degrees about the axis out of the screen, anticlockwise. */
const TURNS: Readonly<Record<Orientation, number>> = { upright: 0, "turned-left": 90, "upside-down": 180, "turned-right": -90 };
const POSTURES: Readonly<Record<Posture, Posture_PostureValue>> = {
  closed: Posture_PostureValue.POSTURE_CLOSED,
  "half-open": Posture_PostureValue.POSTURE_HALF_OPENED,
  open: Posture_PostureValue.POSTURE_OPENED,
};
/** Where an emulator is before anyone says otherwise. */
export const OWN_LOCATION: LatLon = { latitude: 37.422, longitude: -122.084 };
const OWN_BATTERY: Battery = { level: 100, charging: true };
const READ_EVERY_MS = 50;
/** A turn that posts no frame of itself, as of an app that stays upright on a still screen, is looked for by a call. */
const LOOK_AFTER_MS = 700;

export async function runControl(parts: ControlParts, control: DeviceControl, signal: AbortSignal): Promise<void> {
  switch (control.action) {
    case "home":
      return parts.press("GoHome");
    case "back":
      return parts.press("GoBack");
    case "recents":
      return parts.press("AppSwitch");
    case "lock":
      return setAwake(parts, false, signal);
    case "wake":
      return setAwake(parts, true, signal);
    case "rotate":
      return rotate(parts, "to" in control ? control.to : turnedFrom(parts.frames, control.turn), signal);
    case "posture":
      return setPosture(parts, control.to, signal);
    case "appearance":
      await parts.shell.shell(`cmd uimode night ${control.to === "dark" ? "yes" : "no"}`, { signal });
      return;
    case "text_size":
      return setFontScale(parts, control.to, signal);
    case "location":
      return setLocation(parts, control.to ?? OWN_LOCATION, signal);
    case "status_bar":
      return setStatusBar(parts, control.to, signal);
    case "battery":
      return setBattery(parts, control.to, signal);
    case "network":
      return setNetwork(parts.shell, control.to, parts.root, signal);
    case "install":
      return install(parts.shell, control.paths, !parts.onlyNew(control.paths), signal);
    case "reboot":
      return parts.reboot(signal);
    case "switch":
      throw new DeviceError("unsupported", "A switch is the device server's, not the emulator's.");
  }
}

function turnedFrom(frames: Frames, turn: "left" | "right"): Orientation {
  const ring: readonly Orientation[] = ["upright", "turned-left", "upside-down", "turned-right"];
  const at = ring.indexOf(frames.geometry?.physical ?? "upright");
  return ring[(at + (turn === "left" ? 1 : 3)) % 4] ?? "upright";
}

async function setAwake(parts: ControlParts, awake: boolean, signal: AbortSignal): Promise<void> {
  await parts.shell.shell(`input keyevent KEYCODE_${awake ? "WAKEUP" : "SLEEP"}`, { signal });
  await readsAs(
    parts,
    signal,
    async () => wakefulnessOf(await parts.shell.shell("dumpsys power | grep mWakefulness=", { signal, anyCode: true })) === awake,
  );
}

async function rotate(parts: ControlParts, to: Orientation, signal: AbortSignal): Promise<void> {
  const { frames, outside } = parts;
  const request = {
    target: PhysicalModelValue_PhysicalType.ROTATION,
    value: { data: [0, 0, TURNS[to]] },
    interpolation: PhysicalModelValue_Interpolation.STEP,
  };
  await parts
    .channel()
    .call("setPhysicalModel", request, { signal })
    .catch((error: unknown) => {
      throw deviceError(error, "turn the device");
    });
  const stop = repeatedly(outside, LOOK_AFTER_MS, () => frames.look());
  try {
    await frames.until(() => !frames.awake || frames.geometry?.physical === to, signal);
  } finally {
    stop();
  }
}

async function setPosture(parts: ControlParts, to: Posture, signal: AbortSignal): Promise<void> {
  const { frames, outside, shell } = parts;
  await parts
    .channel()
    .call("setPosture", { value: POSTURES[to] }, { signal })
    .catch((error: unknown) => byConsole(error, "fold the device", () => shell.console("posture", String(POSTURES[to]))));
  await readsAs(parts, signal, async () => postureOf(await shell.shell("cmd device_state state", { signal, anyCode: true })) === to);
  const stop = repeatedly(outside, LOOK_AFTER_MS, () => frames.look());
  try {
    await frames.until(() => !frames.awake || frames.geometry?.screen === (to === "closed" ? "outer" : "inner"), signal);
  } finally {
    stop();
  }
}

async function setFontScale(
  parts: ControlParts,
  to: Extract<DeviceControl, { action: "text_size" }>["to"],
  signal: AbortSignal,
): Promise<void> {
  const scale = await fontScaleFor(parts, to, signal);
  await parts.shell.shell(`settings put system font_scale ${scale}`, { signal });
}

async function fontScaleFor(
  parts: ControlParts,
  to: Extract<DeviceControl, { action: "text_size" }>["to"],
  signal: AbortSignal,
): Promise<AndroidFontScale> {
  if (typeof to === "number") return to;
  if (!isTextSizeMove(to)) {
    throw new DeviceError(
      "bad-value",
      `text_size on Android takes larger, smaller, default or a font scale: ${ANDROID_FONT_SCALES.slice(0, -1).join(", ")} or 2.`,
    );
  }
  const now = Number(await parts.shell.shell("settings get system font_scale", { signal }));
  return movedFontScale(nearestFontScale(Number.isFinite(now) ? now : 1), to);
}

async function setLocation(parts: ControlParts, to: LatLon, signal: AbortSignal): Promise<void> {
  const { shell } = parts;
  const request = { passiveUpdate: true, latitude: to.latitude, longitude: to.longitude, altitude: 5, satellites: 8 };
  const done = await parts
    .channel()
    .call("setGps", request, { signal })
    .then(
      () => true,
      async (error: unknown) => {
        await byConsole(error, "set the location", () => shell.console("geo", "fix", String(to.longitude), String(to.latitude)));
        return false;
      },
    );
  if (!done) return;
  await readsAs(parts, signal, async () => {
    const read = locationOf(await parts.channel().call("getGps", {}, { signal }));
    return Math.abs(read.latitude - to.latitude) < 1e-4 && Math.abs(read.longitude - to.longitude) < 1e-4;
  });
}

async function setBattery(parts: ControlParts, to: Battery | null, signal: AbortSignal): Promise<void> {
  const { shell } = parts;
  const battery = to ?? OWN_BATTERY;
  const request = {
    hasBattery: true,
    isPresent: true,
    charger: battery.charging ? BatteryState_BatteryCharger.AC : BatteryState_BatteryCharger.NONE,
    chargeLevel: battery.level,
    health: BatteryState_BatteryHealth.GOOD,
    status: battery.charging ? BatteryState_BatteryStatus.CHARGING : BatteryState_BatteryStatus.DISCHARGING,
  };
  const done = await parts
    .channel()
    .call("setBattery", request, { signal })
    .then(
      () => true,
      async (error: unknown) => {
        await byConsole(error, "set the battery", async () => {
          await shell.console("power", "capacity", String(battery.level));
          await shell.console("power", "ac", battery.charging ? "on" : "off");
          await shell.console("power", "status", battery.charging ? "charging" : "discharging");
        });
        return false;
      },
    );
  if (done) {
    await readsAs(parts, signal, async () => {
      const read = batteryOf(await parts.channel().call("getBattery", {}, { signal }));
      return read.level === battery.level && read.charging === battery.charging;
    });
  }
  // A clean status bar shows the battery as it was set.
  if (parts.statusBar() !== null) {
    await parts.keepStatusBar({ battery: to });
    await cleanStatusBar(shell, to, signal);
  }
}

async function setStatusBar(parts: ControlParts, to: "clean" | "live", signal: AbortSignal): Promise<void> {
  if (to === "live") {
    await parts.keepStatusBar(null);
    return liveStatusBar(parts.shell, signal);
  }
  const read = await parts
    .channel()
    .call("getBattery", {}, { signal })
    .then(batteryOf, () => null);
  await parts.keepStatusBar({ battery: read });
  await cleanStatusBar(parts.shell, read, signal);
}

/** A call that the token may not make goes by the console; any other failure is told. */
async function byConsole(error: unknown, doing: string, call: () => Promise<unknown>): Promise<void> {
  if (!(error instanceof ChannelError) || (error.failure !== "denied" && error.failure !== "unimplemented"))
    throw deviceError(error, doing);
  try {
    await call();
  } catch (refused) {
    const words = refused instanceof Error ? refused.message : String(refused);
    throw new DeviceError("unsupported", `This emulator's token may not ${doing}, and its console does not either: ${words}`, {
      cause: refused,
    });
  }
}

/** Resolves once the read says so: setting runs later on the emulator's main loop. */
async function readsAs(parts: ControlParts, signal: AbortSignal, test: () => Promise<boolean>): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await test()) return;
    await parts.outside.wait(READ_EVERY_MS, signal);
  }
}

function repeatedly(outside: Outside, ms: number, run: () => Promise<void>): () => void {
  let stop = () => {};
  const next = () => {
    stop = outside.later(ms, () => void run().finally(() => !over && next()));
  };
  let over = false;
  next();
  return () => {
    over = true;
    stop();
  };
}
