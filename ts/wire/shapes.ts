/**
 * A validator for each type of core/device.ts that crosses a wire or lies in a file, each tied to its type both ways.
 * What a client asks for is strict: a field that belongs to another action is refused. What a server tells is open to new fields.
 */
import * as z from "zod";
import {
  ANDROID_FONT_SCALES,
  IOS_CONTENT_SIZES,
  type AndroidModel,
  type AndroidSettings,
  type Contact,
  type DeviceControl,
  type DeviceElement,
  type DeviceInput,
  type DeviceModel,
  type DeviceState,
  type EncoderInfo,
  type FoldGeometry,
  type Geometry,
  type Intent,
  type IosModel,
  type IosSettings,
  type LatLon,
  type Observed,
  type OfferedDevice,
  type Override,
  type Owner,
  type Point,
  type Power,
  type Runtime,
} from "#core/device.ts";
import { CONTACTS_MAX, COORDINATE_MAX, GESTURE_MS_MAX, INSTALL_PATHS_MAX } from "./limits.ts";

/** Fails to compile unless the schema gives exactly the type: nothing more, nothing less. */
type Ties<Schema extends z.ZodType, Type> = [z.infer<Schema>] extends [Type] ? ([Type] extends [z.infer<Schema>] ? true : never) : never;
const tied = <Check extends true>(_check: Check): void => undefined;

const count = z.int().min(0);
const wallMs = z.number();
const positive = z.number().positive();
const name = z.string().min(1).max(200);

export const sizeSchema = z.object({ width: z.int().min(1).max(COORDINATE_MAX), height: z.int().min(1).max(COORDINATE_MAX) });
export const orientationSchema = z.enum(["upright", "turned-left", "upside-down", "turned-right"]);
export const postureSchema = z.enum(["closed", "half-open", "open"]);
export const appearanceSchema = z.enum(["light", "dark"]);
export const networkSchema = z.enum(["online", "offline", "slow"]);
export const holderSchema = z.enum(["none", "agent", "person"]);
export const platformSchema = z.enum(["ios", "android"]);
export const iosContentSizeSchema = z.enum(IOS_CONTENT_SIZES);
export const androidFontScaleSchema = z.literal([...ANDROID_FONT_SCALES]);
export const latLonSchema = z.strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) });
export const batterySchema = z.strictObject({ level: z.int().min(0).max(100), charging: z.boolean() });

// Models.
const cutoutSchema = z.object({ x: z.number(), y: z.number(), width: positive, height: positive, shape: z.enum(["pill", "circle"]) });
const screenSchema = z.object({ pixels: sizeSchema, scale: positive, cornerRadius: z.number().min(0), cutout: cutoutSchema.nullable() });
const fraction = z.number().min(0).max(1);
const bodySchema = z.object({
  bezel: z.number().min(0),
  radius: z.number().min(0),
  buttons: z.array(z.object({ edge: z.enum(["left", "right", "top"]), from: fraction, to: fraction })).readonly(),
});
const flatShape = { name, form: z.enum(["phone", "tablet"]), screen: screenSchema, body: bodySchema };
export const iosModelSchema = z.object({ ...flatShape, platform: z.literal("ios") });
export const androidModelSchema = z.discriminatedUnion("form", [
  z.object({ ...flatShape, platform: z.literal("android") }),
  z.object({
    name,
    form: z.literal("foldable"),
    outer: screenSchema,
    inner: screenSchema,
    hinge: z.enum(["vertical", "horizontal"]),
    postures: z.tuple([postureSchema], postureSchema).readonly(),
    body: bodySchema,
    platform: z.literal("android"),
  }),
]);
export const deviceModelSchema = z.union([iosModelSchema, androidModelSchema]);
tied<Ties<typeof iosModelSchema, IosModel>>(true);
tied<Ties<typeof androidModelSchema, AndroidModel>>(true);
tied<Ties<typeof deviceModelSchema, DeviceModel>>(true);

export const runtimeSchema = z.discriminatedUnion("platform", [
  z.object({ platform: z.literal("ios"), os: z.string(), build: z.string(), xcode: z.string(), companion: z.string() }),
  z.object({
    platform: z.literal("android"),
    api: count,
    image: z.string(),
    revision: count,
    abi: z.string(),
    emulator: z.string(),
    snapshot: z.object({ emulator: z.string(), cpu: z.string(), made: z.string() }).nullable(),
  }),
  z.object({ platform: z.literal("test"), version: z.string() }),
]);
tied<Ties<typeof runtimeSchema, Runtime>>(true);

export const offeredDeviceSchema = z.object({ model: name, native: name, runtime: runtimeSchema });
tied<Ties<typeof offeredDeviceSchema, OfferedDevice>>(true);

// State.
const geometryShape = { generation: count, physical: orientationSchema, content: orientationSchema, video: sizeSchema };
export const geometrySchema = z.object(geometryShape);
export const foldGeometrySchema = z.object({ ...geometryShape, screen: z.enum(["outer", "inner"]) });
tied<Ties<typeof geometrySchema, Geometry>>(true);
tied<Ties<typeof foldGeometrySchema, FoldGeometry>>(true);

export const switchStepSchema = z.enum(["stopping", "booting", "waiting", "streaming"]);
export const failureCodeSchema = z.enum([
  "boot-failed",
  "device-exited",
  "companion-failed",
  "emulator-failed",
  "firewall-missing",
  "incompatible",
]);
export const powerSchema = z.discriminatedUnion("is", [
  z.object({ is: z.literal("booting"), since: wallMs }),
  z.object({ is: z.literal("booted"), awake: z.boolean() }),
  z.object({ is: z.literal("switching"), to: name, step: switchStepSchema, since: wallMs }),
  z.object({ is: z.literal("stopped") }),
  z.object({ is: z.literal("failed"), error: z.object({ code: failureCodeSchema, words: z.string() }), since: wallMs }),
]);
tied<Ties<typeof powerSchema, Power>>(true);

function observed<T extends z.ZodType>(value: T) {
  return z.discriminatedUnion("known", [
    z.object({ known: z.literal(true), value, at: wallMs, by: z.enum(["bb-box", "outside"]) }),
    z.object({ known: z.literal(false), why: z.string() }),
  ]);
}
function override<T extends z.ZodType>(value: T) {
  return z.object({ set: value.nullable(), at: wallMs.nullable() });
}
const observedAppearance = observed(appearanceSchema);
const overriddenLocation = override(latLonSchema);
tied<Ties<typeof observedAppearance, Observed<"light" | "dark">>>(true);
tied<Ties<typeof overriddenLocation, Override<LatLon>>>(true);

export const iosSettingsSchema = z.object({
  appearance: observedAppearance,
  textSize: observed(iosContentSizeSchema),
  location: overriddenLocation,
  statusBar: override(z.object({ clean: z.boolean(), battery: batterySchema.nullable() })),
});
export const androidSettingsSchema = z.object({
  appearance: observedAppearance,
  fontScale: observed(androidFontScaleSchema),
  location: observed(latLonSchema.nullable()),
  battery: observed(batterySchema),
  network: observed(networkSchema),
  statusBar: override(z.literal("clean")),
});
tied<Ties<typeof iosSettingsSchema, IosSettings>>(true);
tied<Ties<typeof androidSettingsSchema, AndroidSettings>>(true);

export const deviceStateSchema = z.union([
  z.object({
    platform: z.literal("ios"),
    model: name,
    power: powerSchema,
    geometry: geometrySchema.nullable(),
    settings: iosSettingsSchema,
    at: wallMs,
  }),
  z.discriminatedUnion("form", [
    z.object({
      platform: z.literal("android"),
      form: z.enum(["phone", "tablet"]),
      model: name,
      power: powerSchema,
      geometry: geometrySchema.nullable(),
      settings: androidSettingsSchema,
      at: wallMs,
    }),
    z.object({
      platform: z.literal("android"),
      form: z.literal("foldable"),
      model: name,
      power: powerSchema,
      geometry: foldGeometrySchema.nullable(),
      posture: observed(postureSchema),
      settings: androidSettingsSchema,
      at: wallMs,
    }),
  ]),
]);
tied<Ties<typeof deviceStateSchema, DeviceState>>(true);

// What a device is told.
const path = z.string().min(1).max(4096);
const action = <A extends string>(value: A) => z.literal(value);
const controlSchema = z.discriminatedUnion("action", [
  z.strictObject({ action: action("home") }),
  z.strictObject({ action: action("back") }),
  z.strictObject({ action: action("recents") }),
  z.strictObject({ action: action("lock") }),
  z.strictObject({ action: action("wake") }),
  z.strictObject({ action: action("posture"), to: postureSchema }),
  z.strictObject({ action: action("appearance"), to: appearanceSchema }),
  z.strictObject({
    action: action("text_size"),
    to: z.union([z.enum(["larger", "smaller", "default"]), iosContentSizeSchema, androidFontScaleSchema]),
  }),
  z.strictObject({ action: action("location"), to: latLonSchema.nullable() }),
  z.strictObject({ action: action("status_bar"), to: z.enum(["clean", "live"]) }),
  z.strictObject({ action: action("battery"), to: batterySchema.nullable() }),
  z.strictObject({ action: action("network"), to: networkSchema }),
  z.strictObject({
    action: action("install"),
    paths: z
      .tuple([path], path)
      .refine((paths) => paths.length <= INSTALL_PATHS_MAX, { error: `at most ${INSTALL_PATHS_MAX} paths` })
      .readonly(),
  }),
  z.strictObject({ action: action("switch"), device: name }),
  z.strictObject({ action: action("reboot") }),
]);
const rotateSchema = z.union([
  z.strictObject({ action: action("rotate"), turn: z.enum(["left", "right"]) }),
  z.strictObject({ action: action("rotate"), to: orientationSchema }),
]);
export const deviceControlSchema = z.union([controlSchema, rotateSchema]);
tied<Ties<typeof deviceControlSchema, DeviceControl>>(true);

const coordinate = z.number().min(-COORDINATE_MAX).max(COORDINATE_MAX);
const distance = z.number().min(0).max(COORDINATE_MAX);
const gestureMs = z.number().min(0).max(GESTURE_MS_MAX);
export const pointSchema = z.strictObject({ x: coordinate, y: coordinate, generation: count });
tied<Ties<typeof pointSchema, Point>>(true);

export const deviceInputSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("tap"), at: pointSchema }),
  z.strictObject({ type: z.literal("long_press"), at: pointSchema, ms: gestureMs }),
  z.strictObject({ type: z.literal("swipe"), from: pointSchema, to: pointSchema, ms: gestureMs }),
  z.strictObject({ type: z.literal("pinch"), centre: pointSchema, from: distance, to: distance, ms: gestureMs }),
  z.strictObject({
    type: z.literal("key"),
    key: z.string().min(1).max(32),
    modifiers: z
      .array(z.enum(["shift", "control", "alt", "meta"]))
      .max(4)
      .readonly(),
  }),
  z.strictObject({ type: z.literal("text"), text: z.string() }),
]);
tied<Ties<typeof deviceInputSchema, DeviceInput>>(true);

export const contactSchema = z.strictObject({
  id: z
    .int()
    .min(0)
    .max(CONTACTS_MAX - 1),
  x: coordinate,
  y: coordinate,
});
tied<Ties<typeof contactSchema, Contact>>(true);
/** Every contact now down; no finger twice. */
export const contactsSchema = z
  .array(contactSchema)
  .max(CONTACTS_MAX)
  .refine((contacts) => new Set(contacts.map((contact) => contact.id)).size === contacts.length, { error: "one finger is named twice" })
  .readonly();

const rectSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export const deviceElementSchema: z.ZodType<DeviceElement> = z.object({
  role: z.string(),
  identifier: z.string().nullable(),
  label: z.string(),
  value: z.string().nullable(),
  frame: rectSchema,
  enabled: z.boolean(),
  focused: z.boolean(),
  can: z.object({ tap: z.boolean(), edit: z.boolean(), scroll: z.boolean() }).nullable(),
  get children() {
    return z.array(deviceElementSchema).readonly();
  },
});

// What lies in files, and who may send input.
export const intentSchema = z.object({
  target: name,
  switching: z.object({ id: z.string().min(1).max(64), from: name, step: switchStepSchema, since: wallMs }).nullable(),
});
tied<Ties<typeof intentSchema, Intent>>(true);

export const ownerSchema = z.object({ generation: count, holder: holderSchema });
tied<Ties<typeof ownerSchema, Owner>>(true);

export const encoderSchema = z.object({ name: z.string(), version: z.string() });
tied<Ties<typeof encoderSchema, EncoderInfo>>(true);
