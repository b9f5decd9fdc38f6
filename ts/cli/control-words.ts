/** `control ACTION VALUE…` as a request: words become the wire's shape. The device server checks what its device takes. */
import { ORIENTATIONS } from "#core/geometry.ts";

export type ControlRequest = { readonly type: "control"; readonly control: object } | { readonly type: "open"; readonly url: string };

export interface ControlWords {
  readonly action: string;
  readonly values: readonly string[];
  /** --to or --turn. */
  readonly to: string | undefined;
  readonly turn: string | undefined;
}

const PLAIN = ["home", "back", "recents", "lock", "wake", "reboot"] as const;
const WORD = {
  posture: ["closed", "half-open", "open"],
  appearance: ["light", "dark"],
  status_bar: ["clean", "live"],
  network: ["online", "offline", "slow"],
} as const;
const SIDES = ["left", "right", ...ORIENTATIONS] as const;
export const ACTIONS: readonly string[] = [
  ...PLAIN,
  ...Object.keys(WORD),
  "rotate",
  "text_size",
  "location",
  "battery",
  "switch",
  "install",
  "open",
];

/** Answers the request, or what is wrong with it in words. */
export function controlRequest({ action: name, values, to, turn }: ControlWords): ControlRequest | string {
  const action = name.replaceAll("-", "_");
  const control = (body: object): ControlRequest => ({ type: "control", control: { action, ...body } });
  const words = to === undefined ? values : [to, ...values];
  const [first, ...more] = words;
  if (is(PLAIN, action)) return words.length === 0 ? control({}) : `${action} takes no value.`;
  switch (action) {
    case "rotate": {
      const side = turn ?? first;
      if (side === undefined || words.length > (turn === undefined ? 1 : 0) || !is(SIDES, side))
        return takes(action, SIDES, turn ?? words.join(" "));
      return control(side === "left" || side === "right" ? { turn: side } : { to: side });
    }
    case "text_size": {
      if (first === undefined || more.length > 0) return "text_size takes larger, smaller, default or one of the platform's steps.";
      const scale = Number(first);
      return control({ to: Number.isFinite(scale) && first.trim() !== "" ? scale : first });
    }
    case "location":
      return first === "off" ? control({ to: null }) : place(words, control);
    case "battery":
      return first === "off" ? control({ to: null }) : charge(words, control);
    case "switch":
      return words.length === 0 ? "switch takes a model's name." : control({ device: words.join(" ") });
    case "install":
      return words.length === 0 ? "install takes one path or more, as the box sees them." : control({ paths: words });
    case "open":
      return first === undefined || more.length > 0 ? "open takes one URL." : { type: "open", url: first };
  }
  if (Object.hasOwn(WORD, action)) {
    const list = WORD[action as keyof typeof WORD];
    return first === undefined || more.length > 0 || !is(list, first) ? takes(action, list, words.join(" ")) : control({ to: first });
  }
  return `There is no control ${JSON.stringify(name)}. There are: ${ACTIONS.join(", ")}.`;
}

/** "appearance takes light or dark, not blue." */
function takes(action: string, list: readonly string[], given: string): string {
  return `${action} takes ${list.slice(0, -1).join(", ")} or ${list.at(-1) ?? ""}${given === "" ? "" : `, not ${given}`}.`;
}

function place(words: readonly string[], control: (body: object) => ControlRequest): ControlRequest | string {
  const [latitude, longitude] = words
    .flatMap((word) => word.split(","))
    .filter((word) => word !== "")
    .map(Number);
  if (words.length > 2 || latitude === undefined || longitude === undefined || !Number.isFinite(latitude) || !Number.isFinite(longitude)) {
    return "location takes a latitude and a longitude in degrees, or off.";
  }
  if (Math.abs(latitude) > 90) return `A latitude is from -90 to 90 degrees, not ${latitude}.`;
  if (Math.abs(longitude) > 180) return `A longitude is from -180 to 180 degrees, not ${longitude}.`;
  return control({ to: { latitude, longitude } });
}

function charge(words: readonly string[], control: (body: object) => ControlRequest): ControlRequest | string {
  const [level, charging, ...more] = words;
  const percent = Number(level ?? "");
  if (
    level === undefined ||
    !Number.isInteger(percent) ||
    percent < 0 ||
    percent > 100 ||
    more.length > 0 ||
    (charging !== undefined && charging !== "charging")
  ) {
    return "battery takes a level from 0 to 100 and, if it charges, the word charging; or off.";
  }
  return control({ to: { level: percent, charging: charging === "charging" } });
}

function is<T extends string>(list: readonly T[], word: string): word is T {
  return (list as readonly string[]).includes(word);
}
