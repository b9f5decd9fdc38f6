/** The one composition root: reads the command line, runs the command, turns errors into words and an exit code. */
import { DEVICE_SERVER_VERSION } from "#core/version.ts";
import { readCommandLine } from "#cli/args.ts";
import { commandHelp, help } from "#cli/help.ts";
import { EXIT, type CommandName } from "#cli/table.ts";
import { CommandError, NOTHING, pathsOf, type World } from "#cli/world.ts";

type Command = (world: World) => Promise<void>;

/** Each is loaded only when it is run. */
const RUN: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => (await import("#cli/commands/start.ts")).start,
  serve: async () => (await import("#cli/commands/serve.ts")).serve,
  host: async () => (await import("#cli/commands/host.ts")).host,
  connect: async () => (await import("#cli/commands/connect.ts")).connect,
  "test-phone": async () => (await import("#cli/commands/serve.ts")).testPhone,
  status: async () => (await import("#cli/commands/status.ts")).status,
  screenshot: async () => (await import("#cli/commands/ask.ts")).screenshot,
  tree: async () => (await import("#cli/commands/ask.ts")).tree,
  tap: async () => (await import("#cli/commands/ask.ts")).tap,
  swipe: async () => (await import("#cli/commands/ask.ts")).swipe,
  text: async () => (await import("#cli/commands/ask.ts")).text,
  key: async () => (await import("#cli/commands/ask.ts")).key,
  control: async () => (await import("#cli/commands/ask.ts")).control,
  logs: async () => (await import("#cli/commands/logs.ts")).logs,
  doctor: async () => (await import("#cli/commands/doctor.ts")).doctor,
};

const out = (line: string) => void process.stdout.write(`${line}\n`);
const err = (line: string) => void process.stderr.write(`${line}\n`);

async function main(argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv);
  switch (line.is) {
    case "help":
      out(line.command === null ? help() : commandHelp(line.command));
      return EXIT.ok;
    case "version":
      out(`bb-box-device ${DEVICE_SERVER_VERSION}`);
      return EXIT.ok;
    case "wrong":
      err(`${line.words}\nSee: bb-box-device ${line.command === null ? "" : `${line.command.name} `}--help`);
      return EXIT.usage;
    case "run":
      break;
  }
  const { parsed } = line;
  try {
    const run = await RUN[parsed.command]();
    await run({ args: parsed, env: process.env, out, err, paths: pathsOf(parsed, process.env) });
    return Number(process.exitCode ?? EXIT.ok);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const known = error instanceof CommandError ? error : null;
    // A program reads the refusal where it would have read the answer.
    if (parsed.flags.has("json") && known?.json !== NOTHING)
      out(JSON.stringify(known?.json ?? { ok: false, error: { code: "failed", words } }));
    err(words);
    return known?.code ?? EXIT.failed;
  }
}

// A command's own handles (a browser's child, an open standard input) must not keep the process once it is done.
process.exit(await main(process.argv.slice(2)));
