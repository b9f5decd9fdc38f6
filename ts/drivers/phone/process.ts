/**
 * The test phone's process (`bb-box-device test-phone`): a phone that lives on when the device server that started it dies,
 * as an emulator does.
 */
import { chmodSync, existsSync, lstatSync, renameSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";

import { DeviceError } from "#core/errors.ts";
import type { Binding } from "#native/binding.ts";

import { Lines } from "./lines.ts";
import { TestPhone, type PhoneClock } from "./phone.ts";
import { makeFolders, phonePlaces, removeStaleSocket, type PhonePlaces } from "./places.ts";
import { LONGEST_LINE, readRequest, wordsOf } from "./protocol.ts";
import { readFps } from "./rate.ts";
import { readIfThere, writePrivate } from "./saved.ts";

/** Bytes a client may leave unread before it is cut off: frames' notices are small, trees are the largest answers. */
const MOST_UNREAD = 16 * 1024 * 1024;
/** How often it is seen whether the socket still has its name: without it nobody can find the phone, or end it. */
const LOOK_MS = 1000;

export interface TestPhoneOptions {
  /** The device home. */
  readonly home: string;
  readonly model: string;
  readonly scene: "demo" | "still" | "busy";
  readonly seed?: number;
  /** Frames a second while something moves, at most FPS_MAX; that when left out. */
  readonly fps?: number;
}

export interface TestPhoneWorld {
  readonly binding: Pick<Binding, "Phone" | "lock">;
  readonly clock: PhoneClock;
  readonly pid: number;
  /** Ends in order when called back: SIGTERM, SIGINT. */
  onEnd(call: () => void): void;
  crash(): void;
}

/** The real clock, pid and signals. */
export function testPhoneWorld(binding: Pick<Binding, "Phone" | "lock">): TestPhoneWorld {
  return {
    binding,
    pid: process.pid,
    clock: realClock(),
    onEnd(call) {
      process.once("SIGTERM", call);
      process.once("SIGINT", call);
      // The terminal it was started from may go; the phone stays.
      process.on("SIGHUP", () => undefined);
    },
    crash: () => process.kill(process.pid, "SIGKILL"),
  };
}

export function realClock(): PhoneClock {
  return {
    now: () => Number(process.hrtime.bigint()) / 1e6,
    wall: () => Date.now() - new Date().getTimezoneOffset() * 60_000,
    after(ms, call) {
      // What keeps the process alive is its socket; a timer still waiting must not outlive that.
      const timer = setTimeout(call, ms).unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Reads `--home DIR --model NAME [--scene demo|still|busy] [--seed N] [--fps N]`. Throws DeviceError in words. */
export function readPhoneArguments(argv: readonly string[]): TestPhoneOptions {
  const given = new Map<string, string>();
  for (let at = 0; at < argv.length; at += 2) {
    const [name = "", value] = argv.slice(at, at + 2);
    if (!["--home", "--model", "--scene", "--seed", "--fps"].includes(name) || value === undefined) {
      throw new DeviceError(
        "bad-value",
        `test-phone takes --home DIR, --model NAME, --scene demo|still|busy, --seed N and --fps N, not ${name}.`,
      );
    }
    given.set(name, value);
  }
  const home = given.get("--home");
  if (home === undefined) throw new DeviceError("bad-value", "test-phone needs --home DIR, the device home it belongs to.");
  const scene = given.get("--scene") ?? "demo";
  if (scene !== "demo" && scene !== "still" && scene !== "busy") {
    throw new DeviceError("bad-value", `A scene is demo, still or busy, not ${scene}.`);
  }
  const seed = Number(given.get("--seed") ?? 1);
  if (!Number.isSafeInteger(seed) || seed < 0 || seed > 0xffffffff) throw new DeviceError("bad-value", "A seed is a whole number.");
  const fps = given.get("--fps");
  return { home, model: given.get("--model") ?? "Test device", scene, seed, ...(fps === undefined ? {} : { fps: readFps(fps) }) };
}

/** Runs until it is told to end; the answer is the exit code. What stopped it from starting lies in the run folder, in words. */
export async function runTestPhone(options: TestPhoneOptions, world: TestPhoneWorld): Promise<number> {
  const places = phonePlaces(options.home, options.model);
  makeFolders(places);
  rmSync(places.failure, { force: true });
  try {
    return await live(options, world, places);
  } catch (error) {
    writePrivate(places.failure, wordsOf(error));
    return 1;
  }
}

async function live(options: TestPhoneOptions, world: TestPhoneWorld, places: PhonePlaces): Promise<number> {
  const { binding, clock, pid } = world;
  const lock = binding.lock(places.lock);
  if (lock === null) throw new DeviceError("busy", `A test phone "${options.model}" already runs in ${options.home}.`);
  const { model, scene } = options;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // From here on an end is in order, also one that comes in the middle of the start: nothing half written stays.
  world.onEnd(end);
  const phone = new TestPhone(
    {
      phone: new binding.Phone({ model, scene, wallMs: clock.wall() }),
      model,
      scene,
      pid,
      clock,
      ...(options.fps === undefined ? {} : { frameMs: 1000 / options.fps }),
      exists: existsSync,
      save: (text) => writePrivate(places.data, text),
      crash: () => world.crash(),
      // After the answer to it has gone out.
      shutdown: () => void clock.after(10, end),
    },
    readIfThere(places.data),
  );
  if (options.seed !== undefined) phone.seed(options.seed);
  const sockets = new Set<Socket>();
  // Under the lock, what is there is a dead phone's.
  removeStaleSocket(places.socket);
  const ours = inodeOf(places.lock);
  const appear = async (): Promise<Appearance> => {
    const server = createServer((socket) => serve(socket, phone, sockets));
    // A server that closes deletes the name that it listened on, also when that is another's by then: so not on the socket's own.
    const early = `${places.socket.slice(0, -".sock".length)}.new`;
    rmSync(early, { force: true });
    await listen(server, early);
    try {
      chmodSync(early, 0o600);
      renameSync(early, places.socket);
      writePrivate(places.discovery, JSON.stringify({ pid, socket: places.socket, model, started: clock.now() }));
    } catch (error) {
      server.close();
      throw error;
    }
    return { server, inode: inodeOf(places.socket) };
  };
  let there = await appear();
  const look = async (): Promise<void> => {
    const inode = inodeOf(places.socket);
    if (inode === there.inode) return;
    // Without the lock's own file this is no home of ours any more, even if one was made anew at its place.
    if (inodeOf(places.lock) !== ours) return void (sockets.size === 0 && end());
    if (inode !== null) return;
    const before = there.server;
    there = await appear();
    before.close();
  };
  const keepLooking = (): void => {
    // What goes wrong is tried again: those who are connected still have their phone.
    const again = () => (cancelLook = clock.after(LOOK_MS, keepLooking));
    look().then(again, again);
  };
  let cancelLook = clock.after(LOOK_MS, keepLooking);
  await ended;
  cancelLook();
  phone.close();
  // Before a client can see that the phone has gone. What is there by now may be of another phone, in a home made anew.
  if (inodeOf(places.socket) === there.inode) for (const path of [places.socket, places.discovery]) rmSync(path, { force: true });
  await new Promise<void>((resolve) => {
    there.server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
  lock.release();
  return 0;
}

interface Appearance {
  readonly server: Server;
  /** Of the socket, which names it. */
  readonly inode: number | null;
}

/** Null: nothing is there. */
function inodeOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function serve(socket: Socket, phone: TestPhone, sockets: Set<Socket>): void {
  sockets.add(socket);
  const send = (message: object): void => {
    if (!socket.writable) return;
    socket.write(`${JSON.stringify(message)}\n`);
    if (socket.writableLength > MOST_UNREAD) socket.destroy();
  };
  const client = { notice: send };
  phone.connected(client);
  const lines = new Lines(LONGEST_LINE, (line) => {
    // What comes after the line that closed it is not done.
    if (!socket.writable) return;
    const request = readRequest(line);
    const { id } = request;
    if (!("ask" in request)) {
      const closes = id === null ? " The connection is closed, since nobody could know whose answer this is." : "";
      send({ id, ok: false, code: "bad-value", words: `${request.words}${closes}` });
      if (id === null) socket.end(() => socket.destroy());
      return;
    }
    phone.handle(request, client).then(
      (result) => send({ id, ok: true, result }),
      (error: unknown) => send({ id, ok: false, code: error instanceof DeviceError ? error.code : "failed", words: wordsOf(error) }),
    );
  });
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    if (!lines.add(text)) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    sockets.delete(socket);
    phone.disconnected(client);
  });
}
