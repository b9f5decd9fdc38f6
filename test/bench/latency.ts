/**
 * From a picture in the device's memory to the canvas of a browser, over the whole product: the test phone at 32 frames a second, the device
 * server, the host, and its page in headless Chromium, all on this machine. Started by `npm run bench -- --only latency`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../support/browser.ts";
import { askCli } from "../support/cli.ts";
import {
  ClockProbe,
  type ClockRelation,
  forgetUnits,
  type Matched,
  matchPictures,
  percentiles,
  seenUnits,
  serverStats,
  watchUnits,
  waysOf,
} from "../support/latency.ts";
import { openPanel } from "../support/panel.ts";
import { startProduct } from "../support/product.ts";

const { values: options } = parseArgs({
  options: { json: { type: "string" }, seconds: { type: "string", default: "15" }, root: { type: "string" }, only: { type: "string" } },
});
const FPS = 32;
const SECONDS = Number(options.seconds);
/** Pictures drawn before it counts: the page is laid out, its code is warm. */
const WARM = 96;
const PROBES = 40;

const DEVICES = [
  { name: "phone", model: "Test device", size: "1080x2400", unfold: false },
  { name: "foldable, open", model: "Test foldable", size: "2208x1840", unfold: true },
  { name: "tablet", model: "2560x1600", size: "2560x1600", unfold: false },
  // The size that serve-emu's figures are of.
  { name: "small phone", model: "570x1280", size: "570x1280", unfold: false },
] as const;

const WAYS = {
  sendToAck: "send → drawn-ack",
  captureToDrawn: "capture → drawn",
  captureToShown: "capture → end of the animation frame with it",
  captureToEncoded: "  capture → encoded",
  encodedToSent: "  encoded → sent",
  sentToArrived: "  sent → in the page",
  arrivedToDecoded: "  in the page → decoded",
  decodedToDrawn: "  decoded → drawn",
  drawnToAck: "  drawn → acknowledged at the device server",
  arrivedToDrawn: "in the page → drawn",
} as const;
type Way = keyof typeof WAYS;

/** Figures others publish, and what stands in each: no two cover the same way, so that none is a bar of ours. */
const PUBLISHED: readonly {
  readonly who: string;
  readonly figure: string;
  readonly covers: string;
  readonly beside: Way;
  readonly ours: string;
}[] = [
  {
    who: "liteavd",
    figure: "p50 13.6–21.5 ms, p95 38–44 ms",
    covers: "an input to the emulator's picture committed in a native window: the guest's own drawing, no encode, no decode, no browser",
    beside: "captureToDrawn",
    ours: "has encode, two sockets, decode and canvas more; has the input's way and the guest's drawing less",
  },
  {
    who: "tapflow, WebCodecs",
    figure: "2.2–2.5 ms",
    covers: "decode to present in the page, hardware encode and decode on a Mac",
    beside: "arrivedToDrawn",
    ours: "the same span, decoded in software, at these sizes, on the cores that encode",
  },
  {
    who: "tapflow, tinyh264 (WASM)",
    figure: "p50 8.7–14.8 ms, p95 22–38 ms",
    covers: "decode to present in the page on localhost, in software",
    beside: "arrivedToDrawn",
    ours: "the same span, in Chromium's own software decoder",
  },
  {
    who: "tapflow, MSE <video>",
    figure: "about 235 ms more than WebCodecs",
    covers: "what a <video> element holds back",
    beside: "arrivedToDrawn",
    ours: "has no <video>, so nothing of it",
  },
  {
    who: "tapflow, SPS without bitstream_restriction",
    figure: "267 ms; 2.5 ms once it says max_num_reorder_frames=0",
    covers: "decode to present, hardware decoder",
    beside: "arrivedToDecoded",
    ours: "every SPS says it; a software decoder would not show the fault",
  },
  {
    who: "serve-emu, shared memory",
    figure: "p50 1.7 ms, p95 2.4 ms at 570x1280",
    covers: "produced to received, before any encode",
    beside: "captureToEncoded",
    ours: "has convert and encode more, and four to six times the pixels",
  },
];

interface Measured {
  readonly device: (typeof DEVICES)[number];
  readonly ways: Readonly<Record<Way, readonly number[]>>;
  readonly clock: ClockRelation;
  readonly matched: Matched;
  readonly drawnFps: number;
  readonly load: number;
}

async function unfold(page: Page, home: string): Promise<void> {
  await askCli(home, ["control", "posture", "open"]);
  await page.waitForFunction(() => (document.querySelector("device-view")?.shadowRoot?.querySelector("canvas")?.width ?? 0) === 2208);
}

async function measure(browser: Browser, device: (typeof DEVICES)[number]): Promise<Measured> {
  const home = mkdtempSync(join(tmpdir(), "bb-latency-"));
  const started = { home, model: device.model, scene: "busy", args: ["--fps", String(FPS)] } as const;
  const product = await startProduct(options.root === undefined ? started : { ...started, root: options.root });
  try {
    const panel = await openPanel(browser, product.ready.url, {}, watchUnits);
    const { page } = panel;
    if (device.unfold) await unfold(page, home);
    await panel.drawn((await panel.figures()).drawn + WARM);
    const probe = await ClockProbe.open(page);
    await probe.probe(PROBES);
    await forgetUnits(page);
    const beganMs = performance.now();
    await page.waitForTimeout(SECONDS * 1000);
    const seen = await seenUnits(page);
    const tookMs = performance.now() - beganMs;
    const { frames = [] } = await serverStats(page);
    await probe.probe(PROBES);
    const clock = probe.relation();
    const matched = matchPictures(seen, frames);
    await page.context().close();
    const drawnFps = (1000 * seen.filter(({ drawnMs }) => drawnMs !== null).length) / tookMs;
    return { device, ways: waysOf(matched.pictures, clock), clock, matched, drawnFps, load: loadavg()[0] ?? 0 };
  } finally {
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const ms = (value: number) => value.toFixed(1).padStart(7);

function print({ device, ways, clock, matched, drawnFps, load }: Measured): void {
  const lines = [
    `${device.name}, ${device.size}: ${drawnFps.toFixed(1)} pictures a second drawn of ${FPS}, load ${load.toFixed(1)} on ${cpus().length} cores, the two clocks within ${clock.errorMs.toFixed(2)} ms` +
      (matched.unmatched === 0 ? "" : `, ${matched.unmatched} drawn pictures left out whose times the server did not keep`),
    `  ${"ms".padEnd(48)}    p50     p95     p99   pictures`,
    ...Object.entries(WAYS).map(([way, words]) => {
      const { p50, p95, p99, count } = percentiles(ways[way as Way]);
      return `  ${words.padEnd(48)}${ms(p50)} ${ms(p95)} ${ms(p99)}   ${count}`;
    }),
  ];
  process.stdout.write(`${lines.join("\n")}\n\n`);
}

function rows({ device, ways, clock, drawnFps, load }: Measured): readonly object[] {
  return Object.entries(WAYS).map(([way, words]) => {
    const { p50, p95, p99, count } = percentiles(ways[way as Way]);
    const name = `latency, ${device.name}, ${words.trim()}, p50 ms`;
    const more = { p95, p99, count, drawn_fps: drawnFps, clock_error_ms: clock.errorMs, load };
    return { name, value: p50, bar: null, aim: null, pass: null, ...more };
  });
}

const browser = await launchChromium().catch((error: unknown) => {
  process.stderr.write(`latency: Chromium is needed and did not start; npm test installs it. ${String(error)}\n`);
  process.exit(1);
});
const measured: Measured[] = [];
try {
  for (const device of DEVICES) {
    if (options.only !== undefined && !device.name.startsWith(options.only)) continue;
    const one = await measure(browser, device);
    print(one);
    measured.push(one);
  }
} finally {
  await browser.close();
}
process.stdout.write("Beside what others publish, each measured on a machine of its own:\n");
for (const { who, figure, covers, beside, ours } of PUBLISHED) {
  const here = measured.map(({ device, ways }) => {
    const { p50, p95 } = percentiles(ways[beside]);
    return `${device.name} ${p50.toFixed(1)} / ${p95.toFixed(1)}`;
  });
  process.stdout.write(
    `  ${who}: ${figure}\n    covers ${covers}\n    ours, ${WAYS[beside].trim()}, p50 / p95 ms: ${here.join("; ")}\n    ours ${ours}\n`,
  );
}
if (options.json !== undefined) {
  writeFileSync(options.json, measured.flatMap((one) => rows(one).map((row) => `${JSON.stringify(row)}\n`)).join(""));
}
