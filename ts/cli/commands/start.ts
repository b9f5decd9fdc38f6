/** `start`: a device server and a host under one parent, the link, and an end that leaves nothing. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { EncoderInfo } from "#core/device.ts";
import { newKeys } from "#host/keys.ts";
import { removeFile } from "#host/state-files.ts";
import { GivenUpError, Keeper } from "#launch/keeper.ts";
import { LogFile } from "#launch/log-file.ts";
import { type Command, spawnGroup } from "#launch/process.ts";
import { SERVER_NODE_ARGS } from "#launch/server-heap.ts";
import { pause, systemTimers } from "#launch/timers.ts";
import { hasScreen, openLink, REDIRECT_KEPT_MS, redirectFile, systemDesktop, tunnelLine } from "#cli/browser.ts";
import { realOutside } from "#drivers/android/outside.ts";
import { CHOSEN_NOW, type ChosenDevice, chooseDevice } from "#cli/choose-device.ts";
import { listenForEnd } from "#cli/ending.ts";
import { makeHome } from "#cli/home.ts";
import { type BoxDetails, HostClient } from "#cli/host-client.ts";
import { type LOG_NAMES, readLine } from "#cli/commands/logs.ts";
import { KEEP_KEYS, portOf } from "#cli/commands/host.ts";
import { endPhones } from "#cli/phones.ts";
import { readRunning } from "#cli/running.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";
import { LOCAL_BOX } from "#host/boxes-file.ts";
import { checkSocketPath, socketPath } from "#server/home.ts";

interface Started {
  readonly url: string;
  readonly token: string;
  readonly socket: string;
  readonly device: string | null;
  readonly encoder: EncoderInfo | null;
}

/** `--json` promises a device to use: so long for one that boots fast; a slow one is said as it is. */
const BOOT_MS = 10_000;
/** A person sees it boot in the browser. */
const HELLO_MS = 3_000;
/** What another start on this home may take until its host listens. */
const OTHER_MS = 10_000;
const LOOK_MS = 25;
/** SIGTERM to the end of everything is under two seconds. */
const KILL_AFTER_MS = 1_200;
/** An emulator saves its snapshot first, within 30 s. */
const EMULATOR_KILL_AFTER_MS = 35_000;
/** What runs on is asked of a host that is about to end. */
const LAST_WORD_MS = 500;

export async function start(world: World): Promise<void> {
  const { args, env, paths } = world;
  portOf(world);
  const ending = listenForEnd();
  checkSocket(paths.device);
  makeHome(paths.home);
  const already = await running(world);
  if (already !== null) {
    world.err("It runs already on this home.");
    return say(world, already);
  }
  const chosen = await chooseDevice(
    {
      device: args.options.get("device") ?? (env["BB_BOX_DEVICE"] || undefined),
      model: args.options.get("model"),
      scene: args.options.get("scene"),
      fps: args.options.get("fps"),
    },
    realOutside(env),
  );
  const stopsDevice = args.flags.has("stop-device") || chosen.device === "test" || chosen.device === "fake-android";
  const toStop = stopsDevice && chosen.emulator?.is === "boot";
  const words = toStop ? `Booting ${chosen.emulator.name}; it is stopped at the end.` : chosen.words;
  if (words !== null) world.err(words);
  let chosenNow = chosen.emulator !== null;
  let port = args.options.get("port");
  const device = new Keeper({
    name: "the device server",
    command: () => {
      const once = chosenNow ? { [CHOSEN_NOW]: "1" } : {};
      chosenNow = false;
      return child("serve", serveArgs(world, chosen, stopsDevice), once, SERVER_NODE_ARGS);
    },
    spawn: spawnGroup,
    timers: systemTimers,
    ready: readyOf,
    fatal: new Map([
      [EXIT.inUse, `Another device server has ${paths.device}. Use that one, or start with another --home.`],
      [EXIT.usage, "See: bb-box-device start --help"],
      [EXIT.unfit, "The device server cannot run here; what it said stands above. See: bb-box-device doctor"],
    ]),
    line: logLine(world, "device"),
  });
  const hostKeeper = () =>
    new Keeper({
      name: "the host",
      command: () => child("host", ["--home", paths.home, ...(port === undefined ? [] : ["--port", port])], { [KEEP_KEYS]: "1" }),
      spawn: spawnGroup,
      timers: systemTimers,
      ready: readyOf,
      fatal: new Map([[EXIT.inUse, `Another host has ${paths.host}.`]]),
      line: logLine(world, "host"),
    });
  let host: Keeper | null = null;
  // The home's lock is held by our own device server: what lies and runs there is ours to put away.
  let ours = false;
  let client: HostClient | null = null;
  const stop = async () => {
    const runsOn = stopsDevice || !ours ? null : await lastWord(client, chosen);
    const stopsEmulator = stopsDevice && chosen.emulator !== null;
    if (stopsEmulator) world.err("An emulator that was started here saves its snapshot first.");
    await Promise.all([host?.stop(KILL_AFTER_MS), device.stop(stopsEmulator ? EMULATOR_KILL_AFTER_MS : KILL_AFTER_MS)]);
    if (runsOn !== null) world.err(runsOn);
    if (!ours) return;
    if (stopsDevice) {
      await endPhones(paths.device, systemTimers);
      // A server that had to be killed left its device's picture behind.
      removeRegions(join(paths.device, "run"));
    }
    removeFile(redirectFile(paths.host));
  };
  try {
    device.start();
    const up = await orEnd(ending.told, device.ready);
    if (up === null) return;
    ours = true;
    newKeys(paths.host);
    host = hostKeeper();
    host.start();
    const panel = await orEnd(ending.told, host.ready);
    if (panel === null) return;
    // A host that is started again keeps its port, and so its link.
    port = String(numberOf(panel, "port"));
    client = new HostClient({ pid: host.pid ?? 0, port: Number(port), token: textOf(panel, "token"), url: textOf(panel, "url") });
    const box = await orEnd(ending.told, booted(client, args.flags.has("json") ? BOOT_MS : HELLO_MS, args.flags.has("json")));
    if (box === null) return;
    const encoder = box.server?.encoder ?? encoderOf(up);
    say(world, {
      url: client.running.url,
      token: client.running.token,
      socket: textOf(up, "socket"),
      device: box.state?.model ?? null,
      encoder,
    });
    await show(world, client.running.url, Number(port));
    const why = await Promise.race([ending.told, device.gone, host.gone]);
    if (why !== undefined) world.err("Ending.");
  } catch (error) {
    if (!(error instanceof GivenUpError)) throw error;
    const now = error.code === EXIT.inUse ? await waitForOther(world) : null;
    if (now === null) {
      const said = error.code === EXIT.inUse || error.code === EXIT.usage;
      throw new CommandError(error.message, said && error.code !== null ? error.code : EXIT.failed);
    }
    say(world, now);
  } finally {
    await stop();
  }
}

/** Before anything is made in a home that nothing can be reached in. */
function checkSocket(device: string): void {
  try {
    checkSocketPath(socketPath(device));
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), EXIT.unfit);
  }
}

/** Another start on this home won the race; its link is ours too. */
async function waitForOther(world: World): Promise<Started | null> {
  const until = systemTimers.now() + OTHER_MS;
  for (;;) {
    const found = await running(world);
    if (found !== null || systemTimers.now() > until) return found;
    await pause(systemTimers, LOOK_MS);
  }
}

/** What runs on this home already; null: nothing does. */
async function running(world: World): Promise<Started | null> {
  const before = readRunning(world.paths.host);
  if (before === null) return null;
  const client = new HostClient(before);
  if (!(await client.alive())) return null;
  const box = await ownBox(client).catch(() => null);
  return {
    url: before.url,
    token: before.token,
    socket: join(world.paths.device, "device.sock"),
    device: box?.state?.model ?? null,
    encoder: box?.server?.encoder ?? null,
  };
}

/** This machine's box, or the first of a boxes.json that names it otherwise. */
async function ownBox(client: HostClient): Promise<BoxDetails> {
  const ids = (await client.boxes()).map((box) => box.id);
  return client.details(ids.includes(LOCAL_BOX) ? LOCAL_BOX : (ids[0] ?? LOCAL_BOX));
}

function removeRegions(run: string): void {
  try {
    for (const name of readdirSync(run)) if (/^region-.*\.rgb$/.test(name)) removeFile(join(run, name));
  } catch {
    // No such folder: nothing was left.
  }
}

async function booted(client: HostClient, ms: number, wholly: boolean): Promise<BoxDetails> {
  const until = systemTimers.now() + ms;
  for (;;) {
    const box = await ownBox(client);
    const is = box.state?.power.is;
    if (is === "booted" || is === "failed" || (!wholly && is !== undefined) || systemTimers.now() > until) return box;
    await pause(systemTimers, LOOK_MS);
  }
}

function say(world: World, started: Started): void {
  if (world.args.flags.has("json")) return world.out(JSON.stringify({ ready: true, ...started }));
  const { device, encoder, url } = started;
  world.err(`Device   ${device ?? "none yet"}${encoder === null ? "" : `, encoded by ${encoder.name} ${encoder.version}`}`);
  world.out(`Link     ${url}`);
}

async function show(world: World, url: string, port: number): Promise<void> {
  if (world.args.flags.has("json") && !hasScreen(systemDesktop)) return;
  if (!world.args.flags.has("no-open")) {
    const opened = await openLink(url, world.paths.host, systemDesktop).catch(() => false);
    if (opened) systemTimers.after(REDIRECT_KEPT_MS, () => removeFile(redirectFile(world.paths.host)));
    else if (!hasScreen(systemDesktop)) {
      world.err(`There is no screen here. On your own computer run:  ${tunnelLine(port)}`);
      world.err("and open the link there.");
    } else world.err("No browser could be opened here. Open the link yourself.");
  }
  world.err("Ctrl-C ends it.");
}

/** The work's result, or null when it was told to end first. */
async function orEnd<T>(told: Promise<string>, work: Promise<T>): Promise<T | null> {
  return Promise.race([work, told.then(() => null)]);
}

/** This program again, with another command. */
function child(command: string, args: readonly string[], env: Command["env"] = {}, node: readonly string[] = []): Command {
  return { command: process.execPath, args: [...process.execArgv, ...node, process.argv[1] ?? "", command, ...args], env };
}

/** The device by name, so that a device server that is started again shows the same. */
function serveArgs(world: World, { device, model }: ChosenDevice, stopsDevice: boolean): string[] {
  const passed = ["scene", "fps"].flatMap((name) => {
    const value = world.args.options.get(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  return [
    "--home",
    world.paths.home,
    "--device",
    device,
    ...(model === undefined ? [] : ["--model", model]),
    ...passed,
    ...(stopsDevice ? ["--stop-device"] : []),
  ];
}

/** What is left running, in words; null when nothing is. A panel may have switched to another device since. */
async function lastWord(client: HostClient | null, { emulator }: ChosenDevice): Promise<string | null> {
  if (emulator === null) return null;
  const late = pause(systemTimers, LAST_WORD_MS).then(() => null);
  const state = client === null ? null : ((await Promise.race([ownBox(client).catch(() => null), late]))?.state ?? null);
  if (state !== null && (state.power.is === "failed" || state.power.is === "stopped")) return null;
  const name = state?.model ?? emulator.name;
  if (emulator.is === "running" && name === emulator.name) return `${name} is left running, as it was found.`;
  return `${name} is left running. With --stop-device its snapshot is saved and it is stopped at the end.`;
}

/** Every line into its file; what a person should know of, on stderr too. */
function logLine(world: World, name: (typeof LOG_NAMES)[number]): (line: string) => void {
  const file = new LogFile(join(world.paths.logs, `${name}.log`));
  return (line) => {
    file.write(line);
    const { level, message, time } = readLine(name, line);
    if (time === 0 || level === "warn" || level === "error" || level === "fatal") world.err(message);
  };
}

function readyOf(message: unknown): unknown {
  return typeof message === "object" && message !== null && "ready" in message ? message.ready : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function textOf(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === "string" ? found : "";
}

function numberOf(value: unknown, name: string): number {
  const found = field(value, name);
  return typeof found === "number" ? found : 0;
}

function encoderOf(value: unknown): EncoderInfo | null {
  const found = field(value, "encoder");
  const name = textOf(found, "name");
  return name === "" ? null : { name, version: textOf(found, "version") };
}
