/** Which driver a device server is given. Each is loaded only when it is asked for. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { DeviceDriver, DriverFactory } from "#drivers/driver.ts";
import { FramePipeline, type FramePipelineOptions } from "#native/frame-pipeline.ts";
import type { Binding, BindingEvent } from "#native/binding.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError } from "#cli/world.ts";

export interface DriverChoice {
  /** test, android, fake-android, or an emulator's serial. */
  readonly device: string;
  readonly scene: string | undefined;
  /** What the test phone is asked to boot: a size such as 360x640 becomes a model of its own. */
  readonly model: string | undefined;
  readonly binding: Binding;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const SCENES = ["demo", "still", "busy"] as const;
const SERIAL = /^emulator-\d{4,5}$/;
const STOP_MS = 1_000;
/** Above this bundle's own folder, where it was built from a checkout. */
const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

export interface ChosenDriver {
  readonly factory: DriverFactory;
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
    const factory = phoneDriver({
      binding,
      pipeline,
      sizes: /^\d{2,4}x\d{2,4}$/.test(choice.model ?? "") ? [choice.model ?? ""] : [],
      ...realPhoneParts({ command: [process.execPath, ...process.execArgv, process.argv[1] ?? "", "test-phone"], scene }),
    });
    return { factory, end: NOTHING_BESIDE };
  }
  if (device === "android" || device === "fake-android" || SERIAL.test(device)) {
    const { androidDriver } = await import("#drivers/android/driver.ts");
    const options = {
      makePipeline: (onEvent: (event: BindingEvent) => void) => new FramePipeline(binding, { ...pipeline, onEvent }),
      lock: (path: string) => binding.lock(path),
    };
    if (device !== "fake-android")
      return { factory: androidDriver({ ...options, serial: SERIAL.test(device) ? device : null }), end: NOTHING_BESIDE };
    const { startFakeEmulator } = await import("#drivers/android/fake.ts");
    const fake = await startFakeEmulator(CHECKOUT, choice.model, env);
    return { factory: androidDriver({ ...options, serial: fake.serial, outside: fake.outside }), end: () => fake.stop() };
  }
  throw new CommandError(
    `--device takes test, android, fake-android or an emulator's serial (emulator-5554), not ${JSON.stringify(device)}.`,
    EXIT.usage,
  );
}

/** What a box has: an emulator that runs or could be started, else the test phone. */
export async function deviceHere(): Promise<"android" | "test"> {
  const { findEmulators } = await import("#drivers/android/discovery.ts");
  const { realOutside } = await import("#drivers/android/outside.ts");
  const { findSdk } = await import("#drivers/android/sdk.ts");
  const outside = realOutside();
  if ((await findEmulators(outside)).length > 0) return "android";
  return (await findSdk(outside)).emulator === null ? "test" : "android";
}

function isScene(word: string): word is (typeof SCENES)[number] {
  return (SCENES as readonly string[]).includes(word);
}

function pipelineOptions(env: DriverChoice["env"]): Omit<FramePipelineOptions, "onEvent"> {
  const openh264Path = env["BB_OPENH264"];
  return openh264Path === undefined || openh264Path === "" ? {} : { openh264Path };
}

/** A driver whose last detach, once `ending` says so, stops the device instead of leaving it running. */
export function stopping(factory: DriverFactory, ending: () => boolean): DriverFactory {
  return (host, options) => {
    const driver: DeviceDriver = factory(host, options);
    const detach = driver.detach.bind(driver);
    driver.detach = () => (ending() ? driver.shutdown(AbortSignal.timeout(STOP_MS)) : detach());
    return driver;
  };
}
