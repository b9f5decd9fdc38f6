/** `serve`: the device server, until it is told to end; `test-phone`: the phone that it starts. */
import { join } from "node:path";
import type { Binding } from "#native/binding.ts";
import { loadBinding } from "#native/load.ts";
import { readPhoneArguments, runTestPhone, testPhoneWorld } from "#drivers/phone/process.ts";
import { startDeviceServer } from "#server/server.ts";
import { HomeError } from "#server/home.ts";
import { GivenUpError } from "#server/starts.ts";
import { systemTimers } from "#launch/timers.ts";
import { glibcOf } from "#cli/checks.ts";
import { realOutside } from "#drivers/android/outside.ts";
import type { Log } from "#host/ports.ts";
import { readJsonFile, textField } from "#host/state-files.ts";
import { wordsOf } from "#host/words.ts";
import { CHOSEN_NOW, deviceHere } from "#cli/choose-device.ts";
import { driverFor, stopping } from "#cli/drivers.ts";
import { listenForEnd } from "#cli/ending.ts";
import { keep } from "#cli/commands/keep.ts";
import { makeLog } from "#cli/log.ts";
import { endPhones } from "#cli/phones.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError, type World } from "#cli/world.ts";

export async function serve(world: World): Promise<void> {
  const { args, env, paths } = world;
  if (args.flags.has("keep")) return keep(world);
  const ending = listenForEnd();
  const log = makeLog("device", process.stderr.isTTY === true && ending.parent === null);
  const model = args.options.get("model");
  const device = args.options.get("device") ?? (env["BB_BOX_DEVICE"] || (await found(world, model, log)));
  const stops = args.flags.has("stop-device");
  const binding = load();
  let over = false;
  const chosen = await driverFor({ device, model, scene: args.options.get("scene"), fps: args.options.get("fps"), binding, env });
  let taken = false;
  const server = await startDeviceServer({
    home: paths.device,
    driver: stopping(
      chosen,
      () => over && stops,
      (words) => log("warn", words),
    ),
    lock: (path) => {
      const lock = binding.lock(path);
      taken ||= lock === null;
      return lock;
    },
    log,
    ...(model === undefined ? {} : { model }),
    modelAnew: env[CHOSEN_NOW] === "1",
    libc: libcWords(),
    countStarts: env["BB_BOX_COUNT_STARTS"] === "1",
  }).catch((error: unknown) => {
    // Ending with success is what makes launchd leave it down.
    if (error instanceof GivenUpError) throw new CommandError(error.message, EXIT.ok);
    // Refusals that starting again cannot help have codes of their own: another server has the home, or the home cannot be used.
    if (taken) throw new CommandError(wordsOf(error), EXIT.inUse);
    throw new CommandError(wordsOf(error), error instanceof HomeError ? EXIT.unfit : EXIT.failed);
  });
  ending.parent?.tell({ ready: { socket: server.socket, encoder: firstEncoder(binding, env["BB_OPENH264"]) } });
  log("info", `Ending: ${await ending.told}.`);
  over = true;
  await server.close();
  await chosen.end();
  // A phone whose server was not attached to it at the end.
  if (stops && device === "test") await endPhones(paths.device, systemTimers);
}

async function found(world: World, model: string | undefined, log: Log): Promise<string> {
  const kept = textField(readJsonFile(join(world.paths.device, "intent.json")), "target");
  const { device, words } = await deviceHere(model, kept, realOutside(world.env));
  log("info", words);
  return device;
}

/** Starting again cannot help where the addon does not load. */
function load(): Binding {
  try {
    return loadBinding();
  } catch (error) {
    throw new CommandError(wordsOf(error), EXIT.unfit);
  }
}

function libcWords(): string | null {
  const glibc = glibcOf(process.report.getReport());
  return glibc === null ? null : `glibc ${glibc}`;
}

/** The encoder that a stream will open. */
function firstEncoder(binding: Binding, openh264: string | undefined): { readonly name: string; readonly version: string } | null {
  for (const { name, version } of binding.encoders(openh264)) if (version !== null) return { name, version };
  return null;
}

/** Its options are the phone's own: it reads them itself. */
export async function testPhone(world: World): Promise<void> {
  void world;
  process.exitCode = await runTestPhone(readPhoneArguments(process.argv.slice(3)), testPhoneWorld(load()));
}
