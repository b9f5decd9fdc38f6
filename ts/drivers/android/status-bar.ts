/** SystemUI's demo mode: a status bar that reads 9:41, full signal, and the battery as it was set. */
import type { Battery } from "#core/device.ts";

import type { AdbShell } from "./adb.ts";

const SEND = "am broadcast -a com.android.systemui.demo -e command";

/** Enters demo mode and sets each part. */
export async function cleanStatusBar(shell: AdbShell, battery: Battery | null, signal?: AbortSignal): Promise<void> {
  const shown = battery ?? { level: 100, charging: false };
  const lines = [
    "settings put global sysui_demo_allowed 1",
    `${SEND} enter`,
    `${SEND} clock -e hhmm 0941`,
    `${SEND} network -e wifi show -e level 4 -e fully true`,
    `${SEND} network -e mobile show -e datatype none -e level 4 -e fully true`,
    `${SEND} battery -e level ${shown.level} -e plugged ${shown.charging}`,
    `${SEND} notifications -e visible false`,
  ];
  await shell.shell(lines.join(" && "), signal === undefined ? {} : { signal });
}

export async function liveStatusBar(shell: AdbShell, signal?: AbortSignal): Promise<void> {
  await shell.shell(`${SEND} exit`, signal === undefined ? {} : { signal });
}
