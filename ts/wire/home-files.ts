/** The small files of a device home that are no message: one parser each, which throws in words. */
import * as z from "zod";
import type { DeviceState } from "#core/device.ts";
import { deviceStateSchema } from "./shapes.ts";

const names = z.array(z.string());
const stateFile = z.object({ generation: z.int().min(0), state: deviceStateSchema.nullable() });
const clipboard = z.record(z.string(), z.string());
const asked = z.object({ model: z.string() });
const starts = z.array(z.number());

/** booted-here.json: models. held-keys.json: W3C key names. */
export function parseNames(value: unknown): readonly string[] {
  return names.parse(value);
}

/** state.json: the newest geometry generation, and the state as it was last told. */
export function parseStateFile(value: unknown): { readonly generation: number; readonly state: DeviceState | null } {
  return stateFile.parse(value);
}

/** clipboard.json: what pastes are to put back, by model, as each device has a clipboard of its own. */
export function parseKeptClipboard(value: unknown): Readonly<Record<string, string>> {
  return clipboard.parse(value);
}

/** asked.json: the model that a start named. */
export function parseAsked(value: unknown): { readonly model: string } {
  return asked.parse(value);
}

/** starts.json: wall-clock ms of starts that have not ended well yet. */
export function parseStarts(value: unknown): readonly number[] {
  return starts.parse(value);
}
