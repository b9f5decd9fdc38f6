import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { launchChromium } from "../support/browser.ts";
import {
  ClockProbe,
  forgetUnits,
  type Matched,
  matchPictures,
  percentiles,
  seenUnits,
  type SeenUnit,
  serverStats,
  watchUnits,
  waysOf,
} from "../support/latency.ts";
import { describeWith } from "../support/needs.ts";
import { openPanel } from "../support/panel.ts";
import { type Product, startProduct } from "../support/product.ts";

/** Each in one span of time by one clock, so that a loaded machine makes it longer and never wrong. */
describeWith(["Chromium"], "a picture's way into a browser", () => {
  const PICTURES = 64;
  let home: string;
  let product: Product;
  let browser: Browser;
  let seen: readonly SeenUnit[];
  let drawn: readonly SeenUnit[];
  let matched: Matched;
  let ways: ReturnType<typeof waysOf>;
  let errorMs: number;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "bb-latency-"));
    product = await startProduct({ home, model: "360x640", scene: "busy", args: ["--fps", "32"] });
    browser = await launchChromium();
    const panel = await openPanel(browser, product.ready.url, {}, watchUnits);
    await panel.drawn(16);
    const probe = await ClockProbe.open(panel.page);
    await probe.probe(20);
    await forgetUnits(panel.page);
    await panel.drawn((await panel.figures()).drawn + PICTURES);
    seen = await seenUnits(panel.page);
    drawn = seen.filter(({ drawnMs }) => drawnMs !== null);
    const { frames = [] } = await serverStats(panel.page);
    await probe.probe(20);
    matched = matchPictures(seen, frames);
    ({ errorMs } = probe.relation());
    ways = waysOf(matched.pictures, probe.relation());
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it("has every drawn picture acknowledged once, by its own id, and none that was not drawn", () => {
    expect(drawn.length).toBeGreaterThanOrEqual(PICTURES);
    expect(drawn.filter(({ acks }) => acks !== 1)).toEqual([]);
    expect(seen.filter(({ drawnMs, acks }) => drawnMs === null && acks !== 0)).toEqual([]);
  });

  it("has the device server's own times of the very pictures that were drawn, each acknowledged there too", () => {
    expect(matched.pictures.length).toBeGreaterThanOrEqual(PICTURES / 2);
    expect(matched.pictures.filter(({ server, seen: unit }) => server.bytes !== unit.bytes)).toEqual([]);
    expect(matched.pictures.filter(({ server }) => server.ackedMs === null)).toEqual([]);
    const captures = matched.pictures.map(({ server }) => server.captureMs);
    expect(captures).toEqual(captures.toSorted((a, b) => a - b));
  });

  it("is one order of times: captured, encoded, sent, in the page, decoded, drawn, acknowledged; both clocks known within a picture's time", () => {
    expect(errorMs).toBeLessThan(1000 / 32);
    for (const way of ["captureToEncoded", "encodedToSent", "arrivedToDecoded", "decodedToDrawn", "sendToAck"] as const) {
      expect({ way, least: Math.min(...ways[way]) }).toSatisfy(({ least }: { least: number }) => least >= 0);
    }
    // Across the two clocks, so only as sure as they are related.
    expect(Math.min(...ways.sentToArrived)).toBeGreaterThan(-errorMs);
    expect(Math.min(...ways.drawnToAck)).toBeGreaterThan(-errorMs);
    for (const [at, captureToDrawn] of ways.captureToDrawn.entries()) {
      expect(captureToDrawn).toBeGreaterThanOrEqual(ways.sendToDrawn[at] ?? Number.NaN);
    }
  });

  it("is printed", () => {
    for (const [words, way] of [
      ["send → drawn-ack", ways.sendToAck],
      ["capture → drawn", ways.captureToDrawn],
    ] as const) {
      const { p50, p95, count } = percentiles(way);
      expect(count).toBeGreaterThan(0);
      process.stdout.write(`${words}, 360x640, ${count} pictures: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`);
    }
  });
});
