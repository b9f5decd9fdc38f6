/** A client that nobody here's code helps: Python's websockets, written from the protocol's text. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { describeWith } from "../../support/needs.ts";
import { entryBundle, Rig } from "./rig.ts";

const entry = entryBundle();
const peer = fileURLToPath(new URL("../../peers/ws.py", import.meta.url));

async function run(rig: Rig, scenario: "watch" | "drive"): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)("/usr/bin/python3", [peer, rig.socket, scenario], { timeout: 25_000 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describeWith(["python3-websockets"], "a client from the protocol's text", () => {
  it("watches: HELLO, MODE, key frames with SPS and PPS under the right header, pause and resume, a tree", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    await rig.booted();
    const saw = await run(rig, "watch");
    expect(saw).toMatchObject({ protocol: { min: 1, max: 1 }, mode: "MODE websockets" });
    const generation = Number(saw["generation"]) & 0xffff;
    const unit = expect.objectContaining({ kind: 4, picture: 1, y: 0, width: 1080, generation }) as unknown;
    expect(saw["units"]).toEqual([unit, unit]);
    for (const types of saw["nals"] as number[][])
      expect(types.filter((t) => t === 7 || t === 8 || t === 5).slice(0, 3)).toEqual([7, 8, 5]);
    expect(saw["elements"]).toBeGreaterThan(0);
  });

  it("drives: owner, a rotate done once though sent twice, a stale point refused, superseded with 4000", async () => {
    const rig = new Rig(entry.path);
    await rig.start();
    await rig.booted();
    expect(await run(rig, "drive")).toEqual({ orientation: "turned-left", once: true, stale: "stale-geometry", code: 4000 });
  });
});
