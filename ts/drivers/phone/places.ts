/** Where a test phone's files lie in a device home: its socket, its discovery file, its lock, what it keeps. */
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

export interface PhonePlaces {
  /** The 0700 folder of what lives only as long as the phone: empty when none runs. */
  readonly run: string;
  readonly socket: string;
  readonly discovery: string;
  /** What a phone that ended in words left for whoever waits for it. */
  readonly failure: string;
  /** The 0700 folder of what stays. */
  readonly kept: string;
  /** Held by the phone's process as long as it lives. The file stays: deleting one that is held would make two locks. */
  readonly lock: string;
  /** Held by the driver as long as it is attached. */
  readonly driverLock: string;
  /** What the process says when it breaks. */
  readonly log: string;
  /** Settings and text, kept over reboots and ends. */
  readonly data: string;
}

/** The longest path of a unix socket, in bytes: a longer one is cut in silence and lands somewhere else. */
const LONGEST_SOCKET = process.platform === "darwin" ? 103 : 107;

/** "Test device" becomes test-device. */
export function slugOf(model: string): string {
  return model.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** Throws DeviceError when the home's path is too long for a socket. */
export function phonePlaces(home: string, model: string): PhonePlaces {
  const run = join(home, "run");
  const kept = join(home, "phone-data");
  const slug = slugOf(model);
  const socket = join(run, `phone-${slug}.sock`);
  const bytes = Buffer.byteLength(socket);
  if (bytes > LONGEST_SOCKET) {
    throw new DeviceError(
      "failed",
      `The test phone's socket would be ${socket}, ${bytes} bytes; a socket's path can have ${LONGEST_SOCKET}. Use a home with a shorter path.`,
    );
  }
  return {
    run,
    socket,
    discovery: join(run, `phone-${slug}.json`),
    failure: join(run, `phone-${slug}.failed`),
    kept,
    lock: join(kept, `${slug}.lock`),
    driverLock: join(kept, `${slug}.driver.lock`),
    log: join(kept, `${slug}.log`),
    data: join(kept, `${slug}.json`),
  };
}

/** Removes a dead phone's socket. Throws DeviceError when something else lies in its place: that is not ours to delete. */
export function removeStaleSocket(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (!there.isSocket()) {
    throw new DeviceError("failed", `${path} is in the place of the test phone's socket and is not a socket. Move it away and try again.`);
  }
  rmSync(path, { force: true });
}

/** Makes the two folders, readable by this user alone. Throws what the file system says. */
export function makeFolders(places: Pick<PhonePlaces, "run" | "kept">): void {
  for (const folder of [places.run, places.kept]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** A path for the nth region of a driver. Under the driver's lock, those that are there belong to servers that were killed. */
export function freshRegion(run: string, model: string, nth: number): string {
  const prefix = `region-${slugOf(model)}-`;
  for (const name of readdirSync(run)) {
    if (name.startsWith(prefix)) rmSync(join(run, name), { force: true });
  }
  return join(run, `${prefix}${nth}.rgb`);
}
