/** What the screen says when it does not simply show the device's picture: never black without words. Pure. */
import type { SwitchStep } from "#core/device.ts";
import { type PanelModel, deviceName } from "./model.ts";

/** Over the picture there is a plate; on black there are words alone. */
export type ScreenSays =
  | { readonly kind: "nothing" }
  | { readonly kind: "connecting"; readonly name: string | null; readonly slow: boolean }
  | {
      readonly kind: "booting";
      readonly name: string;
      readonly elapsedMs: number;
      readonly expectedMs: number;
      readonly firstBoot: boolean;
      readonly doing: string | null;
    }
  | { readonly kind: "switching"; readonly name: string; readonly from: string | null; readonly step: SwitchStep }
  | { readonly kind: "asleep"; readonly overPicture: boolean }
  | { readonly kind: "failed"; readonly name: string; readonly words: string; readonly code: string; readonly cold: boolean }
  | { readonly kind: "stopped"; readonly name: string }
  | { readonly kind: "lost"; readonly retryInMs: number | null; readonly overPicture: boolean }
  | { readonly kind: "superseded"; readonly overPicture: boolean }
  | { readonly kind: "ended"; readonly words: string | null; readonly overPicture: boolean }
  | { readonly kind: "refused"; readonly why: "no-token" | "old-token" }
  | { readonly kind: "no-device" };

/** After this long a wait is called long. ms. */
export const SLOW_AFTER_MS = 10_000;

/** What a boot usually takes, ms: from a snapshot, booted here before, or for the first time. */
const EXPECTED_MS = { ios: { before: 2_000, first: 60_000 }, android: { before: 4_000, first: 16_000 } } as const;

/** `wallMs` is the wall clock (states carry it), `nowMs` the panel's. */
export function screenSays(model: PanelModel, nowMs: number, wallMs: number): ScreenSays {
  const overPicture = model.pictured;
  const { link, state } = model;
  switch (link.is) {
    case "refused":
      return { kind: "refused", why: link.why };
    case "superseded":
      return { kind: "superseded", overPicture };
    case "ended":
      return { kind: "ended", words: link.words, overPicture };
    case "lost":
      return { kind: "lost", retryInMs: link.retryAtMs === null ? null : Math.max(0, link.retryAtMs - nowMs), overPicture };
    default:
  }
  const slow = nowMs - model.waitingSinceMs >= SLOW_AFTER_MS;
  if (state === null) {
    if (model.hello !== null && model.hello.devices.length === 0) return { kind: "no-device" };
    return { kind: "connecting", name: null, slow };
  }
  const name = deviceName(model) ?? state.model;
  switch (state.power.is) {
    case "booting":
      return {
        kind: "booting",
        name,
        elapsedMs: Math.max(0, wallMs - state.power.since),
        ...bootExpected(model, name),
        doing: model.progress,
      };
    case "switching":
      return { kind: "switching", name, from: model.switchedFrom, step: state.power.step };
    case "failed":
      return {
        kind: "failed",
        name,
        words: state.power.error.words,
        code: state.power.error.code,
        cold: state.platform === "android",
      };
    case "stopped":
      return { kind: "stopped", name };
    case "booted":
      if (!state.power.awake) return { kind: "asleep", overPicture };
      return overPicture ? { kind: "nothing" } : { kind: "connecting", name, slow };
  }
}

function bootExpected(model: PanelModel, name: string): { readonly expectedMs: number; readonly firstBoot: boolean } {
  const platform = model.state?.platform ?? "android";
  const before = model.hello?.bootedHere.includes(name) ?? false;
  const offer = model.hello?.devices.find((device) => device.model === name);
  const fromSnapshot = offer?.runtime.platform === "android" ? offer.runtime.snapshot !== null : before;
  const expected = EXPECTED_MS[platform];
  return { expectedMs: fromSnapshot ? expected.before : expected.first, firstBoot: platform === "ios" && !before };
}

/** Do its words count seconds? */
export function counts(says: ScreenSays): boolean {
  return says.kind === "booting" || (says.kind === "lost" && says.retryInMs !== null) || (says.kind === "connecting" && !says.slow);
}
