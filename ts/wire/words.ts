/** Turns a validator's refusal into a sentence that names the field. */
import type { z } from "zod";

/** "control.to: Invalid option…": the deepest, first problem of a refused value. */
export function refusalWords(error: z.ZodError): string {
  const found = deepest(error.issues, []);
  if (found === null) return "The message has no known shape.";
  const where = found.path.map(String).join(".");
  return where === "" ? `${found.message}.` : `${where}: ${found.message}.`;
}

interface Found {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function deepest(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]): Found | null {
  const issue = issues[0];
  if (issue === undefined) return null;
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The arm that got furthest is the one that was meant.
    let best: Found | null = null;
    for (const arm of issue.errors) {
      const found = deepest(arm, path);
      if (found !== null && (best === null || found.path.length > best.path.length)) best = found;
    }
    if (best !== null) return best;
  }
  return { path, message: issue.message.replace(/\.$/, "") };
}
