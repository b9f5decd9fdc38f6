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
  type Percentiles,
  pressesMs,
  seenUnits,
  serverStats,
  watchUnits,
  waysOf,
} from "../support/latency.ts";
import { openPanel } from "../support/panel.ts";
import { startProduct } from "../support/product.ts";
import { besideWords, PUBLISHED, type Way, WAYS } from "./published.ts";

const { values: options } = parseArgs({
  options: { json: { type: "string" }, seconds: { type: "string", default: "15" }, root: { type: "string" }, only: { type: "string" } },
});
const FPS = 32;
const SECONDS = Number(options.seconds);
/** Pictures drawn before it counts: the page is laid out, its code is warm. */
const WARM = 96;
const PROBES = 40;
/** Presses on a screen that keeps still, so far apart that each is answered and refined before the next. */
const PRESSES = 60;
const PRESS_EVERY_MS = 400;

const DEVICES = [
  { name: "phone", model: "Test device", size: "1080x2400", unfold: false },
  { name: "foldable, open", model: "Test foldable", size: "2208x1840", unfold: true },
  { name: "tablet", model: "2560x1600", size: "2560x1600", unfold: false },
  // The size that serve-emu's figures are of.
  { name: "small phone", model: "570x1280", size: "570x1280", unfold: false },
] as const;

type Ways = Readonly<Record<Way, readonly number[]>>;

interface Pressed {
  readonly pressToCaptured: Percentiles;
  readonly pressToDrawn: Percentiles;
  /** Of the pictures that answered. */
  readonly ways: Ways;
  readonly load: number;
}

interface Measured {
  readonly device: (typeof DEVICES)[number];
  readonly ways: Ways;
  readonly clock: ClockRelation;
  readonly matched: Matched;
  readonly drawnFps: number;
  readonly load: number;
}

/** From a press in the page to the first picture drawn that was made after it, on a screen that was still. */
async function measurePresses(browser: Browser): Promise<Pressed> {
  const home = mkdtempSync(join(tmpdir(), "bb-latency-"));
  const product = await startProduct({ home, args: ["--fps", String(FPS)], ...(options.root === undefined ? {} : { root: options.root }) });
  try {
    await askCli(home, ["control", "open", "bb-test://paint"]);
    const { page, click, place, size } = await openPanel(browser, product.ready.url, {}, watchUnits);
    await page.getByRole("button", { name: "Take control" }).click();
    const { width, height } = await size();
    await click(width / 2, height / 2);
    await page.waitForTimeout(2 * PRESS_EVERY_MS);
    const probe = await ClockProbe.open(page);
    await probe.probe(PROBES);
    await forgetUnits(page);
    const before = (await pressesMs(page)).length;
    for (let count = 0; count < PRESSES; count += 1) {
      const { x, y } = await place(width * (0.2 + 0.6 * ((count * 0.618) % 1)), height * (0.3 + 0.4 * ((count * 0.755) % 1)));
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.waitForTimeout(PRESS_EVERY_MS / 2);
      await page.mouse.up();
      await page.waitForTimeout(PRESS_EVERY_MS);
    }
    const seen = await seenUnits(page);
    const presses = (await pressesMs(page)).slice(before);
    const { frames = [] } = await serverStats(page);
    await probe.probe(PROBES);
    const clock = probe.relation();
    const { pictures } = matchPictures(seen, frames);
    await page.context().close();
    const answered = presses.flatMap((atMs) => {
      const first = pictures.find(({ server }) => server.captureMs > atMs + clock.offsetMs);
      if (first === undefined) return [];
      return [{ captured: first.server.captureMs - clock.offsetMs - atMs, drawn: first.seen.drawnMs - atMs, first }];
    });
    return {
      pressToCaptured: percentiles(answered.map(({ captured }) => captured)),
      pressToDrawn: percentiles(answered.map(({ drawn }) => drawn)),
      ways: waysOf(
        answered.map(({ first }) => first),
        clock,
      ),
      load: loadavg()[0] ?? 0,
    };
  } finally {
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  }
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

function line(words: string, { p50, p95, p99, count }: Percentiles): string {
  return `  ${words.padEnd(48)}${ms(p50)} ${ms(p95)} ${ms(p99)}   ${count}`;
}

function wayLines(ways: Ways): readonly string[] {
  return Object.entries(WAYS).map(([way, words]) => line(words, percentiles(ways[way as Way])));
}

function print({ device, ways, clock, matched, drawnFps, load }: Measured): void {
  const lines = [
    `${device.name}, ${device.size}: ${drawnFps.toFixed(1)} pictures a second drawn of ${FPS}, load ${load.toFixed(1)} on ${cpus().length} cores, the two clocks within ${clock.errorMs.toFixed(2)} ms` +
      (matched.unmatched === 0 ? "" : `, ${matched.unmatched} drawn that showed nothing new (refined, or a key frame) left out`),
    `  ${"ms".padEnd(48)}    p50     p95     p99   pictures`,
    ...wayLines(ways),
  ];
  process.stdout.write(`${lines.join("\n")}\n\n`);
}

function pressRows({ pressToCaptured, pressToDrawn }: Pressed): readonly (readonly [string, Percentiles])[] {
  return [
    ["press → its picture captured", pressToCaptured],
    ["press → its picture drawn", pressToDrawn],
  ];
}

function rows({ device, ways, clock, drawnFps, load }: Measured): readonly object[] {
  return Object.entries(WAYS).map(([way, words]) => {
    const { p50, p95, p99, count } = percentiles(ways[way as Way]);
    const name = `latency, ${device.name}, ${words.trim()}, p50 ms`;
    const more = { p95, p99, count, drawn_fps: drawnFps, clock_error_ms: clock.errorMs, load };
    return { name, value: p50, bar: null, aim: null, pass: null, ...more };
  });
}

function pressedRows(pressed: Pressed): readonly object[] {
  return pressRows(pressed).map(([words, { p50, p95, p99, count }]) => {
    const name = `latency, phone, ${words}, p50 ms`;
    return { name, value: p50, bar: null, aim: null, pass: null, p95, p99, count, load: pressed.load };
  });
}

const short = (name: string, { p50, p95 }: Percentiles) => `${name} ${p50.toFixed(1)} / ${p95.toFixed(1)}`;
const pressFigures = (pressed: Pressed | null) => (pressed === null ? [] : [short("phone", pressed.pressToDrawn)]);

const browser = await launchChromium().catch((error: unknown) => {
  process.stderr.write(`latency: Chromium is needed and did not start; npm test installs it. ${String(error)}\n`);
  process.exit(1);
});
const measured: Measured[] = [];
let pressed: Pressed | null = null;
try {
  for (const device of DEVICES) {
    if (options.only !== undefined && !device.name.startsWith(options.only)) continue;
    const one = await measure(browser, device);
    print(one);
    measured.push(one);
  }
  if (options.only === undefined || options.only === "press") {
    pressed = await measurePresses(browser);
    process.stdout.write(`phone, a press on a still screen, load ${pressed.load.toFixed(1)}\n`);
    const lines = [...pressRows(pressed).map(([words, figures]) => line(words, figures)), ...wayLines(pressed.ways)];
    process.stdout.write(`${lines.join("\n")}\n\n`);
  }
} finally {
  await browser.close();
}
process.stdout.write("Beside what others publish, each measured on a machine of its own:\n");
for (const { who, figure, covers, beside, ours } of PUBLISHED) {
  const figures =
    beside === "press" ? pressFigures(pressed) : measured.map(({ device, ways }) => short(device.name, percentiles(ways[beside])));
  if (figures.length === 0) continue;
  process.stdout.write(
    `  ${who}: ${figure}\n    covers ${covers}\n    ours, ${besideWords(beside)}, p50 / p95 ms: ${figures.join("; ")}\n    ours ${ours}\n`,
  );
}
if (options.json !== undefined) {
  const lines = [...measured.flatMap(rows), ...(pressed === null ? [] : pressedRows(pressed))];
  writeFileSync(options.json, lines.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
