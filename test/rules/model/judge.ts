/**
 * The simple model: what was asked, what reached a device, what was answered, and what must hold of the three.
 * It knows nothing of how the server works. Every check throws in words.
 */
import { isDeepStrictEqual } from "node:util";
import type { DeviceControl, DeviceState, Holder } from "#core/device.ts";
import type { Answer } from "#wire/device.ts";
import { parseServerMessage } from "#wire/server-messages.ts";
import type { Client } from "./box.ts";
import type { Reached } from "./world.ts";

export type By = "agent" | "person";
export type Kind = "control" | "rotate" | "switch" | "tap" | "text" | "paste" | "owner";

export interface Request {
  readonly id: string;
  /** Its own number, by which what it did is known: a latitude, a row of the screen, a token in a text. */
  readonly n: number;
  readonly by: By;
  readonly kind: Kind;
  readonly text: string;
  readonly sends: Client[];
  readonly answers: { readonly answer: Answer; readonly client: Client }[];
  /** How often it took effect on a device. */
  done: number;
}

/** Columns of the screen: the agent's fingers are left of it, a person's right. */
export const AGENT_X = 100;
export const PERSON_X = 600;
const MIDDLE_X = 500;
export const rowOf = (n: number): number => 10 + n;
export const latitudeOf = (n: number): number => n / 1_000;
/** Found again in whatever text it became part of. No US key types its first letter. */
export const tokenOf = (by: By, n: number): string => `${by === "agent" ? "é" : "ü"}${n};`;
const AGENT_LETTERS = new Set("abcde");
const PERSON_LETTERS = new Set("pqrst");

/** Refused before anything was done. */
const NOT_DONE = new Set(["busy", "bad-value", "unsupported", "person-has-control", "not-booted", "superseded"]);

export class Judge {
  readonly requests = new Map<string, Request>();
  holder: Holder = "none";
  ownerGeneration = 0;
  geometryGeneration = 0;
  /** The server says that its device has failed. */
  failed = false;
  #fingers: readonly { readonly id: number; readonly x: number; readonly y: number }[] = [];

  request(id: string): Request {
    const request = this.requests.get(id);
    if (request === undefined) throw new Error(`nobody asked ${id}`);
    return request;
  }

  /** Something was told to a client. */
  heard(text: string, client: Client): void {
    const message = parseServerMessage(text);
    switch (message.kind) {
      case "bad":
        throw new Error(`the server says what cannot be: ${message.words} in ${text}`);
      case "hello": {
        const { owner, state } = message.hello;
        this.#owner(owner.generation, owner.holder);
        return this.#state(state);
      }
      case "owner":
        return this.#owner(message.owner.generation, message.owner.holder);
      case "state":
        return this.#state(message.message.state);
      case "answer":
        if (message.answer.id !== null) this.#answered(message.answer, client);
        return;
      default:
        return;
    }
  }

  /** A new server starts: nothing of before it may match. */
  restarted(): void {
    this.ownerGeneration += 1;
    this.geometryGeneration += 1;
    this.#fingers = [];
  }

  /** Something took effect on the device. */
  reached(what: Reached): void {
    switch (what.what) {
      case "touch":
        return this.#touched(what.fingers);
      case "key":
        if (what.down && AGENT_LETTERS.has(what.key)) this.#allowed("agent", `the key ${what.key}`);
        if (what.down && PERSON_LETTERS.has(what.key)) this.#allowed("person", `the key ${what.key}`);
        return;
      case "paste":
        return this.#pasted(what.text);
      case "control":
        return this.#controlled(what.control);
      case "boot":
      case "stop":
        this.#fingers = [];
    }
  }

  /** After everything has had its time: each request on a connection that lasted has its answer, and answers tell the truth. */
  settle(): void {
    for (const request of this.requests.values()) {
      for (const client of new Set(request.sends)) {
        if (!client.open) continue;
        const sent = request.sends.filter((other) => other === client).length;
        const told = request.answers.filter((answer) => answer.client === client).length;
        if (sent !== told) throw new Error(`${name(request)} was sent ${sent} times and answered ${told} times`);
      }
      this.#truth(request);
    }
  }

  #truth(request: Request): void {
    const ok = request.answers.find(({ answer }) => answer.ok);
    if (request.done > 1) throw new Error(`${name(request)} was done ${request.done} times`);
    const counted = request.kind === "control" || request.kind === "tap" || request.kind === "text" || request.kind === "paste";
    if (counted && ok !== undefined && request.done !== 1)
      throw new Error(`${name(request)} was answered ok and done ${request.done} times`);
    const refused = request.answers.length > 0 && request.answers.every(({ answer }) => !answer.ok && NOT_DONE.has(answer.error.code));
    const whole = request.kind === "control" || request.kind === "paste";
    // Only what was asked on connections that lasted can be known not to have been done.
    const lasted = request.sends.every((client) => client.open);
    if (whole && refused && lasted && request.done !== 0) {
      throw new Error(
        `${name(request)} was refused (${request.answers.map(({ answer }) => (answer.ok ? "" : answer.error.code)).join()}) and done all the same`,
      );
    }
  }

  #answered(answer: Answer, client: Client): void {
    const request = this.request(answer.id ?? "");
    const first = request.answers.find((earlier) => earlier.answer.ok)?.answer;
    if (first !== undefined && !isDeepStrictEqual(first, answer)) {
      const later = answer.ok ? "another ok" : answer.error.code;
      if (answer.ok || !["outcome-unknown", "bad-value"].includes(answer.error.code)) {
        throw new Error(`${name(request)} was answered ok, and later ${later}`);
      }
    }
    request.answers.push({ answer, client });
  }

  #owner(generation: number, holder: Holder): void {
    if (generation < this.ownerGeneration) throw new Error(`the owner's generation fell from ${this.ownerGeneration} to ${generation}`);
    this.ownerGeneration = generation;
    this.holder = holder;
  }

  #state(state: DeviceState): void {
    this.failed = state.power.is === "failed";
    const generation = state.geometry?.generation;
    if (generation === undefined) return;
    if (generation < this.geometryGeneration)
      throw new Error(`the geometry's generation fell from ${this.geometryGeneration} to ${generation}`);
    this.geometryGeneration = generation;
  }

  #touched(fingers: readonly { readonly id: number; readonly x: number; readonly y: number }[]): void {
    for (const finger of fingers) {
      const by = finger.x < MIDDLE_X ? "agent" : "person";
      this.#allowed(by, `a finger at ${finger.x}, ${finger.y}`);
      const pressed = !this.#fingers.some((before) => before.y === finger.y);
      if (by === "agent" && pressed) this.#done("agent", ["tap"], finger.y - rowOf(0));
    }
    this.#fingers = fingers;
  }

  #pasted(text: string): void {
    for (const by of ["agent", "person"] as const) {
      for (const match of text.matchAll(by === "agent" ? /é(\d+);/g : /ü(\d+);/g)) {
        this.#allowed(by, `the text ${match[0]}`);
        this.#done(by, ["text", "paste"], Number(match[1]));
      }
    }
  }

  #controlled(control: DeviceControl): void {
    if (control.action !== "location" || control.to === null) return;
    const n = Math.round(control.to.latitude * 1_000);
    const request = [...this.requests.values()].find((other) => other.kind === "control" && other.n === n);
    if (request === undefined) throw new Error("a control that nobody asked for");
    this.#allowed(request.by, name(request));
    request.done += 1;
  }

  #done(by: By, kinds: readonly Kind[], n: number): void {
    const request = [...this.requests.values()].find((other) => other.by === by && other.n === n && kinds.includes(other.kind));
    if (request !== undefined) request.done += 1;
  }

  #allowed(by: By, what: string): void {
    if (this.holder !== "none" && this.holder !== by)
      throw new Error(`${what} of the ${by} reached the device while control is the ${this.holder}'s`);
  }
}

function name(request: Request): string {
  return `${request.kind} ${request.id} of the ${request.by}`;
}
