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
  make: (folder) => void mkdirSync(folder, { recursive: true, mode: 0o700 }),
  takesFiles: (folder) => {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is a file`), { code: "ENOTDIR" });
    accessSync(folder, constants.W_OK | constants.X_OK);
  },
  exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
};

/** Throws CommandError in words. */
export function makeHome(folder: string, calls: FolderCalls = systemFolders): void {
  let at = folder;
  try {
    // On a disk that takes no files Node says of the folder only that it is not there; the folder above it tells why.
    while (!calls.exists(at) && at !== dirname(at)) at = dirname(at);
    calls.takesFiles(at);
    calls.make(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === undefined ? message : (WHY[code] ?? message);
    throw new CommandError(`The folder ${folder} cannot be used: ${why}. Choose another with --home.`, EXIT.failed);
  }
}

const WHY: Readonly<Record<string, string>> = {
  EROFS: "its disk is mounted read-only",
  EACCES: "this user may not make files in it",
  ENOTDIR: "a file is in its place",
  ENOSPC: "its disk is full",
};
