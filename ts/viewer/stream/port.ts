/**
 * What a panel is fed from: a device's pictures, state and touches one way, commands the other.
 * A box's socket is one port; a lease's stream, or a fixture, can be another. The panel knows only this file.
 */
import type { DeviceControl } from "#core/device.ts";
import type { Answer, Hello, InputRequest, StateMessage, StillMessage, TouchEcho } from "#wire/device.ts";
import type { ControlMessageForViewer, LatencyMessage } from "#wire/panel.ts";

/** One access unit as it arrived. */
export interface VideoUnit {
  readonly key: boolean;
  /** 0 to 65535, wraps; named in the acknowledgement. */
  readonly id: number;
  /** The low 16 bits of the geometry generation it shows. */
  readonly generation: number;
  /** Annex B. */
  readonly data: Uint8Array;
}

/** How the connection stands. Times are the port's own clock (ms). */
export type Link =
  | { readonly is: "connecting" }
  | { readonly is: "open" }
  /** It had been open. Trying again at `retryAtMs`; null while trying. */
  | { readonly is: "lost"; readonly retryAtMs: number | null }
  | { readonly is: "superseded" }
  | { readonly is: "refused"; readonly why: "no-token" | "old-token" }
  /** The source ended and does not come back. `words` says why, where it is known. */
  | { readonly is: "ended"; readonly words: string | null };

/** Where a port tells what happens. Never called from inside one of the port's own methods. */
export interface PortListener {
  link(link: Link): void;
  hello(hello: Hello): void;
  state(message: StateMessage): void;
  control(control: ControlMessageForViewer): void;
  latency(latency: LatencyMessage): void;
  touches(touch: TouchEcho): void;
  unit(unit: VideoUnit): void;
  still(still: StillMessage): void;
  answer(answer: Answer): void;
  /** What the device copied. */
  clipboard(text: string): void;
}

/** What a panel asks of its source. */
export type Command =
  | { readonly do: "start-video" }
  | { readonly do: "stop-video" }
  | { readonly do: "key-frame" }
  | { readonly do: "ack"; readonly id: number }
  | { readonly do: "start-stills" }
  | { readonly do: "stop-stills" }
  | { readonly do: "take-control" }
  | { readonly do: "hand-back" }
  /** In the video's pixels; `mask` is wire's POINTER. A `move` may be lost on a connection that stands still; a press or a lift never. */
  | { readonly do: "pointer"; readonly x: number; readonly y: number; readonly mask: number; readonly move: boolean }
  /** Notches of the wheel at the pointer: positive is down and right. */
  | { readonly do: "wheel"; readonly axis: "x" | "y"; readonly notches: number; readonly mask: number }
  | { readonly do: "key"; readonly keysym: number; readonly down: boolean }
  | { readonly do: "keys-up" }
  | { readonly do: "ask"; readonly request: InputRequest };

export interface DevicePort {
  /** Begins, once. */
  open(listener: PortListener): void;
  /** False when there is no connection to send it on; nothing is kept for later. */
  send(command: Command): boolean;
  /** Does not wait for the next try. */
  connectNow(): void;
  /** Ends for good. */
  close(): void;
}

/** A control as a request. */
export function controlRequest(id: string, control: DeviceControl): Extract<InputRequest, { readonly type: "control" }> {
  return { id, type: "control", control };
}
