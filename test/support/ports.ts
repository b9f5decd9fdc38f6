/**
 * Ports for servers that a test starts by number. They lie below those that the kernel gives to connections and to "any port", and each worker
 * has a range of its own: what was free when it was chosen is free when it is used.
 */
import { createServer } from "node:net";

const FIRST = 20_000;
/** For each worker, in blocks; the kernel's own begin at 32,768. */
const EACH = 6_000;
const BLOCK = 50;
const WORKERS = 2;

export async function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of so many in a row, at most 50. */
export async function freePorts(count: number): Promise<number> {
  const worker = (Number(process.env.VITEST_POOL_ID ?? "1") - 1) % WORKERS;
  for (;;) {
    const first = FIRST + worker * EACH + BLOCK * Math.floor((Math.random() * EACH) / BLOCK);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
