/**
 * Which verb of a browser passes, to where, from whom, and whether it takes control first. This is the one table of it (protocols 7).
 * What is not in it is dropped without a word: Selkies clients send many verbs.
 */
import { presses } from "#wire/selkies.ts";
import {
  type InputMessage,
  type InputRequest,
  parseInputMessage,
  parseViewerMessage,
  type ReadRequest,
  type ViewerMessage,
} from "#wire/device.ts";
import { CONTROL_BACK, CONTROL_TAKE } from "#wire/panel.ts";

export type Verb =
  | "take"
  | "back"
  | "settings"
  | "start-video"
  | "stop-video"
  | "keyframe"
  | "ack"
  | "start-stills"
  | "stop-stills"
  | "read"
  | "press"
  | "move"
  | "key-down"
  | "key-up"
  | "committed"
  | "touch"
  | "lift"
  | "text"
  | "paste"
  | "control"
  | "open"
  | "bad";

export interface Rule {
  /** `seat`: this viewer's own video or stills. `viewer`, `input`: the device server's connection of that role. `host`: nothing further. */
  readonly to: "host" | "seat" | "viewer" | "input";
  readonly from: "anyone" | "controller";
  /** Does it take control first, and from whom? `none`: only while nobody has it. */
  readonly takes: "never" | "from-none" | "from-anyone";
}

const rule = (to: Rule["to"], from: Rule["from"], takes: Rule["takes"] = "never"): Rule => ({ to, from, takes });

export const VERBS: Readonly<Record<Verb, Rule>> = {
  take: rule("host", "anyone", "from-anyone"),
  back: rule("host", "controller"),
  settings: rule("host", "anyone"),
  "start-video": rule("seat", "anyone"),
  "stop-video": rule("seat", "anyone"),
  keyframe: rule("seat", "anyone"),
  ack: rule("seat", "anyone"),
  "start-stills": rule("seat", "anyone"),
  "stop-stills": rule("seat", "anyone"),
  // A read sends the device nothing.
  read: rule("viewer", "anyone"),
  press: rule("input", "controller", "from-none"),
  // Hovering takes nothing, and a finger that goes up was down before.
  move: rule("input", "controller"),
  "key-down": rule("input", "controller", "from-none"),
  "key-up": rule("input", "controller"),
  committed: rule("input", "controller", "from-none"),
  touch: rule("input", "controller", "from-none"),
  lift: rule("input", "controller"),
  text: rule("input", "controller", "from-none"),
  paste: rule("input", "controller", "from-none"),
  // A toolbar's control takes control, as Take control does.
  control: rule("input", "controller", "from-anyone"),
  open: rule("input", "controller", "from-anyone"),
  bad: rule("host", "anyone"),
};

export interface Said {
  readonly verb: Verb;
  /** A request's id; null for what is answered by nobody. */
  readonly id: string | null;
  readonly viewer: ViewerMessage | null;
  readonly input: InputMessage | null;
}

/** One text of a browser; null: dropped. */
export function readVerb(text: string): Said | null {
  if (text === CONTROL_TAKE) return said("take");
  if (text === CONTROL_BACK) return said("back");
  const viewer = parseViewerMessage(text);
  switch (viewer.kind) {
    case "ignored":
    case "bad":
      break;
    case "request":
      return { ...said("read"), id: viewer.request.id, viewer };
    default:
      return { ...said(viewer.kind), viewer };
  }
  const input = parseInputMessage(text);
  switch (input.kind) {
    case "ignored":
      return null;
    case "bad":
      return { ...said("bad"), id: input.id, input };
    case "request":
      return { ...said(requestVerb(input.request)), id: "id" in input.request ? input.request.id : null, input };
    case "pointer":
      return { ...said(input.notches > 0 || presses(input.mask) ? "press" : "move"), input };
    case "key":
      return { ...said(input.down ? "key-down" : "key-up"), input };
    case "keys-up":
      return { ...said("key-up"), input };
    case "committed":
      return { ...said("committed"), input };
  }
}

function requestVerb(request: InputRequest | ReadRequest): Verb {
  switch (request.type) {
    case "touch":
      return request.contacts.length > 0 ? "touch" : "lift";
    case "text":
    case "paste":
    case "control":
    case "open":
      return request.type;
    default:
      return "read";
  }
}

function said(verb: Verb): Said {
  return { verb, id: null, viewer: null, input: null };
}
