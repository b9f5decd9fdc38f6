/** Which device a start or a service shows, found out once: by what was asked for, else by what runs on this machine. */
import { TEST_MODELS } from "#core/device-models.ts";
import { listOf } from "#core/words.ts";
import type { AndroidChoice } from "#drivers/android/choose.ts";
import type { Outside } from "#drivers/android/outside.ts";
import { isPhoneSize, isSerial } from "#cli/drivers.ts";
import { EXIT } from "#cli/table.ts";
import { CommandError } from "#cli/world.ts";

/** Set for the first device server of a start whose device was chosen just now: what an earlier one was to run does not count. */
export const CHOSEN_NOW = "BB_BOX_CHOSEN_NOW";

export interface DeviceAsked {
  readonly device: string | undefined;
  readonly model: string | undefined;
  readonly scene: string | undefined;
  readonly fps: string | undefined;
}

export interface ChosenDevice {
  /** What the device server is told by --device and --model. */
  readonly device: string;
  readonly model: string | undefined;
  /** An emulator that was chosen by looking; null: none was. */
  readonly emulator: Extract<AndroidChoice, { readonly is: "running" | "boot" }> | null;
  /** For a person: what was chosen, or why it is the test phone; null where they said so themselves. */
  readonly words: string | null;
}

/** Rejects in words where several could be meant (EXIT.usage), or where what was asked for is not there (EXIT.failed). */
export async function chooseDevice(asked: DeviceAsked, outside: Outside): Promise<ChosenDevice> {
  const { device, model } = asked;
  if (device === undefined ? meansPhone(asked) : device !== "android" && !isSerial(device)) {
    return { device: device ?? "test", model, emulator: null, words: null };
  }
  const choice = await look(outside, device ?? null, model ?? null);
  switch (choice.is) {
    case "running":
      return { device: choice.serial, model: choice.avd === "" ? undefined : choice.avd, emulator: choice, words: choice.words };
    case "boot":
      return { device: "android", model: choice.avd, emulator: choice, words: choice.words };
    case "several":
      throw new CommandError(choice.words, EXIT.usage);
    case "none":
      if (device !== undefined) throw new CommandError(choice.words, EXIT.failed);
      if (model !== undefined) throw new CommandError(`${choice.words} ${phoneWords()}`, EXIT.failed);
      return { device: "test", model, emulator: null, words: `${choice.words}\nShowing the test phone.` };
  }
}

/**
 * What a service shows that was told of no device: an emulator that runs or can be booted, else the test phone. Which emulator is its
 * home's own memory's to say: `kept` is the model that its last server was to run. Rejects in words where several run and it says none.
 */
export async function deviceHere(
  model: string | undefined,
  kept: string | null,
  outside: Outside,
): Promise<{ device: "android" | "test"; words: string }> {
  if (meansPhone({ device: undefined, model, scene: undefined, fps: undefined }))
    return { device: "test", words: "Showing the test phone." };
  const { is, ...choice } = await look(outside, null, model ?? null);
  if (is === "several" && !("running" in choice && choice.running.includes(kept ?? ""))) throw new CommandError(choice.words, EXIT.usage);
  if (is !== "none") return { device: "android", words: choice.words };
  const bootable = await look(outside, "android", null);
  if (bootable.is !== "none") return { device: "android", words: bootable.words };
  return { device: "test", words: `${choice.words} Showing the test phone.` };
}

async function look(outside: Outside, device: string | null, model: string | null): Promise<AndroidChoice> {
  const { chooseAndroid } = await import("#drivers/android/choose.ts");
  return chooseAndroid(outside, { device, model });
}

/** The test phone alone has scenes, a rate of its own, and models of these names. */
function meansPhone({ model, scene, fps }: DeviceAsked): boolean {
  return (
    scene !== undefined ||
    fps !== undefined ||
    (model !== undefined && (isPhoneSize(model) || TEST_MODELS.some(({ name }) => name === model)))
  );
}

function phoneWords(): string {
  return `The test phone is: ${listOf(
    TEST_MODELS.map(({ name }) => name),
    "or",
  )}.`;
}
