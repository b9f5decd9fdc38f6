/** Fifty viewers of one busy stream: the others notice nothing of those that are stalled, slow, or come and go. */
import { describe, expect, it } from "vitest";
import { crowd, crowdWords } from "./crowd.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();
const SECONDS = 8;

describe.skipIf(process.platform !== "linux")("fifty viewers", () => {
  it("get one encode a frame; the well ones keep 95% of it, whatever the others do; at most four key frames a second", async () => {
    const rig = new Rig(entry.path, "busy");
    await rig.start();
    const figures = await crowd(rig, SECONDS);
    process.stderr.write(`${crowdWords(figures)}\n`);
    expect(figures.worstKept).toBeGreaterThanOrEqual(0.95);
    expect(figures.keys).toBeLessThanOrEqual(4 * figures.seconds + 1);
    // A stalled viewer is held at its limits: what is kept for all five is bounded.
    expect(Math.max(...figures.memory) - (figures.memory[1] ?? 0)).toBeLessThan(5 * 4 * 1024 * 1024 + 48 * 1024 * 1024);
    for (const got of figures.stayed) {
      // Nothing but a key frame follows a dropped unit.
      for (let i = 1; i < got.length; i++) {
        const gap = ((got[i]?.id ?? 0) - (got[i - 1]?.id ?? 0)) & 0xffff;
        if (gap !== 1) expect(got[i]?.key).toBe(true);
      }
    }
  }, 60_000);
});

describe("a join of a still screen that nobody watched", () => {
  it("costs one key frame of the real pipeline, with a START_VIDEO said twice, pause after pause", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    const { client, heard } = await rig.booted();
    const input = await rig.connect("input");
    const keys = async (): Promise<number> => (await input.client.request({ type: "stats" })).stats?.video?.["keyFrames"] ?? Number.NaN;
    const quiet = () => input.client.request({ type: "settle", quietMs: 600, maxMs: 5000 });
    const shown = (): number => heard.units.filter(({ key }) => key).length;
    for (let round = 0; round < 5; round++) {
      client.send("STOP_VIDEO");
      await heard.until((h) => h.kinds().filter((kind) => kind === "video-stopped").length > round);
      await quiet();
      const [made, had, units] = [await keys(), shown(), heard.units.length];
      client.send("START_VIDEO");
      await heard.until((h) => h.units.length > units);
      client.send("START_VIDEO");
      await quiet();
      expect([(await keys()) - made, shown() - had]).toEqual([1, 1]);
    }
  }, 60_000);
});
