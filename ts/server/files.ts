/** The small files of a device home: each is written whole and renamed into place, 0600, so that no reader ever sees half of one. */
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { wordsOf, type Log } from "./ports.ts";

/** The file calls that are made, handed in so that a test can make each fail. */
export interface FileCalls {
  read(path: string): string;
  /** Creates the file anew, 0600. `lasting`: returns once its bytes are on the disk. */
  write(path: string, text: string, lasting: boolean): void;
  /** At the file's end; created 0600. */
  append(path: string, text: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes a rename in this folder last through a loss of power. */
  syncFolder(path: string): void;
}

export const systemFiles: FileCalls = {
  read: (path) => readFileSync(path, "utf8"),
  write(path, text, lasting) {
    rmSync(path, { force: true });
    const fd = openSync(path, "wx", 0o600);
    try {
      const bytes = Buffer.from(text, "utf8");
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      if (lasting) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
  append: (path, text) => appendFileSync(path, text, { mode: 0o600 }),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  syncFolder(path) {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
};

export type ReadFile<T> =
  | { readonly is: "read"; readonly value: T }
  | { readonly is: "missing" }
  /** Not JSON, or not what it should be: set aside under another name. */
  | { readonly is: "broken"; readonly words: string };

/** One folder's files. Writing throws in words; reading never throws. */
export class HomeFiles {
  readonly #folder: string;
  readonly #calls: FileCalls;
  readonly #log: Log;

  constructor(folder: string, calls: FileCalls, log: Log) {
    this.#folder = folder;
    this.#calls = calls;
    this.#log = log;
  }

  /** `parse` throws in words for a value that is not a T. */
  read<T>(name: string, parse: (value: unknown) => T): ReadFile<T> {
    const path = join(this.#folder, name);
    let text: string;
    try {
      text = this.#calls.read(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { is: "missing" };
      return this.#broken(path, name, `it cannot be read (${wordsOf(error)})`);
    }
    try {
      return { is: "read", value: parse(JSON.parse(text)) };
    } catch (error) {
      return this.#broken(path, name, wordsOf(error));
    }
  }

  /** `lasting`: also through a loss of power. Any write lasts through the end of this process. */
  write(name: string, value: unknown, lasting = true): void {
    const path = join(this.#folder, name);
    const fresh = `${path}.new`;
    try {
      this.#calls.write(fresh, `${JSON.stringify(value, null, 2)}\n`, lasting);
      this.#calls.rename(fresh, path);
      if (lasting) this.#calls.syncFolder(dirname(path));
    } catch (error) {
      throw new Error(`${path} cannot be written: ${wordsOf(error)}. Make room on that disk, or make the folder writable.`, {
        cause: error,
      });
    }
  }

  /** Writes, and only logs when that fails: for what can be found out again. Answers whether it is on the disk. */
  tryWrite(name: string, value: unknown, lasting = true): boolean {
    try {
      this.write(name, value, lasting);
      return true;
    } catch (error) {
      this.#log("error", wordsOf(error));
      return false;
    }
  }

  /** null when there is none, or none that can be read. */
  readText(name: string): string | null {
    try {
      return this.#calls.read(join(this.#folder, name));
    } catch {
      return null;
    }
  }

  tryWriteText(name: string, text: string): void {
    this.#try(name, (path) => {
      this.#calls.write(`${path}.new`, text, false);
      this.#calls.rename(`${path}.new`, path);
    });
  }

  tryAppend(name: string, text: string): void {
    this.#try(name, (path) => this.#calls.append(path, text));
  }

  #try(name: string, work: (path: string) => void): void {
    const path = join(this.#folder, name);
    try {
      work(path);
    } catch (error) {
      this.#log("error", `${path} cannot be written: ${wordsOf(error)}`);
    }
  }

  remove(name: string): void {
    this.#calls.remove(join(this.#folder, name));
  }

  #broken(path: string, name: string, words: string): ReadFile<never> {
    try {
      this.#calls.rename(path, `${path}.broken`);
    } catch (error) {
      this.#log("warn", `${path} cannot be set aside: ${wordsOf(error)}`);
    }
    this.#log("warn", `${name} is not whole, so it is set aside as ${name}.broken: ${words}`);
    return { is: "broken", words };
  }
}
