/** Turns a validator's refusal into a sentence that names the field and what it takes. */
import type { z } from "zod";

/** "control.battery.level is at most 100.": the deepest, first problem of a refused value. Parse with `REPORTED` so that what is missing is told apart. */
export function refusalWords(error: z.ZodError): string {
  const found = deepest(error.issues, []);
  if (found === null) return "The message has no known shape.";
  const where = found.path.map(String).join(".");
  return sentence(where === "" ? "The message" : where, found);
}

export const REPORTED = { reportInput: true } as const;

interface Found {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
  /** What may stand there, where that is a list. */
  readonly takes: readonly unknown[] | null;
  /** How many other problems the same shape has with the value. */
  readonly others: number;
  /** The value says that it is of another kind than this shape, so this shape was not meant. */
  readonly otherKind: boolean;
}

function deepest(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]): Found | null {
  const issue = issues[0];
  if (issue === undefined) return null;
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    let best: Found | null = null;
    for (const arm of issue.errors) {
      const found = deepest(arm, path);
      if (found === null) continue;
      if (best === null || isMeantMore(found, best)) best = found;
      else if (!isMeantMore(best, found)) best = together(best, found);
    }
    if (best !== null) return best;
  }
  const otherKind = issue.code === "invalid_union" || (issue.code === "invalid_value" && issue.values.length === 1);
  return { path, issue, takes: takenValues(issue), others: issues.length - 1, otherKind };
}

/** The arm that got furthest is the one that was meant; of two as far, the one of the value's kind, and then the one with least against it. */
function isMeantMore(one: Found, other: Found): boolean {
  if (one.path.length !== other.path.length) return one.path.length > other.path.length;
  if (one.otherKind || other.otherKind) return !one.otherKind;
  return one.others < other.others;
}

/** Two shapes that are meant alike: what either takes in the same place. */
function together(one: Found, other: Found): Found {
  const samePlace = one.path.every((part, index) => part === other.path[index]);
  if (!samePlace || one.takes === null || other.takes === null) return one;
  return { ...one, takes: [...new Set([...one.takes, ...other.takes])] };
}

function takenValues(issue: z.core.$ZodIssue): readonly unknown[] | null {
  if (issue.code === "invalid_value") return issue.values;
  return (issue.code === "invalid_union" && (issue as { readonly options?: readonly unknown[] }).options) || null;
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

function sentence(field: string, { issue, takes }: Found): string {
  if (takes !== null)
    return takes.length === 1 ? `${field} is not ${String(takes[0])}.` : `${field} is one of: ${takes.map(String).join(", ")}.`;
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? `${field} is missing.` : `${field} is not ${KINDS[issue.expected] ?? `a ${issue.expected}`}.`;
    case "too_small":
      return `${field} ${issue.origin === "number" || issue.origin === "int" ? "is" : "has"} at least ${amount(issue.minimum, issue.origin)}.`;
    case "too_big":
      return `${field} ${issue.origin === "number" || issue.origin === "int" ? "is" : "has"} at most ${amount(issue.maximum, issue.origin)}.`;
    case "unrecognized_keys":
      return `${field} takes no ${issue.keys.join(", ")}.`;
    case "invalid_union":
      return `${field} has no known shape.`;
    default:
      return `${field}: ${issue.message.replace(/\.$/, "")}.`;
  }
}

function amount(limit: number | bigint, origin: string): string {
  if (origin === "string") return `${limit} character${limit === 1 ? "" : "s"}`;
  return origin === "array" || origin === "tuple" ? `${limit} part${limit === 1 ? "" : "s"}` : String(limit);
}
