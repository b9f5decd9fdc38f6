/** The box that is this machine: its device socket, and commands by sh. */
import { watch as watchFolder, type FSWatcher } from "node:fs";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import type { Backend, Clock } from "#host/ports.ts";
import { runProgram } from "./run.ts";

/** `home`: the product's, `deviceHome`: the device server's folder. */
export function localBackend({ home, deviceHome }: { readonly home: string; readonly deviceHome: string }, clock: Clock): Backend {
  const socket = join(deviceHome, "device.sock");
  const env = { ...process.env, NODE: process.execPath, BB_BOX_HOME: home, BB_BOX_DEVICE_HOME: deviceHome };
  return {
    kind: "local",
    connect: (signal) =>
      new Promise((resolve, reject) => {
        const stream = connect({ path: socket });
        const abort = () => stream.destroy(new Error("It is not wanted any more."));
        if (signal.aborted) abort();
        signal.addEventListener("abort", abort, { once: true });
        const failed = (error: NodeJS.ErrnoException) => {
          signal.removeEventListener("abort", abort);
          reject(new Error(words(error, socket), { cause: error }));
        };
        stream.once("error", failed);
        stream.once("connect", () => {
          stream.off("error", failed);
          signal.removeEventListener("abort", abort);
          // Whoever uses the stream hears its errors; one that ends between two users must not end the process.
          stream.on("error", () => {});
          resolve(stream);
        });
      }),
    watch: (run) => {
      let watcher: FSWatcher;
      try {
        watcher = watchFolder(dirname(socket), (_event, name) => {
          if (name === null || name === basename(socket)) run();
        });
      } catch {
        // There is no such folder yet, so there is nothing to be told early; the next try comes by the clock.
        return () => {};
      }
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    },
    run: (script, options) => runProgram("sh", ["-c", script], { ...options, env }, clock),
    close: () => Promise.resolve(),
  };
}

function words(error: NodeJS.ErrnoException, socket: string): string {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
      return "The device server is not running. Start it with: bb-box-device start";
    case "EACCES":
    case "EPERM":
      return `The device server's socket ${socket} belongs to another user.`;
    default:
      return `The device server cannot be reached: ${error.message}`;
  }
}
