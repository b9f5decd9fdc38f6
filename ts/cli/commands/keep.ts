/** `serve --keep`: keeps the device server of a box up where no service manager does, and starts it anew when it is told to. */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { Keeper } from "#launch/keeper.ts";
import { LogFile } from "#launch/log-file.ts";
import { spawnGroup } from "#launch/process.ts";
import { SERVER_NODE_ARGS } from "#launch/server-heap.ts";
import { systemTimers } from "#launch/timers.ts";
import { listenForEnd } from "#cli/ending.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";

const STOP_MS = 3_000;

export async function keep(world: World): Promise<void> {
  const { paths, args } = world;
  const ending = listenForEnd();
  mkdirSync(paths.device, { recursive: true, mode: 0o700 });
  const path = join(paths.device, "keeper.sock");
  if (await answers(path)) throw new CommandError(`The device server of ${paths.device} is kept up already.`, EXIT.inUse);
  rmSync(path, { force: true });
  const log = new LogFile(join(paths.logs, "device.log"));
  // What `current` points at now, not what it pointed at when this began.
  const current = join(paths.device, "server/current/bb-box-device.mjs");
  const passed = ["device", "model", "scene", "fps"].flatMap((name) => {
    const value = args.options.get(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const make = () =>
    new Keeper({
      name: "the device server",
      command: () => ({ command: process.execPath, args: [...SERVER_NODE_ARGS, current, "serve", "--home", paths.home, ...passed] }),
      spawn: spawnGroup,
      timers: systemTimers,
      ready: () => null,
      line: (line) => log.write(line),
    });
  let keeper = make();
  let stopping = Promise.resolve();
  const again = () => {
    stopping = stopping.then(async () => {
      await keeper.stop(STOP_MS);
      // A new one: what gave up with the last version may well come up with this one.
      keeper = make();
      keeper.start();
    });
    return stopping;
  };
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => void again().then(() => socket.end("ok\n")));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  keeper.start();
  await ending.told;
  server.close();
  await stopping;
  await keeper.stop(STOP_MS);
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
