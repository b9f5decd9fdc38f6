import { setTimeout as wait } from "node:timers/promises";

import { afterEach, beforeEach, it } from "vitest";

import { describeWith } from "../support/needs.ts";
import { expectSteady, watchBusy } from "./busy.ts";
import { Rig } from "./rig.ts";

/** A shorter one is for trying the check itself. */
const SECONDS = Number(process.env.BB_SOAK_SECONDS ?? 600);

describeWith(["python3-grpcio", "protoc", "adb"], `${SECONDS} seconds of a busy emulator`, () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  it.each(["shared-memory", "in-band"] as const)(
    "the last half minute has the memory of the first, within a twentieth: %s",
    async (frames) => {
      const watched = await watchBusy(rig, frames, SECONDS, () => wait(1_000));
      process.stdout.write(
        `${JSON.stringify({ soak: "android", frames, units: watched.units, framesIn: watched.framesIn, descriptors: watched.descriptors })}\n`,
      );
      expectSteady(watched, [30, 60], 30, 0.05);
    },
  );
});
