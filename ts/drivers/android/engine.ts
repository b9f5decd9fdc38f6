/**
 * Is a process an emulator's? An emulator that crashed leaves its discovery file behind, and its process id comes round again: the file
 * then names whatever program has that id now.
 */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import type { Outside } from "./outside.ts";

/** A clock's step and a file system's rounding. */
const SLACK_MS = 2_000;
/** The kernel's ticks a second in /proc, on every architecture that an emulator runs on. */
const TICKS = 100;
const LISTEN_MS = 200;

/** What a discovery file claims: its process, the console that it listens at, and when it was written, wall-clock ms. */
export interface Claim {
  readonly pid: number;
  readonly consolePort: number;
  readonly writtenMs: number;
}

/** Could this process have written that file? Where the system does not tell, yes: a running emulator is never denied on a guess. */
export async function couldHaveWritten(outside: Outside, { pid, consolePort, writtenMs }: Claim): Promise<boolean> {
  if (await isOther(outside, pid)) return false;
  const begunMs = await begun(outside, pid);
  if (begunMs === null || begunMs <= writtenMs + SLACK_MS) return true;
  // Another emulator under the old one's id, or a clock that was set since: an emulator listens at its console for as long as it runs.
  return (await outside.ask(consolePort, "", LISTEN_MS)) !== null;
}

/** Does this process run, and something else than an emulator? */
export async function isOther(outside: Outside, pid: number): Promise<boolean> {
  const command = await commandOf(outside, pid);
  return command !== null && !namesEmulator(command);
}

/** The words of a command line up to its first option name an emulator's engine or its launcher, or a script of that name. */
export function namesEmulator(command: readonly string[]): boolean {
  const option = command.findIndex((word) => word.startsWith("-"));
  return command.slice(0, option < 0 ? undefined : option).some((word) => /^(qemu-system|emulator)/.test(basename(word)));
}

/** null: the system does not tell. */
async function commandOf(outside: Outside, pid: number): Promise<readonly string[] | null> {
  if (outside.platform === "linux") {
    const text = await readFile(join(outside.proc, String(pid), "cmdline"), "utf8").catch(() => "");
    // A process that is ending has no command line any more, and a kernel's thread never had one.
    return text === "" ? null : text.split("\0").filter((word) => word !== "");
  }
  if (outside.platform !== "darwin") return null;
  const ran = await outside.run("ps", ["-ww", "-o", "command=", "-p", String(pid)], { timeoutMs: 5_000 }).catch(() => null);
  const text = ran?.stdout.trim() ?? "";
  return text === "" ? null : text.split(" ");
}

/** When a process began, wall-clock ms; null where the system does not tell. */
async function begun(outside: Outside, pid: number): Promise<number | null> {
  if (outside.platform !== "linux") return null;
  const read = (path: string) => readFile(join(outside.proc, path), "utf8").catch(() => "");
  const [stat, system] = await Promise.all([read(`${pid}/stat`), read("stat")]);
  // The name in brackets may hold anything; what is counted comes after it, the start as the 20th.
  const ticks = Number(
    stat
      .slice(stat.lastIndexOf(")") + 1)
      .trim()
      .split(" ")[19],
  );
  const bootS = Number(/^btime (\d+)$/m.exec(system)?.[1]);
  return Number.isFinite(ticks) && Number.isFinite(bootS) ? (bootS + ticks / TICKS) * 1_000 : null;
}
