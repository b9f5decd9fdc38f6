/** How a process of ours is told to end: by a signal, or because the process that started it is gone. */
import { parentLink, type ParentLink } from "#launch/parent.ts";

export interface Ending {
  /** Resolves with why, once. */
  readonly told: Promise<string>;
  /** The process that started this one, if it is one of ours. */
  readonly parent: ParentLink | null;
}

export function listenForEnd(): Ending {
  const parent = parentLink();
  const told = new Promise<string>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
    parent?.gone(() => resolve("its parent is gone"));
  });
  // A terminal or a pipe that went away must not end us before we have put things away.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return { told, parent };
}
