/**
 * Ports for servers that a test starts by number. They lie below those that the kernel gives to connections and to "any port", and in blocks
 * that one process has at a time, whichever test run it belongs to: what was free when it was chosen is free when it is used.
 */
import { createServer, type Server } from "node:net";

const FIRST = 20_000;
/** The kernel's own begin at 32,768. */
const BLOCKS = 250;
const BLOCK = 50;
/** Of a block, for its taker; the one behind them says that it is taken. */
export const PORTS_EACH = BLOCK - 1;

export async function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of so many in a row, at most PORTS_EACH. The block is this process's to its end. */
export async function freePorts(count: number): Promise<number> {
  for (let tried = 0; tried < 4 * BLOCKS; tried += 1) {
    const first = FIRST + BLOCK * Math.floor(Math.random() * BLOCKS);
    const claim = await listening(first + PORTS_EACH);
    if (claim === null) continue;
    const taken = await Promise.all(Array.from({ length: count }, (_, index) => listening(first + index)));
    await Promise.all(taken.map((server) => server !== null && new Promise((resolve) => server.close(resolve))));
    if (!taken.includes(null)) return first;
    claim.close();
  }
  throw new Error(`No ${count} ports in a row are free from ${FIRST} on.`);
}

/** null: another has it. It keeps no process alive. */
function listening(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server.unref()));
  });
}
