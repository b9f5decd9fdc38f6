/** What the panel knows, as one value that is replaced and never changed in place. */
import { resolveModel } from "#core/device-models.ts";
import type { Appearance, DeviceModel, DeviceState, OfferedDevice, Orientation, Posture } from "#core/device.ts";
import type { AnswerOk, Hello } from "#wire/device.ts";
import type { BoxInfo } from "#wire/panel.ts";
import type { Link } from "#viewer/stream/port.ts";

export type ViewerHolder = "none" | "agent" | "you" | "other";

/** Why pictures come instead of video. */
export type StillsWhy = "no-decoder" | "insecure";

export type ActionId =
  | "home"
  | "back"
  | "recents"
  | "rotate-left"
  | "rotate-right"
  | "fold"
  | "appearance"
  | "text-size"
  | "screenshot"
  | "more";

export type PopoverId = "fold" | "text-size" | "more" | "picker" | "type-text" | "details";

/** What a popover shows of itself: More's own pages, and the picker's question. */
export type Page = "main" | "text-size" | "location" | "battery" | "network" | "link" | "reboot" | "details" | "switch";

export type FieldId = "latitude" | "longitude" | "link";

export interface Toast {
  readonly words: string;
  readonly refusal: boolean;
}

export interface PanelModel {
  readonly link: Link;
  readonly hello: Hello | null;
  readonly state: DeviceState | null;
  /** What the server says above the frame. */
  readonly warning: string | null;
  /** What a booting device does now. */
  readonly progress: string | null;
  readonly holder: ViewerHolder;
  readonly latency: { readonly medianMs: number; readonly p95Ms: number } | null;
  /** How long a picture takes, stage by stage; asked for while Details is open. */
  readonly stats: NonNullable<AnswerOk["stats"]> | null;
  readonly stills: StillsWhy | null;
  /** A picture of the device that is now in the box has been drawn. */
  readonly pictured: boolean;
  /** When this page began to wait for a first picture; the panel's clock, ms. */
  readonly waitingSinceMs: number;
  /** The agent touched within the last two seconds. */
  readonly agentTouches: boolean;
  /** The device that was in the box before the switch under way. */
  readonly switchedFrom: string | null;
  /** Controls that wait for an answer for over 300 ms. */
  readonly busy: ReadonlySet<ActionId>;
  readonly popover: PopoverId | null;
  readonly page: Page;
  /** The device that the picker asks about. */
  readonly switchTo: string | null;
  /** Fields whose value was refused. */
  readonly refusedFields: ReadonlySet<FieldId>;
  readonly toast: Toast | null;
  /** The short-lived line under the frame. */
  readonly hint: "press-needs-control" | null;
  /** The screen has the keyboard's focus and this viewer has control. */
  readonly keysGo: boolean;
  readonly showFrame: boolean;
  readonly pixelForPixel: boolean;
  /** The first-time line about taking control has been read. */
  readonly usedAControl: boolean;
  readonly boxes: readonly BoxInfo[];
  /** The box whose device is shown. */
  readonly box: string;
  /** The page round the panel can show this box's desktop too. */
  readonly hasDesktop: boolean;
}

export function firstModel(nowMs: number): PanelModel {
  return {
    link: { is: "connecting" },
    hello: null,
    state: null,
    warning: null,
    progress: null,
    holder: "none",
    latency: null,
    stats: null,
    stills: null,
    pictured: false,
    waitingSinceMs: nowMs,
    agentTouches: false,
    switchedFrom: null,
    busy: new Set(),
    popover: null,
    page: "main",
    switchTo: null,
    refusedFields: new Set(),
    toast: null,
    hint: null,
    keysGo: false,
    showFrame: true,
    pixelForPixel: false,
    usedAControl: false,
    boxes: [],
    box: "local",
    hasDesktop: false,
  };
}

/** The device's name: the one being switched to, from the moment a switch begins. */
export function deviceName(model: PanelModel): string | null {
  const power = model.state?.power;
  if (power?.is === "switching") return power.to;
  return model.state?.model ?? null;
}

/** The model that is drawn. */
export function deviceModel(model: PanelModel): DeviceModel | null {
  const name = deviceName(model);
  return name === null ? null : resolveModel(name, model.hello?.models ?? []);
}

export function offered(model: PanelModel, name: string): OfferedDevice | null {
  return model.hello?.devices.find((device) => device.model === name) ?? null;
}

export function appearanceNow(state: DeviceState | null): Appearance | null {
  return state !== null && state.settings.appearance.known ? state.settings.appearance.value : null;
}

export function physicalNow(state: DeviceState | null): Orientation {
  return state?.geometry?.physical ?? "upright";
}

/** A foldable's posture; null for every other device and while nobody knows. */
export function postureNow(state: DeviceState | null): Posture | null {
  if (state === null || state.platform !== "android" || state.form !== "foldable") return null;
  if (state.posture.known) return state.posture.value;
  return state.geometry === null ? null : state.geometry.screen === "outer" ? "closed" : "open";
}

/** Which of a foldable's screens is lit; "inner" for every other device. */
export function litScreen(state: DeviceState | null): "outer" | "inner" {
  if (state === null || state.platform !== "android" || state.form !== "foldable") return "inner";
  if (state.geometry !== null) return state.geometry.screen;
  return state.posture.known && state.posture.value === "closed" ? "outer" : "inner";
}

/** The platform's own name for the text size now: a content size, or a font scale. */
export function textSizeNow(state: DeviceState | null): string | null {
  if (state === null) return null;
  if (state.platform === "ios") return state.settings.textSize.known ? state.settings.textSize.value : null;
  return state.settings.fontScale.known ? String(state.settings.fontScale.value) : null;
}

/** Whether controls can reach the device now: it is booted and the connection stands. */
export function canControl(model: PanelModel): boolean {
  return model.link.is === "open" && model.state?.power.is === "booted";
}
