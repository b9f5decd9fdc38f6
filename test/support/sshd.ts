/** Debian's real sshd on loopback, with keys of its own, for one user; ended by its id. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Sshd {
  readonly port: number;
  /** `ssh` arguments that reach it as this user without asking anything; the command follows. */
  args(user?: string): readonly string[];
  stop(): Promise<void>;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function keygen(file: string): void {
  const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr.toString()}`);
}

/** Resolves when sshd says that it listens. Any user of the machine may log in with the one key. */
export async function startSshd(): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), "bb-sshd-"));
  chmodSync(folder, 0o755);
  mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  keygen(join(folder, "host"));
  keygen(join(folder, "user"));
  writeFileSync(join(folder, "authorized"), readFileSync(join(folder, "user.pub")), { mode: 0o644 });
  const port = await freePort();
  writeFileSync(
    join(folder, "config"),
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${join(folder, "host")}`,
      `AuthorizedKeysFile ${join(folder, "authorized")}`,
      "PermitRootLogin yes",
      "PasswordAuthentication no",
      "UsePAM no",
      "StrictModes no",
      "MaxStartups 100",
      `PidFile ${join(folder, "pid")}`,
      "",
    ].join("\n"),
  );
  const child: ChildProcess = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", join(folder, "config")], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`sshd ended: ${said}`)));
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes("Server listening")) resolve();
    });
  });
  return {
    port,
    args: (user = "root") => [
      ...["-T", "-p", String(port), "-i", join(folder, "user"), "-F", "/dev/null"],
      ...[
        "-o",
        "BatchMode=yes",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        `UserKnownHostsFile=${join(folder, "known")}`,
        "-o",
        "LogLevel=ERROR",
      ],
      `${user}@127.0.0.1`,
    ],
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("close");
        child.once("close", () => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        child.kill("SIGTERM");
      }),
  };
}
