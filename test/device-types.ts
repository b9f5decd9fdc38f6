/**
 * States that a device cannot be in, each of which must not compile (note 063 "The data shape"). Where one does, the compiler
 * says that its @ts-expect-error is unused, and the build is red. `npm test` compiles this file.
 */
import type {
  AndroidFlatState,
  AndroidFoldableState,
  AndroidModel,
  AndroidSettings,
  Body,
  Cutout,
  DeviceControl,
  DeviceInput,
  DeviceModel,
  DeviceState,
  FoldGeometry,
  Geometry,
  IosModel,
  IosSettings,
  IosState,
  Observed,
  OfferedDevice,
  Override,
  Power,
  Runtime,
  Screen,
} from "#core/device.ts";

declare const screen: Screen;
declare const body: Body;
declare const geometry: Geometry;
declare const fold: FoldGeometry;
declare const iosSettings: IosSettings;
declare const androidSettings: AndroidSettings;
declare const at: number;
declare const two: {
  readonly name: string;
  readonly outer: Screen;
  readonly inner: Screen;
  readonly hinge: "vertical";
  readonly body: Body;
};
declare const phone: {
  readonly platform: "android";
  readonly form: "phone";
  readonly model: string;
  readonly power: Power;
  readonly at: number;
};
declare const folds: {
  readonly platform: "android";
  readonly form: "foldable";
  readonly model: string;
  readonly power: Power;
  readonly at: number;
};
declare const ios: {
  readonly platform: "ios";
  readonly model: string;
  readonly power: Power;
  readonly settings: IosSettings;
  readonly at: number;
};
declare const posture: Observed<"open">;

// What is right compiles.
export const iphone: IosModel = { name: "x", platform: "ios", form: "phone", screen, body };
export const foldable: AndroidModel = {
  name: "x",
  platform: "android",
  form: "foldable",
  outer: screen,
  inner: screen,
  hinge: "vertical",
  postures: ["closed"],
  body,
};

// Models.
// @ts-expect-error -- a foldable is only an Android model
export const iosFoldable: IosModel = { ...two, platform: "ios", form: "foldable", postures: ["open"] };
// @ts-expect-error -- a flat model has exactly one screen
export const twoScreens: DeviceModel = { name: "x", platform: "android", form: "phone", screen, inner: screen, body };
// @ts-expect-error -- a flat model has a screen
export const noScreen: DeviceModel = { name: "x", platform: "android", form: "tablet", body };
// @ts-expect-error -- a foldable has two screens
export const oneScreen: DeviceModel = {
  name: "x",
  platform: "android",
  form: "foldable",
  inner: screen,
  hinge: "vertical",
  postures: ["open"],
  body,
};
// @ts-expect-error -- a foldable has at least one posture
export const noPosture: DeviceModel = { ...two, platform: "android", form: "foldable", postures: [] };
// @ts-expect-error -- tent is no posture
export const tent: DeviceModel = { ...two, platform: "android", form: "foldable", postures: ["tent"] };
// @ts-expect-error -- a screen says whether it has a cutout
export const noCutout: Screen = { pixels: { width: 1, height: 1 }, scale: 1, cornerRadius: 0 };
// @ts-expect-error -- a cutout is a pill or a circle
export const notch: Cutout = { x: 0, y: 0, width: 1, height: 1, shape: "notch" };
// @ts-expect-error -- no button is on the bottom edge
export const bottom: Body = { bezel: 1, radius: 1, buttons: [{ edge: "bottom", from: 0, to: 1 }] };
// @ts-expect-error -- a model in the table has no runtime
export const withRuntime: DeviceModel = { name: "x", platform: "ios", form: "phone", screen, body, runtime: "27.0" };

// What an image offers.
// @ts-expect-error -- every offered device has a runtime
export const noRuntime: OfferedDevice = { model: "x", native: "x" };
// @ts-expect-error -- an Android runtime says its snapshot's origin, or that it has none
export const noSnapshot: Runtime = { platform: "android", api: 35, image: "x", revision: 9, abi: "x", emulator: "x" };
// @ts-expect-error -- an iOS runtime has no API level
export const iosApi: Runtime = { platform: "ios", os: "27.0", build: "x", xcode: "x", companion: "x", api: 35 };

// States.
// @ts-expect-error -- a phone has no posture
export const phonePosture: AndroidFlatState = { ...phone, geometry, settings: androidSettings, posture };
// @ts-expect-error -- iOS does not fold
export const iosPosture: IosState = { ...ios, geometry, posture };
// @ts-expect-error -- a foldable has a posture
export const foldNoPosture: AndroidFoldableState = { ...folds, geometry: fold, settings: androidSettings };
// @ts-expect-error -- a foldable's geometry names the screen that shows
export const foldNoScreen: AndroidFoldableState = { ...folds, geometry, posture, settings: androidSettings };
// @ts-expect-error -- a flat device's geometry has no screen to name
export const flatScreen: Geometry = { ...geometry, screen: "outer" };
// @ts-expect-error -- an Android state has Android's settings
export const mixed: DeviceState = { ...phone, geometry, settings: iosSettings };
// @ts-expect-error -- there is no landscape: orientations count from the screen's own upright
export const landscape: Geometry = { ...geometry, physical: "landscape" };

// Power.
// @ts-expect-error -- a failed device has an error
export const failedSilently: Power = { is: "failed", since: at };
// @ts-expect-error -- only a failed device has one
export const bootedFailed: Power = { is: "booted", awake: true, error: { code: "boot-failed", words: "x" } };
// @ts-expect-error -- a booted device says whether it is awake
export const bootedAsleep: Power = { is: "booted" };
// @ts-expect-error -- a switch says to what
export const switchingNowhere: Power = { is: "switching", step: "booting", since: at };
// @ts-expect-error -- a failure's code is one of the list
export const failedOddly: Power = { is: "failed", error: { code: "bored", words: "x" }, since: at };

// Settings.
// @ts-expect-error -- network is an Android setting only
export const iosNetwork: IosSettings = { ...iosSettings, network: androidSettings.network };
// @ts-expect-error -- on iOS the battery is part of the status bar
export const iosBattery: IosSettings = { ...iosSettings, battery: androidSettings.battery };
// @ts-expect-error -- what is known has a value
export const knownNothing: Observed<"light"> = { known: true, at, by: "bb-box" };
// @ts-expect-error -- what is not known says why
export const unknownSilently: Observed<"light"> = { known: false };
// @ts-expect-error -- an override claims nothing of what the device shows
export const overrideClaims: Override<"clean"> = { set: "clean", at, value: "clean" };
// @ts-expect-error -- 1.4 is no font scale
export const oddScale: DeviceControl = { action: "text_size", to: 1.4 };

// Controls and input.
// @ts-expect-error -- an install has at least one path
export const installNothing: DeviceControl = { action: "install", paths: [] };
// @ts-expect-error -- home takes nothing
export const homeTo: DeviceControl = { action: "home", to: "upright" };
// @ts-expect-error -- a battery is both or neither
export const halfBattery: DeviceControl = { action: "battery", to: { level: 3 } };
// @ts-expect-error -- erase is left out of v1
export const erase: DeviceControl = { action: "erase" };
// @ts-expect-error -- a point says of which generation it is
export const pointOfNothing: DeviceInput = { type: "tap", at: { x: 1, y: 2 } };
// @ts-expect-error -- hyper is no modifier
export const hyper: DeviceInput = { type: "key", key: "a", modifiers: ["hyper"] };
