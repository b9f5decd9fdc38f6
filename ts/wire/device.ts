/**
 * The messages of the device socket that are ours: `VERB <one space> <JSON>` (note 063 "Messages"; protocols 1).
 * Parsing never throws. A request that has no known shape is `bad` with words; the server answers it `bad-value` and closes nothing.
 */
import * as z from "zod";
import type { DeviceAction, Holder } from "#core/device.ts";
import { DEVICE_ERROR_CODES } from "#core/errors.ts";
import { type Ignored, type SelkiesInputMessage, type SelkiesViewerMessage, parseSelkiesInput, parseSelkiesViewer } from "./selkies.ts";
import { REQUEST_ID_CHARS_MAX, SCREENSHOT_EDGE_MAX, SETTLE_MS_MAX, URL_CHARS_MAX } from "./limits.ts";
import {
  contactSchema,
  contactsSchema,
  deviceControlSchema,
  deviceElementSchema,
  deviceInputSchema,
  deviceModelSchema,
  deviceStateSchema,
  encoderSchema,
  holderSchema,
  offeredDeviceSchema,
  ownerSchema,
  platformSchema,
} from "./shapes.ts";
import { REPORTED, refusalWords } from "./words.ts";

// What the server says.

export const helloSchema = z.object({
  protocol: z.object({ min: z.int(), max: z.int() }),
  /** DEVICE_SERVER_VERSION. */
  version: z.int(),
  host: z.object({ os: z.string(), cpu: z.string(), libc: z.string().nullable(), node: z.string() }),
  platform: platformSchema,
  devices: z.array(offeredDeviceSchema).readonly(),
  models: z.array(deviceModelSchema).readonly(),
  state: deviceStateSchema,
  lease: z.object({ held: z.boolean(), since: z.number().nullable() }),
  owner: ownerSchema,
  encoder: encoderSchema.nullable(),
  /** Models that have booted in this box. */
  bootedHere: z.array(z.string()).readonly(),
  /** What the panel shows above the frame, or null. */
  warning: z.string().nullable().default(null),
});
export const stateMessageSchema = z.object({
  state: deviceStateSchema,
  warning: z.string().nullable().default(null),
  /** What a booting device does now, or null. */
  progress: z.string().nullable().default(null),
  /** As in HELLO, when it has grown since: a switch in place is told in no new HELLO. Left out by a server that does not say. */
  bootedHere: z.array(z.string()).readonly().optional(),
});
export const touchEchoSchema = z.object({
  contacts: z.array(contactSchema).readonly(),
  by: z.enum(["agent", "person"]),
  generation: z.int(),
});
export const stillSchema = z.object({ png: z.string(), generation: z.int() });
export const errorBodySchema = z.object({ code: z.enum(DEVICE_ERROR_CODES), words: z.string() });
/** Milliseconds over the newest samples. */
const stageSchema = z.object({ samples: z.int(), p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number() });
/** One picture's times, CLOCK_MONOTONIC ms of the device server's machine; under which id it was sent, and its unit's size. */
const frameTimesSchema = z.object({
  id: z.int(),
  bytes: z.int(),
  captureMs: z.number(),
  convertedMs: z.number(),
  encodedMs: z.number(),
  handedOverMs: z.number(),
  sentMs: z.number(),
  /** The first acknowledgement of this very id; null: none came, or of a later one only. */
  ackedMs: z.number().nullable(),
});
export const statsSchema = z.object({
  /** A picture's way, stage by stage; captureToSent and captureToDrawn are whole ways. */
  stages: z.object({
    convert: stageSchema,
    encode: stageSchema,
    handOver: stageSchema,
    send: stageSchema,
    draw: stageSchema,
    captureToSent: stageSchema,
    captureToDrawn: stageSchema,
  }),
  /** The driver's own counters, by name; null while no device is attached. */
  video: z.record(z.string(), z.number()).nullable(),
  viewers: z.int(),
  encoder: encoderSchema.nullable(),
  /** The newest pictures, oldest first, where they were asked for. */
  frames: z.array(frameTimesSchema).readonly().optional(),
});
const answerOkSchema = z.object({
  id: z.string(),
  ok: z.literal(true),
  state: deviceStateSchema,
  /** How long the work took. */
  ms: z.number(),
  /** What happened, as the agent and the panel show it. */
  words: z.string().optional(),
  /** screenshot: base64 and its pixels; `scale` is picture pixels for a pixel of the video. */
  png: z.string().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  scale: z.number().optional(),
  /** screenshot, tree and settle: the generation they are of. */
  generation: z.int().optional(),
  elements: z.array(deviceElementSchema).readonly().optional(),
  /** settle: did the screen keep still long enough? */
  still: z.boolean().optional(),
  stats: statsSchema.optional(),
});
const answerErrorSchema = z.object({
  /** null: the request had none (a touch, or JSON of no known shape). */
  id: z.string().nullable(),
  ok: z.literal(false),
  error: errorBodySchema,
  /** outcome-unknown: the state read back. */
  state: deviceStateSchema.optional(),
});
export const answerSchema = z.discriminatedUnion("ok", [answerOkSchema, answerErrorSchema]);

export type Hello = z.infer<typeof helloSchema>;
export type StateMessage = z.infer<typeof stateMessageSchema>;
export type TouchEcho = z.infer<typeof touchEchoSchema>;
export type StillMessage = z.infer<typeof stillSchema>;
export type AnswerOk = z.infer<typeof answerOkSchema>;
export type Answer = z.infer<typeof answerSchema>;

// What a client asks.

const id = z.string().min(1).max(REQUEST_ID_CHARS_MAX);
const ownerGeneration = z.int().min(0);

const screenshotRequest = z.object({
  id,
  type: z.literal("screenshot"),
  longestEdge: z.int().min(1).max(SCREENSHOT_EDGE_MAX).exactOptional(),
});
const treeRequest = z.object({ id, type: z.literal("tree") });
const settleRequest = z.object({
  id,
  type: z.literal("settle"),
  quietMs: z.number().min(0).max(SETTLE_MS_MAX),
  maxMs: z.number().min(0).max(SETTLE_MS_MAX),
});
/** The answer to the earlier request of this id. */
const resultRequest = z.object({ id, type: z.literal("result") });
/** Where a picture's time goes, and what the encoder did. */
const statsRequest = z.object({ id, type: z.literal("stats"), frames: z.boolean().exactOptional() });
/** Reads send the device nothing, so every role may ask for them. */
const reads = [screenshotRequest, treeRequest, settleRequest, resultRequest, statsRequest] as const;

/** No id: it is answered only when refused. One that is sent all the same is left out, as any unknown key is. */
const touchRequest = z.object({ type: z.literal("touch"), contacts: contactsSchema, generation: z.int().min(0) });
const textRequest = z.object({ id, type: z.literal("text"), text: z.string() });
const pasteRequest = z.object({ id, type: z.literal("paste"), text: z.string() });
const url = z.string().min(1).max(URL_CHARS_MAX);

export const viewerRequestSchema = z.discriminatedUnion("type", [...reads]);
export const inputRequestSchema = z.discriminatedUnion("type", [
  touchRequest,
  textRequest,
  pasteRequest,
  z.object({ id, type: z.literal("control"), control: deviceControlSchema }),
  z.object({ id, type: z.literal("open"), url }),
  ...reads,
]);
export const controlRequestSchema = z.discriminatedUnion("type", [
  z.object({ id, type: z.literal("control"), control: deviceControlSchema, owner: ownerGeneration }),
  z.object({ id, type: z.literal("input"), input: deviceInputSchema, owner: ownerGeneration }),
  z.object({ id, type: z.literal("open"), url, owner: ownerGeneration }),
  z.object({ id, type: z.literal("owner"), generation: ownerGeneration, holder: holderSchema }),
  z.object({ id, type: z.literal("record"), to: z.enum(["start", "stop"]) }),
  ...reads,
]);

export type ReadRequest = z.infer<typeof viewerRequestSchema>;
export type InputRequest = z.infer<typeof inputRequestSchema>;
export type ControlRequest = z.infer<typeof controlRequestSchema>;
export type AnyRequest = ReadRequest | InputRequest | ControlRequest;

/** Refused before anyone looked at it. `action` is the control's, where it has a known one, so that the server can say what that takes. */
export interface Bad {
  readonly kind: "bad";
  readonly id: string | null;
  readonly words: string;
  readonly action: DeviceAction | null;
}
interface Asked<R> {
  readonly kind: "request";
  readonly request: R;
}
export type ViewerMessage = SelkiesViewerMessage | Asked<ReadRequest> | Bad;
export type InputMessage = SelkiesInputMessage | Asked<InputRequest> | Bad;
export type ControlMessage = Asked<ControlRequest> | Ignored | Bad;

const REQUEST_VERB = "BB_DEVICE ";

/** One text from a viewer's connection. */
export function parseViewerMessage(text: string): ViewerMessage {
  return text.startsWith(REQUEST_VERB) ? parseRequest(text, viewerRequestSchema) : parseSelkiesViewer(text);
}

/** One text from the input connection. */
export function parseInputMessage(text: string): InputMessage {
  if (!text.startsWith(REQUEST_VERB)) return parseSelkiesInput(text);
  const parsed = parseRequest(text, inputRequestSchema);
  if (parsed.kind === "request" && parsed.request.type === "control" && parsed.request.control.action === "install") {
    return { kind: "bad", id: parsed.request.id, words: "An install is asked for over the control connection only.", action: null };
  }
  return parsed;
}

/** One text from the control connection. */
export function parseControlMessage(text: string): ControlMessage {
  if (text.startsWith(REQUEST_VERB)) return parseRequest(text, controlRequestSchema);
  return { kind: "ignored", verb: text.slice(0, 32) };
}

function parseRequest<S extends z.ZodType>(text: string, schema: S): Asked<z.infer<S>> | Bad {
  let value: unknown;
  try {
    value = JSON.parse(text.slice(REQUEST_VERB.length));
  } catch {
    return { kind: "bad", id: null, words: "What follows BB_DEVICE is not JSON.", action: null };
  }
  const parsed = schema.safeParse(value, REPORTED);
  if (parsed.success) return { kind: "request", request: parsed.data };
  // Only where the control itself is wrong is it the action that says what it takes.
  const named = parsed.error.issues[0]?.path[0] === "control" ? actionOf(value) : null;
  const known = DEVICE_ACTIONS.find((action) => action === named) ?? null;
  const words = named !== null && known === null ? unknownAction(named) : refusalWords(parsed.error);
  return { kind: "bad", id: idOf(value), words, action: known };
}

function unknownAction(named: string): string {
  return `There is no action ${named.slice(0, 64)}. The actions are: ${DEVICE_ACTIONS.join(", ")}.`;
}

function idOf(value: unknown): string | null {
  const parsed = z.object({ id }).safeParse(value);
  return parsed.success ? parsed.data.id : null;
}

const KNOWN_ACTIONS = {
  home: 1,
  back: 1,
  recents: 1,
  lock: 1,
  wake: 1,
  rotate: 1,
  posture: 1,
  appearance: 1,
  text_size: 1,
  location: 1,
  status_bar: 1,
  battery: 1,
  network: 1,
  install: 1,
  switch: 1,
  reboot: 1,
} as const satisfies Record<DeviceAction, 1>;
/** Every action there is, in the note's order. */
export const DEVICE_ACTIONS = Object.keys(KNOWN_ACTIONS) as readonly DeviceAction[];
const actionShape = z.object({ control: z.object({ action: z.string() }) });

/** The action that a request names, known or not. */
function actionOf(value: unknown): string | null {
  const parsed = actionShape.safeParse(value);
  return parsed.success ? parsed.data.control.action : null;
}

// Formatting, server to client.

export function formatHello(hello: Hello): string {
  return `BB_DEVICE_HELLO ${JSON.stringify(hello)}`;
}
export function formatState(message: StateMessage): string {
  return `BB_DEVICE_STATE ${JSON.stringify(message)}`;
}
export function formatTouch(touch: TouchEcho): string {
  return `BB_DEVICE_TOUCH ${JSON.stringify(touch)}`;
}
export function formatStill(still: StillMessage): string {
  return `BB_DEVICE_STILL ${JSON.stringify(still)}`;
}
export function formatSuperseded(): string {
  return "BB_DEVICE_SUPERSEDED {}";
}
export function formatOwner(owner: { readonly generation: number; readonly holder: Holder }): string {
  return `BB_DEVICE_OWNER ${JSON.stringify({ generation: owner.generation, holder: owner.holder })}`;
}
export function formatAnswer(answer: Answer): string {
  return `BB_DEVICE_ANSWER ${JSON.stringify(answer)}`;
}
/** A client's request. */
export function formatRequest(request: AnyRequest): string {
  return `${REQUEST_VERB}${JSON.stringify(request)}`;
}
