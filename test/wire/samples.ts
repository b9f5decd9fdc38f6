/** Values of the data shape that several tests need. */
import type { AndroidFoldableState, AndroidFlatState, AndroidSettings, DeviceControl, DeviceState, IosState } from "#core/device.ts";

export const ANDROID_SETTINGS: AndroidSettings = {
  appearance: { known: true, value: "dark", at: 1, by: "bb-box" },
  fontScale: { known: true, value: 1.3, at: 1, by: "outside" },
  location: { known: true, value: null, at: 1, by: "bb-box" },
  battery: { known: false, why: "not read yet" },
  network: { known: true, value: "online", at: 1, by: "bb-box" },
  statusBar: { set: null, at: null },
};

export const FLAT: AndroidFlatState = {
  platform: "android",
  form: "phone",
  model: "Pixel 8",
  power: { is: "booted", awake: true },
  geometry: { generation: 3, physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } },
  settings: ANDROID_SETTINGS,
  at: 5,
};

export const FOLD: AndroidFoldableState = {
  platform: "android",
  form: "foldable",
  model: "Pixel Fold",
  power: { is: "switching", to: "Pixel 8", step: "waiting", since: 2 },
  geometry: { generation: 3, physical: "upright", content: "upright", video: { width: 1080, height: 2092 }, screen: "outer" },
  posture: { known: true, value: "closed", at: 1, by: "bb-box" },
  settings: ANDROID_SETTINGS,
  at: 5,
};

export const IOS: IosState = {
  platform: "ios",
  model: "iPhone 18 Pro",
  power: { is: "booted", awake: true },
  geometry: { generation: 1, physical: "turned-left", content: "turned-left", video: { width: 2622, height: 1206 } },
  settings: {
    appearance: { known: true, value: "dark", at: 1, by: "bb-box" },
    textSize: { known: true, value: "large", at: 1, by: "outside" },
    location: { set: { latitude: 1, longitude: 2 }, at: 3 },
    statusBar: { set: { clean: true, battery: { level: 80, charging: true } }, at: 3 },
  },
  at: 5,
};

export const STATES: readonly DeviceState[] = [FLAT, FOLD, IOS];

/** One of every control. */
export const CONTROLS: readonly DeviceControl[] = [
  { action: "home" },
  { action: "back" },
  { action: "recents" },
  { action: "lock" },
  { action: "wake" },
  { action: "rotate", turn: "left" },
  { action: "rotate", to: "upside-down" },
  { action: "posture", to: "half-open" },
  { action: "appearance", to: "dark" },
  { action: "text_size", to: "larger" },
  { action: "text_size", to: "accessibility-large" },
  { action: "text_size", to: 1.15 },
  { action: "location", to: { latitude: 35.68, longitude: 139.76 } },
  { action: "location", to: null },
  { action: "status_bar", to: "clean" },
  { action: "battery", to: { level: 20, charging: false } },
  { action: "battery", to: null },
  { action: "network", to: "slow" },
  { action: "install", paths: ["app.apk"] },
  { action: "switch", device: "Pixel Fold" },
  { action: "reboot" },
];
