/** Records that others keep about boxes and images (note 063 "Where each part lives"): each parsed once, into a value or a refusal in words. */
import { z } from "zod";
import { resolveModel } from "#core/device-models.ts";
import type { DeviceModel, DevicePlatform, OfferedDevice, Runtime } from "#core/device.ts";
import { offeredDeviceSchema, platformSchema, runtimeSchema } from "./shapes.ts";
import { REPORTED, refusalWords } from "./words.ts";

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly words: string };

/** An offered device with the model that its name stands for. */
export interface Offered {
  readonly offer: OfferedDevice;
  readonly model: DeviceModel;
}

/** The image record's part that is about devices. Other parts are others'. */
export interface ImageRecord {
  readonly devices: readonly Offered[];
}

/** A box record's copy of what its device server said last; where the two differ, the server is right. */
export interface BoxDevice {
  readonly platform: DevicePlatform;
  readonly model: string;
  readonly runtime: Runtime;
}

const imageSchema = z.object({ devices: z.array(offeredDeviceSchema).readonly().default([]) });
const boxSchema = z.object({
  device: z
    .object({ platform: platformSchema, model: z.string().min(1).max(200), runtime: runtimeSchema })
    .nullable()
    .optional(),
});

/** image.json. `built`: models that a driver made, beside the table's. An image with no `devices` has none. */
export function parseImageRecord(text: string, built: readonly DeviceModel[] = []): Parsed<ImageRecord> {
  const json = parseJson(text, "The image's record");
  if (!json.ok) return json;
  const parsed = imageSchema.safeParse(json.value, REPORTED);
  if (!parsed.success) return { ok: false, words: `The image's record: ${refusalWords(parsed.error)}` };
  const devices: Offered[] = [];
  for (const offer of parsed.data.devices) {
    const model = resolveModel(offer.model, built);
    if (model === null) return { ok: false, words: `The image's record names the model ${offer.model}, which bb-box does not know.` };
    if (offer.runtime.platform !== "test" && offer.runtime.platform !== model.platform) {
      return { ok: false, words: `The image's record gives the ${model.name} a runtime of ${offer.runtime.platform}.` };
    }
    devices.push({ offer, model });
  }
  return { ok: true, value: { devices } };
}

/** A box record's `device`, from the record as a value; null on a box with none. */
export function parseBoxDevice(record: unknown, built: readonly DeviceModel[] = []): Parsed<BoxDevice | null> {
  const parsed = boxSchema.safeParse(record, REPORTED);
  if (!parsed.success) return { ok: false, words: `The box's record: ${refusalWords(parsed.error)}` };
  const device = parsed.data.device ?? null;
  if (device === null) return { ok: true, value: null };
  const model = resolveModel(device.model, built);
  if (model === null) return { ok: false, words: `The box's record names the model ${device.model}, which bb-box does not know.` };
  if (model.platform !== device.platform)
    return { ok: false, words: `The box's record says that the ${model.name} is ${device.platform}.` };
  return { ok: true, value: device };
}

/** What a box record's `device` is from what the server says, or null while it says nothing of the model it runs. */
export function boxDeviceFrom(
  state: { readonly platform: DevicePlatform; readonly model: string },
  devices: readonly OfferedDevice[],
): BoxDevice | null {
  const offer = devices.find(({ model }) => model === state.model);
  return offer === undefined ? null : { platform: state.platform, model: state.model, runtime: offer.runtime };
}

function parseJson(text: string, what: string): Parsed<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, words: `${what} is not JSON.` };
  }
}
