import { setTimeout as wait } from "node:timers/promises";

import { afterEach, beforeEach, it } from "vitest";

import { describeWith } from "../support/needs.ts";
import { expectSteady, watchBusy } from "./busy.ts";
import { Rig } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "ten minutes of a busy emulator", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  it.each(["shared-memory", "in-band"] as const)("the last half minute has the memory of the first, within 5%%: %s", async (frames) => {
    const watched = await watchBusy(rig, frames, 600, () => wait(1_000));
    process.stdout.write(
      `${JSON.stringify({ soak: "android", frames, units: watched.units, framesIn: watched.framesIn, descriptors: watched.descriptors })}\n`,
    );
    expectSteady(watched, [30, 60], 30, 0.05);
  });
});
