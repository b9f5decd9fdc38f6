/** Finding, starting and ending test phones of a device home. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { DeviceError } from "#core/errors.ts";

import { PhoneClient, type PhoneClientEvents } from "./client.ts";
import { phonePlaces, removeStaleSocket } from "./places.ts";
import { isFields, PHONE_PROTOCOL, readHello, type PhoneHello } from "./protocol.ts";
import { readIfThere } from "./saved.ts";

/** A phone answers its hello in a few ms; one that is stopped in a debugger never does. */
const HELLO_DEADLINE_MS = 3_000;
const START_DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** A phone's process that was started and cannot be reached yet. */
export interface StartedPhone {
  /** Ends it, and resolves when it has. */
  end(): Promise<void>;
}

export interface PhoneTimers {
  after(ms: number, call: () => void): () => void;
}

export interface LivePhone {
  readonly client: PhoneClient;
  readonly hello: PhoneHello;
}

/** Models of the phones that live in this home. What dead ones left behind is deleted; what lives is not touched. */
export async function livePhones(home: string, timers: PhoneTimers): Promise<readonly string[]> {
  const run = join(home, "run");
  const names = await namesIn(run);
  const live: string[] = [];
  for (const name of names) {
    if (!/^phone-.*\.json$/.test(name)) continue;
    const model = modelOf(readIfThere(join(run, name)));
    if (model === null) continue;
    const phone = await reachPhone(home, model, timers, { notice: () => undefined, closed: () => undefined });
    if (phone === null) continue;
    phone.client.close();
    live.push(model);
  }
  return live;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function modelOf(text: string | null): string | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) && typeof value["model"] === "string" ? value["model"] : null;
  } catch {
    return null;
  }
}

/**
 * The live phone of this model, or null. A socket that nobody listens on is a dead phone's, whatever process has its number
 * now: it and the discovery file are deleted. Rejects with DeviceError for a phone that lives but does not answer, or speaks
 * another protocol.
 */
export async function reachPhone(home: string, model: string, timers: PhoneTimers, events: PhoneClientEvents): Promise<LivePhone | null> {
  const places = phonePlaces(home, model);
  let client: PhoneClient;
  try {
    client = await PhoneClient.open(places.socket, events);
  } catch (error) {
    const code = isFields(error) ? error["code"] : undefined;
    if (code !== "ENOENT" && code !== "ECONNREFUSED") {
      throw new DeviceError("failed", `The test phone's socket ${places.socket} cannot be reached: ${String(code)}.`, { cause: error });
    }
    // A phone that is only starting has its lock but no discovery file yet, so nothing of it is deleted here.
    if (code === "ECONNREFUSED") removeStaleSocket(places.socket);
    rmSync(places.discovery, { force: true });
    return null;
  }
  const hello = await greet(client, timers);
  if (hello === null || hello.protocol !== PHONE_PROTOCOL || hello.model !== model) {
    client.close();
    throw new DeviceError(
      "failed",
      hello === null
        ? `A test phone "${model}" runs in ${home} but does not answer. End its process and try again.`
        : `A test phone of another version runs in ${home} (process ${hello.pid}). End it and try again.`,
    );
  }
  return { client, hello };
}

async function greet(client: PhoneClient, timers: PhoneTimers): Promise<PhoneHello | null> {
  let cancel: () => void = () => undefined;
  const late = new Promise<null>((resolve) => {
    cancel = timers.after(HELLO_DEADLINE_MS, () => resolve(null));
  });
  const answer = client.ask({ ask: "hello" }).then(readHello, () => null);
  const hello = await Promise.race([answer, late]);
  cancel();
  return hello;
}

/** Starts a phone and connects to it once it listens. Rejects with DeviceError, and then leaves none that only this start knows of. */
export async function startPhone(
  parts: { readonly home: string; readonly timers: PhoneTimers; spawn(model: string): Promise<StartedPhone> },
  model: string,
  events: PhoneClientEvents,
  signal: AbortSignal,
): Promise<LivePhone> {
  const { home, timers } = parts;
  const places = phonePlaces(home, model);
  rmSync(places.failure, { force: true });
  const started = await parts.spawn(model);
  try {
    return await reachStarted(home, model, timers, events, signal);
  } catch (error) {
    await started.end();
    // A socket that it had made until then is a dead phone's now, and goes.
    if (existsSync(places.socket)) {
      const other = await reachPhone(home, model, timers, { notice: () => undefined, closed: () => undefined }).catch(() => null);
      other?.client.close();
    }
    throw error;
  }
}

async function reachStarted(
  home: string,
  model: string,
  timers: PhoneTimers,
  events: PhoneClientEvents,
  signal: AbortSignal,
): Promise<LivePhone> {
  const places = phonePlaces(home, model);
  for (let waited = 0; waited < START_DEADLINE_MS; waited += LOOK_EVERY_MS) {
    if (signal.aborted) throw new DeviceError("failed", "The start of the test phone was given up.");
    const phone = readIfThere(places.discovery) === null ? null : await reachPhone(home, model, timers, events);
    if (phone !== null) return phone;
    const failure = readIfThere(places.failure);
    if (failure !== null) throw new DeviceError("failed", `The test phone did not start. ${failure}`);
    await new Promise<void>((resolve) => {
      timers.after(LOOK_EVERY_MS, resolve);
    });
  }
  throw new DeviceError("failed", `The test phone did not start within ${START_DEADLINE_MS / 1000} seconds.`);
}
