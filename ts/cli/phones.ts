/** Test phones of a device home that outlived their server: asked to end, each by its own socket. */
import { lstatSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { readJsonFile, removeFile, textField } from "#host/state-files.ts";
import { alive } from "#launch/process.ts";
import { pause, type Timers } from "#launch/timers.ts";

const ASKED_MS = 700;
const LOOK_MS = 10;

interface FoundPhone {
  readonly pid: number;
  readonly socket: string;
  /** The file that tells of it. */
  readonly discovery: string;
}

/** Phones that a discovery file tells of, alive or not. */
function findPhones(deviceHome: string): readonly FoundPhone[] {
  const run = join(deviceHome, "run");
  let names: string[];
  try {
    names = readdirSync(run).filter((name) => /^phone-.*\.json$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const discovery = join(run, name);
    const value = readJsonFile(discovery);
    const socket = textField(value, "socket");
    const pid = typeof value === "object" && value !== null ? (value as { readonly pid?: unknown }).pid : undefined;
    return socket !== null && typeof pid === "number" ? [{ pid, socket, discovery }] : [];
  });
}

/**
 * Resolves when none is left, nor what a dead one left behind. One that does not end when asked is killed: only what answered on a phone's
 * socket is.
 */
export async function endPhones(deviceHome: string, timers: Timers): Promise<void> {
  await Promise.all(
    findPhones(deviceHome).map(async (phone) => {
      if (alive(phone.pid)) await endPhone(phone, timers);
      removeFile(phone.discovery);
      if (lstatSync(phone.socket, { throwIfNoEntry: false })?.isSocket() === true) removeFile(phone.socket);
    }),
  );
}

async function endPhone({ pid, socket }: FoundPhone, timers: Timers): Promise<void> {
  // A process id may have been given to somebody else since; the socket is the phone's alone.
  if (!(await askToEnd(socket))) return;
  const until = timers.now() + ASKED_MS;
  while (alive(pid)) {
    if (timers.now() > until) {
      process.kill(pid, "SIGKILL");
      return;
    }
    await pause(timers, LOOK_MS);
  }
}

function askToEnd(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let reached = false;
    socket.once("connect", () => {
      reached = true;
      socket.write(`${JSON.stringify({ id: 1, ask: "shutdown" })}\n`);
    });
    // Its answer, or its end: either way it heard.
    socket.once("data", () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(reached));
    socket.setTimeout(ASKED_MS, () => socket.destroy());
  });
}
