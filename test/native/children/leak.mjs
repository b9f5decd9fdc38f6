/** Opens and closes many pipelines with frames in each; tells what grew. */
import { binding, descriptors, frame, ours, pixels, say, until } from "./harness.mjs";

async function round(number) {
  let units = 0;
  const pipeline = new binding.Pipeline(
    {},
    () => (units += 1),
    () => {},
  );
  pipeline.createRegion(`${process.argv[3]}-${number}`, 320 * 240 * 3);
  pipeline.streaming(true);
  pipeline.push(frame(), pixels(number));
  await until(() => units > 0);
  pipeline.push(frame(2), pixels(number + 1));
  await until(() => units > 1);
  await pipeline.still(100);
  await pipeline.close();
}

const resident = () => {
  globalThis.gc();
  return process.memoryUsage().rss;
};
for (let number = 0; number < 40; number += 1) await round(number);
const before = { rss: resident(), descriptors: descriptors() };
for (let number = 0; number < 160; number += 1) await round(number);
say({ grownBytes: resident() - before.rss, grownDescriptors: descriptors() - before.descriptors, threads: ours() });
