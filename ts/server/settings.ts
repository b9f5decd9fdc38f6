/** How a device's state follows from what was set and what was read back (063 "A device box's state"). Pure. */
import type { AndroidSettings, DeviceControl, DeviceModel, DeviceState, IosSettings, Observed, Power } from "#core/device.ts";
import type { ReadBack } from "#drivers/driver.ts";
import type { LastSet } from "./rules/state.ts";

const UNREAD = { known: false, why: "It has not been read yet." } as const;

/** Nothing is known yet but the model and its power. */
export function newState(model: DeviceModel, power: Power, atMs: number): DeviceState {
  const common = { model: model.name, power, geometry: null, at: atMs };
  if (model.platform === "ios") {
    const unset = { set: null, at: null };
    return { platform: "ios", ...common, settings: { appearance: UNREAD, textSize: UNREAD, location: unset, statusBar: unset } };
  }
  const settings: AndroidSettings = {
    appearance: UNREAD,
    fontScale: UNREAD,
    location: UNREAD,
    battery: UNREAD,
    network: UNREAD,
    statusBar: { set: null, at: null },
  };
  if (model.form === "foldable") return { platform: "android", form: "foldable", ...common, posture: UNREAD, settings };
  return { platform: "android", form: model.form, ...common, settings };
}

/** A control took effect. What can be read back is marked as ours; what cannot is an override. */
export function withControl(state: DeviceState, control: DeviceControl, atMs: number): DeviceState {
  const ours = <T>(value: T): Observed<T> => ({ known: true, value, at: atMs, by: "bb-box" });
  if (control.action === "lock" || control.action === "wake") {
    return state.power.is === "booted" ? { ...state, power: { is: "booted", awake: control.action === "wake" } } : state;
  }
  if (state.platform === "ios") {
    const settings = iosControl(state.settings, control, atMs, ours);
    return settings === null ? state : { ...state, settings };
  }
  if (control.action === "posture") return state.form === "foldable" ? { ...state, posture: ours(control.to) } : state;
  const settings = androidControl(state.settings, control, atMs, ours);
  return settings === null ? state : { ...state, settings };
}

type Ours = <T>(value: T) => Observed<T>;

function iosControl(settings: IosSettings, control: DeviceControl, at: number, ours: Ours): IosSettings | null {
  const bar = settings.statusBar.set;
  switch (control.action) {
    case "appearance":
      return { ...settings, appearance: ours(control.to) };
    case "text_size":
      return typeof control.to === "string" && control.to !== "larger" && control.to !== "smaller" && control.to !== "default"
        ? { ...settings, textSize: ours(control.to) }
        : null;
    case "location":
      return { ...settings, location: { set: control.to, at } };
    case "status_bar":
      // Live again clears the battery too, which on iOS is a part of the status bar.
      return control.to === "live"
        ? { ...settings, statusBar: { set: null, at } }
        : { ...settings, statusBar: { set: { clean: true, battery: bar?.battery ?? null }, at } };
    case "battery":
      return { ...settings, statusBar: { set: { clean: bar?.clean ?? false, battery: control.to }, at } };
    default:
      return null;
  }
}

function androidControl(settings: AndroidSettings, control: DeviceControl, at: number, ours: Ours): AndroidSettings | null {
  switch (control.action) {
    case "appearance":
      return { ...settings, appearance: ours(control.to) };
    case "text_size":
      return typeof control.to === "number" ? { ...settings, fontScale: ours(control.to) } : null;
    case "location":
      // Cleared, it is the emulator's own, which only a read tells.
      return control.to === null ? null : { ...settings, location: ours(control.to) };
    case "status_bar":
      return { ...settings, statusBar: { set: control.to === "clean" ? "clean" : null, at } };
    case "battery":
      return control.to === null ? null : { ...settings, battery: ours(control.to) };
    case "network":
      return { ...settings, network: ours(control.to) };
    default:
      return null;
  }
}

/** What the device reports now; `last` says who changed it. */
export function withReadBack(state: DeviceState, read: ReadBack, last: LastSet, atMs: number): DeviceState {
  let next = state;
  if (read.awake !== undefined && next.power.is === "booted") next = { ...next, power: { is: "booted", awake: read.awake } };
  if (next.platform === "ios") {
    if (read.ios === undefined) return next;
    const { appearance, textSize } = next.settings;
    return {
      ...next,
      settings: {
        ...next.settings,
        appearance: last.observe("appearance", appearance, read.ios.appearance, atMs),
        textSize: last.observe("textSize", textSize, read.ios.textSize, atMs),
      },
    };
  }
  if (next.form === "foldable" && read.posture !== undefined)
    next = { ...next, posture: last.observe("posture", next.posture, read.posture, atMs) };
  if (read.android === undefined) return next;
  const { settings } = next;
  return {
    ...next,
    settings: {
      appearance: last.observe("appearance", settings.appearance, read.android.appearance, atMs),
      fontScale: last.observe("fontScale", settings.fontScale, read.android.fontScale, atMs),
      location: last.observe("location", settings.location, read.android.location, atMs),
      battery: last.observe("battery", settings.battery, read.android.battery, atMs),
      network: last.observe("network", settings.network, read.android.network, atMs),
      statusBar: settings.statusBar,
    },
  };
}
