/** The small files of a device home: each is written whole and renamed into place, 0600, so that no reader ever sees half of one. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { wordsOf, type Log } from "./ports.ts";

/** The file calls that are made, handed in so that a test can make each fail. */
export interface FileCalls {
  read(path: string): string;
  /** Creates the file anew, 0600, and returns once its bytes are on the disk. */
  write(path: string, text: string): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Makes a rename in this folder last through a loss of power. */
  syncFolder(path: string): void;
}

export const systemFiles: FileCalls = {
  read: (path) => readFileSync(path, "utf8"),
  write(path, text) {
    rmSync(path, { force: true });
    const fd = openSync(path, "wx", 0o600);
    try {
      const bytes = Buffer.from(text, "utf8");
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
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

  write(name: string, value: unknown): void {
    const path = join(this.#folder, name);
    const fresh = `${path}.new`;
    try {
      this.#calls.write(fresh, `${JSON.stringify(value, null, 2)}\n`);
      this.#calls.rename(fresh, path);
      this.#calls.syncFolder(dirname(path));
    } catch (error) {
      throw new Error(`${path} cannot be written: ${wordsOf(error)}. Make room on that disk, or make the folder writable.`, {
        cause: error,
      });
    }
  }

  /** Writes, and only logs when that fails: for what can be found out again. Answers whether it is on the disk. */
  tryWrite(name: string, value: unknown): boolean {
    try {
      this.write(name, value);
      return true;
    } catch (error) {
      this.#log("error", wordsOf(error));
      return false;
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
