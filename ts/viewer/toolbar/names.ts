/** Names and icons of devices and their runtimes. */
import type { DeviceModel, OfferedDevice } from "#core/device.ts";
import type { Messages } from "#viewer/i18n/messages.ts";
import type { IconName } from "./icons.ts";

/** Android's version by API level; a newer level is one version each. */
const ANDROID_VERSIONS: Readonly<Record<number, string>> = { 28: "9", 29: "10", 30: "11", 31: "12", 32: "12L", 33: "13", 34: "14" };
const ANDROID_15_API = 35;

export function runtimeWords(offer: OfferedDevice | null, t: Messages): string {
  if (offer === null) return "";
  const { runtime } = offer;
  switch (runtime.platform) {
    case "ios":
      return t.runtimeIos({ os: runtime.os });
    case "android":
      return t.runtimeAndroid({ version: ANDROID_VERSIONS[runtime.api] ?? String(runtime.api - ANDROID_15_API + 15) });
    case "test":
      return t.runtimeTest;
  }
}

export function formIcon(model: DeviceModel | null): IconName {
  if (model === null) return "smartphone";
  return model.form === "foldable" ? "book-open" : model.form === "tablet" ? "tablet" : "smartphone";
}
