/**
 * Can this model do this control? One function and one set of words for the toolbar, the agent's tools and the server
 * (note 063 "Controls: one union").
 */
import { DEVICE_MODELS } from "./device-models.ts";
import {
  ANDROID_FONT_SCALES,
  type DeviceAction,
  type DeviceControl,
  type DeviceModel,
  type DevicePlatform,
  IOS_CONTENT_SIZES,
} from "./device.ts";
import { postureWords } from "./geometry.ts";
import { isContentSize, isFontScale, isTextSizeMove } from "./text-size.ts";
import { listOf, withThe } from "./words.ts";

export type Support = { readonly ok: true } | { readonly ok: false; readonly code: "unsupported" | "bad-value"; readonly words: string };

const YES: Support = { ok: true };

/** Every action of a platform, in the note's order. */
export const PLATFORM_ACTIONS: Readonly<Record<DevicePlatform, readonly DeviceAction[]>> = {
  ios: ["home", "lock", "wake", "rotate", "appearance", "text_size", "location", "status_bar", "battery", "install", "switch", "reboot"],
  android: [
    "home",
    "back",
    "recents",
    "lock",
    "wake",
    "rotate",
    "posture",
    "appearance",
    "text_size",
    "location",
    "status_bar",
    "battery",
    "network",
    "install",
    "switch",
    "reboot",
  ],
};

/** The actions of a model: its platform's, without posture where it does not fold and without what its driver lacks. */
export function actionsOf(model: DeviceModel, lacking: readonly DeviceAction[] = []): readonly DeviceAction[] {
  return PLATFORM_ACTIONS[model.platform].filter(
    (action) => (action !== "posture" || model.form === "foldable") && !lacking.includes(action),
  );
}

/** Has the model this action at all? What the toolbar asks before it draws a control. `lacking`: what the driver cannot do. */
export function hasAction(model: DeviceModel, action: DeviceAction, lacking: readonly DeviceAction[] = []): boolean {
  return actionsOf(model, lacking).includes(action);
}

/** Is the control one that this model can do, with a value that it takes? */
export function supports(model: DeviceModel, control: DeviceControl, lacking: readonly DeviceAction[] = []): Support {
  const { action } = control;
  if (!hasAction(model, action, lacking)) return { ok: false, code: "unsupported", words: unsupportedWords(model, action, lacking) };
  if (control.action === "posture" && model.form === "foldable" && !model.postures.includes(control.to)) {
    const postures = listOf(model.postures.map(postureWords));
    return {
      ok: false,
      code: "unsupported",
      words: `${withThe(model.name, "The")} has no ${postureWords(control.to)} posture. It has: ${postures}.`,
    };
  }
  if (control.action === "text_size" && !takesTextSize(model.platform, control.to)) {
    return { ok: false, code: "bad-value", words: `${takes(action, model.platform)}.` };
  }
  if (control.action === "install") return supportsInstall(model.platform, control.paths);
  return YES;
}

function supportsInstall(platform: DevicePlatform, paths: readonly [string, ...string[]]): Support {
  const bad = (words: string): Support => ({ ok: false, code: "bad-value", words });
  if (platform === "ios") {
    if (paths.some((path) => hasEnding(path, ".ipa"))) {
      return bad(
        "This is a build for a physical iPhone. Build for the simulator, for example xcodebuild -sdk iphonesimulator, and install the .app.",
      );
    }
    return paths.length === 1 && hasEnding(paths[0], ".app") ? YES : bad(`${takes("install", platform)}.`);
  }
  if (paths.some((path) => hasEnding(path, ".aab"))) {
    return bad("Android App Bundles do not install directly. Make APKs with bundletool build-apks --mode=universal.");
  }
  return paths.every((path) => hasEnding(path, ".apk")) ? YES : bad(`${takes("install", platform)}.`);
}

function hasEnding(path: string, ending: string): boolean {
  return path.replace(/\/+$/, "").toLowerCase().endsWith(ending);
}

function takesTextSize(platform: DevicePlatform, to: string | number): boolean {
  return isTextSizeMove(to) || (platform === "ios" ? isContentSize(to) : isFontScale(to));
}

function unsupportedWords(model: DeviceModel, action: DeviceAction, lacking: readonly DeviceAction[]): string {
  const actions = `Its actions are: ${actionsOf(model, lacking).join(", ")}.`;
  if (action === "posture" && model.platform === "android" && model.form !== "foldable") {
    const foldables = DEVICE_MODELS.filter((other) => other.form === "foldable").map((other) => withThe(other.name, "The"));
    return `${withThe(model.name, "The")} does not fold. ${listOf(foldables, "and")} ${foldables.length === 1 ? "does" : "do"}.`;
  }
  if (model.platform === "ios") {
    const why = IOS_LACKS[action];
    if (why !== undefined) return `${why} ${actions}`;
  }
  return `${withThe(model.name, "The")} cannot do ${action} here. ${actions}`;
}

const IOS_LACKS: Readonly<Partial<Record<DeviceAction, string>>> = {
  back: "iOS has no back button.",
  recents: "iOS has no command for the app switcher.",
  posture: "No iOS device folds.",
  network: "iOS has no network control.",
};

/** What an action takes, as a clause without its full stop: "rotate takes turn (left or right) or to (…), not both". */
export function takes(action: DeviceAction, platform?: DevicePlatform): string {
  switch (action) {
    case "home":
    case "back":
    case "recents":
    case "lock":
    case "wake":
    case "reboot":
      return `${action} takes nothing else`;
    case "rotate":
      return "rotate takes turn (left or right) or to (upright, turned-left, upside-down or turned-right), not both";
    case "posture":
      return "posture takes to: closed, half-open or open";
    case "appearance":
      return "appearance takes to: light or dark";
    case "text_size":
      return textSizeTakes(platform);
    case "location":
      return "location takes latitude (-90 to 90) and longitude (-180 to 180), or neither to clear it";
    case "status_bar":
      return "status_bar takes to: clean or live";
    case "battery":
      return "battery takes level (a whole number, 0 to 100) and charging (true or false), or neither for the device's own";
    case "network":
      return "network takes to: online, offline or slow";
    case "install":
      return installTakes(platform);
    case "switch":
      return "switch takes device: a model of this box";
  }
}

function textSizeTakes(platform: DevicePlatform | undefined): string {
  const sizes = `an iOS content size: ${listOf(IOS_CONTENT_SIZES)}`;
  const scales = `a font scale: ${listOf(ANDROID_FONT_SCALES)}`;
  if (platform === "ios") return `text_size on iOS takes larger, smaller, default or ${sizes}`;
  if (platform === "android") return `text_size on Android takes larger, smaller, default or ${scales}`;
  return `text_size takes larger, smaller, default, ${sizes}, or on Android ${scales}`;
}

function installTakes(platform: DevicePlatform | undefined): string {
  const ios = "one .app folder built for the simulator";
  const android = "one .apk, or the split APKs of one app";
  if (platform === "ios") return `install on iOS takes paths: ${ios}`;
  if (platform === "android") return `install on Android takes paths: ${android}`;
  return `install takes paths: on iOS ${ios}, on Android ${android}`;
}
