/** What the child processes of these tests share: the addon by path, small frames, threads and descriptors of this process. */
import { readdirSync, readFileSync } from "node:fs";

const module = { exports: {} };
process.dlopen(module, process.argv[2]);
export const binding = module.exports;

export const now = () => Number(process.hrtime.bigint()) / 1e6;
export const WIDTH = 320;
export const HEIGHT = 240;
let seq = 0;

export function frame(generation = 1) {
  seq += 1;
  return { width: WIDTH, height: HEIGHT, format: "rgb888", generation, seq, captureMs: now() };
}

/** Stripes that differ from one number to the next. */
export function pixels(number) {
  const bytes = Buffer.alloc(WIDTH * HEIGHT * 3);
  for (let row = 0; row < HEIGHT; row += 1) bytes.fill((row + number * 5) & 255, row * WIDTH * 3, (row + 1) * WIDTH * 3);
  return bytes;
}

export const threads = () => readdirSync("/proc/self/task").length;
/** Names of this process's threads that belong to the addon. */
export const ours = () =>
  readdirSync("/proc/self/task").filter((id) => {
    try {
      return readFileSync(`/proc/self/task/${id}/comm`, "utf8").startsWith("device-");
    } catch {
      return false; // It ended meanwhile.
    }
  }).length;
export const descriptors = () => readdirSync("/proc/self/fd").length;

/** Turns of the event loop until it holds; a hung test ends by its parent. */
export async function until(condition) {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

export function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
