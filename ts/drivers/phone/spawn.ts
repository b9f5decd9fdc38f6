/** The test phone's real surroundings: timers, and a process of its own that outlives whoever starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";

import { DeviceError } from "#core/errors.ts";

import type { PhoneDriverParts } from "./driver.ts";
import type { StartedPhone } from "./life.ts";
import { makeFolders, phonePlaces } from "./places.ts";

/** A start that is given up is part of an end, which takes two seconds at most. */
const ASKED_MS = 500;

export interface PhoneCommand {
  /** What runs `test-phone`, such as node and the bundle with the command's name. */
  readonly command: readonly [string, ...string[]];
  readonly scene: "demo" | "still" | "busy";
  readonly seed?: number;
  /** Frames a second while something moves. */
  readonly fps?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** `spawn`, `kill` and `timers` of a driver's parts, for real. */
export function realPhoneParts(options: PhoneCommand): Pick<PhoneDriverParts, "spawn" | "kill" | "timers"> {
  return {
    timers: {
      after(ms, call) {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
    },
    kill(pid) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    },
    spawn: (home, model) => spawnPhone(options, home, model),
  };
}

function spawnPhone(options: PhoneCommand, home: string, model: string): Promise<StartedPhone> {
  const [file, ...before] = options.command;
  const places = phonePlaces(home, model);
  makeFolders(places);
  // What it says when it breaks; begun anew at each start, so it cannot grow for ever.
  const log = openSync(places.log, "w", 0o600);
  const args = [...before, "--home", home, "--model", model, "--scene", options.scene];
  if (options.seed !== undefined) args.push("--seed", String(options.seed));
  if (options.fps !== undefined) args.push("--fps", String(options.fps));
  return new Promise((resolve, reject) => {
    // A session of its own: neither a closed terminal nor the end of this process's group reaches it.
    const child = spawn(file, args, {
      detached: true,
      stdio: ["ignore", "ignore", log],
      ...(options.env === undefined ? {} : { env: options.env }),
    });
    closeSync(log);
    child.once("error", (error) => reject(new DeviceError("failed", `The test phone's process could not be started: ${error.message}.`)));
    child.once("spawn", () => {
      child.unref();
      resolve({ end: () => endPhone(child) });
    });
  });
}

/** It keeps what it has when it is asked to end; one that does not is killed. */
async function endPhone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const kill = setTimeout(() => child.kill("SIGKILL"), ASKED_MS);
  child.ref();
  child.kill("SIGTERM");
  await ended;
  clearTimeout(kill);
}
