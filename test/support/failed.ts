/** What a test's processes said, for whoever reads that it failed: without it a hang elsewhere cannot be understood. */
import { readFileSync } from "node:fs";
import type { TestContext } from "vitest";

/** Call it in afterEach, before anything is ended or removed. Files that are not there are left out. */
export function tellWhenFailed({ task }: TestContext, texts: readonly string[], files: readonly string[] = []): void {
  if (task.result?.state !== "fail") return;
  // The console is what vitest gives to the test by name; stderr itself is nobody's.
  // oxlint-disable-next-line no-console
  for (const words of [...texts, ...files.map(read)]) if (words !== "") console.error(words);
}

function read(path: string): string {
  try {
    return `${path}:\n${readFileSync(path, "utf8")}`;
  } catch {
    return "";
  }
}
