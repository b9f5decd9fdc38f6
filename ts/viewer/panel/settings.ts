/** What this browser keeps by itself: how a box's device is shown, and that the first-time line was read. */
import type { PanelModel } from "./model.ts";

export interface KeptSettings {
  read(): Pick<PanelModel, "showFrame" | "pixelForPixel" | "usedAControl">;
  keep(change: Partial<Pick<PanelModel, "showFrame" | "pixelForPixel" | "usedAControl">>): void;
}

const USED = "bb-device.used-a-control";
const keyOf = (box: string, name: string): string => `bb-device.${box}.${name}`;

/** Kept in local storage; a browser that refuses it simply forgets. */
export function keptSettings(window: Window, box: string): KeptSettings {
  const get = (key: string): string | null => {
    try {
      return window.localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const set = (key: string, value: string): void => {
    try {
      window.localStorage.setItem(key, value);
    } catch {
      // A full or refused storage costs the setting, never the panel.
    }
  };
  return {
    read: () => ({
      showFrame: get(keyOf(box, "show-frame")) !== "off",
      pixelForPixel: get(keyOf(box, "pixel-for-pixel")) === "on",
      usedAControl: get(USED) === "yes",
    }),
    keep: (change) => {
      if (change.showFrame !== undefined) set(keyOf(box, "show-frame"), change.showFrame ? "on" : "off");
      if (change.pixelForPixel !== undefined) set(keyOf(box, "pixel-for-pixel"), change.pixelForPixel ? "on" : "off");
      if (change.usedAControl === true) set(USED, "yes");
    },
  };
}
