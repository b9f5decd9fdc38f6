/** One child process, as far as it is watched: a port, and Node's own child processes behind it. */
import { spawn } from "node:child_process";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

export interface Running {
  readonly pid: number | null;
  /** To the whole group; false when nothing of it runs any more. */
  signal(signal: NodeJS.Signals): boolean;
  readonly ended: Promise<Ended>;
}

export interface Spawned {
  /** One line of what it wrote, without the line's end. */
  readonly line: (line: string) => void;
  /** A message over the channel that only the child has. */
  readonly message: (message: unknown) => void;
}

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Starts a process; hands over what it says. */
export type Spawn = (command: Command, said: Spawned) => Running;

const LINE_CHARS_MAX = 64 * 1024;

/**
 * A child in a process group of its own, so that Ctrl-C in the terminal reaches only its parent, who ends it in order. It has a channel to
 * its parent and sees it close when the parent is gone, however that ended.
 */
export const spawnGroup: Spawn = (command, said) => {
  const child = spawn(command.command, [...command.args], {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    windowsHide: true,
  });
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) readLines(stream, said.line);
  child.on("message", said.message);
  const ended = new Promise<Ended>((resolve) => {
    child.once("error", (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid ?? null,
    ended,
    signal: (signal) => (child.pid === undefined ? false : signalGroup(child.pid, signal)),
  };
};

/** Sends a signal to a process group; false when it is gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** Is there a process of this id that we may signal? */
export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Splits a stream into lines; a line longer than the bound is handed over in pieces. */
export function readLines(stream: NodeJS.ReadableStream, line: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    rest += chunk;
    let from = 0;
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      line(rest.slice(from, end).replace(/\r$/, ""));
      from = end + 1;
    }
    rest = rest.slice(from);
    while (rest.length > LINE_CHARS_MAX) {
      line(rest.slice(0, LINE_CHARS_MAX));
      rest = rest.slice(LINE_CHARS_MAX);
    }
  });
  stream.on("end", () => {
    if (rest !== "") line(rest);
    rest = "";
  });
  stream.on("error", () => {});
}
