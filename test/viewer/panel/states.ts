/** Models of the panel for tests: a booted Pixel 8 with a picture, and what differs. */
import type { AndroidFlatState, AndroidFoldableState, DeviceState, Observed, Power } from "#core/device.ts";
import type { Hello } from "#wire/device.ts";
import { type PanelModel, firstModel } from "#viewer/panel/model.ts";

export const known = <T>(value: T): Observed<T> => ({ known: true, value, at: 0, by: "bb-box" });

export function phoneState(over: Partial<AndroidFlatState> = {}): AndroidFlatState {
  return {
    platform: "android",
    form: "phone",
    model: "Pixel 8",
    power: { is: "booted", awake: true },
    geometry: { generation: 1, physical: "upright", content: "upright", video: { width: 1080, height: 2400 } },
    settings: {
      appearance: known("light"),
      fontScale: known(1),
      location: known(null),
      battery: known({ level: 80, charging: false }),
      network: known("online"),
      statusBar: { set: null, at: null },
    },
    at: 0,
    ...over,
  };
}

export function foldState(over: Partial<AndroidFoldableState> = {}): AndroidFoldableState {
  const { form: _form, geometry: _geometry, ...base } = phoneState();
  return {
    ...base,
    form: "foldable",
    model: "Pixel Fold",
    geometry: { generation: 1, physical: "upright", content: "upright", video: { width: 2208, height: 1840 }, screen: "inner" },
    posture: known("open"),
    ...over,
  };
}

export function helloOf(state: DeviceState, over: Partial<Hello> = {}): Hello {
  return {
    protocol: { min: 1, max: 1 },
    version: 1,
    host: { os: "linux", cpu: "x64", libc: null, node: "20.19.0" },
    platform: state.platform,
    devices: [
      {
        model: state.model,
        native: state.model,
        runtime: { platform: "android", api: 35, image: "g", revision: 1, abi: "x86_64", emulator: "36", snapshot: null },
      },
    ],
    models: [],
    state,
    lease: { held: true, since: 0 },
    owner: { generation: 1, holder: "agent" },
    encoder: { name: "x264", version: "164" },
    bootedHere: [],
    warning: null,
    ...over,
  };
}

export function panel(over: Partial<PanelModel> = {}): PanelModel {
  const state = over.state === undefined ? phoneState() : over.state;
  return {
    ...firstModel(0),
    link: { is: "open" },
    hello: state === null ? null : helloOf(state),
    state,
    holder: "agent",
    pictured: true,
    ...over,
  };
}

export function withPower(power: Power, over: Partial<PanelModel> = {}): PanelModel {
  return panel({ state: phoneState({ power }), ...over });
}
