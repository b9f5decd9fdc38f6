/** The device server's version and the protocol versions it speaks (note 063 "Delivering the server's code"). */

/** A whole number that rises whenever the server's files change; delivery compares it. */
export const DEVICE_SERVER_VERSION = 1;

export interface ProtocolRange {
  readonly min: number;
  readonly max: number;
}
/** Both ends tell theirs; the newest that both speak is used. */
export const DEVICE_PROTOCOLS: ProtocolRange = { min: 1, max: 1 };

/** The newest protocol that both speak; null when they have none in common. */
export function commonProtocol(ours: ProtocolRange, theirs: ProtocolRange): number | null {
  const newest = Math.min(ours.max, theirs.max);
  return newest >= Math.max(ours.min, theirs.min) ? newest : null;
}
