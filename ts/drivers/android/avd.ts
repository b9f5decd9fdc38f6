/** Android Virtual Devices on disk: which there are, and the DeviceModel each makes. Any phone, tablet or foldable. */
import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";

import { DEVICE_MODELS, isFoldable } from "#core/device-models.ts";
import type { AndroidModel, Body, OfferedDevice, Posture, Screen, Size } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

import { parseIni, wholeNumber } from "./ini.ts";
import type { Outside } from "./outside.ts";
import { packageRevision } from "./sdk.ts";

export interface Avd {
  /** What -avd takes. */
  readonly id: string;
  readonly folder: string;
  readonly config: ReadonlyMap<string, string>;
}

/** Where AVDs are kept, in the emulator's own order. */
export function avdFolders(outside: Outside): readonly string[] {
  const { env, home } = outside;
  const folders = [
    env.ANDROID_AVD_HOME,
    env.ANDROID_USER_HOME && join(env.ANDROID_USER_HOME, "avd"),
    env.ANDROID_EMULATOR_HOME && join(env.ANDROID_EMULATOR_HOME, "avd"),
    env.ANDROID_SDK_HOME && join(env.ANDROID_SDK_HOME, ".android", "avd"),
    join(home, ".android", "avd"),
  ].filter((folder): folder is string => folder !== undefined && folder !== "");
  return [...new Set(folders)];
}

/** Every AVD of this user, by id; broken ones are left out. */
export async function findAvds(outside: Outside): Promise<readonly Avd[]> {
  const found = new Map<string, Avd>();
  for (const folder of avdFolders(outside)) {
    const names = await readdir(folder).catch(() => [] as string[]);
    for (const name of names) {
      const id = /^(.+)\.ini$/.exec(name)?.[1];
      if (id === undefined || found.has(id)) continue;
      const avd = await readAvd(id, join(folder, name), folder);
      if (avd !== null) found.set(id, avd);
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The AVD in this folder, which a running emulator names; null when it cannot be read. */
export async function readAvdFolder(id: string, folder: string): Promise<Avd | null> {
  const text = await readFile(join(folder, "config.ini"), "utf8").catch(() => null);
  return text === null ? null : { id, folder, config: parseIni(text) };
}

async function readAvd(id: string, file: string, base: string): Promise<Avd | null> {
  const pointer = parseIni(await readFile(file, "utf8").catch(() => ""));
  const path = pointer.get("path");
  return readAvdFolder(id, path !== undefined && isAbsolute(path) ? path : join(base, `${id}.avd`));
}

/** Words for an AVD that is no phone, tablet or foldable; null when it is one. */
export function refusal(avd: Avd): string | null {
  const tag = avd.config.get("tag.id") ?? "";
  const display = displayName(avd);
  const kind = [
    { word: "Wear OS watch", is: /wear/ },
    { word: "TV", is: /tv/ },
    { word: "car", is: /automotive|auto/ },
    { word: "desktop", is: /desktop|chromeos/ },
    { word: "headset", is: /xr/ },
  ].find((entry) => entry.is.test(tag));
  return kind === undefined
    ? null
    : `${display} is a ${kind.word}. Phones, tablets and foldables can be shown: make one of those in Android Studio's Device Manager.`;
}

/** The model this AVD makes. Rejects with DeviceError in words when it is none that can be shown. */
export function modelOf(avd: Avd): AndroidModel {
  const words = refusal(avd);
  if (words !== null) throw new DeviceError("unsupported", words);
  const { config } = avd;
  const width = wholeNumber(config.get("hw.lcd.width"), 1);
  const height = wholeNumber(config.get("hw.lcd.height"), 1);
  if (width === null || height === null) {
    throw new DeviceError("failed", `The AVD ${avd.id} does not say its screen's size (hw.lcd.width and hw.lcd.height in its config.ini).`);
  }
  const density = wholeNumber(config.get("hw.lcd.density"), 1) ?? 420;
  const name = displayName(avd);
  const pixels: Size = { width, height };
  const outer = outerPixels(config);
  const known = DEVICE_MODELS.find((model): model is AndroidModel => model.platform === "android" && model.name === profileName(config));
  if (outer !== null) {
    if (known !== undefined && isFoldable(known) && same(known.inner.pixels, pixels) && same(known.outer.pixels, outer))
      return { ...known, name };
    return {
      platform: "android",
      name,
      form: "foldable",
      outer: screen(outer, density),
      inner: screen(pixels, density),
      hinge: hinge(config),
      postures: postures(config),
      body: body(pixels),
    };
  }
  if (known !== undefined && !isFoldable(known) && same(known.screen.pixels, pixels)) return { ...known, name };
  const narrowDp = (Math.min(width, height) * 160) / density;
  return {
    platform: "android",
    name,
    // 600 dp is Android's own line between phones and tablets.
    form: narrowDp >= 600 ? "tablet" : "phone",
    screen: screen(pixels, density),
    body: body(pixels),
  };
}

/** The AVD as a box offers it. `emulator`: the version it runs or would run on. */
export async function offerOf(avd: Avd, sdkRoot: string | null, emulator: string): Promise<OfferedDevice> {
  const path = avd.config.get("image.sysdir.1") ?? "";
  const image = sdkRoot === null || path === "" ? null : await packageRevision(join(sdkRoot, path));
  return {
    model: displayName(avd),
    native: avd.id,
    runtime: {
      platform: "android",
      api: wholeNumber(/android-(\d+)/.exec(path)?.[1]) ?? wholeNumber(/android-(\d+)/.exec(avd.config.get("target") ?? "")?.[1]) ?? 0,
      image: avd.config.get("tag.id") ?? "default",
      revision: wholeNumber(image?.split(".")[0]) ?? 0,
      abi: avd.config.get("abi.type") ?? "unknown",
      emulator,
      snapshot: null,
    },
  };
}

/** "Pixel 8 API 35": what Android Studio calls the AVD, else its id in words. */
export function displayName(avd: Avd): string {
  return avd.config.get("avd.ini.displayname") ?? avd.id.replaceAll("_", " ");
}

/** A hardware keyboard: without one, keys sent to the emulator do nothing. */
export function hasKeyboard(avd: Avd): boolean {
  return avd.config.get("hw.keyboard") !== "no";
}

/** "pixel_fold" and "Pixel Fold" alike name the table's Pixel Fold. */
function profileName(config: ReadonlyMap<string, string>): string {
  return (config.get("hw.device.name") ?? "")
    .split(/[_ ]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(" ");
}

function outerPixels(config: ReadonlyMap<string, string>): Size | null {
  const width = wholeNumber(config.get("hw.displayRegion.0.1.width"), 1);
  const height = wholeNumber(config.get("hw.displayRegion.0.1.height"), 1);
  return config.get("hw.sensor.hinge") === "yes" && width !== null && height !== null ? { width, height } : null;
}

/** The hinge's area is x-y-width-height: a line down the screen has no width. */
function hinge(config: ReadonlyMap<string, string>): "vertical" | "horizontal" {
  const [, , wide, high] = (config.get("hw.sensor.hinge.areas") ?? "").split(",")[0]?.split("-").map(Number) ?? [];
  return wide !== undefined && high !== undefined && wide > high ? "horizontal" : "vertical";
}

const POSTURES: Readonly<Record<string, Posture>> = { "1": "closed", "2": "half-open", "3": "open" };

function postures(config: ReadonlyMap<string, string>): readonly [Posture, ...Posture[]] {
  const listed = (config.get("hw.sensor.posture_list") ?? "").split(",").map((number) => POSTURES[number.trim()]);
  const [first, ...rest] = listed.filter((posture): posture is Posture => posture !== undefined);
  return first === undefined ? ["closed", "half-open", "open"] : [first, ...rest];
}

function screen(pixels: Size, density: number): Screen {
  // The device draws its own corners black or not at all; a small radius hides neither's content.
  const cornerRadius = Math.round(Math.min(pixels.width, pixels.height) * 0.04);
  return { pixels, scale: density / 160, cornerRadius, cutout: null };
}

function body(pixels: Size): Body {
  const shorter = Math.min(pixels.width, pixels.height);
  return {
    bezel: Math.round(shorter * 0.033),
    radius: Math.round(shorter * 0.07),
    buttons: [
      { edge: "right", from: 0.27, to: 0.33 },
      { edge: "right", from: 0.37, to: 0.49 },
    ],
  };
}

function same(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
