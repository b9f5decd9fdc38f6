/** A real sshd on loopback with a key of its own, for one test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "./ports.ts";
import { temporaryFolder } from "./temp.ts";

export interface Sshd {
  readonly port: number;
  readonly user: string;
  /** The private key that it lets in. */
  readonly identity: string;
  /** `-o` options that make ssh take this server alone. */
  readonly options: readonly string[];
  /** Ends the server and every connection. */
  stop(): Promise<void>;
}

/** Resolves once it listens. `user`: whom it lets in; this process's user by default. */
export async function startSshd(user: string = userInfo().username): Promise<Sshd> {
  const folder = temporaryFolder("sshd");
  // sshd reads the authorised keys as the user who logs in.
  chmodSync(folder, 0o755);
  const key = (name: string) => {
    const path = join(folder, name);
    const made = spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
    if (made.status !== 0) throw new Error(`ssh-keygen failed: ${String(made.stderr)}`);
    return path;
  };
  const hostKey = key("host");
  const identity = key("client");
  const authorized = join(folder, "authorized");
  writeFileSync(authorized, spawnSync("cat", [`${identity}.pub`]).stdout);
  chmodSync(authorized, 0o644);
  if (process.getuid?.() === 0 && !existsSync("/run/sshd")) mkdirSync("/run/sshd", { mode: 0o755 });
  const port = await freePort();
  const config = join(folder, "sshd_config");
  writeFileSync(
    config,
    [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${authorized}`,
      "StrictModes no",
      "UsePAM no",
      "PasswordAuthentication no",
      "PermitRootLogin prohibit-password",
      `PidFile ${join(folder, "pid")}`,
      "MaxStartups 100",
      "MaxSessions 100",
      "LogLevel ERROR",
      "",
    ].join("\n"),
  );
  const server: ChildProcess = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", config], { stdio: ["ignore", "ignore", "pipe"], detached: true });
  let said = "";
  server.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const stop = async () => {
    try {
      // Its connections are processes of its group.
      process.kill(-(server.pid ?? 0), "SIGKILL");
    } catch {
      // It is gone.
    }
    await ended;
  };
  onTestFinished(stop);
  await Promise.race([
    listening(port),
    ended.then(() => {
      throw new Error(`sshd ended: ${said}`);
    }),
  ]);
  const known = join(folder, "known_hosts");
  writeFileSync(known, `[127.0.0.1]:${port} ${String(spawnSync("cut", ["-d ", "-f1,2", `${hostKey}.pub`]).stdout)}`);
  return { port, user, identity, options: [`UserKnownHostsFile=${known}`, "StrictHostKeyChecking=yes", "LogLevel=ERROR"], stop };
}

/** Tried until something answers: sshd says nothing when it is ready. */
function listening(port: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const socket = createConnection({ port, host: "127.0.0.1" });
      socket.once("connect", () => {
        socket.destroy();
        resolve();
      });
      socket.once("error", () => setImmediate(look));
    };
    look();
  });
}
