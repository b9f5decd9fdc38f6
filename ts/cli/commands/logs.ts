/** `logs`: the last lines of what the device server and the host wrote. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";

export const LOG_NAMES = ["device", "host"] as const;
const TAIL_BYTES = 512 * 1024;

export function logs(world: World): Promise<void> {
  const wanted = Number(world.args.options.get("lines") ?? 100);
  if (!Number.isInteger(wanted) || wanted < 1) throw new CommandError("--lines takes a whole number from 1.", EXIT.usage);
  const lines = LOG_NAMES.flatMap((name) => tail(join(world.paths.logs, `${name}.log`)).map((line) => readLine(name, line)));
  // Of one file they are in order already; sort is stable.
  const last = lines.sort((a, b) => a.time - b.time).slice(-wanted);
  if (world.args.flags.has("json")) world.out(JSON.stringify({ lines: last }));
  else if (last.length === 0) world.err(`There are no logs in ${world.paths.logs} yet.`);
  else for (const line of last) world.out(lineWords(line));
  return Promise.resolve();
}

export interface LogLine {
  readonly from: string;
  /** Wall-clock milliseconds; 0 when the line says none. */
  readonly time: number;
  readonly level: string;
  readonly message: string;
}

const LEVELS: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };

/** A line of pino's JSON, or any other. */
export function readLine(from: string, line: string): LogLine {
  try {
    const value = JSON.parse(line) as { readonly time?: unknown; readonly level?: unknown; readonly msg?: unknown };
    if (typeof value.msg === "string" && typeof value.time === "number") {
      return { from, time: value.time, level: LEVELS[Number(value.level)] ?? "info", message: value.msg };
    }
  } catch {
    // Not ours: it is shown as it is.
  }
  return { from, time: 0, level: "info", message: line };
}

export function lineWords({ from, time, level, message }: LogLine): string {
  const when = time === 0 ? " ".repeat(24) : new Date(time).toISOString();
  return `${when} ${from.padEnd(6)} ${level.padEnd(5)} ${message}`;
}

function tail(path: string): string[] {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    const got = readSync(fd, bytes, 0, bytes.byteLength, from);
    const lines = bytes.subarray(0, got).toString("utf8").split("\n");
    // The first may be cut.
    return (from === 0 ? lines : lines.slice(1)).filter((line) => line !== "");
  } finally {
    closeSync(fd);
  }
}
