/**
 * Every word the panel says by itself. What the device server or the host says comes through as it is.
 * A table in another language has this table's type, so that none is missing.
 */
import type { Orientation, Posture, SwitchStep } from "#core/device.ts";

const seconds = (ms: number): string => String(Math.max(0, Math.round(ms / 1000)));

export const en = {
  // The panel and its parts, for screen readers.
  deviceRegion: (p: { name: string }) => `Device: ${p.name}`,
  screenName: (p: { name: string }) => `${p.name} screen`,
  controlsName: "Device controls",
  unnamedDevice: "Device",

  // Top bar.
  // The picker's name is read from its own words: "Device: iPhone 18 Pro, iOS 27.0".
  pickerBefore: "Device: ",
  pickerBetween: ", ",
  runtimeIos: (p: { os: string }) => (/^\d/.test(p.os) ? `iOS ${p.os}` : p.os),
  runtimeAndroid: (p: { version: string }) => `Android ${p.version}`,
  runtimeTest: "Test phone",
  showName: "Show",
  showDevice: "Device",
  showDesktop: "Desktop",
  agentHasControl: "The agent has control",
  agentUsesDevice: "The agent is using the device",
  youHaveControl: "You have control. Hand back when done.",
  otherHasControl: "Someone else has control",
  nobodyHasControl: "Nobody has control",
  takeControl: "Take control",
  handBack: "Hand back",
  typeText: "Type text",
  latency: (p: { ms: number }) => `${Math.round(p.ms)} ms`,
  latencyName: (p: { ms: number }) => `Details. The picture takes ${Math.round(p.ms)} ms to reach you`,

  // The toolbar.
  home: "Home",
  back: "Back",
  recents: "Recents",
  rotateLeft: "Rotate left",
  rotateRight: "Rotate right",
  turnUpright: "Turn upright",
  fold: "Fold",
  foldName: (p: { posture: Posture | null }) => (p.posture === null ? "Fold" : `Fold: ${POSTURES[p.posture].toLowerCase()}`),
  appearance: "Appearance",
  appearanceName: (p: { now: "light" | "dark" | null }) =>
    p.now === null ? "Appearance. Switch to dark" : `Appearance: ${p.now}. Switch to ${p.now === "dark" ? "light" : "dark"}`,
  appearanceTip: (p: { now: "light" | "dark" }) => `Appearance: ${p.now}`,
  appearanceTipSwitch: (p: { to: "light" | "dark" }) => `Switch to ${p.to}`,
  light: "Light",
  dark: "Dark",
  textSize: "Text size",
  textSizeName: (p: { step: string | null }) => (p.step === null ? "Text size" : `Text size: ${p.step}`),
  screenshot: "Screenshot",
  more: "More",
  close: "Close",
  firstUse: "Using a control takes control from the agent",

  // Popovers.
  smaller: "Smaller",
  larger: "Larger",
  accessibility: "Accessibility",
  default: "Default",
  posture: (p: { posture: Posture }) => POSTURES[p.posture],
  lock: "Lock",
  wake: "Wake",
  openLink: "Open link…",
  openLinkTitle: "Open link",
  linkField: "Link",
  open: "Open",
  linkRefused: "A link starts with a scheme, such as https:// or myapp://.",
  location: "Location",
  latitude: "Latitude",
  longitude: "Longitude",
  latitudeRange: "Latitude is from −90 to 90.",
  longitudeRange: "Longitude is from −180 to 180.",
  devicesOwn: "Device’s own",
  statusBar: "Status bar",
  live: "Live",
  clean: "Clean",
  battery: "Battery",
  batteryLevel: "Level",
  charging: "Charging",
  percent: (p: { level: number }) => `${p.level}%`,
  network: "Network",
  online: "Online",
  onlineNote: "Wi-Fi at full speed",
  offline: "Offline",
  offlineNote: "Airplane mode on",
  slow: "Slow",
  slowNote: "473.6 kbit/s each way, 100 ms more on the way out",
  showFrame: "Show frame",
  pixelForPixel: "Pixel for pixel",
  rebootRow: "Reboot device…",
  rebootNote: "Takes 5 to 18 s. Keeps apps.",
  rebootAsk: (p: { name: string }) => `Reboot the ${p.name}?`,
  rebootAskNote: (p: { cold: boolean }) => (p.cold ? "It takes 16 to 18 s and keeps apps." : "It takes 5 to 18 s and keeps apps."),
  reboot: "Reboot",
  cancel: "Cancel",
  changedOutside: "Changed outside the panel",
  details: "Details…",
  detailsTitle: "Details",
  detailEncoder: "Encoder",
  detailPicture: "Picture",
  detailPictureValue: (p: { width: number; height: number }) => `${p.width} × ${p.height}`,
  detailServer: "Device server",
  detailLatency: "From sent to drawn",
  detailLatencyValue: (p: { medianMs: number; p95Ms: number }) => `${Math.round(p.medianMs)} ms, p95 ${Math.round(p.p95Ms)} ms`,
  detailLatencyNone: "Not measured yet",
  detailFrames: "Frames drawn",
  histogramName: (p: { samples: number }) => `Latency of the last ${p.samples} measurements`,
  unknown: "Not known",

  // Picker.
  pickerTitle: "Device in this box",
  boxTitle: "Box",
  firstBootHere: "First boot here. It may take a minute.",
  pickerFoot: "Apps are per device. A switch shows the other device as it was left.",
  switchAsk: (p: { name: string }) => `Switch to ${p.name}?`,
  switchAskNote: (p: { name: string }) =>
    `It has not booted in this box yet, so it may take a minute. Apps are per device. Install your app again on the ${p.name}.`,
  switch: "Switch",

  // Type text.
  goesAsOnePaste: "Goes as one paste",
  bestForLongText: "Best for long or non-English text",
  textToType: "Text to type",
  send: "Send",

  // What the screen says.
  connecting: "Connecting",
  takingLonger: "This is taking longer than usual.",
  booting: "Booting",
  bootProgress: (p: { elapsedMs: number; expectedMs: number }) => `${seconds(p.elapsedMs)} s of about ${seconds(p.expectedMs)} s`,
  bootOverdue: (p: { elapsedMs: number; expectedMs: number }) => `${seconds(p.elapsedMs)} s, usually about ${seconds(p.expectedMs)} s`,
  firstBootMayTake: "A first boot may take a minute.",
  switchingFrom: (p: { name: string }) => `Switching from ${p.name}`,
  switching: "Switching",
  step: (p: { step: SwitchStep; from: string }) => STEPS[p.step](p.from),
  asleep: "Asleep",
  failed: (p: { name: string }) => `${p.name} failed`,
  rebootDevice: "Reboot device",
  failedNote: (p: { cold: boolean }) => (p.cold ? "Takes 16 to 18 s. Keeps apps." : "Takes 5 to 18 s. Keeps apps."),
  stopped: "The device is not running.",
  startDevice: "Start device",
  lost: "Connection lost",
  lostIn: (p: { ms: number }) => `Connecting again in ${Math.max(1, Math.ceil(p.ms / 1000))} s`,
  connectNow: "Connect now",
  superseded: "Another bb-box now looks after this device.",
  noDevice: "No device",
  noDeviceNote: "This box has no device yet.",
  noToken: "Open the link again",
  noTokenNote: "This page needs the link that was printed when the box was started. Start it again to see the link.",
  oldToken: "This link is from an earlier start",
  oldTokenNote: "Use the link that was printed last, or start the box again to get one.",
  ended: "The picture stopped.",
  halfOpen: "Half open",
  keysGo: "Keys go to the device. Press F6 to leave it.",
  pressNeedsControl: "Take control to touch the device",

  // Strips.
  stillsNoDecoder: "This browser cannot play the device’s video, so it shows a picture a few times a second.",
  stillsInsecure: "This page is not served over HTTPS, so it shows a picture a few times a second.",

  // Toasts.
  screenshotCopied: "Screenshot copied.",
  screenshotDownloaded: "The browser refused the clipboard, so the screenshot was downloaded.",
  locationSet: (p: { place: string }) => `Location set to ${p.place}.`,
  pasted: "Pasted.",
  clipboardEmpty: "The clipboard has no text.",
  notConnected: "The connection to the device is lost. Try again when it is back.",
  answerLost: "The connection ended before the device answered. Look at the screen before you try again.",
  noAnswer: "The device has not answered. Look at the screen before you try again.",
  controlRefused: "Control was not given. Try Take control again.",

  // Live region.
  saidConnecting: (p: { name: string }) => `${p.name} is connecting.`,
  saidBooting: (p: { name: string }) => `${p.name} is booting.`,
  saidReady: (p: { name: string }) => `${p.name} is ready.`,
  saidAsleep: (p: { name: string }) => `${p.name} is asleep.`,
  saidAwake: (p: { name: string }) => `${p.name} is awake.`,
  saidFailed: (p: { name: string; words: string }) => `${p.name} failed. ${p.words}`,
  saidStopped: (p: { name: string }) => `${p.name} is not running.`,
  saidSwitching: (p: { name: string }) => `Switching to the ${p.name}.`,
  saidTurned: (p: { to: Orientation }) => TURNS[p.to],
  saidPosture: (p: { posture: Posture }) => `${POSTURES[p.posture]}.`,
  saidAppearance: (p: { to: string }) => `Appearance: ${p.to}.`,
  saidTextSize: (p: { step: string }) => `Text size: ${p.step}.`,
  saidStills: "Pictures instead of video: this browser cannot play the device’s video.",
  saidAgentHasControl: "The agent has control.",
  saidOtherHasControl: "Someone else has control.",
  saidLost: "Connection lost.",
  saidBack: "Connected again.",
} as const;

const POSTURES: Record<Posture, string> = { closed: "Closed", "half-open": "Half open", open: "Open" };
const TURNS: Record<Orientation, string> = {
  upright: "Upright.",
  "turned-left": "Turned left.",
  "upside-down": "Upside down.",
  "turned-right": "Turned right.",
};
const STEPS: Record<SwitchStep, (from: string) => string> = {
  stopping: (from) => (from === "" ? "Stopping the device" : `Stopping the ${from}`),
  booting: () => "Booting",
  waiting: () => "Waiting for it to be ready",
  streaming: () => "Showing its screen",
};

type Loose<T> = T extends string ? string : T extends (p: infer P) => string ? (p: P) => string : never;
/** The table's shape: a sentence, or a function from its parts to a sentence. */
export type Messages = { readonly [K in keyof typeof en]: Loose<(typeof en)[K]> };
