/** Sentences that people and agents read: what happened, and the state after it (note 063 "box_device"). */
import type { DeviceControl, DeviceState, Geometry, Observed, Orientation } from "./device.ts";
import { orientationWords, postureWords } from "./geometry.ts";

/** "closed, half open or open". */
export function listOf(items: readonly (string | number)[], last: "or" | "and" = "or"): string {
  if (items.length <= 1) return String(items[0] ?? "");
  return `${items.slice(0, -1).join(", ")} ${last} ${items[items.length - 1]}`;
}

/** "the Pixel 8". A name reads better with its article. */
export function withThe(model: string, the: "the" | "The" = "the"): string {
  return `${the} ${model}`;
}

/** "0.3 s", "61 ms", "12 s", "2 min". */
export function durationWords(ms: number): string {
  if (ms < 95) return `${Math.max(Math.round(ms), 0)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** What a control did, in the past, without its time: "Turned the iPhone 18 Pro left". */
export function doneWords(control: DeviceControl, model: string): string {
  const the = withThe(model);
  switch (control.action) {
    case "home":
      return `Pressed Home on ${the}`;
    case "back":
      return `Pressed Back on ${the}`;
    case "recents":
      return `Opened Recents on ${the}`;
    case "lock":
      return `Locked ${the}`;
    case "wake":
      return `Woke ${the}`;
    case "rotate":
      return "turn" in control ? `Turned ${the} ${control.turn}` : `Turned ${the} ${toWords(control.to)}`;
    case "posture":
      return control.to === "closed" ? `Closed ${the}` : `${control.to === "open" ? "Opened" : "Half opened"} ${the}`;
    case "appearance":
      return `Made ${the} ${control.to}`;
    case "text_size":
      return `Set the text size of ${the} to ${control.to}`;
    case "location":
      return control.to === null
        ? `Cleared the location of ${the}`
        : `Set the location of ${the} to ${control.to.latitude}, ${control.to.longitude}`;
    case "status_bar":
      return `Made the status bar of ${the} ${control.to}`;
    case "battery":
      return control.to === null
        ? `Put back the battery of ${the}`
        : `Set the battery of ${the} to ${control.to.level}%${control.to.charging ? ", charging" : ""}`;
    case "network":
      return `Set the network of ${the} to ${control.to}`;
    case "install":
      return `Installed ${control.paths.length === 1 ? baseName(control.paths[0]) : `${control.paths.length} APKs`} on ${the}`;
    case "switch":
      return `Switched to ${withThe(control.device)}`;
    case "reboot":
      return `Rebooted ${the}`;
  }
}

/** What a control is doing, for "ended while …": "turning the iPhone 18 Pro". */
export function doingWords(control: DeviceControl, model: string): string {
  const the = withThe(model);
  switch (control.action) {
    case "home":
      return `pressing Home on ${the}`;
    case "back":
      return `pressing Back on ${the}`;
    case "recents":
      return `opening Recents on ${the}`;
    case "lock":
      return `locking ${the}`;
    case "wake":
      return `waking ${the}`;
    case "rotate":
      return `turning ${the}`;
    case "posture":
      return `folding ${the}`;
    case "appearance":
      return `changing the appearance of ${the}`;
    case "text_size":
      return `changing the text size of ${the}`;
    case "location":
      return `setting the location of ${the}`;
    case "status_bar":
      return `changing the status bar of ${the}`;
    case "battery":
      return `setting the battery of ${the}`;
    case "network":
      return `changing the network of ${the}`;
    case "install":
      return `installing on ${the}`;
    case "switch":
      return `switching to ${withThe(control.device)}`;
    case "reboot":
      return `rebooting ${the}`;
  }
}

/** "Turned the iPhone 18 Pro left in 0.3 s. Now: turned left, 2622x1206, dark, text size large, booted." */
export function answerWords(control: DeviceControl, model: string, ms: number, state: DeviceState): string {
  const said = `${doneWords(control, model)} in ${durationWords(ms)}. Now: ${stateWords(state)}.`;
  const more = extraWords(control, state);
  return more === null ? said : `${said} ${more}`;
}

/** What an answer must add, as iOS's battery is no more than the status bar's picture. */
function extraWords(control: DeviceControl, state: DeviceState): string | null {
  if (state.platform !== "ios") return null;
  if (control.action === "status_bar" && control.to === "live") return "The status bar is live again, so the battery shows the Mac's.";
  if (control.action === "battery") return "This is the status bar's picture only. The device's battery API is unchanged.";
  return null;
}

/** "turned left, 2622x1206, dark, text size large, booted": what is known, in one line. */
export function stateWords(state: DeviceState): string {
  const parts: string[] = [];
  if (state.geometry !== null) {
    parts.push(orientationWords(state.geometry.physical));
    if (state.platform === "android" && state.form === "foldable" && state.posture.known) parts.push(postureWords(state.posture.value));
    parts.push(sizeWords(state.geometry));
  }
  push(parts, state.settings.appearance, (appearance) => appearance);
  if (state.platform === "ios") push(parts, state.settings.textSize, (size) => `text size ${size}`);
  else {
    push(parts, state.settings.fontScale, (scale) => `text size ${scale}`);
    push(parts, state.settings.network, (network) => (network === "online" ? null : network));
  }
  parts.push(powerWords(state));
  return parts.join(", ");
}

/** "booted", "asleep", "booting", "switching to the Pixel Fold", "stopped", "failed". */
export function powerWords(state: DeviceState): string {
  switch (state.power.is) {
    case "booted":
      return state.power.awake ? "booted" : "asleep";
    case "switching":
      return `switching to ${withThe(state.power.to)}`;
    default:
      return state.power.is;
  }
}

/** "1080x2400": the stream's pixels. */
export function sizeWords(geometry: Pick<Geometry, "video">): string {
  return `${geometry.video.width}x${geometry.video.height}`;
}

function push<T>(parts: string[], observed: Observed<T>, words: (value: T) => string | null): void {
  const said = observed.known ? words(observed.value) : null;
  if (said !== null) parts.push(said);
}

function toWords(to: Orientation): string {
  return to.startsWith("turned-") ? to.slice("turned-".length) : orientationWords(to);
}

function baseName(path: string): string {
  return path.replace(/\/+$/, "").split("/").pop() ?? path;
}
