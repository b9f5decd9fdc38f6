/** Fifty viewers for minutes: what they cost in memory does not grow, and the well ones keep their frames all the while. */
import { describe, expect, it } from "vitest";
import { crowd, crowdWords } from "./crowd.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();
const SECONDS = 180;
const MIB = 1024 * 1024;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

describe.skipIf(process.platform !== "linux")("fifty viewers", () => {
  it(
    `of a busy stream for ${SECONDS / 60} minutes: the server's memory stays within 5% of what it was after half a minute`,
    async () => {
      const rig = new Rig(entry.path, "busy");
      await rig.start();
      const figures = await crowd(rig, SECONDS);
      // A sample a second.
      const early = median(figures.memory.slice(30, 60));
      const late = median(figures.memory.slice(-30));
      process.stderr.write(
        `${crowdWords(figures)}; median of seconds 30 to 60 ${(early / MIB).toFixed(1)} MiB, of the last 30 s ${(late / MIB).toFixed(1)} MiB\n`,
      );
      expect(figures.memory.length).toBeGreaterThan(90);
      expect(late).toBeLessThanOrEqual(1.05 * early);
      expect(figures.worstKept).toBeGreaterThanOrEqual(0.95);
      expect(figures.keys).toBeLessThanOrEqual(4 * figures.seconds + 1);
    },
    (SECONDS + 60) * 1000,
  );
});
