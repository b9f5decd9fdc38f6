/** The home's folder: made, and seen to take files before anything is started in it. */
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { EXIT } from "./table.ts";
import { CommandError } from "./world.ts";

export interface FolderCalls {
  readonly make: (folder: string) => void;
  /** Throws when no file can be made in it. */
  readonly takesFiles: (folder: string) => void;
  readonly exists: (path: string) => boolean;
}

const systemFolders: FolderCalls = {
  make: (folder) => {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another start on this home made it just now.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  },
  takesFiles: (folder) => {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is a file`), { code: "ENOTDIR" });
    accessSync(folder, constants.W_OK | constants.X_OK);
  },
  exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
};

/** Throws CommandError in words. */
export function makeHome(folder: string, calls: FolderCalls = systemFolders): void {
  let at = folder;
  const missing: string[] = [];
  try {
    // On a disk that takes no files Node says of the folder only that it is not there; the folder above it tells why.
    for (; !calls.exists(at) && at !== dirname(at); at = dirname(at)) missing.unshift(at);
    calls.takesFiles(at);
    // One by one: where a system says of a folder to be made that it is not there, as in /proc, Node's own way down never ends.
    for (const one of missing) calls.make(one);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === undefined ? message : (WHY[code] ?? message);
    throw new CommandError(`The folder ${folder} cannot be used: ${why}. Choose another with --home.`, EXIT.failed);
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: "no folder can be made there",
  EROFS: "its disk is mounted read-only",
  EACCES: "this user may not make files in it",
  ENOTDIR: "a file is in its place",
  ENOSPC: "its disk is full",
};
