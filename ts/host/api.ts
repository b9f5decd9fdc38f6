/**
 * What programs ask the host over HTTP, each with the token: the boxes, one box's state, and an agent's requests.
 * An agent acts through the host and not by a control connection of its own, since that would take the host's lease from it.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { DeviceError } from "#core/errors.ts";
import { readJson } from "#guard/body.ts";
import { refuse, type Refusal } from "#guard/guard.ts";
import { type Answer, type AnswerOk, parseControlMessage } from "#wire/device.ts";
import type { AgentRequest } from "./agent.ts";
import type { Box } from "./box.ts";

export interface Reply {
  readonly status: number;
  readonly json: unknown;
}

export interface Api {
  answer(request: IncomingMessage, path: string): Promise<Reply>;
}

export const NOTHING_THERE = refuse(404, "no-such-thing", "There is nothing at this address. GET /api/boxes lists the boxes.");
type Stats = NonNullable<AnswerOk["stats"]>;
const BODY_BYTES_MAX = 1024 * 1024;
/** A box that nobody asked for yet is given this long to say what it is. */
const LOOK_MS = 1_500;

/** `boxes` in the order that they are listed. */
export function makeApi(boxes: readonly Box[]): Api {
  return {
    answer: async (request, path) => {
      const [, , boxesWord, id, what, ...rest] = path.split("/");
      if (boxesWord !== "boxes" || rest.length > 0) return refused(NOTHING_THERE);
      const reads = request.method === "GET" || request.method === "HEAD";
      if (id === undefined || id === "") {
        if (!reads) return refused(refuse(405, "wrong-method", "Only GET is answered here."));
        await Promise.all(boxes.map((box) => look(box)));
        return { status: 200, json: { boxes: boxes.map((box) => box.info()) } };
      }
      const box = boxes.find((one) => one.id === decoded(id));
      if (box === undefined)
        return refused(refuse(404, "no-such-thing", `There is no box ${JSON.stringify(decoded(id))}. GET /api/boxes lists them.`));
      if (what === undefined) {
        if (!reads) return refused(refuse(405, "wrong-method", "Only GET is answered here."));
        await look(box);
        return { status: 200, json: details(box, await statsOf(box)) };
      }
      if (what !== "requests") return refused(NOTHING_THERE);
      if (request.method !== "POST") return refused(refuse(405, "wrong-method", "Only POST is answered here."));
      return ask(request, box);
    },
  };
}

/** One box, as `bb-box-device status` shows it. */
export function details(box: Box, stats: Stats | null): object {
  const hello = box.hello;
  return {
    ...box.info(),
    state: box.state,
    warning: hello?.warning ?? null,
    owner: box.holder.owner,
    lease: { held: box.lease.held, superseded: box.lease.superseded },
    watching: box.watching,
    latencies: box.latencies(),
    stats,
    // The newest version that was brought here and did not come up; 0: none.
    badVersion: box.delivery?.bad ?? 0,
    server:
      hello === null
        ? null
        : {
            version: hello.version,
            protocol: hello.protocol,
            host: hello.host,
            // HELLO of a server whose device had not booted yet does not know it.
            encoder: stats?.encoder ?? hello.encoder,
            devices: hello.devices,
            models: hello.models,
            bootedHere: hello.bootedHere,
          },
  };
}

/** Where a picture's time goes, stage by stage, as the device server tells it; null from one that is away or too old to say. */
async function statsOf(box: Box): Promise<Stats | null> {
  if (!box.lease.held) return null;
  const answer = await box.ask({ id: randomUUID(), type: "stats" }).catch(() => null);
  return answer?.ok === true ? (answer.stats ?? null) : null;
}

async function look(box: Box): Promise<void> {
  // Why it is away is in the box's own words then.
  if (!box.lease.held && (box.state === null || box.watching === 0)) await box.reach(LOOK_MS, true).catch(() => {});
}

async function ask(request: IncomingMessage, box: Box): Promise<Reply> {
  const body = await readJson(request, BODY_BYTES_MAX);
  if (!body.ok) return refused(body.refusal);
  const parsed = readRequest(body.value);
  if ("words" in parsed) return answered({ id: parsed.id, ok: false, error: { code: "bad-value", words: parsed.words } });
  try {
    return answered(await box.ask(parsed.request));
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return answered({ id: parsed.request.id, ok: false, error: { code: error.code, words: error.words } });
  }
}

/** The wire's own validator reads it: an agent's request is a control connection's, without the owner that the host adds. */
function readRequest(value: unknown): { readonly request: AgentRequest } | { readonly id: string | null; readonly words: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { id: null, words: "A request is a JSON object." };
  const type = (value as { readonly type?: unknown }).type;
  if (type === "owner" || type === "record") return { id: null, words: `The request ${type} is the host's own.` };
  const parsed = parseControlMessage(`BB_DEVICE ${JSON.stringify({ id: randomUUID(), owner: 0, ...value })}`);
  if (parsed.kind === "bad") return { id: parsed.id, words: parsed.words };
  if (parsed.kind !== "request") return { id: null, words: "The request cannot be read." };
  const { request } = parsed;
  if (request.type === "owner" || request.type === "record")
    return { id: request.id, words: `The request ${request.type} is the host's own.` };
  return { request };
}

function answered(answer: Answer): Reply {
  return { status: 200, json: answer };
}

function refused(refusal: Refusal): Reply {
  return { status: refusal.status, json: { error: { code: refusal.code, words: refusal.words } } };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
