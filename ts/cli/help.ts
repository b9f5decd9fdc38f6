/** Help, made from the table. */
import { COMMANDS, type CommandSpec, EXIT_WORDS } from "./table.ts";

const NAME = "bb-box-device";

export function usage(spec: CommandSpec): string {
  const places = spec.positionals.map((place, index) => (index < spec.needed ? place : `[${place}]`));
  return [NAME, spec.name, ...places, "[options]"].join(" ");
}

/** Help for one command. */
export function commandHelp(spec: CommandSpec): string {
  const options = Object.entries(spec.options).map(
    ([name, option]) => [`--${name}${option.value === undefined ? "" : ` ${option.value}`}`, option.words] as const,
  );
  const more = spec.more === undefined ? [] : ["", ...spec.more.split("\n").map((line) => `  ${line}`)];
  return [usage(spec), "", `  ${spec.words}`, ...more, "", "Options", ...columns(options), ""].join("\n");
}

/** Help for all of them. */
export function help(): string {
  const commands = COMMANDS.map((spec: CommandSpec) => [[spec.name, ...spec.positionals].join(" "), spec.words] as const);
  return [
    `${NAME} <command> [options]`,
    "",
    "  A phone or tablet that a person and an agent share.",
    "",
    "Commands",
    ...columns(commands),
    "",
    "Every command takes --help.",
    "",
    "Exit codes",
    ...columns(EXIT_WORDS.map(([code, words]) => [String(code), words] as const)),
    "",
  ].join("\n");
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
