/** A connection to a test phone's process: requests with their answers, notices in between. */
import { connect, type Socket } from "node:net";

import { DeviceError } from "#core/errors.ts";

import { Lines } from "./lines.ts";
import { LONGEST_LINE, readFromPhone, type PhoneNotice, type PhoneRequest } from "./protocol.ts";

/** Requests that may wait for their answers; past it a request is refused. */
const MOST_WAITING = 1_024;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface PhoneClientEvents {
  notice(notice: PhoneNotice): void;
  /** The connection is gone: the phone has ended, or it was closed from here. */
  closed(): void;
}

export class PhoneClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #id = 0;

  private constructor(socket: Socket, events: PhoneClientEvents) {
    this.#socket = socket;
    const lines = new Lines(LONGEST_LINE, (line) => {
      const message = readFromPhone(line);
      if (message === null) return;
      if ("notice" in message) return events.notice(message);
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.ok) waiting?.resolve(message.result);
      else waiting?.reject(new DeviceError(message.code, message.words));
    });
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      if (!lines.add(text)) socket.destroy();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of waiting) reject(new DeviceError("not-booted", "The test phone has ended. Start it again."));
      events.closed();
    });
  }

  /** Connects. Rejects with what the socket says: ENOENT and ECONNREFUSED mean that nothing lives there. */
  static open(path: string, events: PhoneClientEvents): Promise<PhoneClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.removeListener("error", reject);
        resolve(new PhoneClient(socket, events));
      });
    });
  }

  /** Asks, and resolves with the result. Rejects with DeviceError. */
  ask(request: PhoneRequest): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(new DeviceError("not-booted", "The test phone has ended. Start it again."));
    if (this.#waiting.size >= MOST_WAITING) return Promise.reject(new DeviceError("busy", "The test phone does not answer."));
    this.#id += 1;
    const id = this.#id;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
