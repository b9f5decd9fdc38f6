/** The running host as the command line speaks to it: over its own HTTP API, with the token of its home. */
import type { Answer, AnswerOk } from "#wire/device.ts";
import { answerSchema } from "#wire/device.ts";
import { boxesAnswerSchema, type BoxInfo, type LatencyMessage } from "#wire/panel.ts";
import { deviceStateSchema, ownerSchema } from "#wire/shapes.ts";
import type { DeviceState, EncoderInfo, Owner } from "#core/device.ts";
import { readRunning, type RunningHost } from "./running.ts";
import { EXIT } from "./table.ts";
import { CommandError } from "./world.ts";

/** Longer than the longest work of a device and its read-back. */
const ANSWER_MS = 320_000;
const ALIVE_MS = 2_000;

export interface BoxDetails extends BoxInfo {
  readonly state: DeviceState | null;
  /** What a person should heed about the device, in the device server's words. */
  readonly warning: string | null;
  readonly owner: Owner;
  readonly lease: { readonly held: boolean; readonly superseded: boolean };
  readonly watching: number;
  /** From the host's sending to each browser's drawing; a browser whose screen is still is left out. */
  readonly latencies: readonly LatencyMessage[];
  /** The device server's stage clocks; null when it cannot be asked. */
  readonly stats: AnswerOk["stats"] | null;
  /** The newest version that was brought there and did not come up; 0: none. */
  readonly badVersion: number;
  readonly server: {
    readonly version: number;
    readonly encoder: EncoderInfo | null;
    readonly bootedHere: readonly string[];
    readonly host: { readonly os: string; readonly cpu: string; readonly libc: string | null; readonly node: string };
  } | null;
}

export class HostClient {
  readonly running: RunningHost;
  readonly #fetch: typeof fetch;

  constructor(running: RunningHost, fetcher: typeof fetch = fetch) {
    this.running = running;
    this.#fetch = fetcher;
  }

  async boxes(): Promise<readonly BoxInfo[]> {
    return boxesAnswerSchema.parse(await this.#json("/api/boxes")).boxes;
  }

  async details(box: string): Promise<BoxDetails> {
    const value = (await this.#json(`/api/boxes/${encodeURIComponent(box)}`)) as BoxDetails;
    return { ...value, state: value.state === null ? null : deviceStateSchema.parse(value.state), owner: ownerSchema.parse(value.owner) };
  }

  /** The box that was asked for, or the first. Rejects with CommandError where there is none. */
  async box(name: string | undefined): Promise<string> {
    const boxes = await this.boxes();
    if (name !== undefined) {
      const ids = boxes.map(({ id }) => id);
      if (ids.includes(name)) return name;
      throw new CommandError(`There is no box ${JSON.stringify(name)}. There is: ${ids.join(", ")}.`, EXIT.failed);
    }
    const [first] = boxes;
    if (first === undefined) throw new CommandError("The host has no boxes.", EXIT.failed);
    return first.id;
  }

  /** One request of an agent. A refusal is a CommandError in the device's words. */
  async ask(box: string, request: object): Promise<AnswerOk> {
    const answer = await this.answer(box, request);
    if (!answer.ok) throw new CommandError(answer.error.words, EXIT.refused, answer);
    return answer;
  }

  async answer(box: string, request: object): Promise<Answer> {
    return answerSchema.parse(
      await this.#json(`/api/boxes/${encodeURIComponent(box)}/requests`, { method: "POST", body: JSON.stringify(request) }),
    );
  }

  /** Does it answer, and to this token? */
  async alive(): Promise<boolean> {
    try {
      const response = await this.#send("/api/health", {}, ALIVE_MS);
      // Any answer but a refusal of the token is this home's own host.
      await response.arrayBuffer();
      return response.status !== 401 && response.status !== 403;
    } catch {
      return false;
    }
  }

  async #json(path: string, init: RequestInit = {}): Promise<unknown> {
    let response: Response;
    try {
      response = await this.#send(path, init, ANSWER_MS);
    } catch (error) {
      throw new CommandError(
        `The host of this home does not answer (${reason(error)}). Start it with: bb-box-device start`,
        EXIT.notRunning,
      );
    }
    const value: unknown = await response.json().catch(() => null);
    if (response.ok) return value;
    const words = (value as { readonly error?: { readonly words?: string } } | null)?.error?.words;
    throw new CommandError(words ?? `The host answered ${response.status}.`, EXIT.failed);
  }

  #send(path: string, init: RequestInit, ms: number): Promise<Response> {
    return this.#fetch(`http://127.0.0.1:${this.running.port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.running.token}` },
      signal: AbortSignal.timeout(ms),
    });
  }
}

/** The host that runs on this home. Throws in words when there is none. */
export function hostOf(hostHome: string): HostClient {
  const running = readRunning(hostHome);
  if (running === null) throw new CommandError("Nothing runs on this home. Start it with: bb-box-device start", EXIT.notRunning);
  return new HostClient(running);
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined;
  if (cause?.code !== undefined) return cause.code;
  return error instanceof Error ? error.message : String(error);
}
