/** The port that an emulator's gRPC is given: one that nothing has, and that no other home is about to use. */
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

import { lockFolder, type Lock } from "./device-lock.ts";
import type { Outside } from "./outside.ts";

/** The emulator's gRPC port unless another is named (note 063 "Keeping the device's own ports closed"). */
export const GRPC_PORT = 8554;
/** How many ports from there on are tried. */
const TRIED = 48;

export interface KeptPort {
  readonly port: number;
  /** Once the emulator listens there, or has given up. */
  release(): void;
}

/** A free port from `first` on, kept from other homes of this user until it is released. Rejects in words when none is. */
export async function keepGrpcPort(outside: Outside, take: (path: string) => Lock | null, first: number): Promise<KeptPort> {
  const folder = await lockFolder(outside);
  const last = first + TRIED - 1;
  for (let port = first; port <= last; port += 1) {
    const lock = take(join(folder, `grpc-${port}.lock`));
    if (lock === null) continue;
    if (await outside.free(port)) return { port, release: () => lock.release() };
    lock.release();
  }
  throw new DeviceError(
    "failed",
    `No port from ${first} to ${last} is free for the emulator. End what listens there, or name another with BB_BOX_GRPC_PORT.`,
  );
}
