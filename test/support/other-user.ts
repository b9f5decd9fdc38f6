/** A user of this machine with an empty home, for one test; root only. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { onTestFinished } from "vitest";

export interface OtherUser {
  readonly name: string;
  readonly home: string;
  readonly uid: number;
}

export function makeUser(): OtherUser {
  const name = `bbt${randomBytes(4).toString("hex")}`;
  const home = `/home/${name}`;
  run("useradd", ["--create-home", "--home-dir", home, "--shell", "/bin/sh", "--password", "*", name]);
  const uid = statSync(home).uid;
  onTestFinished(() => {
    // A process may start another while it is being ended.
    for (let pids = processesOf(uid); pids.length > 0; pids = processesOf(uid)) for (const pid of pids) end(pid);
    run("userdel", ["--remove", name]);
  });
  return { name, home, uid };
}

/** Live processes of a user, zombies left out. */
export function processesOf(uid: number): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      if (statSync(`/proc/${entry}`).uid !== uid) return [];
      const status = readFileSync(`/proc/${entry}/status`, "utf8");
      return !/^State:\s+Z/m.test(status) ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, [...args], { encoding: "utf8" });
  if (done.status !== 0 && !done.stderr.includes("mail spool")) throw new Error(`${command} failed: ${done.stderr}`);
}
