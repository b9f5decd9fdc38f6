/** Child processes for set-up: argument arrays only, output to stderr, ended with the parent. */
import { spawn, spawnSync } from "node:child_process";
import { say, SetupError, Stopped } from "./words.mjs";

/** A signal that comes again after this is a person who will not wait. One Ctrl-C comes twice at once: from the terminal, and from npm. ms. */
const IMPATIENT_AFTER_MS = 1000;

/** Runs to the end with its output on our stderr. Rejects in words when it fails; on SIGINT and SIGTERM ends it first, then rejects with Stopped. */
export function run(command, args, { cwd, env, quiet = false, words } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", quiet ? "pipe" : 2, quiet ? "pipe" : 2],
    });
    let tail = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        tail = (tail + chunk.toString()).slice(-4000);
      });
    }
    let stopped = null;
    const end = (signal) => {
      if (stopped === null) {
        stopped = { signal, atMs: performance.now() };
        say(`Stopping ${words ?? command}`);
        child.kill(signal);
      } else if (performance.now() - stopped.atMs > IMPATIENT_AFTER_MS) child.kill("SIGKILL");
    };
    process.on("SIGINT", end);
    process.on("SIGTERM", end);
    child.once("error", (error) => reject(new SetupError(`${command} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      process.removeListener("SIGINT", end);
      process.removeListener("SIGTERM", end);
      if (stopped !== null) reject(new Stopped(stopped.signal));
      else if (code === 0) resolve();
      else
        reject(
          new SetupError(
            `${words ?? `${command} ${args.join(" ")}`} failed (${signal ?? `exit ${code}`})${tail ? `:\n${tail.trimEnd()}` : ""}`,
          ),
        );
    });
  });
}

/** The trimmed output of a short command, or null when it is missing or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", ...options });
  return result.status === 0 ? result.stdout.trim() : null;
}

export const exists = (command) => output("/bin/sh", ["-c", `command -v ${command}`]) !== null;
