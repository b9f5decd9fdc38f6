/** Keeps the JavaScript thread busy until its queue is full, then reads what comes. */
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
while (pipeline.stats().unitsOut < 3) pipeline.push(frame(), pixels((number += 1)));
// Full now: whatever is posted, no more than the queue waits, and nothing is encoded in vain.
for (let more = 0; more < 500; more += 1) pipeline.push(frame(), pixels((number += 1)));
const full = pipeline.stats();
const waited = units.length;
const last = frame();
pipeline.push(last, pixels((number += 1)));
await until(() => units.at(-1).captureMs >= last.captureMs - 0.001);
const { unitsDropped } = pipeline.stats();
say({ inTurnBefore: waited, full, unitsDropped, keys: units.map((unit) => unit.key), times: units.map((unit) => unit.captureMs) });
await pipeline.close();
