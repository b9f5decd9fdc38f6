/** What the host adds between a browser and a device socket (protocols 7). Everything else passes unchanged. */
import * as z from "zod";
import { platformSchema } from "./shapes.ts";

/** Who has control, as one viewer sees it. */
export const controlMessageSchema = z.object({
  holder: z.enum(["none", "agent", "you", "other"]),
  generation: z.int(),
});
/** From sending a unit to its drawn acknowledgement, over the last five seconds. */
export const latencyMessageSchema = z.object({ medianMs: z.number(), p95Ms: z.number() });

export const boxDisplaySchema = z.object({
  id: z.string(),
  shows: z.enum(["device", "desktop"]),
});
export const boxSchema = z.object({
  id: z.string(),
  /** What a person calls it. */
  name: z.string(),
  displays: z.array(boxDisplaySchema).readonly(),
  /** null while it is away. */
  device: z.object({ platform: platformSchema, model: z.string(), runtime: z.string() }).nullable(),
  /** Why it cannot be reached, in words, or null while it can. */
  away: z.string().nullable(),
});
/** The answer of GET /api/boxes. */
export const boxesAnswerSchema = z.object({ boxes: z.array(boxSchema).readonly() });

export type ControlMessageForViewer = z.infer<typeof controlMessageSchema>;
export type LatencyMessage = z.infer<typeof latencyMessageSchema>;
export type BoxInfo = z.infer<typeof boxSchema>;

export const CONTROL_TAKE = "BB_CONTROL_TAKE";
export const CONTROL_BACK = "BB_CONTROL_BACK";

export function formatControl(message: ControlMessageForViewer): string {
  return `BB_CONTROL ${JSON.stringify(message)}`;
}
export function formatLatency(message: LatencyMessage): string {
  return `BB_LATENCY ${JSON.stringify(message)}`;
}

export type PanelMessage =
  | { readonly kind: "control"; readonly control: ControlMessageForViewer }
  | { readonly kind: "latency"; readonly latency: LatencyMessage };

/** BB_CONTROL or BB_LATENCY; null for every other text, and for one that is malformed. */
export function parsePanelMessage(text: string): PanelMessage | null {
  if (text.startsWith("BB_CONTROL {")) {
    const control = controlMessageSchema.safeParse(json(text.slice("BB_CONTROL ".length)));
    return control.success ? { kind: "control", control: control.data } : null;
  }
  if (text.startsWith("BB_LATENCY {")) {
    const latency = latencyMessageSchema.safeParse(json(text.slice("BB_LATENCY ".length)));
    return latency.success ? { kind: "latency", latency: latency.data } : null;
  }
  return null;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
