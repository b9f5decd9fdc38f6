/** Progress and errors for a person, on stderr: stdout belongs to `--json` and the protocols. */

import { constants } from "node:os";

/** An error whose message is all a person needs; printed without a stack. */
export class SetupError extends Error {}

/** A person or a service manager stopped the set-up; `exitCode` is the shell's number for the signal. */
export class Stopped extends Error {
  constructor(signal) {
    super("Stopped.");
    this.exitCode = 128 + constants.signals[signal];
  }
}

const tty = process.stderr.isTTY === true && !process.env.NO_COLOR;
const paint = (code, text) => (tty ? `\u001b[${code}m${text}\u001b[0m` : text);

export const say = (text) => process.stderr.write(`${text}\n`);
/** A step that takes a while: its name now, its time when it ends. */
export async function step(title, work) {
  const started = process.hrtime.bigint();
  say(`${paint(36, "·")} ${title}`);
  const result = await work();
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  say(`${paint(32, "✓")} ${title} (${seconds.toFixed(1)} s)`);
  return result;
}
export const warn = (text) => say(`${paint(33, "!")} ${text}`);

/** Ends the process in words for a SetupError and for a stop, with a stack for anything else. */
export function fail(error) {
  if (error instanceof Stopped) {
    say(error.message);
    process.exitCode = error.exitCode;
    return;
  }
  say(`${paint(31, "✗")} ${error instanceof SetupError ? error.message : (error?.stack ?? String(error))}`);
  process.exitCode = 1;
}
