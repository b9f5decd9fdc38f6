/** Turns a validator's refusal into a sentence that names the field and what it takes. */
import type { z } from "zod";

/** "control.battery.level is at most 100.": the deepest, first problem of a refused value. Parse with `REPORTED` so that what is missing is told apart. */
export function refusalWords(error: z.ZodError): string {
  const found = deepest(error.issues, []);
  if (found === null) return "The message has no known shape.";
  const where = found.path.map(String).join(".");
  return sentence(where === "" ? "The message" : where, found.issue);
}

export const REPORTED = { reportInput: true } as const;

interface Found {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
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
  return { path, issue };
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  tuple: "a list",
};

function sentence(field: string, issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? `${field} is missing.` : `${field} is not ${KINDS[issue.expected] ?? `a ${issue.expected}`}.`;
    case "invalid_value":
      return issue.values.length === 1
        ? `${field} is not ${String(issue.values[0])}.`
        : `${field} is one of: ${issue.values.map(String).join(", ")}.`;
    case "too_small":
      return `${field} ${issue.origin === "number" || issue.origin === "int" ? "is" : "has"} at least ${amount(issue.minimum, issue.origin)}.`;
    case "too_big":
      return `${field} ${issue.origin === "number" || issue.origin === "int" ? "is" : "has"} at most ${amount(issue.maximum, issue.origin)}.`;
    case "unrecognized_keys":
      return `${field} takes no ${issue.keys.join(", ")}.`;
    case "invalid_union": {
      const { options } = issue as { readonly options?: readonly unknown[] };
      return options === undefined ? `${field} has no known shape.` : `${field} is one of: ${options.map(String).join(", ")}.`;
    }
    default:
      return `${field}: ${issue.message.replace(/\.$/, "")}.`;
  }
}

function amount(limit: number | bigint, origin: string): string {
  if (origin === "string") return `${limit} character${limit === 1 ? "" : "s"}`;
  return origin === "array" || origin === "tuple" ? `${limit} part${limit === 1 ? "" : "s"}` : String(limit);
}
