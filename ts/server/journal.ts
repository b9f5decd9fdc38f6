/** The file of request ids that were begun (rules/journal.ts): a server that starts again does none of them a second time. */
import type { HomeFiles } from "./files.ts";
import { JOURNAL_LINES_MAX, journalLine, parseJournal, wholeJournal } from "./rules/journal.ts";

const JOURNAL = "begun.log";

export class Journal {
  readonly #files: HomeFiles;
  /** Begun before this server started. */
  readonly begun: readonly string[];
  #newest: string[];
  #lines: number;

  constructor(files: HomeFiles) {
    this.#files = files;
    this.begun = parseJournal(files.readText(JOURNAL) ?? "");
    this.#newest = [...this.begun];
    this.#lines = 0;
    this.#rewrite();
  }

  begins(id: string): void {
    this.#newest.push(id);
    this.#lines++;
    if (this.#lines > JOURNAL_LINES_MAX) this.#rewrite();
    else this.#files.tryAppend(JOURNAL, journalLine(id));
  }

  #rewrite(): void {
    this.#newest = [...parseJournal(wholeJournal(this.#newest))];
    this.#lines = this.#newest.length;
    this.#files.tryWriteText(JOURNAL, wholeJournal(this.#newest));
  }
}
