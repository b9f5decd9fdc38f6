/** The phone's tree, checked where it comes in. */
import type { DeviceElement, Rect } from "#core/device.ts";

import { isFields } from "./protocol.ts";

/** Elements of one tree; a screen has a few dozen. */
const MOST_ELEMENTS = 5_000;

/** Throws in words when it is not a tree. */
export function readTree(value: unknown): readonly DeviceElement[] {
  const budget = { left: MOST_ELEMENTS };
  return readElements(value, budget);
}

function readElements(value: unknown, budget: { left: number }): readonly DeviceElement[] {
  if (!Array.isArray(value)) throw new Error("The phone's tree is not a list.");
  return value.map((item: unknown) => {
    budget.left -= 1;
    if (budget.left < 0) throw new Error("The phone's tree is too large.");
    if (!isFields(item)) throw new Error("The phone's tree holds what is no element.");
    const { role, identifier, label, value: holds, frame, enabled, focused, can, children } = item;
    return {
      role: text(role),
      identifier: identifier === null ? null : text(identifier),
      label: text(label),
      value: holds === null ? null : text(holds),
      frame: rect(frame),
      enabled: enabled === true,
      focused: focused === true,
      can: isFields(can) ? { tap: can["tap"] === true, edit: can["edit"] === true, scroll: can["scroll"] === true } : null,
      children: readElements(children, budget),
    };
  });
}

function text(value: unknown): string {
  if (typeof value !== "string") throw new Error("An element of the phone's tree has no words.");
  return value;
}

function rect(value: unknown): Rect {
  if (!isFields(value)) throw new Error("An element of the phone's tree has no frame.");
  const side = (name: string): number => {
    const number = value[name];
    if (typeof number !== "number") throw new Error("A frame in the phone's tree has no size.");
    return number;
  };
  return { x: side("x"), y: side("y"), width: side("width"), height: side("height") };
}
