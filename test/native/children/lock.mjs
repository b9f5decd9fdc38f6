/** Takes a lock, says so, and holds it until it is killed or told to let go. */
import { binding, say } from "./harness.mjs";

const lock = binding.lock(process.argv[3]);
say({ held: lock !== null });
if (lock === null) process.exit(0);
globalThis.gc?.();
process.stdin.on("data", () => {
  lock.release();
  say({ held: false });
});
