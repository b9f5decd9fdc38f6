/** Runs a child of these tests and reads its JSON lines. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { loadAddon } from "#native/load.ts";

export interface Ended {
  readonly lines: readonly Record<string, unknown>[];
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Starts `children/<name>.mjs` with the addon's path and these arguments, with the collector at hand. */
export function start(name: string, ...args: readonly string[]): ChildProcess {
  const script = fileURLToPath(new URL(`children/${name}.mjs`, import.meta.url));
  return spawn(process.execPath, ["--expose-gc", script, loadAddon().path, ...args], { stdio: ["pipe", "pipe", "pipe"] });
}

export function ended(child: ChildProcess): Promise<Ended> {
  let out = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const lines = out
        .split("\n")
        .filter((line) => line !== "")
        .map((line): Record<string, unknown> => JSON.parse(line));
      resolve({ lines, code, signal, stderr });
    });
  });
}

export async function run(name: string, ...args: readonly string[]): Promise<Ended> {
  return await ended(start(name, ...args));
}

/** The child's next line. */
export function line(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    child.stdout?.once("data", (chunk: Buffer) => resolve(JSON.parse(chunk.toString().split("\n")[0] ?? "")));
    child.once("close", () => reject(new Error("the child ended without a line")));
  });
}
