/** What every command is handed: its arguments, where it writes, and the machine. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Parsed } from "./args.ts";

export interface World {
  readonly args: Parsed;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A line on stdout: answers, and nothing else. */
  readonly out: (line: string) => void;
  /** A line on stderr: words for a person. */
  readonly err: (line: string) => void;
  readonly paths: Paths;
}

/** Where everything lies. */
export interface Paths {
  readonly home: string;
  /** The device server's folder; BB_BOX_DEVICE_HOME moves it alone. */
  readonly device: string;
  readonly host: string;
  readonly logs: string;
}

export function pathsOf(args: Parsed, env: World["env"]): Paths {
  const home = resolve(args.options.get("home") ?? env["BB_BOX_HOME"] ?? join(homedir(), ".bb-box"));
  return {
    home,
    device: resolve(env["BB_BOX_DEVICE_HOME"] ?? join(home, "device")),
    host: join(home, "host"),
    logs: join(home, "logs"),
  };
}

/** Everything that --json prints was printed already. */
export const NOTHING: object = {};

/** An error whose words are all a person needs, and the exit code that goes with it. */
export class CommandError extends Error {
  readonly code: number;
  /** What --json prints in its place; null: the words as an error. */
  readonly json: object | null;
  constructor(words: string, code: number, json: object | null = null) {
    super(words);
    this.name = "CommandError";
    this.code = code;
    this.json = json;
  }
}
