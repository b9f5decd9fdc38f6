/** Small files of the host's home, each 0600 and written whole. */
import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { randomUUID } from "node:crypto";

/** Renamed into place, so that a reader sees the old file or the new one. Throws what the file system says. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
    renameSync(fresh, path);
  } catch (error) {
    removeFile(fresh);
    throw error;
  }
}

export function writeJson(path: string, value: unknown): void {
  writePrivate(path, `${JSON.stringify(value)}\n`);
}

/** Undefined when it is not there, or is no JSON. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, which is what was asked.
  }
}

/** A text field of a file's object; null for anything else. */
export function textField(value: unknown, name: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  const field = (value as Readonly<Record<string, unknown>>)[name];
  return typeof field === "string" ? field : null;
}
