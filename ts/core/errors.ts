/** The closed list of a device's error codes (063 "Messages", protocols 1), and the one error type that carries them. */
export const DEVICE_ERROR_CODES = [
  "unsupported",
  "unknown-device",
  "bad-value",
  "not-booted",
  "busy",
  "stale-geometry",
  "ambiguous",
  "outcome-unknown",
  "superseded",
  "person-has-control",
  "in-progress",
  "failed",
] as const;
export type DeviceErrorCode = (typeof DEVICE_ERROR_CODES)[number];

/** `words` are what the agent and the panel show. */
export class DeviceError extends Error {
  readonly code: DeviceErrorCode;
  constructor(code: DeviceErrorCode, words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = "DeviceError";
    this.code = code;
  }
  get words(): string {
    return this.message;
  }
}
