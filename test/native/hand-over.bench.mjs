/**
 * From an encoded unit to JavaScript's callback, against the encode of it: `node test/native/hand-over.bench.mjs ADDON [--json FILE]`.
 * One frame at a time, so that nothing waits for another; medians of wall time at 1080x2400.
 */
import { writeFileSync } from "node:fs";

const WIDTH = 1080;
const HEIGHT = 2400;
const FRAMES = 120;
const BAR = 0.03;
const AIM = 0.01;

const [, , addon, flag, file] = process.argv;
const module = { exports: {} };
process.dlopen(module, addon);

const now = () => Number(process.hrtime.bigint()) / 1e6;
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** Rows of a page that scrolls by 24 a frame: text-like stripes on cards. */
const page = Buffer.alloc(WIDTH * 3 * (HEIGHT + FRAMES * 24));
for (let row = 0; row * WIDTH * 3 < page.length; row += 1) {
  const line = page.subarray(row * WIDTH * 3, (row + 1) * WIDTH * 3).fill(row % 240 < 200 ? 250 : 232);
  if (row % 40 < 22) for (let at = 200 + ((row * 131) % 400); at < line.length - 400; at += 11 + ((row * 7 + at) % 17)) line[at] = 40;
}

let arrived = () => {};
const pipeline = new module.exports.Pipeline(
  {},
  (unit) => arrived(unit, now()),
  () => {},
);
pipeline.streaming(true);
// A pipeline keeps no process alive by itself.
const alive = setInterval(() => {}, 1000);
const handOver = [];
const encode = [];
for (let number = 0; number < FRAMES; number += 1) {
  const pixels = page.subarray(number * 24 * WIDTH * 3, (number * 24 + HEIGHT) * WIDTH * 3);
  const unit = new Promise((resolve) => (arrived = (one, at) => !one.refinement && resolve({ one, at })));
  pipeline.push({ width: WIDTH, height: HEIGHT, format: "rgb888", generation: 1, seq: number + 1, captureMs: now() }, pixels);
  const { one, at } = await unit;
  if (one.key) continue;
  handOver.push(at - one.encodedMs);
  encode.push(one.encodedMs - one.convertedMs);
}
const encoder = pipeline.encoder();
await pipeline.close();
clearInterval(alive);

const [ms, ofMs] = [median(handOver), median(encode)];
const value = ms / ofMs;
const result = { name: "hand-over to JavaScript / encode, phone", value, bar: BAR, aim: AIM, pass: value <= BAR * 1.05, ms, of_ms: ofMs };
process.stdout.write(
  `hand-over to JavaScript ${ms.toFixed(3)} ms / encode ${ofMs.toFixed(2)} ms (${encoder.name} ${encoder.version}) = ${value.toFixed(4)}, bar ${BAR}, aim ${AIM}${result.pass ? "" : "  MISSED"}\n`,
);
if (flag === "--json") writeFileSync(file, `${JSON.stringify(result)}\n`);
