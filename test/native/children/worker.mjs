/** A worker that is ended in the middle of its stream, many times; the process must live on and end well. */
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

if (isMainThread) {
  for (let round = 0; round < 10; round += 1) {
    const worker = new Worker(new URL(import.meta.url), { workerData: process.argv[2] });
    await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    await worker.terminate();
  }
  process.stdout.write(`${JSON.stringify({ rounds: 10 })}\n`);
} else {
  process.argv[2] = workerData;
  const { binding, frame, pixels } = await import("./harness.mjs");
  let units = 0;
  const pipeline = new binding.Pipeline(
    {},
    () => {
      units += 1;
      if (units === 3) parentPort.postMessage("streams");
    },
    () => {},
  );
  pipeline.streaming(true);
  let number = 0;
  setInterval(() => pipeline.push(frame(), pixels((number += 1))), 1);
}
