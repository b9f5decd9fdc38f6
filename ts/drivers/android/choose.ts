/** Which emulator a start means, and what to say when it is not clear or there is none. */
import { listOf } from "#core/words.ts";

import { displayName, findAvds, modelOf, refusal } from "./avd.ts";
import type { RunningEmulator } from "./discovery.ts";
import { offers, runningEmulators, whyNotOffered, type AndroidOffer } from "./offers.ts";
import type { Outside } from "./outside.ts";
import { findSdk, type Sdk } from "./sdk.ts";

export interface AndroidAsked {
  /** null: nothing was asked for; "android": any; else a serial such as emulator-5554. */
  readonly device: string | null;
  /** A model's name or an AVD's id. */
  readonly model: string | null;
}

export type AndroidChoice =
  /** This one runs: it is attached to and left running. */
  | { readonly is: "running"; readonly serial: string; readonly avd: string; readonly name: string; readonly words: string }
  /** This AVD is to be booted. */
  | { readonly is: "boot"; readonly avd: string; readonly name: string; readonly words: string }
  /** Several could be meant: the words list them and say what to type. `running`: the names of those that run. */
  | { readonly is: "several"; readonly running: readonly string[]; readonly words: string }
  /** None: the words say what is missing. */
  | { readonly is: "none"; readonly words: string };

/** Looks at files and at what their processes are: no device is started and nobody is asked, not even adb. */
export async function chooseAndroid(outside: Outside, asked: AndroidAsked): Promise<AndroidChoice> {
  const [sdk, emulators] = await Promise.all([findSdk(outside), runningEmulators(outside)]);
  const all = await offers(outside, sdk, emulators, null);
  const running = (await Promise.all(emulators.map((emulator) => shown(outside, emulators, emulator, all)))).filter(
    (entry) => entry !== null,
  );
  if (asked.device !== null && asked.device !== "android") return bySerial(outside, asked.device, emulators, running);
  if (asked.model !== null) return byModel(outside, asked.model, all, running);
  const [only] = running;
  if (only !== undefined && running.length === 1) return attach(only);
  if (running.length > 1) {
    const list = running.map(({ emulator, name }) => `  --device ${emulator.serial}   ${name}`).join("\n");
    return { is: "several", running: running.map(({ name }) => name), words: `${running.length} emulators run. Name one:\n${list}` };
  }
  const refused = await firstRefusal(outside, emulators);
  if (asked.device === null) return { is: "none", words: refused ?? (await missing(outside, sdk, all)) };
  return toBoot(outside, sdk, all, refused);
}

interface Running {
  readonly emulator: RunningEmulator;
  readonly name: string;
}

/** An emulator whose AVD nobody here can read may be a phone too: the driver asks it, once it is chosen. null: it is known to be none. */
async function shown(
  outside: Outside,
  emulators: readonly RunningEmulator[],
  emulator: RunningEmulator,
  all: readonly AndroidOffer[],
): Promise<Running | null> {
  const offer = all.find((candidate) => candidate.offer.native === emulator.avd);
  if (offer !== undefined) return { emulator, name: offer.model.name };
  if ((await whyNotOffered(outside, emulators, emulator.avd)) !== null) return null;
  return { emulator, name: emulator.avd === "" ? emulator.serial : emulator.avd };
}

function attach({ emulator, name }: Running): AndroidChoice {
  return {
    is: "running",
    serial: emulator.serial,
    avd: emulator.avd,
    name,
    words: `${name} runs (${emulator.serial}); it is left running at the end.`,
  };
}

async function bySerial(
  outside: Outside,
  serial: string,
  emulators: readonly RunningEmulator[],
  running: readonly Running[],
): Promise<AndroidChoice> {
  const found = running.find(({ emulator }) => emulator.serial === serial);
  if (found !== undefined) return attach(found);
  const refused = emulators.find((emulator) => emulator.serial === serial);
  const why = refused === undefined ? null : await whyNotOffered(outside, emulators, refused.avd);
  if (why !== null) return { is: "none", words: why };
  const others =
    running.length === 0
      ? "No emulator runs."
      : `There is: ${listOf(
          running.map(({ emulator }) => emulator.serial),
          "and",
        )}.`;
  return { is: "none", words: `${serial} does not run. ${others}` };
}

async function byModel(outside: Outside, model: string, all: readonly AndroidOffer[], running: readonly Running[]): Promise<AndroidChoice> {
  const up = running.find(({ emulator, name }) => name === model || emulator.avd === model);
  if (up !== undefined) return attach(up);
  const offer = all.find((candidate) => candidate.model.name === model || candidate.offer.native === model);
  if (offer !== undefined) return boot(offer);
  const avd = (await findAvds(outside)).find((candidate) => candidate.id === model || displayName(candidate) === model);
  const why = avd === undefined ? null : refusal(avd);
  const names = all.map((candidate) => candidate.model.name);
  const list = names.length === 0 ? "There is no AVD that can be shown." : `There is: ${listOf(names, "and")}.`;
  return { is: "none", words: why ?? `There is no AVD named ${model}. ${list}` };
}

function boot(offer: AndroidOffer): AndroidChoice {
  return {
    is: "boot",
    avd: offer.offer.native,
    name: offer.model.name,
    words: `Booting ${offer.model.name}; it is left running at the end, --stop-device stops it.`,
  };
}

async function toBoot(outside: Outside, sdk: Sdk, all: readonly AndroidOffer[], refused: string | null): Promise<AndroidChoice> {
  const [only] = all;
  if (only !== undefined && all.length === 1) return boot(only);
  if (all.length > 1) {
    const list = all.map(({ model }) => `  --device android --model ${JSON.stringify(model.name)}`).join("\n");
    return { is: "several", running: [], words: `No emulator runs, and there are ${all.length} AVDs. Name one:\n${list}` };
  }
  return { is: "none", words: refused ?? (await missing(outside, sdk, all)) };
}

/** What keeps this machine from showing an emulator. */
async function missing(outside: Outside, sdk: Sdk, all: readonly AndroidOffer[]): Promise<string> {
  const [first] = all;
  if (first !== undefined) return `No emulator runs. To boot one: --device android --model ${JSON.stringify(first.model.name)}`;
  const avds = (await findAvds(outside)).filter((avd) => isShown(avd));
  if (sdk.emulator === null) {
    const there = avds.length === 0 ? "" : ` (${listOf(avds.map(displayName), "and")} could be booted with one)`;
    return `No emulator runs, and no Android SDK with an emulator was found${there}: set ANDROID_HOME, or start an emulator.`;
  }
  return "No emulator runs, and there is no Android Virtual Device: make one in Android Studio's Device Manager.";
}

function isShown(avd: Parameters<typeof modelOf>[0]): boolean {
  try {
    modelOf(avd);
    return true;
  } catch {
    return false;
  }
}

/** Of emulators that run and are none of ours to show, why. */
async function firstRefusal(outside: Outside, emulators: readonly RunningEmulator[]): Promise<string | null> {
  const [first] = emulators;
  return first === undefined ? null : whyNotOffered(outside, emulators, first.avd);
}
