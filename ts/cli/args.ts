/** A command line, read by the table. */
import { parseArgs } from "node:util";
import { COMMANDS, type CommandName, type CommandSpec } from "./table.ts";

export interface Parsed {
  readonly command: CommandName;
  readonly positionals: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
}

export type CommandLine =
  | { readonly is: "run"; readonly parsed: Parsed }
  | { readonly is: "help"; readonly command: CommandSpec | null }
  | { readonly is: "version" }
  | { readonly is: "wrong"; readonly words: string; readonly command: CommandSpec | null };

/** Never throws. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h") return { is: "help", command: null };
  if (name === "--version" || name === "-v") return { is: "version" };
  if (name === "help") return { is: "help", command: COMMANDS.find((one) => one.name === rest[0]) ?? null };
  const spec: CommandSpec | undefined = COMMANDS.find((one) => one.name === name);
  if (spec === undefined) return { is: "wrong", words: `There is no command ${JSON.stringify(name)}.`, command: null };
  if (rest.includes("--help") || rest.includes("-h")) return { is: "help", command: spec };
  let read;
  try {
    read = parseArgs({
      // A negative number is a value, not an option: a longitude may be one.
      args: markNegatives(rest),
      options: Object.fromEntries(Object.entries(spec.options).map(([option, { type }]) => [option, { type }])),
      allowPositionals: true,
    });
  } catch (error) {
    return { is: "wrong", words: error instanceof Error ? sentence(error.message) : String(error), command: spec };
  }
  const positionals = read.positionals.map(unmark);
  const last = spec.positionals.at(-1);
  const most = last?.endsWith("…") === true ? Number.POSITIVE_INFINITY : spec.positionals.length;
  if (positionals.length < spec.needed) {
    return { is: "wrong", words: `${spec.name} needs ${spec.positionals.slice(0, spec.needed).join(" ")}.`, command: spec };
  }
  if (positionals.length > most) {
    return { is: "wrong", words: `${spec.name} does not take ${JSON.stringify(positionals[most])}.`, command: spec };
  }
  const options = new Map<string, string>();
  const flags = new Set<string>();
  for (const [option, value] of Object.entries(read.values)) {
    if (typeof value === "string") options.set(option, unmark(value));
    else if (value === true) flags.add(option);
  }
  return { is: "run", parsed: { command: spec.name as CommandName, positionals, options, flags } };
}

const MARK = "\u0000";

function markNegatives(args: readonly string[]): string[] {
  return args.map((arg) => (/^-\d/.test(arg) ? `${MARK}${arg}` : arg));
}

function unmark(value: string): string {
  return value.startsWith(MARK) ? value.slice(MARK.length) : value;
}

/** Node's sentence about the option alone; its advice about "--" is for another kind of program. */
function sentence(words: string): string {
  const [first = words] = words.split(/\. |\n/);
  return `${first.replace(/\.$/, "")}.`;
}
