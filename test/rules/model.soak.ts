/** The same model as model.test.ts, with the longest stories, for as long as a soak lasts. */
import fc from "fast-check";
import { describe, it } from "vitest";
import { command, tell } from "./model/story.ts";

const LASTS_MS = 10 * 60_000;

Error.stackTraceLimit = 0;

describe("the device server", () => {
  it(
    "does nothing twice, answers once and truly, and leaves nothing down or changed, in every story of ten minutes",
    async () => {
      const stories = fc.array(command, { minLength: 1, maxLength: 120, size: "large" });
      await fc.assert(fc.asyncProperty(stories, tell), { numRuns: 10_000_000, interruptAfterTimeLimit: LASTS_MS });
    },
    LASTS_MS + 60_000,
  );
});
