/**
 * The device server against a simple model of it: requests, the lease, switches, control's owner, text and pastes, in any order and
 * at any time, with calls that fail or hang, and the server killed before or after any one of its effects, and its clients coming
 * back as clients do.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { command, tell } from "./model/story.ts";

/** Both kinds together. */
const RUNS = Number(process.env["BB_MODEL_RUNS"] ?? 10_000);

/** The same stories each time, so that a change that breaks one is seen at once; `npm run test:soak` tells others each time. */
const SEED = Number(process.env["BB_MODEL_SEED"] ?? 63);

// Errors are part of every story, and nobody reads their stacks.
Error.stackTraceLimit = 0;

describe("the device server", () => {
  it.each([
    ["short", "small", 7],
    ["long", "medium", 3],
  ] as const)(
    "does nothing twice, answers once and truly, and leaves nothing down or changed, through kills: %s stories",
    async (_name, size, tenths) => {
      const stories = fc.array(command, { minLength: 1, maxLength: 40, size });
      await fc.assert(fc.asyncProperty(stories, tell), { numRuns: Math.ceil((RUNS * tenths) / 10), seed: SEED });
    },
    600_000,
  );

  const failsTwice = (kind: "touch" | "key") =>
    [
      { do: "fault", kind, how: "hangs" },
      { do: "owner", holder: "none", stale: false },
      { do: "fault", kind, how: "fails" },
      { do: "pass", ms: 31_000 },
    ] as const;
  it.each([
    ["key", [{ do: "key", letter: "p", down: true }, ...failsTwice("key")]],
    ["finger", [{ do: "finger", down: true, mouse: false }, ...failsTwice("touch")]],
  ] as const)("leaves no %s down whose lift the device did not take, and not the try after it", async (_name, story) => {
    await tell([...story]);
  });

  it("answers a paste that was done as done, though a lift behind it hangs and control changes hands once more meanwhile", async () => {
    await tell([
      { do: "key", letter: "p", down: true },
      { do: "fault", kind: "key", how: "hangs" },
      { do: "ask", by: "agent", kind: "paste", stale: false, flavour: 0 },
      { do: "pass", ms: 25 },
      { do: "owner", holder: "none", stale: false },
      { do: "pass", ms: 150 },
      { do: "owner", holder: "none", stale: false },
    ]);
  });

  it("never says of a paste whose key may have been pressed that it was not done, though the device goes meanwhile", async () => {
    await tell([
      { do: "fault", kind: "paste key", how: "takes and hangs" },
      { do: "ask", by: "person", kind: "paste", stale: false, flavour: 0 },
      { do: "ask", by: "agent", kind: "control", stale: false, flavour: 0 },
      { do: "ask", by: "person", kind: "switch", stale: false, flavour: 1 },
      { do: "pass", ms: 60 },
      { do: "exit" },
      { do: "again", which: 0, how: "same" },
    ]);
  });
});
