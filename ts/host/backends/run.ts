/** Runs a program to its end with what it said, bounded in time and in bytes. */
import { spawn } from "node:child_process";
import type { Clock, Ran, RunOptions } from "#host/ports.ts";

const OUTPUT_BYTES_MAX = 8 * 1024 * 1024;

export interface ProgramOptions extends RunOptions {
  readonly env?: NodeJS.ProcessEnv;
}

/** Resolves also when it failed. Rejects in words when it could not be started or the deadline passed. */
export function runProgram(command: string, args: readonly string[], options: ProgramOptions, clock: Clock): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], {
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.env === undefined ? {} : { env: options.env }),
    });
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    const cancel = clock.after(options.deadlineMs, () => {
      child.kill("SIGKILL");
      reject(new Error(`${command} did not end within ${Math.round(options.deadlineMs / 1_000)} s.`));
    });
    child.once("error", (error) => {
      cancel();
      reject(new Error(`${command} could not be started: ${error.message}.`));
    });
    child.once("close", (code) => {
      cancel();
      resolve({ code, stdout: out(), stderr: err().trim() });
    });
    // A program that ends before it read everything says so by its exit code.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    if (bytes < OUTPUT_BYTES_MAX) chunks.push(chunk);
    bytes += chunk.byteLength;
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
