/** The boxes of a host. Without a boxes.json it is this machine's own. */
import { join } from "node:path";
import { localBackend } from "./backends/local.ts";
import type { HostBox } from "./host.ts";
import type { Clock } from "./ports.ts";

export interface BoxesOptions {
  readonly home: string;
  /** The device server's folder on this machine. */
  readonly deviceHome: string;
  readonly hostHome: string;
  readonly clock: Clock;
}

export const LOCAL_BOX = "local";

export function readBoxes({ deviceHome, clock }: BoxesOptions): readonly HostBox[] {
  return [{ id: LOCAL_BOX, name: "This machine", backend: localBackend(join(deviceHome, "device.sock"), clock) }];
}
