/** Android's network presets: each call sets every part, so no earlier one leaves anything behind. */
import type { NetworkPreset } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

import type { AdbShell } from "./adb.ts";

/** As the emulator's own "edge", which its console no longer gives an app over Wi-Fi: so it is shaped inside the device. */
const SLOW = { rate: "473600bit", delay: "100ms" };

/** Lines for the device's shell; each part is set whatever the others did. */
function lines(preset: NetworkPreset): readonly string[] {
  const on = preset !== "offline";
  return [
    `cmd connectivity airplane-mode ${on ? "disable" : "enable"}`,
    `svc wifi ${on ? "enable" : "disable"}`,
    `svc data ${on ? "enable" : "disable"}`,
  ];
}

const UNSHAPED = [
  "su 0 tc qdisc del dev wlan0 root 2>/dev/null",
  "su 0 tc qdisc del dev wlan0 ingress 2>/dev/null",
  "su 0 tc qdisc del dev ifb0 root 2>/dev/null",
].join("; ");

/** What goes out waits and is slowed on wlan0; what comes in is turned onto ifb0 and slowed there. */
const SHAPED = [
  "su 0 ip link add ifb0 type ifb 2>/dev/null; su 0 ip link set ifb0 up",
  `su 0 tc qdisc replace dev wlan0 root netem delay ${SLOW.delay} rate ${SLOW.rate}`,
  "su 0 tc qdisc replace dev wlan0 ingress",
  "su 0 tc filter replace dev wlan0 parent ffff: protocol all prio 1 u32 match u32 0 0 action mirred egress redirect dev ifb0",
  `su 0 tc qdisc replace dev ifb0 root netem rate ${SLOW.rate}`,
].join(" && ");

/** Sets a preset whole. `root`: the image lets the shell be root. */
export async function setNetwork(shell: AdbShell, preset: NetworkPreset, root: boolean, signal: AbortSignal): Promise<void> {
  if (preset === "slow" && !root) {
    throw new DeviceError(
      "unsupported",
      "A slow network needs a Google APIs image; this image (Google Play) does not let its network be shaped.",
    );
  }
  if (root) await shell.shell(UNSHAPED, { signal, anyCode: true });
  await shell.shell(lines(preset).join("; "), { signal });
  if (preset === "slow") await shell.shell(SHAPED, { signal });
}

/** The preset that the settings make, or an Error that says why they make none. */
export function networkOf(read: { readonly airplane: string; readonly wifi: string; readonly qdisc: string }): NetworkPreset | Error {
  const airplane = read.airplane.trim() === "1";
  // 2 is Wi-Fi on in spite of airplane mode.
  const wifi = ["1", "2"].includes(read.wifi.trim());
  if (airplane)
    return wifi && read.wifi.trim() === "2"
      ? new Error("Airplane mode is on and Wi-Fi too, which is none of online, offline and slow.")
      : "offline";
  if (!wifi) return new Error("Wi-Fi is off and airplane mode too, which is none of online, offline and slow.");
  return /\bnetem\b/.test(read.qdisc) ? "slow" : "online";
}
