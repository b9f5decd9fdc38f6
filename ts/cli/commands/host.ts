/** `host`: the panel, until it is told to end. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { HostClient } from "#cli/host-client.ts";
import { listenForEnd } from "#cli/ending.ts";
import { makeLog } from "#cli/log.ts";
import { readRunning, removeRunning, writeRunning } from "#cli/running.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";
import { openHost } from "#host/host.ts";
import { readBoxes } from "#host/boxes-file.ts";
import { bundleSource } from "#host/delivery/source.ts";
import { newKeys, readKeys } from "#host/keys.ts";
import type { Clock } from "#host/ports.ts";
import { readStatic } from "#host/static.ts";
import { platformName } from "#native/load.ts";
import { systemTimers } from "#launch/timers.ts";

export const DEFAULT_PORT = 4710;
/** Set by `start`: the keys in the home are of this start, so that a host that is started again takes the same link. */
export const KEEP_KEYS = "BB_BOX_KEEP_KEYS";

const clock: Clock = { ...systemTimers, wall: () => Date.now() };

export async function host(world: World): Promise<void> {
  const { paths } = world;
  const ending = listenForEnd();
  const log = makeLog("host", process.stderr.isTTY === true && ending.parent === null);
  const before = readRunning(paths.host);
  if (before !== null && before.pid !== process.pid && (await new HostClient(before).alive())) {
    throw new CommandError(`A host already runs on this home: ${before.url}`, EXIT.inUse);
  }
  const kept = world.env[KEEP_KEYS] === "1" ? readKeys(paths.host) : null;
  const keys = kept ?? newKeys(paths.host);
  const open = await openHost({
    home: paths.host,
    boxes: readBoxes({ home: paths.home, deviceHome: paths.device, clock }),
    keys,
    files: readStatic(viewerFolder(world.env)),
    port: portOf(world),
    source: bundleSource(fileURLToPath(import.meta.url), platformName()),
    clock,
    log,
  });
  const running = { pid: process.pid, port: open.port, token: keys.token, url: open.url };
  try {
    writeRunning(paths.host, running);
    log("info", `The panel listens on 127.0.0.1:${open.port}.`);
    if (world.args.flags.has("json")) world.out(JSON.stringify({ ready: true, url: open.url, token: keys.token, port: open.port }));
    else if (ending.parent === null) world.out(open.url);
    ending.parent?.tell({ ready: { port: open.port, url: open.url, token: keys.token } });
    log("info", `Ending: ${await ending.told}.`);
  } finally {
    removeRunning(paths.host, process.pid);
    await open.close();
  }
}

/** The port that was asked for; `start` passes the one it had, so that a host started again keeps its link. */
export function portOf(world: World): number {
  const text = world.args.options.get("port");
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new CommandError("--port takes a number from 0 to 65535.", EXIT.usage);
  return port;
}

/** The viewer's bundle lies beside this program's. */
function viewerFolder(env: World["env"]): string {
  return env["BB_BOX_VIEWER"] ?? join(dirname(fileURLToPath(import.meta.url)), "viewer");
}
