/** Which driver a device server is given. Each is loaded only when it is asked for. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { DeviceError } from "#core/errors.ts";
import type { DeviceDriver, DriverFactory } from "#drivers/driver.ts";
import { FramePipeline, type FramePipelineOptions } from "#native/frame-pipeline.ts";
import type { Binding, BindingEvent } from "#native/binding.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError } from "#cli/world.ts";

export interface DriverChoice {
  /** test, android, fake-android, or an emulator's serial. */
  readonly device: string;
  readonly scene: string | undefined;
  /** Frames a second of the test phone. */
  readonly fps: string | undefined;
  /** What the test phone is asked to boot: a size such as 360x640 becomes a model of its own. */
  readonly model: string | undefined;
  readonly binding: Binding;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const SCENES = ["demo", "still", "busy"] as const;
const PHONE_STOP_MS = 1_000;
/** A snapshot is saved first: 3 s for a phone, more on a slow disk. */
const EMULATOR_STOP_MS = 30_000;
/** Above this bundle's own folder, where it was built from a checkout. */
const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

export interface ChosenDriver {
  readonly factory: DriverFactory;
  /** How long its device may take to stop, in ms; null: it is not stopped by its driver. */
  readonly stopMs: number | null;
  /** Ends what was started for it beside the device, if anything. */
  end(): Promise<void>;
}

const NOTHING_BESIDE = () => Promise.resolve();

/** Rejects in words for a device that nothing here drives. */
export async function driverFor(choice: DriverChoice): Promise<ChosenDriver> {
  const { device, scene = "demo", binding, env } = choice;
  if (!isScene(scene)) throw new CommandError(`--scene takes ${SCENES.join(", ")}.`, EXIT.usage);
  const pipeline = pipelineOptions(env);
  if (device === "test") {
    const { phoneDriver } = await import("#drivers/phone/driver.ts");
    const { realPhoneParts } = await import("#drivers/phone/spawn.ts");
    const { readFps } = await import("#drivers/phone/rate.ts");
    const command = [process.execPath, ...process.execArgv, process.argv[1] ?? "", "test-phone"] as const;
    const factory = phoneDriver({
      binding,
      pipeline,
      sizes: isPhoneSize(choice.model ?? "") ? [choice.model ?? ""] : [],
      ...realPhoneParts({ command, scene, fps: usage(() => readFps(choice.fps)) }),
    });
    return { factory, stopMs: PHONE_STOP_MS, end: NOTHING_BESIDE };
  }
  if (device === "android" || device === "fake-android" || isSerial(device)) {
    const { androidDriver } = await import("#drivers/android/driver.ts");
    const options = {
      makePipeline: (onEvent: (event: BindingEvent) => void) => new FramePipeline(binding, { ...pipeline, onEvent }),
      lock: (path: string) => binding.lock(path),
      ...firstGrpcPort(env),
    };
    if (device !== "fake-android") {
      const factory = androidDriver({ ...options, serial: isSerial(device) ? device : null });
      return { factory, stopMs: EMULATOR_STOP_MS, end: NOTHING_BESIDE };
    }
    const { startFakeEmulator } = await import("#drivers/android/fake.ts");
    const fake = await startFakeEmulator(CHECKOUT, choice.model, env).catch((error: unknown) => {
      // What it lacks is not there at the next try either.
      throw new CommandError(error instanceof Error ? error.message : String(error), EXIT.unfit);
    });
    return { factory: androidDriver({ ...options, serial: fake.serial, outside: fake.outside }), stopMs: null, end: () => fake.stop() };
  }
  throw new CommandError(
    `--device takes test, android, fake-android or an emulator's serial (emulator-5554), not ${JSON.stringify(device)}.`,
    EXIT.usage,
  );
}

/** What is wrong with an option is said as the command line says it. */
function usage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), EXIT.usage);
  }
}

export function isSerial(device: string): boolean {
  return /^emulator-\d{4,5}$/.test(device);
}

/** A test phone of a size of its own: "360x640". */
export function isPhoneSize(model: string): boolean {
  return /^\d{2,4}x\d{2,4}$/.test(model);
}

function isScene(word: string): word is (typeof SCENES)[number] {
  return (SCENES as readonly string[]).includes(word);
}

/** BB_BOX_GRPC_PORT: where the ports begin that an emulator started here listens at. */
function firstGrpcPort(env: DriverChoice["env"]): { readonly grpcPort?: number } {
  const given = env["BB_BOX_GRPC_PORT"];
  if (given === undefined || given === "") return {};
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1_024 || port > 65_000)
    throw new CommandError(`BB_BOX_GRPC_PORT is a port from 1024 to 65000, not ${JSON.stringify(given)}.`, EXIT.usage);
  return { grpcPort: port };
}

function pipelineOptions(env: DriverChoice["env"]): Omit<FramePipelineOptions, "onEvent"> {
  const openh264Path = env["BB_OPENH264"];
  return openh264Path === undefined || openh264Path === "" ? {} : { openh264Path };
}

/**
 * A driver whose last detach, once `ending` says so, stops the device instead of leaving it running. One that was found running is left,
 * and one that does not stop too; both are said.
 */
export function stopping(chosen: ChosenDriver, ending: () => boolean, say: (words: string) => void): DriverFactory {
  const { factory, stopMs } = chosen;
  if (stopMs === null) return factory;
  return (host, options) => {
    const driver: DeviceDriver = factory(host, options);
    const detach = driver.detach.bind(driver);
    driver.detach = async () => {
      if (ending()) await stop(driver, stopMs, say).catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
      await detach();
    };
    return driver;
  };
}

async function stop(driver: DeviceDriver, stopMs: number, say: (words: string) => void): Promise<void> {
  if ((await driver.startedHere?.()) === false) return say("The emulator was not started here, so it is left running.");
  await driver.shutdown(AbortSignal.timeout(stopMs)).catch((error: unknown) => {
    if (!(error instanceof DeviceError && error.code === "not-booted")) throw error;
  });
}
