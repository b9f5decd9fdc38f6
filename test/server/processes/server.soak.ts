/** Ten minutes of a busy device, turned, folded, watched and typed on: the server's memory, descriptors and threads do not grow. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DeviceControl } from "#core/device.ts";
import { entryBundle, generationOf, Rig } from "./rig.ts";

const entry = entryBundle();
const MINUTES = Number(process.env["BB_SOAK_MINUTES"] ?? 10);
const MIB = 1024 * 1024;

interface Sample {
  readonly atMs: number;
  readonly memory: number;
  readonly descriptors: number;
  readonly threads: number;
}

function sample(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const number = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return {
    atMs: performance.now(),
    memory: number("VmRSS") * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: number("Threads"),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

describe.skipIf(process.platform !== "linux")("a device server in use", () => {
  it(
    `for ${MINUTES} minutes grows in nothing`,
    async () => {
      const rig = new Rig(entry.path, "busy");
      await rig.start("Test foldable");
      await rig.booted();
      const host = await rig.control();
      const owner = host.client.hello.owner.generation + 1;
      await host.client.request({ type: "owner", generation: owner, holder: "agent" });
      const control = (asked: DeviceControl) => host.client.request({ type: "control", control: asked, owner });
      const samples: Sample[] = [];
      const startMs = performance.now();
      for (let round = 0; performance.now() - startMs < MINUTES * 60_000; round++) {
        await control({ action: "rotate", turn: round % 8 < 4 ? "left" : "right" });
        await control({ action: "posture", to: (["closed", "half-open", "open"] as const)[round % 3] ?? "open" });
        if (round % 20 === 19) {
          await control({ action: "switch", device: "Test device" });
          await control({ action: "switch", device: "Test foldable" });
        }
        const viewers = await Promise.all([rig.connect("viewer"), rig.connect("viewer"), rig.connect("viewer")]);
        await Promise.all(viewers.map(({ heard }) => heard.until((h) => h.units.length > 20)));
        for (const { client, heard } of viewers) client.ack(heard.units.at(-1)?.id ?? 0);
        const generation = generationOf(viewers[0] ?? host);
        const input = { type: "swipe", from: { x: 300, y: 900, generation }, to: { x: 300, y: 300, generation }, ms: 200 } as const;
        await host.client.request({ type: "input", input, owner }).catch(() => undefined);
        await host.client.request({ type: "input", input: { type: "text", text: "日本" }, owner });
        // A screenshot of a screen that never rests may be refused as torn.
        const shot = host.client.request({ type: "screenshot", longestEdge: 500 }).catch(() => undefined);
        await Promise.all([host.client.request({ type: "tree" }), shot]);
        for (const { client } of viewers) await client.close();
        rig.forgetClosed();
        samples.push(sample(rig.pid));
      }
      // The first part fills caches and the compiler's; the two that are compared are after it.
      const third = (part: number): Sample[] =>
        samples.slice(Math.floor((part * samples.length) / 3), Math.floor(((part + 1) * samples.length) / 3));
      const [middle, last] = [third(1), third(2)];
      const of = (part: readonly Sample[], what: keyof Sample): number => median(part.map((one) => one[what]));
      process.stderr.write(
        `${samples.length} rounds: ${Math.round(of(middle, "memory") / MIB)} to ${Math.round(of(last, "memory") / MIB)} MiB, ` +
          `${of(middle, "descriptors")} to ${of(last, "descriptors")} descriptors, ${of(middle, "threads")} to ${of(last, "threads")} threads\n`,
      );
      expect(of(last, "memory")).toBeLessThan(1.1 * of(middle, "memory") + 8 * MIB);
      expect(of(last, "descriptors")).toBeLessThanOrEqual(of(middle, "descriptors") + 2);
      expect(of(last, "threads")).toBeLessThanOrEqual(of(middle, "threads") + 1);
    },
    (MINUTES + 2) * 60_000,
  );
});
