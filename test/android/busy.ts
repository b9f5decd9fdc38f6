/** A busy stream for a time, watched: what it keeps of memory and descriptors, and whether its last picture is the device's. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect } from "vitest";

import { readPng } from "./png.ts";
import { offerOf, PIXEL_8, type Rig, soon } from "./rig.ts";

export interface Watched {
  /** Resident bytes, one a second. */
  readonly residentBytes: readonly number[];
  readonly descriptors: { readonly first: number; readonly last: number };
  readonly units: number;
  readonly framesIn: number;
}

export async function watchBusy(
  rig: Rig,
  frames: "shared-memory" | "in-band",
  seconds: number,
  every: () => Promise<void>,
): Promise<Watched> {
  rig.avd("Busy", PIXEL_8);
  const peer = await rig.peer(["--size", "1080x2400"], { avd: "Busy" });
  const { driver, record } = rig.driver({ frames });
  const video = driver.video();
  video.streaming(true);
  await driver.attach(await offerOf(driver, "Busy"), soon());
  let units = 0;
  const reading = (async () => {
    for await (const _unit of video.frames()) units += 1;
  })();
  await peer.order("tear", { on: frames === "shared-memory" });
  await peer.order("busy", { fps: 32 });
  const residentBytes: number[] = [];
  const descriptors: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await every();
    residentBytes.push(process.memoryUsage.rss());
    descriptors.push(readdirSync("/proc/self/fd").length);
  }
  await peer.order("busy", { fps: 0 });
  for (;;) {
    const next = record.feed.next((said) => said.event === "changed");
    const path = join(rig.folder, "busy.rgb");
    await peer.order("save-frame", { path });
    const shown = readPng((await driver.screenshot()).png);
    if (shown.rgb.equals(readFileSync(path))) break;
    await next;
  }
  const { framesIn } = video.stats();
  await driver.detach();
  await reading;
  return { residentBytes, descriptors: { first: descriptors[0] ?? 0, last: descriptors.at(-1) ?? 0 }, units, framesIn };
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function expectSteady(watched: Watched, early: readonly [number, number], late: number, allowed: number): void {
  const before = median(watched.residentBytes.slice(...early));
  const after = median(watched.residentBytes.slice(-late));
  expect(after / before).toBeLessThan(1 + allowed);
  expect(watched.descriptors.last).toBeLessThanOrEqual(watched.descriptors.first);
  expect(watched.units).toBeGreaterThan(0);
}
