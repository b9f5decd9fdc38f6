/** What a box is, in words and for lists. */
import type { DeviceState, Runtime } from "#core/device.ts";
import { commonProtocol, DEVICE_PROTOCOLS } from "#core/version.ts";
import type { Hello, StateMessage } from "#wire/device.ts";
import type { BoxInfo } from "#wire/panel.ts";

/** The device that a box runs; null while nothing is known of it. */
export function deviceInfo(state: DeviceState | null, hello: Hello | null): BoxInfo["device"] {
  if (state === null) return null;
  const offer = hello?.devices.find((device) => device.model === state.model);
  return { platform: state.platform, model: state.model, runtime: offer === undefined ? "" : runtimeWords(offer.runtime) };
}

/** What a device runs, as a person reads it: "iOS 27.0", "Android, API 35". */
function runtimeWords(runtime: Runtime): string {
  switch (runtime.platform) {
    case "ios":
      return `iOS ${runtime.os}`;
    case "android":
      return `Android, API ${runtime.api}`;
    case "test":
      return `Test phone ${runtime.version}`;
  }
}

/** HELLO, with what has changed since it was said: a switch in place is told in no new one. */
export function helloSince(hello: Hello | null, { warning, bootedHere }: StateMessage): Hello | null {
  return hello === null ? null : { ...hello, warning, bootedHere: bootedHere ?? hello.bootedHere };
}

/** Why this server cannot be spoken to; null when it can. */
export function foreignWords(box: string, { protocol }: Hello): string | null {
  if (commonProtocol(DEVICE_PROTOCOLS, protocol) !== null) return null;
  const newer = protocol.min > DEVICE_PROTOCOLS.max;
  return `${box}'s device server is too ${newer ? "new" : "old"} for this host: update ${newer ? "the host" : "it"}.`;
}
