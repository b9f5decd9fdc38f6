/** What this machine can show: its AVDs, and emulators that run from elsewhere. Running ones first. */
import type { AndroidModel, OfferedDevice } from "#core/device.ts";

import type { Adb } from "./adb.ts";
import { findAvds, modelOf, offerOf, readAvdFolder, refusal, type Avd } from "./avd.ts";
import { findEmulators, type RunningEmulator } from "./discovery.ts";
import { parseIni } from "./ini.ts";
import type { Outside } from "./outside.ts";
import type { Sdk } from "./sdk.ts";

export interface AndroidOffer {
  readonly offer: OfferedDevice;
  readonly model: AndroidModel;
  /** null: it runs, but nobody here can read its AVD. */
  readonly avd: Avd | null;
}

/** Emulators that run now, each under its AVD's id as this user's AVD files have it: an emulator may tell the name that is shown instead. */
export async function runningEmulators(outside: Outside, keep: number | null = null): Promise<readonly RunningEmulator[]> {
  const emulators = await findEmulators(outside, keep);
  if (emulators.length === 0) return emulators;
  const avds = await findAvds(outside);
  return emulators.map((emulator) => {
    const own = avds.find((avd) => avd.id === emulator.avd) ?? avds.find((avd) => avd.folder === emulator.avdDir);
    return own === undefined ? emulator : { ...emulator, avd: own.id };
  });
}

/** Every phone, tablet and foldable; watches, TVs and cars are left out, as are AVDs that cannot be read. */
export async function offers(
  outside: Outside,
  sdk: Sdk,
  running: readonly RunningEmulator[],
  adb: Adb | null,
): Promise<readonly AndroidOffer[]> {
  const avds = new Map((await findAvds(outside)).map((avd) => [avd.id, avd]));
  const found: AndroidOffer[] = [];
  for (const emulator of running) {
    const known = avds.get(emulator.avd);
    avds.delete(emulator.avd);
    const avd = known ?? (await readAvdFolder(emulator.avd, emulator.avdDir ?? "")) ?? (await asked(emulator, adb));
    if (avd !== null) await add(found, avd, known !== undefined || emulator.avdDir !== null ? avd : null, sdk, emulator.version);
  }
  // With no emulator program an AVD that does not run cannot be shown.
  if (sdk.emulator !== null) for (const avd of avds.values()) await add(found, avd, avd, sdk, sdk.emulatorVersion ?? "");
  return named(found);
}

/** Why an AVD is none of the offers, in words; null when nobody here knows it. */
export async function whyNotOffered(outside: Outside, running: readonly RunningEmulator[], id: string): Promise<string | null> {
  const folder = running.find((emulator) => emulator.avd === id)?.avdDir ?? "";
  const avd = (await findAvds(outside)).find((candidate) => candidate.id === id) ?? (await readAvdFolder(id, folder));
  if (avd === null) return null;
  return refusal(avd) ?? `The AVD ${id} does not say its screen's size (hw.lcd.width and hw.lcd.height in its config.ini).`;
}

async function add(found: AndroidOffer[], avd: Avd, shown: Avd | null, sdk: Sdk, version: string): Promise<void> {
  if (refusal(avd) !== null || !avd.config.has("hw.lcd.width") || !avd.config.has("hw.lcd.height")) return;
  found.push({ model: modelOf(avd), offer: await offerOf(avd, sdk.root, version), avd: shown });
}

/** An emulator whose AVD nobody here can read tells its screen itself. */
async function asked(emulator: RunningEmulator, adb: Adb | null): Promise<Avd | null> {
  if (adb === null) return null;
  const lines = ["wm size", "wm density", "getprop ro.build.characteristics", "getprop ro.build.version.sdk", "getprop ro.product.cpu.abi"];
  const text = await adb
    .on(emulator.serial)
    .shell(lines.join("; "), { timeoutMs: 5_000 })
    .catch(() => "");
  const size = /Physical size: (\d+)x(\d+)/.exec(text);
  if (size === null) return null;
  const rest = text
    .split("\n")
    .slice(-4)
    .map((line) => line.trim());
  const [characteristics = "", api = "", abi = ""] = rest;
  const config = [
    `hw.lcd.width=${size[1]}`,
    `hw.lcd.height=${size[2]}`,
    `hw.lcd.density=${/Physical density: (\d+)/.exec(text)?.[1] ?? ""}`,
    `tag.id=${/watch/.test(characteristics) ? "android-wear" : (/tv|automotive/.exec(characteristics)?.[0] ?? "default")}`,
    `abi.type=${abi}`,
    `target=android-${api}`,
  ];
  return { id: emulator.avd, folder: "", config: parseIni(config.join("\n")) };
}

/** Two AVDs of one display name are told apart by their ids. */
function named(found: readonly AndroidOffer[]): readonly AndroidOffer[] {
  return found.map((entry) => {
    const twin = found.some((other) => other !== entry && other.model.name === entry.model.name);
    if (!twin) return entry;
    const name = `${entry.model.name} (${entry.offer.native})`;
    return { ...entry, model: { ...entry.model, name }, offer: { ...entry.offer, model: name } };
  });
}
