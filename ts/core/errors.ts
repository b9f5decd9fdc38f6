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

// The sentences, one function a code (note 063 "box_device" gives most of them).

/** For words that supports() or a parser made. */
export function unsupported(words: string): DeviceError {
  return new DeviceError("unsupported", words);
}

export function unknownDevice(name: string, models: readonly string[]): DeviceError {
  return new DeviceError("unknown-device", `This box has no ${name}. Its devices are: ${models.join(", ")}.`);
}

export function badValue(words: string): DeviceError {
  return new DeviceError("bad-value", words);
}

/** The same id came before with another body. */
export function reusedId(id: string): DeviceError {
  return new DeviceError("bad-value", `The id ${id} was used for another request. Give each request an id of its own.`);
}

/** Nothing can be sent to a device that is not booted; says why it is not. */
export function notBooted(model: string, power: "booting" | "switching" | "stopped" | "failed"): DeviceError {
  switch (power) {
    case "booting":
    case "switching":
      return new DeviceError("not-booted", `The ${model} is still booting. Try again in a few seconds, or call box_status.`);
    case "stopped":
      return new DeviceError("not-booted", `The ${model} is stopped. Reboot the device to start it.`);
    case "failed":
      return new DeviceError("not-booted", `The ${model} has failed, and box_status says why. Reboot the device to start it again.`);
  }
}

export function busySwitching(to: string): DeviceError {
  return new DeviceError("busy", `The box is switching to the ${to}. Try again when box_status says it has booted.`);
}

export function busyRebooting(model: string): DeviceError {
  return new DeviceError("busy", `The ${model} is rebooting. Try again when box_status says it has booted.`);
}

/** As many controls wait as may. */
export function busyWaiting(waiting: number): DeviceError {
  return new DeviceError("busy", `${waiting} controls wait already. Try again when one of them has been answered.`);
}

/** A point of a geometry that is no more. */
export function staleGeometry(): DeviceError {
  return new DeviceError("stale-geometry", "The device turned since that screenshot. Take another.");
}

/** A control that turns or folds the device has not shown its first picture yet. */
export function geometryChanging(): DeviceError {
  return new DeviceError("stale-geometry", "The device is turning. Take a screenshot when it has, and use its points.");
}

/** Two elements match one reference; both are named. */
export function ambiguous(reference: string, matches: readonly string[]): DeviceError {
  return new DeviceError("ambiguous", `${reference} matches ${matches.join(" and ")}. Name one of them more exactly.`);
}

/** `doing`: "turning the Pixel 8"; `now`: the state read back, in words, or null when it could not be. */
export function outcomeUnknown(why: string, doing: string, now: string | null): DeviceError {
  const state = now === null ? "Its state could not be read back" : `It is now ${now}`;
  return new DeviceError(
    "outcome-unknown",
    `${why} while ${doing}, so bb-box cannot tell whether it took effect. ${state}. Read box_status before trying again.`,
  );
}

/** `result` of an id that nothing is known of. `now`: the state, in words. */
export function unknownRequest(id: string, now: string): DeviceError {
  return new DeviceError(
    "outcome-unknown",
    `No request with the id ${id} is known: it never came, or its answer is kept no more. The device is now ${now}. Read box_status before asking for the same again.`,
  );
}

export function supersededInput(holder: "none" | "agent" | "person"): DeviceError {
  const who = holder === "person" ? "A person took control" : holder === "agent" ? "The agent has control" : "Control changed hands";
  return new DeviceError("superseded", `${who}, so this was not sent to the device.`);
}

/** An owner whose generation is not above the one the server has. */
export function supersededOwner(generation: number, current: number): DeviceError {
  return new DeviceError("superseded", `Control's owner is at generation ${current} already, so ${generation} changes nothing.`);
}

export function personHasControl(): DeviceError {
  return new DeviceError(
    "person-has-control",
    "A person has control of this box's device. Wait for them to hand it back, or take it back with computer_take_control when they ask.",
  );
}

export function inProgress(): DeviceError {
  return new DeviceError("in-progress", "This request is still being worked on. Ask for its result in a moment.");
}

/** The command's own words. */
export function failed(words: string, options?: ErrorOptions): DeviceError {
  return new DeviceError("failed", words, options);
}

/** A switch whose new model did not come up: the old one is booted again. */
export function switchFailed(to: string, why: string, back: string): DeviceError {
  return new DeviceError("failed", `Could not start the ${to}: ${why.replace(/\.$/, "")}. The ${back} is booted again.`);
}

/** Any thrown thing as a DeviceError; one that is none keeps its own words. */
export function asDeviceError(thrown: unknown): DeviceError {
  if (thrown instanceof DeviceError) return thrown;
  return failed(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
