/** The world outside this process, as this driver uses it: handed in, so that a test can hold it. */
import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { connect, createServer } from "node:net";
import { homedir, tmpdir } from "node:os";

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** null when the process was ended by a signal or its deadline. */
  readonly code: number | null;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Outside {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly uid: number;
  readonly home: string;
  readonly temporary: string;
  /** Where the system keeps users' runtime folders: /run/user on Linux. */
  readonly runUser: string;
  /** Where Linux tells of processes: /proc. */
  readonly proc: string;
  /** Runs to the end. Rejects only when the program cannot be started. */
  run(file: string, args: readonly string[], options: RunOptions): Promise<Ran>;
  /** Starts a process in a session of its own that outlives this one; its output goes to the file. */
  start(
    file: string,
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string | undefined>>; readonly logPath: string },
  ): number;
  /** Is this process there? One of another user's counts. */
  alive(pid: number): boolean;
  /** A signal to the process and to all of the group that it leads; one that is gone is no error. */
  signal(pid: number, signal: "SIGTERM" | "SIGKILL"): void;
  /** Can this loopback port be listened on? Told by listening there, since what has a port need not answer on it. */
  free(port: number): Promise<boolean>;
  /** Sends bytes to a loopback port and answers what comes back until it closes; null when nothing listens. */
  ask(port: number, bytes: string, timeoutMs: number): Promise<string | null>;
  /** Resolves after the time, or rejects as the signal does. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls after the time; the answer stops it. */
  later(ms: number, call: () => void): () => void;
}

/** The real one. */
export function realOutside(env: Readonly<Record<string, string | undefined>> = process.env): Outside {
  return {
    env,
    platform: process.platform,
    uid: process.getuid?.() ?? 0,
    home: env.HOME ?? homedir(),
    temporary: env.TMPDIR ?? tmpdir(),
    runUser: "/run/user",
    proc: "/proc",
    run: runProcess,
    start: startProcess,
    alive: isAlive,
    signal: signalAll,
    free: isFree,
    ask: askPort,
    wait,
    later,
  };
}

function runProcess(file: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      [...args],
      {
        timeout: options.timeoutMs,
        killSignal: "SIGKILL",
        maxBuffer: 32 * 1024 * 1024,
        encoding: "utf8",
        ...(options.env === undefined ? {} : { env: options.env as NodeJS.ProcessEnv }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ stdout, stderr, code: 0 });
        if (options.signal?.aborted === true) return reject(error);
        if (typeof error.code === "number") return resolve({ stdout, stderr, code: error.code });
        if (error.killed === true || error.signal !== undefined) return resolve({ stdout, stderr, code: null });
        reject(error);
      },
    );
    // A child that never reads its input must not be waited for by it.
    child.stdin?.end();
  });
}

function startProcess(
  file: string,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly logPath: string },
): number {
  const log = openSync(options.logPath, "a", 0o600);
  try {
    const child = spawn(file, [...args], { detached: true, stdio: ["ignore", log, log], env: options.env as NodeJS.ProcessEnv });
    // Its end shows in its discovery file and its process id; a failed start shows as no id.
    child.on("error", () => {});
    child.unref();
    return child.pid ?? 0;
  } finally {
    closeSync(log);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function signalAll(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  for (const id of [-pid, pid]) {
    try {
      process.kill(id, signal);
    } catch {
      // It leads no group, or is gone.
    }
  }
}

async function isFree(port: number): Promise<boolean> {
  // Where a socket may share its port with one of a wider address, only the answer tells.
  if ((await askPort(port, "", 50)) !== null) return false;
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has nobody on its loopback.
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT"));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function askPort(port: number, bytes: string, timeoutMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let answer = "";
    const end = (value: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(() => end(answer), timeoutMs);
    socket.setEncoding("utf8");
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (text: string) => (answer += text));
    socket.on("end", () => end(answer));
    socket.on("error", () => end(answer === "" ? null : answer));
  });
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const stopped = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stopped);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stopped, { once: true });
  });
}

function later(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
