/** What the device's settings are now, read from it in one go. */
import type { Battery, LatLon, Posture } from "#core/device.ts";
import { nearestFontScale } from "#core/text-size.ts";

import type { ReadBack } from "#drivers/driver.ts";
import type { AdbShell } from "./adb.ts";
import { ChannelError, type Channel } from "./channel.ts";
import {
  BatteryState_BatteryCharger,
  BatteryState_BatteryStatus,
  type BatteryState,
  type GpsState,
} from "./generated/emulator_controller_pb.js";
import { networkOf } from "./network.ts";

const MARK = "--bb-box--";
const READS = [
  "dumpsys power | grep mWakefulness=",
  "cmd uimode night",
  "settings get system font_scale",
  "settings get global airplane_mode_on",
  "settings get global wifi_on",
  "su 0 tc qdisc show dev wlan0 2>/dev/null || tc qdisc show dev wlan0 2>/dev/null",
] as const;
const FOLD_READ = "cmd device_state state";

export interface ReadBackParts {
  readonly channel: Channel;
  readonly shell: AdbShell;
  readonly foldable: boolean;
  readonly ownLocation: LatLon;
}

/** One shell for everything adb tells, gRPC for the rest, side by side. Rejects only when adb itself fails. */
export async function readBack(parts: ReadBackParts): Promise<ReadBack> {
  const { channel, shell } = parts;
  const lines = parts.foldable ? [...READS, FOLD_READ] : READS;
  const [text, gps, battery] = await Promise.all([
    shell.shell(lines.join(`; echo ${MARK}; `), { anyCode: true }),
    channel.call("getGps", {}).then(locationOf, (error: unknown) => unread("location", error)),
    channel.call("getBattery", {}).then(batteryOf, (error: unknown) => unread("battery", error)),
  ]);
  const parted = text.split(`${MARK}\n`);
  const part = (index: number) => parted[index] ?? "";
  const awake = wakefulnessOf(part(0));
  const posture = parts.foldable ? postureOf(part(READS.length)) : null;
  const location = gps instanceof Error ? gps : isAt(gps, parts.ownLocation) ? null : gps;
  return {
    ...(awake === null ? {} : { awake }),
    ...(posture === null ? {} : { posture }),
    android: {
      appearance: nightOf(part(1)),
      fontScale: fontScaleOf(part(2)),
      location,
      battery: battery instanceof ChannelError && battery.failure === "denied" ? await consoleBattery(shell) : battery,
      network: networkOf({ airplane: part(3), wifi: part(4), qdisc: part(5) }),
    },
  };
}

function unread(what: string, error: unknown): Error {
  if (error instanceof ChannelError && error.failure === "denied" && what === "location") {
    return new Error("This emulator's token may not read the location.");
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Awake or not; null when the text does not say. */
export function wakefulnessOf(text: string): boolean | null {
  const state = /mWakefulness=(\w+)/.exec(text)?.[1];
  return state === undefined ? null : state === "Awake";
}

const STATES: Readonly<Record<string, Posture>> = {
  CLOSED: "closed",
  HALF_OPENED: "half-open",
  HALF_OPEN: "half-open",
  OPENED: "open",
  OPEN: "open",
};

/** The posture that Android has committed; null for a state that is none of the three. */
export function postureOf(text: string): Posture | null {
  const name = /Committed state:[^\n]*name='(\w+)'/.exec(text)?.[1];
  return STATES[name ?? ""] ?? null;
}

function nightOf(text: string): "light" | "dark" | Error {
  const mode = /Night mode: (\w+)/.exec(text)?.[1];
  if (mode === "yes") return "dark";
  if (mode === "no") return "light";
  return new Error(
    mode === undefined ? "Android did not say which appearance it has." : `Android's appearance follows a schedule (${mode}).`,
  );
}

function fontScaleOf(text: string) {
  const said = text.trim();
  const scale = Number(said === "null" || said === "" ? "1" : said);
  return Number.isFinite(scale) ? nearestFontScale(scale) : new Error(`Android's font scale reads ${said}.`);
}

export function locationOf(gps: GpsState): LatLon {
  return { latitude: gps.latitude, longitude: gps.longitude };
}

function isAt(a: LatLon, b: LatLon): boolean {
  return Math.abs(a.latitude - b.latitude) < 1e-3 && Math.abs(a.longitude - b.longitude) < 1e-3;
}

export function batteryOf(state: BatteryState): Battery {
  const full = state.status === BatteryState_BatteryStatus.CHARGING || state.status === BatteryState_BatteryStatus.FULL;
  return { level: state.chargeLevel, charging: full && state.charger !== BatteryState_BatteryCharger.NONE };
}

/** The console tells the battery where the token may not ask for it. */
async function consoleBattery(shell: AdbShell): Promise<Battery | Error> {
  const text = await shell
    .console("power", "display")
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (text instanceof Error) return text;
  const level = Number(/capacity: (\d+)/.exec(text)?.[1]);
  if (!Number.isInteger(level)) return new Error("The emulator's console did not tell the battery.");
  return { level, charging: /AC: online/.test(text) && /status: (?:Charging|Full)/.test(text) };
}
