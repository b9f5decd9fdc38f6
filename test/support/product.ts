/** The product as a user starts it: `npm start` in a home of its own, one JSON line when it is ready. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface Ready {
  readonly ready: true;
  readonly url: string;
  readonly token: string;
  readonly socket: string;
  readonly device: string;
  readonly encoder: { readonly name: string; readonly version: string } | string;
}

export interface Product {
  readonly ready: Ready;
  readonly pid: number;
  readonly home: string;
  /** Everything that came on stderr so far. */
  stderr(): string;
  /** SIGTERM to npm; resolves with the exit code and how long it took. */
  stop(): Promise<{ code: number | null; ms: number }>;
}

export interface ProductOptions {
  readonly home: string;
  readonly model?: string;
  readonly scene?: "demo" | "still" | "busy";
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The folder of the checkout; the one under test by default. */
  readonly root?: string;
}

/** Long enough for a loaded machine; the addon and the bundles are there already when tests run. */
const READY_WITHIN_MS = 45_000;

/** Resolves when the JSON line came; rejects with stderr when the process ends first. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const { home, model = "Test device", scene = "demo", env = {}, args = [], root = ROOT } = options;
  const child: ChildProcess = spawn(
    "npm",
    [
      "start",
      "--silent",
      "--",
      "--json",
      "--no-open",
      "--port",
      "0",
      "--home",
      home,
      "--device",
      "test",
      "--model",
      model,
      "--scene",
      scene,
      ...args,
    ],
    { cwd: root, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  // A start that does not come up is ended with all it started, so that nothing outlives the test.
  let late: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    late = setTimeout(() => {
      process.kill(-(child.pid as number), "SIGTERM");
      reject(new Error(`npm start was not ready after ${READY_WITHIN_MS / 1000} s:\n${stderr}`));
    }, READY_WITHIN_MS);
  });
  const ready = await Promise.race([
    tooLate,
    new Promise<Ready>((resolve, reject) => {
      lines.once("line", (line) => {
        try {
          resolve(JSON.parse(line) as Ready);
        } catch {
          reject(new Error(`stdout said something that is not JSON: ${line}`));
        }
      });
    }),
    ended.then((code) => {
      throw new Error(`npm start ended with ${code} before it was ready:\n${stderr}`);
    }),
  ]).finally(() => clearTimeout(late));
  return {
    ready,
    pid: child.pid as number,
    home,
    stderr: () => stderr,
    async stop() {
      const started = process.hrtime.bigint();
      child.kill("SIGTERM");
      const code = await ended;
      return { code, ms: Number(process.hrtime.bigint() - started) / 1e6 };
    },
  };
}

/** The process that runs `serve` on this home, from the kernel's own list. */
export function serverPid(home: string): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const argv = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      if (argv.includes("serve") && argv.includes(home)) return Number(name);
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error(`no device server on ${home}`);
}
