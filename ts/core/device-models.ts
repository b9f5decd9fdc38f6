/**
 * The model table (note 063 "Device models"): every device a box can offer, with the numbers its frame is drawn from.
 * Pixels, scales and corner radii are measured or the makers'. What nobody has measured is listed in ESTIMATED.
 */
import type { AndroidModel, Body, DeviceModel, FoldableModel, IosModel, Screen, Size } from "./device.ts";

const IPHONE_BODY: Body = {
  bezel: 26,
  radius: 230,
  buttons: [
    { edge: "left", from: 0.198, to: 0.232 },
    { edge: "left", from: 0.272, to: 0.334 },
    { edge: "left", from: 0.354, to: 0.416 },
    { edge: "right", from: 0.298, to: 0.398 },
  ],
};

const IOS_MODELS = [
  {
    name: "iPhone 18 Pro",
    platform: "ios",
    form: "phone",
    screen: {
      pixels: { width: 1206, height: 2622 },
      scale: 3,
      cornerRadius: 186,
      cutout: { x: 481, y: 42, width: 244, height: 111, shape: "pill" },
    },
    body: IPHONE_BODY,
  },
  {
    name: "iPhone 17",
    platform: "ios",
    form: "phone",
    screen: {
      pixels: { width: 1206, height: 2622 },
      scale: 3,
      cornerRadius: 186,
      cutout: { x: 415.5, y: 42, width: 375, height: 111, shape: "pill" },
    },
    body: IPHONE_BODY,
  },
  {
    name: "iPad Pro 13-inch (M5)",
    platform: "ios",
    form: "tablet",
    screen: { pixels: { width: 2064, height: 2752 }, scale: 2, cornerRadius: 60, cutout: null },
    body: {
      bezel: 52,
      radius: 124,
      buttons: [
        { edge: "top", from: 0.826, to: 0.892 },
        { edge: "right", from: 0.052, to: 0.09 },
        { edge: "right", from: 0.1, to: 0.138 },
      ],
    },
  },
] as const satisfies readonly IosModel[];

/** 420 dpi. */
const PIXEL_SCALE = 420 / 160;

const ANDROID_MODELS = [
  {
    name: "Pixel 8",
    platform: "android",
    form: "phone",
    screen: { pixels: { width: 1080, height: 2400 }, scale: PIXEL_SCALE, cornerRadius: 104, cutout: null },
    body: {
      bezel: 36,
      radius: 156,
      buttons: [
        { edge: "right", from: 0.268, to: 0.33 },
        { edge: "right", from: 0.372, to: 0.488 },
      ],
    },
  },
  {
    name: "Pixel Fold",
    platform: "android",
    form: "foldable",
    outer: { pixels: { width: 1080, height: 2092 }, scale: PIXEL_SCALE, cornerRadius: 91, cutout: null },
    inner: { pixels: { width: 2208, height: 1840 }, scale: PIXEL_SCALE, cornerRadius: 52, cutout: null },
    hinge: "vertical",
    postures: ["closed", "half-open", "open"],
    body: {
      bezel: 46,
      radius: 114,
      buttons: [
        { edge: "right", from: 0.352, to: 0.432 },
        { edge: "right", from: 0.532, to: 0.644 },
      ],
    },
  },
  {
    name: "Pixel Tablet",
    platform: "android",
    form: "tablet",
    screen: { pixels: { width: 2560, height: 1600 }, scale: 2, cornerRadius: 28, cutout: null },
    body: {
      bezel: 48,
      radius: 88,
      buttons: [
        { edge: "top", from: 0.052, to: 0.098 },
        { edge: "top", from: 0.122, to: 0.198 },
      ],
    },
  },
] as const satisfies readonly AndroidModel[];

export const DEVICE_MODELS: readonly DeviceModel[] = [...IOS_MODELS, ...ANDROID_MODELS];
/** What a box of each platform boots when nothing else is asked for. */
export const DEFAULT_MODEL = { ios: "iPhone 18 Pro", android: "Pixel 8" } as const;

/** Our own test phone and foldable: what a machine with no emulator and no simulator shows. */
export const TEST_MODELS: readonly AndroidModel[] = [
  {
    name: "Test device",
    platform: "android",
    form: "phone",
    screen: { pixels: { width: 1080, height: 2400 }, scale: PIXEL_SCALE, cornerRadius: 104, cutout: null },
    body: {
      bezel: 36,
      radius: 156,
      buttons: [
        { edge: "right", from: 0.268, to: 0.33 },
        { edge: "right", from: 0.372, to: 0.488 },
      ],
    },
  },
  {
    name: "Test foldable",
    platform: "android",
    form: "foldable",
    outer: { pixels: { width: 1080, height: 2092 }, scale: PIXEL_SCALE, cornerRadius: 91, cutout: null },
    inner: { pixels: { width: 2208, height: 1840 }, scale: PIXEL_SCALE, cornerRadius: 52, cutout: null },
    hinge: "vertical",
    postures: ["closed", "half-open", "open"],
    body: {
      bezel: 46,
      radius: 114,
      buttons: [
        { edge: "right", from: 0.352, to: 0.432 },
        { edge: "right", from: 0.532, to: 0.644 },
      ],
    },
  },
];

/** Numbers that nobody has measured: drawn to look right, and the ones to change when better are known. By model name. */
export const ESTIMATED: Readonly<Record<string, readonly string[]>> = {
  "iPhone 18 Pro": ["screen.cutout", "body.bezel", "body.buttons"],
  "iPhone 17": ["screen.cutout", "body.bezel", "body.buttons"],
  "iPad Pro 13-inch (M5)": ["body.bezel", "body.buttons"],
  "Pixel 8": ["body.bezel"],
  "Pixel Fold": ["body.bezel"],
  "Pixel Tablet": ["body.bezel", "body.buttons"],
};

/** The model of this name, in our table or the test phone's; null when there is none. */
export function modelNamed(name: string): DeviceModel | null {
  return DEVICE_MODELS.find((model) => model.name === name) ?? TEST_MODELS.find((model) => model.name === name) ?? null;
}

/** The model of this name: first among the ones a driver built, then in the tables; null when there is none. */
export function resolveModel(name: string, built: readonly DeviceModel[]): DeviceModel | null {
  return built.find((model) => model.name === name) ?? modelNamed(name);
}

export function isFoldable(model: DeviceModel): model is FoldableModel & { readonly platform: "android" } {
  return model.form === "foldable";
}

/** The screen a model shows; `which` matters on a foldable only. */
export function screenOf(model: DeviceModel, which: "outer" | "inner"): Screen {
  return model.form === "foldable" ? model[which] : model.screen;
}

/** The panel that an Android device takes touches in, upright: the screen's, and on a foldable always the inner one's. */
export function touchPanelOf(model: DeviceModel): Size {
  return model.form === "foldable" ? model.inner.pixels : model.screen.pixels;
}

/** The metal round the glass, in the screen's pixels: six points or dp. */
export function rimOf(screen: Screen): number {
  return Math.round(6 * screen.scale);
}
