import { setTimeout as wait } from "node:timers/promises";

import { afterEach, beforeEach, it } from "vitest";

import { describeWith } from "../support/needs.ts";
import { expectSteady, watchBusy } from "./busy.ts";
import { Rig } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "twenty seconds of a busy emulator", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  // The seconds are the measurement; what is waited for is only their passing.
  it.each(["shared-memory", "in-band"] as const)(
    "keeps memory and descriptors, and ends on the device's own picture: %s",
    { timeout: 60_000 },
    async (frames) => {
      const watched = await watchBusy(rig, frames, 20, () => wait(1_000));
      expectSteady(watched, [5, 12], 7, 0.15);
    },
  );
});
