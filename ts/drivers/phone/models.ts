/** What a test phone can be, as offers. */
import { TEST_MODELS } from "#core/device-models.ts";
import type { AndroidModel, DeviceModel, OfferedDevice } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";

/** The drawing's own version: higher when a screen changes. */
const VERSION = "1";

/** A model of any size, such as "720x1280", drawn from a plain phone's numbers. Throws DeviceError for other names. */
export function sizedModel(name: string): AndroidModel {
  const size = /^(\d{2,4})x(\d{2,4})$/.exec(name);
  if (size === null) throw new DeviceError("unknown-device", `There is no test phone ${name}.`);
  const [width, height] = [Number(size[1]), Number(size[2])];
  const short = Math.min(width, height);
  return {
    name,
    platform: "android",
    form: short / Math.max(width, height) > 0.6 ? "tablet" : "phone",
    screen: { pixels: { width, height }, scale: short / 411, cornerRadius: 0, cutout: null },
    body: { bezel: Math.round(short / 30), radius: Math.round(short / 10), buttons: [] },
  };
}

export function testOffers(sizes: readonly string[]): readonly { readonly offer: OfferedDevice; readonly model: DeviceModel }[] {
  return [...TEST_MODELS, ...sizes.map(sizedModel)].map((model) => ({
    offer: { model: model.name, native: model.name, runtime: { platform: "test", version: VERSION } },
    model,
  }));
}
