/** Closes in the middle of a stream and uses the closed pipeline. */
import { existsSync } from "node:fs";
import { binding, frame, ours, pixels, say, until } from "./harness.mjs";

const region = process.argv[3];
let units = 0;
let closed = false;
let after = 0;
const pipeline = new binding.Pipeline(
  {},
  () => {
    units += 1;
    if (closed) after += 1;
  },
  () => {},
);
pipeline.createRegion(region, 320 * 240 * 3);
pipeline.streaming(true);
pipeline.push(frame(), pixels(0));
await until(() => units > 0);
for (let number = 1; number < 50; number += 1) pipeline.push(frame(), pixels(number));
const still = pipeline.still().then(
  () => "made",
  (error) => error.message,
);
let turns = 0;
const turning = setInterval(() => (turns += 1), 0);
const both = Promise.all([pipeline.close(), pipeline.close()]);
await both;
closed = true;
clearInterval(turning);
const words = (act) => {
  try {
    act();
    return null;
  } catch (error) {
    return error.message;
  }
};
const said = {
  threads: ours(),
  region: existsSync(region),
  notify: words(() => pipeline.notify(frame())),
  push: words(() => pipeline.push(frame(), pixels(1))),
  keyframe: words(() => pipeline.keyframe()),
  streaming: words(() => pipeline.streaming(false)),
  encoder: pipeline.encoder(),
  units: pipeline.stats().unitsOut > 0,
  still: await still,
  again: await pipeline.close().then(() => "closed"),
};
for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
say({ ...said, after });
