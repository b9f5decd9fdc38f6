/** The viewer's files, read whole at each start: what is served is exactly what lies in its folder, by name. */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
}

export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** Every file below the folder under its path ("/viewer.js"); "/" is index.html. Throws in words when there is none. */
export function readStatic(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  let entries: string[];
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    throw new Error(`The viewer's files cannot be read from ${folder}. Build them with: npm start`, { cause: error });
  }
  for (const path of entries) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    files.set(`/${path.slice(folder.length).replaceAll("\\", "/").replace(/^\/+/, "")}`, { type, bytes: readFileSync(path) });
  }
  const index = files.get("/index.html");
  if (index === undefined) throw new Error(`There is no index.html in ${folder}. Build the viewer with: npm start`);
  files.set("/", index);
  return files;
}
