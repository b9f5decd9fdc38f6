import type { Runtime } from "#core/device.ts";

/** What a device runs, as a person reads it: "iOS 27.0", "Android, API 35". */
export function runtimeWords(runtime: Runtime): string {
  switch (runtime.platform) {
    case "ios":
      return `iOS ${runtime.os}`;
    case "android":
      return `Android, API ${runtime.api}`;
    case "test":
      return `Test phone ${runtime.version}`;
  }
}
