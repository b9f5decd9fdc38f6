/** What runs on a home: the host writes where it is, for its own user alone, and every other command finds it by that. */
import { join } from "node:path";
import { readJsonFile, removeFile, textField, writeJson } from "#host/state-files.ts";

export interface RunningHost {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  /** The whole link, token and all. */
  readonly url: string;
}

function file(hostHome: string): string {
  return join(hostHome, "running.json");
}

/** Throws what the file system says. */
export function writeRunning(hostHome: string, running: RunningHost): void {
  writeJson(file(hostHome), running);
}

/** Only its own: a host that took over since keeps its file. */
export function removeRunning(hostHome: string, pid: number): void {
  if (readRunning(hostHome)?.pid === pid) removeFile(file(hostHome));
}

/** What the last host wrote; it may be gone by now. */
export function readRunning(hostHome: string): RunningHost | null {
  const value = readJsonFile(file(hostHome));
  const token = textField(value, "token");
  const url = textField(value, "url");
  if (token === null || url === null) return null;
  const { pid, port } = value as { readonly pid?: unknown; readonly port?: unknown };
  return typeof pid === "number" && typeof port === "number" ? { pid, port, token, url } : null;
}
