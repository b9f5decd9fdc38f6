/** Which controls a device has, in the order they stand, and what each asks for. Pure. */
import type { DeviceControl, DeviceModel, DeviceState, Orientation } from "#core/device.ts";
import { type ActionId, appearanceNow, physicalNow } from "./model.ts";

/** Groups of the bar beside the frame, a line between each. */
export function barGroups(model: DeviceModel | null, platform: "ios" | "android"): readonly (readonly ActionId[])[] {
  const android = platform === "android";
  const foldable = model?.form === "foldable";
  return [
    android ? ["home", "back", "recents"] : ["home"],
    foldable ? ["rotate-left", "rotate-right", "fold"] : ["rotate-left", "rotate-right"],
    ["appearance", "text-size"],
    ["screenshot", "more"],
  ];
}

/** What leaves a bar that is too tall, in this order, for the top of More. */
export const LEAVES_FIRST: readonly ActionId[] = ["screenshot", "text-size", "appearance", "rotate-right", "recents"];

/** The row below the frame: More takes the rest. */
export function rowGroups(model: DeviceModel | null, platform: "ios" | "android"): readonly (readonly ActionId[])[] {
  const main: ActionId[] = platform === "android" ? ["home", "back", "recents", "rotate-left"] : ["home", "rotate-left"];
  return [model?.form === "foldable" ? [...main, "fold"] : main, ["more"]];
}

/** What More begins with when the bar does not hold it, in the bar's own order. */
export function movedToMore(all: readonly (readonly ActionId[])[], held: readonly (readonly ActionId[])[]): readonly ActionId[] {
  const kept = new Set(held.flat());
  return all.flat().filter((id) => !kept.has(id));
}

/** In the row one button goes left from upright, and back to upright from anywhere else. */
export function rowRotate(physical: Orientation): { readonly name: "rotateLeft" | "turnUpright"; readonly control: DeviceControl } {
  return physical === "upright"
    ? { name: "rotateLeft", control: { action: "rotate", turn: "left" } }
    : { name: "turnUpright", control: { action: "rotate", to: "upright" } };
}

/** The control of a plain button; null for one that opens something or does no control. */
export function controlOf(id: ActionId, state: DeviceState | null, place: "beside" | "row"): DeviceControl | null {
  switch (id) {
    case "home":
    case "back":
    case "recents":
      return { action: id };
    case "rotate-left":
      return place === "row" ? rowRotate(physicalNow(state)).control : { action: "rotate", turn: "left" };
    case "rotate-right":
      return { action: "rotate", turn: "right" };
    case "appearance":
      return { action: "appearance", to: appearanceNow(state) === "dark" ? "light" : "dark" };
    default:
      return null;
  }
}
