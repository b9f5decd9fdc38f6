/** What this host would deliver: the bundle that runs here, the addon of the box's platform, the systemd unit. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DEVICE_PROTOCOLS, DEVICE_SERVER_VERSION } from "#core/version.ts";
import type { Code } from "./plan.ts";

export interface DeliveryFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface DeliverySource {
  readonly code: Code;
  /** The files for a platform ("linux-x64-gnu"). Throws in words when there is no addon for it. */
  files(platform: string): readonly DeliveryFile[];
  /** The systemd unit's text. */
  unit(): Uint8Array;
}

/** `main`: the bundle's path. The addons lie in its own folder or in the checkout's prebuilds; `here`: this machine's platform. */
export function bundleSource(main: string, here: string): DeliverySource {
  const folder = dirname(main);
  const root = dirname(folder);
  return {
    code: { version: DEVICE_SERVER_VERSION, protocol: DEVICE_PROTOCOLS },
    files: (platform) => {
      const places = [
        join(root, "prebuilds", platform, "device.node"),
        join(folder, "prebuilds", platform, "device.node"),
        // The one built here fits a box of the same kind.
        ...(platform === here ? [join(folder, "device.node")] : []),
      ];
      const addon = places.map(readIfThere).find((bytes) => bytes !== null);
      if (addon === undefined || addon === null) {
        throw new Error(
          `There is no addon for ${platform} here, so no device server can be brought to it. Build one there and put it at ${places[0] ?? ""}.`,
        );
      }
      return [
        { name: "bb-box-device.mjs", bytes: readFileSync(main) },
        { name: "device.node", bytes: addon },
      ];
    },
    unit: () => readIfThere(join(root, "setup/systemd/bb-box-device.service")) ?? readFileSync(join(folder, "bb-box-device.service")),
  };
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
