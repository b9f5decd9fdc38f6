/** A device home on the disk: its folder, its lock and its socket (protocols 1). Every refusal says what to do next. */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { SOCKET_PATH_BYTES_MAX } from "#wire/limits.ts";
import { wordsOf } from "./ports.ts";

/** flock(2), exclusive, without waiting: null when another process holds it. */
export type TakeLock = (path: string) => { release(): void } | null;

export interface DeviceHome {
  readonly folder: string;
  readonly socket: string;
  /** Where shared-memory regions go; 0700. */
  readonly run: string;
  /** Gives the lock back. */
  release(): void;
}

/** The home cannot be used as it is, and starting again would not help; its message says what to do. */
export class HomeError extends Error {}

/** The socket of a device home. */
export function socketPath(folder: string): string {
  return join(folder, "device.sock");
}

/** Refuses a socket path that the system would cut short, which would put the socket somewhere else. */
export function checkSocketPath(path: string, platform: NodeJS.Platform = process.platform): void {
  const bytes = Buffer.byteLength(path);
  const most = platform === "darwin" ? SOCKET_PATH_BYTES_MAX.darwin : SOCKET_PATH_BYTES_MAX.linux;
  if (bytes > most)
    throw new HomeError(
      `The socket's path ${path} is ${bytes} bytes long, and this system takes ${most} at most. Choose a shorter folder with --home, or set BB_BOX_DEVICE_HOME.`,
    );
}

/**
 * Makes the folder, takes its lock, and clears the way for the socket. Throws in words; deletes nothing that is not a socket.
 * `locked` runs once the lock is held, before anything can go wrong that starting again would not mend.
 */
export function openHome(folder: string, takeLock: TakeLock, locked: () => void = () => undefined): DeviceHome {
  const socket = socketPath(folder);
  checkSocketPath(socket);
  makePrivateFolder(folder);
  const lockPath = join(folder, "lock");
  let lock: ReturnType<TakeLock>;
  try {
    lock = takeLock(lockPath);
  } catch (error) {
    throw new Error(`The lock ${lockPath} cannot be taken: ${wordsOf(error)}`, { cause: error });
  }
  if (lock === null)
    throw new Error(`Another device server already runs on ${folder}. Use that one, or start this one with another --home.`);
  try {
    locked();
    clearSocket(socket);
    const run = join(folder, "run");
    makePrivateFolder(run);
    return { folder, socket, run, release: () => lock.release() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (!found.isDirectory()) throw new Error("it is not a folder");
    if (process.getuid !== undefined && found.uid !== process.getuid()) throw new Error("it belongs to another user");
    if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
  } catch (error) {
    throw new HomeError(`The folder ${folder} cannot be used: ${wordsOf(error)}. Choose another with --home.`, { cause: error });
  }
}

/** Only under the lock: a socket found here is of a server that is gone. */
function clearSocket(path: string): void {
  let found;
  try {
    found = lstatSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (!found.isSocket())
    throw new HomeError(`${path} is in the socket's place and is not a socket, so it is left alone. Move it away, then start again.`);
  unlinkSync(path);
}
