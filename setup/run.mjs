/** Child processes for set-up: argument arrays only, output to stderr, ended with the parent. */
import { spawn, spawnSync } from "node:child_process";
import { SetupError } from "./words.mjs";

/** Runs to the end with its output on our stderr. Rejects in words when it fails. */
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
    const end = (signal) => child.kill(signal);
    process.once("SIGINT", end);
    process.once("SIGTERM", end);
    child.once("error", (error) => reject(new SetupError(`${command} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      process.removeListener("SIGINT", end);
      process.removeListener("SIGTERM", end);
      if (code === 0) resolve();
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
