/** Leaves a running pipeline behind and comes to its end; with "now" by process.exit in the middle of the stream. */
import { binding, frame, pixels, say, until } from "./harness.mjs";

const [, , , region, how] = process.argv;
let units = 0;
const pipeline = new binding.Pipeline(
  {},
  () => (units += 1),
  () => {},
);
pipeline.createRegion(region, 320 * 240 * 3);
pipeline.streaming(true);
pipeline.notify(frame());
await until(() => units > 0);
for (let number = 1; number < 20; number += 1) pipeline.push(frame(), pixels(number));
say({ units });
if (how === "now") process.exit(3);
if (how === "throw") throw new Error("on purpose");
