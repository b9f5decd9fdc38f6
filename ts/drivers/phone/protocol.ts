/**
 * What the test phone's process and a client say to each other: one JSON object a line, both ways.
 * A request is answered once and takes effect in the order sent; notices come in between. Hand-written checks, since a driver
 * takes no validator of the wires.
 */
import { DEVICE_ERROR_CODES, type DeviceErrorCode } from "#core/errors.ts";
import type { Contact, DeviceControl, Orientation, Posture } from "#core/device.ts";

/** The protocol's number; a client of another leaves the phone alone. */
export const PHONE_PROTOCOL = 1;
/** The longest line, in UTF-16 units: a clipboard of a megabyte, with room for escapes. */
export const LONGEST_LINE = 8 * 1024 * 1024;
/** The longest screenshot in base64: one line with its envelope. */
export const LONGEST_PICTURE = LONGEST_LINE - 1024;

/** Faults a test asks for. */
export type Fault =
  /** The process ends as if killed. */
  | { readonly fault: "crash" }
  /** Every control waits this long before it runs. */
  | { readonly fault: "hang-control"; readonly ms: number }
  /** The first frame after a turn or fold comes this much later. */
  | { readonly fault: "slow-turn"; readonly ms: number };

export type PhoneRequest =
  | { readonly ask: "hello" }
  /** Draw into this region from now on, and tell of each frame. The newest asker is the one. */
  | { readonly ask: "stream"; readonly region: string; readonly bytes: number }
  | { readonly ask: "stream-end" }
  | { readonly ask: "touch"; readonly contacts: readonly Contact[] }
  | { readonly ask: "key"; readonly key: string; readonly down: boolean }
  | { readonly ask: "control"; readonly control: DeviceControl }
  | { readonly ask: "clipboard" }
  | { readonly ask: "set-clipboard"; readonly text: string }
  | { readonly ask: "compose"; readonly text: string; readonly done: boolean }
  | { readonly ask: "open"; readonly url: string }
  | { readonly ask: "tree" }
  | { readonly ask: "state" }
  /** The phone's own picture of its screen, whatever its region holds; answers PhonePicture. `longestEdge` in pixels. */
  | { readonly ask: "screenshot"; readonly longestEdge?: number }
  /** Entries after `since`; with none there yet, waits up to `waitMs` for one. */
  | { readonly ask: "log"; readonly since: number; readonly waitMs: number }
  | { readonly ask: "seed"; readonly seed: number }
  | ({ readonly ask: "fault" } & Fault)
  /** The phone is switched off: its process ends. */
  | { readonly ask: "shutdown" };

export type Numbered<T> = T & { readonly id: number };

export type PhoneAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly code: DeviceErrorCode; readonly words: string };

/** How the picture lies. */
export interface PhoneScreen {
  readonly orientation: Orientation;
  readonly screen: "outer" | "inner" | null;
}

/** A frame is whole in the region. 0 x 0: the screen is off. */
export interface FrameNotice extends PhoneScreen {
  readonly notice: "frame";
  readonly seq: number;
  readonly width: number;
  readonly height: number;
  /** CLOCK_MONOTONIC ms at which the frame was whole in the region. */
  readonly captureMs: number;
}

export type PhoneNotice =
  | FrameNotice
  /** Copied or cut on the phone. */
  | { readonly notice: "clipboard"; readonly text: string }
  /** Another client streams now, or the region has gone bad. */
  | { readonly notice: "stream-ended"; readonly words: string };

export interface PhoneHello {
  readonly protocol: number;
  readonly pid: number;
  readonly model: string;
  /** What a region must hold, in bytes. */
  readonly regionBytes: number;
}

/** The part of the phone's state that a driver reads; the rest is for tests. */
export interface PhoneState extends PhoneScreen {
  readonly model: string;
  readonly awake: boolean;
  readonly width: number;
  readonly height: number;
  readonly posture: Posture | null;
  readonly appearance: "light" | "dark";
  readonly fontScale: number;
  readonly location: { readonly latitude: number; readonly longitude: number };
  readonly battery: { readonly level: number; readonly charging: boolean };
  readonly network: "online" | "offline" | "slow";
  readonly apps: readonly { readonly name: string; readonly paths: readonly string[] }[];
}

/** The screen as the phone pictures it, of the geometry that the viewer was told last. */
export interface PhonePicture {
  /** Base64. */
  readonly png: string;
  readonly width: number;
  readonly height: number;
}

/** One thing that reached the phone. `at` is CLOCK_MONOTONIC ms. */
export type LogEntry = { readonly seq: number; readonly at: number } & LogWhat;
export type LogWhat =
  | { readonly what: "started"; readonly model: string; readonly scene: string }
  | { readonly what: "connected" | "disconnected" | "stream-ended" | "lifted" | "saved" | "crash" }
  | { readonly what: "stream"; readonly region: string }
  | { readonly what: "touch"; readonly contacts: readonly Contact[] }
  | { readonly what: "key"; readonly key: string; readonly down: boolean }
  | { readonly what: "control"; readonly control: DeviceControl }
  | { readonly what: "control-ended"; readonly action: string; readonly refused: string | null }
  | { readonly what: "clipboard"; readonly from: "client" | "phone"; readonly text: string }
  | { readonly what: "clipboard-read" | "screenshot" }
  | { readonly what: "compose"; readonly text: string; readonly done: boolean }
  | { readonly what: "open"; readonly url: string }
  | { readonly what: "fault"; readonly fault: string };

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function isText(value: unknown): value is string {
  return typeof value === "string";
}
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
function isMs(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value <= 600_000;
}
function isFinger(value: unknown): value is Contact {
  return (
    isFields(value) &&
    Number.isInteger(value["id"]) &&
    isNumber(value["x"]) &&
    isNumber(value["y"]) &&
    Number(value["id"]) >= 0 &&
    Number(value["id"]) <= 9
  );
}
function isControl(value: unknown): value is DeviceControl {
  // The phone reads the control itself and refuses in words; here only its shape matters.
  return isFields(value) && isText(value["action"]);
}

/** What was asked for, as far as words can hold it: any JSON may stand there. */
function nameOf(ask: unknown): string {
  return (isText(ask) ? ask : (JSON.stringify(ask) ?? "without a name")).slice(0, 64);
}

/** Why a line is no request; `id` is null where nobody could know whose answer it is. */
export interface Refused {
  readonly id: number | null;
  readonly words: string;
}

/** A line as a request, or why it is none. */
export function readRequest(line: string): Numbered<PhoneRequest> | Refused {
  const value = readLine(line);
  if (typeof value === "string") return { id: null, words: value };
  const { id, ask } = value;
  if (!isNumber(id)) return { id: null, words: "A request has a number, id." };
  const refuse = (words: string): Refused => ({ id, words: `${nameOf(ask)}: ${words}` });
  switch (ask) {
    case "hello":
    case "stream-end":
    case "clipboard":
    case "tree":
    case "state":
    case "shutdown":
      return { id, ask };
    case "screenshot": {
      const { longestEdge } = value;
      if (longestEdge === undefined) return { id, ask };
      // Which numbers make sense is the phone's to say, as an answer to this id.
      return isNumber(longestEdge) ? { id, ask, longestEdge } : refuse("longestEdge is a number of pixels.");
    }
    case "stream":
      return isText(value["region"]) && Number.isSafeInteger(value["bytes"])
        ? { id, ask, region: value["region"], bytes: Number(value["bytes"]) }
        : refuse("region is a path and bytes a whole number.");
    case "touch": {
      const contacts = value["contacts"];
      return Array.isArray(contacts) && contacts.length <= 10 && contacts.every(isFinger)
        ? { id, ask, contacts }
        : refuse("contacts is a list of up to ten {id, x, y}.");
    }
    case "key":
      return isText(value["key"]) && typeof value["down"] === "boolean"
        ? { id, ask, key: value["key"], down: value["down"] }
        : refuse("key is a name and down a boolean.");
    case "control":
      return isControl(value["control"]) ? { id, ask, control: value["control"] } : refuse("control names an action.");
    case "set-clipboard":
      return isText(value["text"]) ? { id, ask, text: value["text"] } : refuse("text is a string.");
    case "compose":
      return isText(value["text"]) && typeof value["done"] === "boolean"
        ? { id, ask, text: value["text"], done: value["done"] }
        : refuse("text is a string and done a boolean.");
    case "open":
      return isText(value["url"]) ? { id, ask, url: value["url"] } : refuse("url is a string.");
    case "log": {
      const { since = 0, waitMs = 0 } = value;
      return isNumber(since) && isMs(waitMs) ? { id, ask, since, waitMs } : refuse("since and waitMs are numbers.");
    }
    case "seed":
      return Number.isSafeInteger(value["seed"]) ? { id, ask, seed: Number(value["seed"]) } : refuse("seed is a whole number.");
    case "fault": {
      const { fault, ms } = value;
      if (fault === "crash") return { id, ask, fault };
      if ((fault === "hang-control" || fault === "slow-turn") && isMs(ms)) return { id, ask, fault, ms };
      return refuse("faults are crash, hang-control and slow-turn, the last two with ms.");
    }
    default:
      return { id, words: `The phone does not know the request ${nameOf(ask)}.` };
  }
}

/** A line from the phone: an answer, a notice, or null for what is neither. */
export function readFromPhone(line: string): PhoneAnswer | PhoneNotice | null {
  const value = readLine(line);
  if (typeof value === "string") return null;
  if (isNumber(value["id"])) {
    const { id } = value;
    if (value["ok"] === true) return { id, ok: true, result: value["result"] };
    const code = DEVICE_ERROR_CODES.find((known) => known === value["code"]) ?? "failed";
    return { id, ok: false, code, words: isText(value["words"]) ? value["words"] : "The phone refused without a word." };
  }
  switch (value["notice"]) {
    case "frame": {
      const { seq, width, height, captureMs, orientation, screen } = value;
      if (!isNumber(seq) || !isNumber(width) || !isNumber(height) || !isNumber(captureMs) || !isOrientation(orientation)) return null;
      return { notice: "frame", seq, width, height, captureMs, orientation, screen: readScreen(screen) };
    }
    case "clipboard":
      return isText(value["text"]) ? { notice: "clipboard", text: value["text"] } : null;
    case "stream-ended":
      return isText(value["words"]) ? { notice: "stream-ended", words: value["words"] } : null;
    default:
      return null;
  }
}

export function isOrientation(value: unknown): value is Orientation {
  return value === "upright" || value === "turned-left" || value === "upside-down" || value === "turned-right";
}
function readScreen(value: unknown): "outer" | "inner" | null {
  return value === "outer" || value === "inner" ? value : null;
}
function isPosture(value: unknown): value is Posture {
  return value === "closed" || value === "half-open" || value === "open";
}

/** The phone's state, or null when it is not one. */
export function readState(value: unknown): PhoneState | null {
  if (!isFields(value)) return null;
  const { model, awake, width, height, orientation, screen, posture, appearance, fontScale, location, battery, network, apps } = value;
  if (!isText(model) || typeof awake !== "boolean" || !isNumber(width) || !isNumber(height) || !isOrientation(orientation)) return null;
  if ((appearance !== "light" && appearance !== "dark") || !isNumber(fontScale)) return null;
  if (network !== "online" && network !== "offline" && network !== "slow") return null;
  if (!isFields(location) || !isNumber(location["latitude"]) || !isNumber(location["longitude"])) return null;
  if (!isFields(battery) || !isNumber(battery["level"]) || typeof battery["charging"] !== "boolean") return null;
  return {
    model,
    awake,
    width,
    height,
    orientation,
    screen: readScreen(screen),
    posture: isPosture(posture) ? posture : null,
    appearance,
    fontScale,
    network,
    location: { latitude: location["latitude"], longitude: location["longitude"] },
    battery: { level: battery["level"], charging: battery["charging"] },
    apps: Array.isArray(apps) ? apps.filter(isApp) : [],
  };
}
function isApp(value: unknown): value is PhoneState["apps"][number] {
  return isFields(value) && isText(value["name"]) && Array.isArray(value["paths"]) && value["paths"].every(isText);
}

/** The phone's picture, or null when it is not one. */
export function readPicture(value: unknown): PhonePicture | null {
  if (!isFields(value)) return null;
  const { png, width, height } = value;
  return isText(png) && isNumber(width) && isNumber(height) ? { png, width, height } : null;
}

export function readHello(value: unknown): PhoneHello | null {
  if (!isFields(value)) return null;
  const { protocol, pid, model, regionBytes } = value;
  return isNumber(protocol) && isNumber(pid) && isText(model) && isNumber(regionBytes) ? { protocol, pid, model, regionBytes } : null;
}

function readLine(line: string): Fields | string {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : "A line is one JSON object.";
  } catch {
    return "A line is one JSON object.";
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
