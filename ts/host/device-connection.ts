/** One connection to a box's device server. Texts stay as they came, since the relay passes them on unchanged. */
import { connectDevice, type ClientRole, type Closed, type DeviceClient } from "#client/client.ts";
import type { Hello } from "#wire/device.ts";
import type { ServerMessage } from "#wire/server-messages.ts";
import type { Backend } from "./ports.ts";

export interface Lease {
  /** A uuid. */
  readonly instance: string;
  /** Wall-clock milliseconds of the instance's start. */
  readonly since: number;
}

export interface Listeners {
  /** Every text after HELLO, as it came and as it reads. */
  readonly text: (raw: string, message: ServerMessage) => void;
  /** Every video message, header and unit; its bytes are the listener's. */
  readonly video?: (message: Uint8Array) => void;
  /** Once. Superseded: a newer client took its place, so connecting again by itself is wrong. */
  readonly closed: (why: { readonly superseded: boolean; readonly words: string }) => void;
}

/** One connection that said HELLO. */
export interface DeviceConnection {
  readonly hello: Hello;
  readonly rawHello: string;
  /** From here on the listeners hear; what came since HELLO first. Once. */
  listen(listeners: Listeners): void;
  send(text: string): void;
  readonly open: boolean;
  bufferedBytes(): number;
  close(): void;
}

type Heard = (listeners: Listeners) => void;

/** Reaches the device server and waits for HELLO. Rejects in words. */
export async function connectBox(backend: Backend, role: ClientRole, client: string, signal: AbortSignal): Promise<DeviceConnection> {
  const duplex = await backend.connect(signal);
  // Several messages may come in one piece with HELLO, before anybody could listen.
  let early: Heard[] | null = [];
  let listeners: Listeners | null = null;
  const tell = (heard: Heard) => {
    if (listeners !== null && early === null) heard(listeners);
    else early?.push(heard);
  };
  let rawHello = "";
  const device: DeviceClient = await connectDevice(
    { ...role, duplex, client, signal },
    {
      message: (message, text) => {
        if (message.kind === "hello") rawHello = text;
        else tell((to) => to.text(text, message));
      },
      unit: (unit) => tell((to) => to.video?.(unit.message)),
      closed: (closed) => {
        duplex.destroy();
        tell((to) => to.closed({ superseded: closed.superseded, words: closedWords(closed) }));
      },
    },
  );
  return {
    hello: device.hello,
    rawHello,
    listen: (to) => {
      listeners = to;
      const heard = early ?? [];
      early = null;
      for (const one of heard) one(to);
    },
    send: (text) => device.send(text),
    get open() {
      return device.open;
    },
    bufferedBytes: () => device.bufferedBytes(),
    close: () => void device.close(),
  };
}

function closedWords(closed: Closed): string {
  return closed.reason === "" ? "The device server's connection ended." : closed.reason;
}
