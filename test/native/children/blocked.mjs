/** Keeps the JavaScript thread busy until units are dropped, then reads what comes. */
import { binding, frame, pixels, say, until } from "./harness.mjs";

const units = [];
const pipeline = new binding.Pipeline(
  { queue: 2 },
  (unit) => units.push(unit),
  () => {},
);
pipeline.streaming(true);
pipeline.push(frame(), pixels(0));
await until(() => units.length === 1);
let number = 0;
while (pipeline.stats().unitsDropped === 0 && pipeline.stats().unitsOut < 3) pipeline.push(frame(), pixels((number += 1)));
// Full now: whatever is posted, no more than the queue waits, and nothing is encoded in vain.
for (let more = 0; more < 500; more += 1) pipeline.push(frame(), pixels((number += 1)));
const full = pipeline.stats();
const waited = units.length;
const last = pixels((number += 1));
pipeline.push(frame(), last);
await until(() => units.length >= waited + 3);
const { png } = await pipeline.still();
say({ inTurnBefore: waited, full, keys: units.map((unit) => unit.key), times: units.map((unit) => unit.captureMs), png: png.length });
await pipeline.close();
