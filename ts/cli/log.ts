/** The log of a process of ours: pino's JSON lines on stderr, or plain lines where a person reads along. */
import { pino } from "pino";
import type { Log } from "#host/ports.ts";
import { lineWords, readLine } from "#cli/commands/logs.ts";

/** `name`: "device" or "host". Written at once, so that nothing is lost at an end. */
export function makeLog(name: string, plain: boolean = process.stderr.isTTY === true): Log {
  const stream = {
    write: (line: string) => void process.stderr.write(plain ? `${lineWords(readLine(name, line.trimEnd()))}\n` : line),
  };
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.epochTime }, stream);
  return (level, message, fields) => {
    if (fields === undefined) logger[level](message);
    else logger[level](fields, message);
  };
}
