/** Keys by W3C name: the emulator takes those names itself; where it has no keyboard, Android's own key codes by adb. */
import { DeviceError } from "#core/errors.ts";

import type { AdbShell } from "./adb.ts";
import { quoted } from "./adb.ts";

/** Buttons of the device that W3C names and the emulator calls otherwise. */
const EMULATOR_NAMES: Readonly<Record<string, string>> = {
  BrowserBack: "GoBack",
  BrowserHome: "GoHome",
  LaunchApplication1: "AppSwitch",
};

/** Lifted when a server starts, so that no modifier that an earlier one held changes what is typed. */
export const MODIFIER_KEYS = ["Shift", "Control", "Alt", "Meta"] as const;

/** The emulator's name for a key. Throws bad-value for one that is no key. */
export function emulatorKey(key: string): string {
  if (!/^(?:[\x20-\x7e]|[A-Za-z][A-Za-z0-9]{1,31})$/.test(key)) {
    throw new DeviceError("bad-value", `"${key}" is not a key's W3C name, such as Enter, ArrowLeft or a.`);
  }
  return EMULATOR_NAMES[key] ?? key;
}

const KEY_CODES: Readonly<Record<string, string>> = {
  GoHome: "HOME",
  GoBack: "BACK",
  AppSwitch: "APP_SWITCH",
  Power: "POWER",
  Paste: "PASTE",
  Copy: "COPY",
  Cut: "CUT",
  Enter: "ENTER",
  Tab: "TAB",
  Backspace: "DEL",
  Delete: "FORWARD_DEL",
  Escape: "ESCAPE",
  ArrowLeft: "DPAD_LEFT",
  ArrowRight: "DPAD_RIGHT",
  ArrowUp: "DPAD_UP",
  ArrowDown: "DPAD_DOWN",
  Home: "MOVE_HOME",
  End: "MOVE_END",
  PageUp: "PAGE_UP",
  PageDown: "PAGE_DOWN",
  AudioVolumeUp: "VOLUME_UP",
  AudioVolumeDown: "VOLUME_DOWN",
  AudioVolumeMute: "VOLUME_MUTE",
};

/** One key press by adb, for an AVD with no hardware keyboard. A modifier alone does nothing there. */
export async function pressByAdb(adb: AdbShell, key: string): Promise<void> {
  const code = KEY_CODES[key];
  if (code !== undefined) {
    await adb.shell(`input keyevent KEYCODE_${code}`);
  } else if (key.length === 1) {
    // `input text` reads %s as a space, and takes every other printable character as it is.
    await adb.shell(`input text ${quoted(key === " " ? "%s" : key)}`);
  } else if (!(MODIFIER_KEYS as readonly string[]).includes(key)) {
    throw new DeviceError("unsupported", `This AVD has no hardware keyboard (hw.keyboard=no), and ${key} cannot be sent without one.`);
  }
}
