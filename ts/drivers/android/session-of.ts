/** The session of an emulator that shows an offer: what it must know of the model and its AVD. */
import { DeviceError } from "#core/errors.ts";
import type { DriverHost } from "#drivers/driver.ts";

import { hasKeyboard } from "./avd.ts";
import type { RunningEmulator } from "./discovery.ts";
import type { LifeParts } from "./life.ts";
import type { AndroidOffer } from "./offers.ts";
import { Session, type SessionParts } from "./session.ts";

export interface SessionOf extends Pick<SessionParts, "pipeline" | "run" | "wanted" | "ended"> {
  readonly life: LifeParts;
  readonly offer: AndroidOffer;
  readonly emulator: RunningEmulator;
  readonly host: Pick<DriverHost, "geometry" | "clipboard">;
}

/** Throws DeviceError in words where there is no adb, or no way in. */
export function sessionOf({ life, offer, emulator, host, ...parts }: SessionOf): Session {
  const { model, avd } = offer;
  const panels = model.form === "foldable" ? [model.outer.pixels, model.inner.pixels] : [model.screen.pixels];
  if (life.adb === null) {
    throw new DeviceError("failed", "There is no adb: install the SDK's platform-tools, set ANDROID_HOME, or put adb on the PATH.");
  }
  return new Session({
    ...parts,
    emulator,
    shell: life.adb.on(emulator.serial),
    outside: life.outside,
    clock: life.clock,
    extentPx: Math.max(...panels.flatMap((size) => [size.width, size.height])),
    outer: model.form === "foldable" ? model.outer.pixels : null,
    keyboard: avd === null || hasKeyboard(avd),
    geometry: (geometry) => host.geometry(geometry),
    clipboard: (text) => host.clipboard(text),
    log: life.log,
  });
}
