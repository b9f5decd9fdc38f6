/** What the host is handed from outside. */
import type { Duplex } from "node:stream";
import type { Timers } from "#launch/timers.ts";

export type LogLevel = "info" | "warn" | "error";
/** Never a token, never text that a person typed. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface Clock extends Timers {
  /** Wall-clock milliseconds. */
  wall(): number;
}

/** What came of a command in a box. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Written to its standard input, whole. */
  readonly input?: Uint8Array;
  readonly deadlineMs: number;
}

/** How one box is reached: a byte stream to its device socket, and its command transport. */
export interface Backend {
  readonly kind: "local" | "ssh";
  /** A stream to the device socket. Rejects with words that say what to do. */
  connect(signal: AbortSignal): Promise<Duplex>;
  /** Runs when a server may have come up just now; answers what ends it. */
  watch?(run: () => void): () => void;
  /** A shell script in the box (sh). Rejects in words when the box cannot be reached or the deadline passes. */
  run(script: string, options: RunOptions): Promise<Ran>;
  /** Ends what is held open towards the box. */
  close(): Promise<void>;
}
