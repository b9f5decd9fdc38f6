/** What a client of the device socket reads: every text a device server says. Parsing never throws. */
import type { z } from "zod";
import type { Owner } from "#core/device.ts";
import {
  type Answer,
  type Hello,
  type StateMessage,
  type StillMessage,
  type TouchEcho,
  answerSchema,
  helloSchema,
  stateMessageSchema,
  stillSchema,
  touchEchoSchema,
} from "./device.ts";
import { SELKIES_SERVER, parseClipboard } from "./selkies.ts";
import { ownerSchema } from "./shapes.ts";
import { REPORTED, refusalWords } from "./words.ts";

export type ServerMessage =
  | { readonly kind: "hello"; readonly hello: Hello }
  | { readonly kind: "state"; readonly message: StateMessage }
  | { readonly kind: "touch"; readonly touch: TouchEcho }
  | { readonly kind: "still"; readonly still: StillMessage }
  | { readonly kind: "owner"; readonly owner: Owner }
  | { readonly kind: "superseded" }
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "clipboard"; readonly text: string }
  | { readonly kind: "mode" }
  | { readonly kind: "video-started" }
  | { readonly kind: "video-stopped" }
  /** A verb of a newer server, or Selkies' own. */
  | { readonly kind: "ignored"; readonly verb: string }
  /** A verb that is known with a value that is not. */
  | { readonly kind: "bad"; readonly verb: string; readonly words: string };

/** One text from a device server. */
export function parseServerMessage(text: string): ServerMessage {
  const space = text.indexOf(" ");
  const verb = space < 0 ? text : text.slice(0, space);
  const rest = space < 0 ? "" : text.slice(space + 1);
  switch (verb) {
    case "BB_DEVICE_HELLO":
      return read(verb, rest, helloSchema, (hello) => ({ kind: "hello", hello }));
    case "BB_DEVICE_STATE":
      return read(verb, rest, stateMessageSchema, (message) => ({ kind: "state", message }));
    case "BB_DEVICE_TOUCH":
      return read(verb, rest, touchEchoSchema, (touch) => ({ kind: "touch", touch }));
    case "BB_DEVICE_STILL":
      return read(verb, rest, stillSchema, (still) => ({ kind: "still", still }));
    case "BB_DEVICE_OWNER":
      return read(verb, rest, ownerSchema, (owner) => ({ kind: "owner", owner }));
    case "BB_DEVICE_ANSWER":
      return read(verb, rest, answerSchema, (answer) => ({ kind: "answer", answer }));
    case "BB_DEVICE_SUPERSEDED":
      return { kind: "superseded" };
  }
  switch (text) {
    case SELKIES_SERVER.mode:
      return { kind: "mode" };
    case SELKIES_SERVER.started:
      return { kind: "video-started" };
    case SELKIES_SERVER.stopped:
      return { kind: "video-stopped" };
  }
  if (text.startsWith("clipboard,")) {
    const clipboard = parseClipboard(text);
    return clipboard === null
      ? { kind: "bad", verb: "clipboard", words: "The clipboard is not base64 of UTF-8." }
      : { kind: "clipboard", text: clipboard };
  }
  return { kind: "ignored", verb: verb.slice(0, 32) };
}

function read<S extends z.ZodType>(verb: string, json: string, schema: S, make: (value: z.infer<S>) => ServerMessage): ServerMessage {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: "bad", verb, words: `What follows ${verb} is not JSON.` };
  }
  const parsed = schema.safeParse(value, REPORTED);
  return parsed.success ? make(parsed.data) : { kind: "bad", verb, words: refusalWords(parsed.error) };
}
