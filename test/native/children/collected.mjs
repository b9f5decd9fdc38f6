/** Drops pipelines without closing them; their threads must end when the collector has found them. */
import { binding, frame, ours, pixels, say, until } from "./harness.mjs";

function forget(number) {
  const pipeline = new binding.Pipeline(
    {},
    () => {},
    () => {},
  );
  pipeline.streaming(true);
  pipeline.push(frame(), pixels(number));
}
for (let number = 0; number < 10; number += 1) forget(number);
say({ threads: ours() });
await until(() => {
  globalThis.gc();
  return ours() === 0;
});
say({ threads: ours() });
