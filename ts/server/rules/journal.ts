/**
 * The ids of requests that were begun, one a line, appended before each is begun: a server that starts again does none of them
 * a second time. It need not reach the disk itself: what a process has written outlives it.
 */
import { ANSWERS_REMEMBERED, REQUEST_ID_CHARS_MAX } from "#wire/limits.ts";

/** Lines after which the file is written anew with the last ones. */
export const JOURNAL_LINES_MAX = 4 * ANSWERS_REMEMBERED;

/** The line of one id. An id may hold any character, so it is JSON. */
export function journalLine(id: string): string {
  return `${JSON.stringify(id)}\n`;
}

/** The last ids of a journal, oldest first. A line that is cut or broken is none: its request had not been begun. */
export function parseJournal(text: string): readonly string[] {
  const lines = text.split("\n");
  lines.pop();
  return lines.flatMap(idOf).slice(-ANSWERS_REMEMBERED);
}

/** The file with these ids alone. */
export function wholeJournal(ids: readonly string[]): string {
  return ids.map(journalLine).join("");
}

function idOf(line: string): readonly string[] {
  try {
    const id: unknown = JSON.parse(line);
    return typeof id === "string" && id.length > 0 && id.length <= REQUEST_ID_CHARS_MAX ? [id] : [];
  } catch {
    return [];
  }
}
