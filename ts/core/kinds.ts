/** The two kinds of box that have a device, and what each can do (note 063 "Kinds and offers"). */
import { modelNamed } from "./device-models.ts";
import type { DevicePlatform, OfferedDevice } from "./device.ts";

export type DeviceKind = "ios" | "android";

/** A screen of a box. A display is chosen by its id. */
export interface DisplayCapability {
  readonly id: "device" | "desktop";
  readonly shows: "desktop" | "device";
  /** A device has its own size, and no viewer changes it. */
  readonly resizable: boolean;
}

export interface KindCapabilities {
  /** What the offer's image holds; null on a kind with no device. */
  readonly device: { readonly platform: DevicePlatform; readonly offered: readonly OfferedDevice[] } | null;
  /** Cua's. A device is driven through its device server instead. */
  readonly computerUse: null;
  readonly displays: readonly DisplayCapability[];
  /** Becomes a machine of the person's own network when asked to. */
  readonly enrols: boolean;
}

/** Cores and memory of a box. */
export interface BoxSize {
  readonly cores: number;
  readonly memoryGiB: number;
}

export interface KindInfo {
  readonly kind: DeviceKind;
  readonly label: string;
  readonly platform: DevicePlatform;
  readonly host: { readonly os: "macos" | "linux"; readonly cpu: "arm64" | "x86_64"; readonly words: string };
  /** The host's desktop is for the person only; the agent's tools drive the device. */
  readonly displays: readonly DisplayCapability[];
  readonly enrols: boolean;
  readonly defaultSize: BoxSize;
  /** A smaller box is refused; null: the presets decide. */
  readonly leastSize: BoxSize | null;
}

const DEVICE_DISPLAY: DisplayCapability = { id: "device", shows: "device", resizable: false };
const DESKTOP_DISPLAY: DisplayCapability = { id: "desktop", shows: "desktop", resizable: true };

export const KIND_INFO: Readonly<Record<DeviceKind, KindInfo>> = {
  ios: {
    kind: "ios",
    label: "iOS Simulator",
    platform: "ios",
    host: { os: "macos", cpu: "arm64", words: "a Tart VM with macOS" },
    displays: [DEVICE_DISPLAY, DESKTOP_DISPLAY],
    enrols: true,
    defaultSize: { cores: 6, memoryGiB: 16 },
    leastSize: null,
  },
  android: {
    kind: "android",
    label: "Android emulator",
    platform: "android",
    host: { os: "linux", cpu: "x86_64", words: "a Proxmox QEMU VM with KVM" },
    displays: [DEVICE_DISPLAY],
    enrols: true,
    defaultSize: { cores: 8, memoryGiB: 16 },
    leastSize: { cores: 4, memoryGiB: 10 },
  },
};

/** A host that makes boxes of a kind, with the devices its image's record lists. */
export interface Offer {
  readonly kind: DeviceKind;
  readonly host: string;
  readonly offered: readonly OfferedDevice[];
}

export function isDeviceKind(kind: string): kind is DeviceKind {
  return kind === "ios" || kind === "android";
}

/** What a box of this offer can do. */
export function capabilitiesOf(offer: Offer): KindCapabilities {
  const { platform, displays, enrols } = KIND_INFO[offer.kind];
  return { device: { platform, offered: offer.offered }, computerUse: null, displays, enrols };
}

export type Choice =
  | { readonly is: "offers"; readonly offers: readonly Offer[]; readonly model: string }
  /** In words; nothing is acquired. */
  | { readonly is: "refused"; readonly words: string };

/**
 * Which offers an acquire may try: those whose image lists the model that was asked for. Without one, the kind's first.
 * `device` on a kind that has none is refused.
 */
export function chooseOffers(kind: string, device: string | null, offers: readonly Offer[]): Choice {
  if (!isDeviceKind(kind)) return { is: "refused", words: "device is for an ios or android box. Leave it out for other kinds." };
  const ofKind = offers.filter((offer) => offer.kind === kind && offer.offered.length > 0);
  const models = [...new Set(ofKind.flatMap((offer) => offer.offered.map(({ model }) => model)))];
  const first = models[0];
  if (first === undefined) return { is: "refused", words: `No host offers ${kind} boxes yet.` };
  const model = device ?? first;
  const having = ofKind.filter((offer) => offer.offered.some((offered) => offered.model === model));
  if (having.length === 0) return { is: "refused", words: `No offer has a ${model}. The models of ${kind} are: ${models.join(", ")}.` };
  return { is: "offers", offers: having, model };
}

/** "Devices: iPhone 18 Pro (default), iPhone 17.": the end of a kind's line in a list. */
export function devicesLine(offered: readonly OfferedDevice[]): string {
  const names = [...new Set(offered.map(({ model }) => model))];
  return `Devices: ${names.map((name, at) => (at === 0 ? `${name} (default)` : name)).join(", ")}.`;
}

/** Is every offered device of the kind's platform, and a model of the table? Names the first that is not, in words; null when all are. */
export function wrongOffer(kind: DeviceKind, offered: readonly OfferedDevice[]): string | null {
  for (const { model, runtime } of offered) {
    const known = modelNamed(model);
    if (known === null) return `bb-box does not know the model ${model}.`;
    if (known.platform !== KIND_INFO[kind].platform) return `The ${model} is no ${KIND_INFO[kind].platform} device.`;
    if (runtime.platform !== known.platform) return `The ${model} does not run ${runtime.platform}.`;
  }
  return null;
}
