import { expect, it } from "vitest";

import { boxLines } from "#cli/commands/status.ts";
import type { BoxDetails } from "#cli/host-client.ts";

const BOX: BoxDetails = {
  id: "local",
  name: "This machine",
  displays: [{ id: "device", shows: "device" }],
  device: null,
  away: null,
  state: null,
  warning: null,
  owner: { generation: 1, holder: "agent" },
  lease: { held: true, superseded: false },
  watching: 1,
  latencies: [],
  stats: null,
  badVersion: 0,
  server: null,
};

it("a box's lines end with what is to be heeded, where there is something", () => {
  const plain = ["", "Box      local (This machine)", "Control  the agent has it; 1 browser watches"];
  expect(boxLines(BOX)).toEqual(plain);
  expect(boxLines({ ...BOX, warning: "The emulator listens beyond this machine." })).toEqual([
    ...plain,
    "Warning  The emulator listens beyond this machine.",
  ]);
});
