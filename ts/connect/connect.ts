/**
 * `bb-box-device connect`: joins stdin and stdout to the device server's socket, starting its service first when it is not running.
 * Stdout carries the protocol and nothing else; words go to stderr. Imports Node alone, since every viewer waits for its start.
 */
import { execFile } from "node:child_process";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { manager, type RunCommand, type ServiceManager } from "./service.ts";

/** From starting the service to its socket. */
const START_MS = 15_000;
const POLL_MS = 50;
/** How often the service is asked about while its socket is waited for. */
const LOOK_MS = 1000;

export interface ConnectOptions {
  /** The device server's folder, which holds device.sock. */
  readonly home: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly platform?: NodeJS.Platform;
  /** Runs one command; handed in so that a test can stand in for the service manager. */
  readonly run?: RunCommand;
}

/** Resolves with the exit code: 0 when either end closed, 1 when there is no server to join, with words on stderr. */
export async function runConnect(options: ConnectOptions): Promise<number> {
  const path = join(options.home, "device.sock");
  const service = manager(options.platform ?? process.platform, options.home, options.run ?? runCommand);
  try {
    const socket = (await tryConnect(path)) ?? (await startAndConnect(path, service));
    await joinEnds(socket, options.stdin, options.stdout);
    return 0;
  } catch (error) {
    options.stderr.write(`bb-box-device connect: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function startAndConnect(path: string, service: ServiceManager): Promise<Socket> {
  const found = await service.look();
  if (found.is === "none") throw new Error(`No device server listens on ${path}. ${found.words}`);
  if (found.is === "given-up") throw new Error(found.words);
  if (found.is === "inactive") await service.start();
  const endMs = Date.now() + START_MS;
  let lookAtMs = Date.now() + LOOK_MS;
  for (;;) {
    const socket = await tryConnect(path);
    if (socket !== null) return socket;
    if (Date.now() > endMs)
      throw new Error(`The device server's service runs, but nothing listens on ${path} after ${START_MS / 1000} s. See: ${service.logs}`);
    if (Date.now() >= lookAtMs) {
      lookAtMs = Date.now() + LOOK_MS;
      const now = await service.look();
      if (now.is === "given-up") throw new Error(now.words);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Null when nobody listens there. Rejects in words for anything else. */
function tryConnect(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path, allowHalfOpen: true });
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") resolve(null);
      else if (error.code === "EACCES" || error.code === "EPERM")
        reject(new Error(`The device server's socket ${path} belongs to another user. Connect as the user that runs it.`));
      else reject(new Error(`The device server's socket ${path} cannot be reached: ${error.message}`));
    });
  });
}

/** Bytes both ways, at the slower end's pace, until either end is done. */
function joinEnds(socket: Socket, stdin: Readable, stdout: Writable): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stdin.unpipe(socket);
      socket.destroy();
      resolve();
    };
    socket.on("error", end);
    // A reader that went away (EPIPE) is an ordinary end.
    stdout.on("error", end);
    stdin.on("error", () => socket.end());
    socket.on("close", end);
    // What the server said last is on its way to stdout when its end comes; resolve once stdout has it.
    socket.on("end", () => stdout.write("", () => end()));
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
  });
}

const runCommand: RunCommand = (command, args) =>
  new Promise((resolve) => {
    const uid = process.getuid?.() ?? 0;
    // Over SSH without PAM nothing sets it, and systemctl --user cannot find its manager without.
    const env = { ...process.env, XDG_RUNTIME_DIR: process.env["XDG_RUNTIME_DIR"] ?? `/run/user/${uid}` };
    execFile(command, [...args], { env, timeout: START_MS }, (error, stdout, stderr) => {
      const missing = (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
      resolve({ ok: error === null, missing, stdout, stderr: stderr.trim() });
    });
  });
