/** A log on disk with a bound: one file and the one before it. */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";

const LOG_BYTES_MAX = 4 * 1024 * 1024;

/** Appends lines to a 0600 file; past the bound it becomes `<file>.1`. A disk that is full costs the line, not the process. */
export class LogFile {
  readonly path: string;
  readonly #bytesMax: number;
  #bytes: number;

  constructor(path: string, bytesMax = LOG_BYTES_MAX) {
    this.path = path;
    this.#bytesMax = bytesMax;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#bytes = sizeOf(path);
  }

  write(line: string): void {
    const text = `${line}\n`;
    try {
      if (this.#bytes > 0 && this.#bytes + Buffer.byteLength(text) > this.#bytesMax) {
        renameSync(this.path, `${this.path}.1`);
        this.#bytes = 0;
      }
      appendFileSync(this.path, text, { mode: 0o600 });
      this.#bytes += Buffer.byteLength(text);
    } catch {
      this.#bytes = sizeOf(this.path);
    }
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
