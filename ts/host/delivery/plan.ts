/** Whether a box's device server is replaced: by version, only forward, never under a person's control or a recording (note 063). */
import type { Holder } from "#core/device.ts";
import { commonProtocol, type ProtocolRange } from "#core/version.ts";

export interface Code {
  /** DEVICE_SERVER_VERSION. */
  readonly version: number;
  readonly protocol: ProtocolRange;
}

export interface Situation {
  readonly ours: Code;
  /** What the box runs; null: nothing is installed there. */
  readonly theirs: Code | null;
  /** This instance has the box's lease. Without a server there is none to have. */
  readonly leased: boolean;
  readonly holder: Holder;
  readonly recording: boolean;
  /** The newest version that did not come up in this box; 0: none. */
  readonly bad: number;
}

export type Plan =
  | { readonly is: "use" }
  | { readonly is: "deliver"; readonly backwards: boolean }
  /** Tried again when that ends. */
  | { readonly is: "wait"; readonly until: "hand-back" | "recording-end" }
  /** Neither can this server be used nor may it be replaced. */
  | { readonly is: "refuse"; readonly why: "bad" | "no-lease" };

export function plan(situation: Situation): Plan {
  const { ours, theirs, leased, holder, recording, bad } = situation;
  if (theirs === null) return ours.version <= bad ? { is: "refuse", why: "bad" } : { is: "deliver", backwards: false };
  const speaks = commonProtocol(ours.protocol, theirs.protocol) !== null;
  if (speaks && theirs.version >= ours.version) return { is: "use" };
  if (ours.version <= bad) return speaks ? { is: "use" } : { is: "refuse", why: "bad" };
  if (!leased) return speaks ? { is: "use" } : { is: "refuse", why: "no-lease" };
  if (holder === "person") return { is: "wait", until: "hand-back" };
  if (recording) return { is: "wait", until: "recording-end" };
  return { is: "deliver", backwards: theirs.version > ours.version };
}

/** What the log says of a delivery that waits. */
export function waitWords(box: string, version: number, until: "hand-back" | "recording-end"): string {
  const what = until === "hand-back" ? "the person hands back control" : "the recording ends";
  return `Box ${box}'s device server waits for version ${version} until ${what}.`;
}
