/** A box behind ssh: `connect` for its device socket, sh for its commands, one ssh connection for both. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { Backend, Clock, Ran, RunOptions } from "#host/ports.ts";
import { BoxError } from "./box-error.ts";
import { ChildStream } from "./child-stream.ts";
import { runProgram } from "./run.ts";

export interface SshOptions {
  /** What ssh takes: a name of ~/.ssh/config, or user@host. Never begins with a dash. */
  readonly host: string;
  readonly port?: number;
  /** A private key's path on this machine. */
  readonly identity?: string;
  /** Further `-o` options, such as "StrictHostKeyChecking=yes". */
  readonly options?: readonly string[];
  /** Node in the box; from its PATH by default. */
  readonly node?: string;
  /** The product's home in the box, from the user's home folder or absolute. */
  readonly home?: string;
}

const DEFAULT_HOME = ".bb-box";
const CONNECT_S = 10;
/** The one ssh connection outlives its last user by this, and a host that was killed by no more. */
const PERSIST_S = 60;
/** From ssh's start to the box's first word. */
const FIRST_WORD_MS = 20_000;
const STDERR_MAX = 4_000;
/** What the connect script says before the protocol begins, and how it says that there is nothing to run. */
const FIRST_WORD = "bb-box\n";
const EXIT_NOT_INSTALLED = 44;
const EXIT_NO_NODE = 45;
const EXIT_SSH = 255;

export function sshBackend(options: SshOptions, clock: Clock): Backend {
  let folder: string | null = null;
  let closed = false;
  const over = () => new BoxError("unreachable", "The host is ending.");
  const args = (): string[] => {
    // Its path must fit a unix socket's, which the host's own folder may not.
    folder ??= mkdtempSync(join(tmpdir(), "bb-ssh-"));
    return [
      "-T",
      ...["BatchMode=yes", `ConnectTimeout=${CONNECT_S}`, "ServerAliveInterval=15", "ServerAliveCountMax=2"].flatMap((one) => ["-o", one]),
      ...["ControlMaster=auto", `ControlPath=${join(folder, "%C")}`, `ControlPersist=${PERSIST_S}`].flatMap((one) => ["-o", one]),
      ...(options.options ?? []).flatMap((one) => ["-o", one]),
      ...(options.port === undefined ? [] : ["-p", String(options.port)]),
      ...(options.identity === undefined ? [] : ["-i", options.identity, "-o", "IdentitiesOnly=yes"]),
    ];
  };
  const remote = (script: string) => [...args(), "--", options.host, `sh -c ${quoted(script)}`];
  return {
    kind: "ssh",
    connect: (signal) => (closed ? Promise.reject(over()) : openStream(remote(connectScript(options)), options.host, signal, clock)),
    run: async (script, runOptions: RunOptions): Promise<Ran> => {
      if (closed) throw over();
      const ran = await runProgram("ssh", remote(preamble(options) + script), runOptions, clock);
      if (ran.code === EXIT_SSH) throw new BoxError("unreachable", unreachable(options.host, ran.stderr));
      if (ran.code === EXIT_NO_NODE) throw new BoxError("no-node", noNode(options.host));
      return ran;
    },
    close: async () => {
      closed = true;
      const done = folder;
      if (done === null) return;
      const exit = [...args(), "-O", "exit", "--", options.host];
      folder = null;
      await runProgram("ssh", exit, { deadlineMs: 2_000 }, clock).catch(() => {});
      rmSync(done, { recursive: true, force: true });
    },
  };
}

/** One word for sh, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Sets NODE and BB_BOX_HOME for what follows, and ends in a way of its own without Node. */
function preamble({ node, home = DEFAULT_HOME }: SshOptions): string {
  const folder = home.startsWith("/") ? quoted(home) : `"$HOME"/${quoted(home)}`;
  return [
    node === undefined ? `NODE=$(command -v node) || exit ${EXIT_NO_NODE}` : `NODE=${quoted(node)}; [ -x "$NODE" ] || exit ${EXIT_NO_NODE}`,
    `BB_BOX_HOME=${folder}`,
    "export NODE BB_BOX_HOME",
    "",
  ].join("\n");
}

function connectScript(options: SshOptions): string {
  return [
    preamble(options),
    'MAIN="$BB_BOX_HOME/device/server/current/bb-box-device.mjs"',
    `[ -f "$MAIN" ] || exit ${EXIT_NOT_INSTALLED}`,
    `printf ${quoted(FIRST_WORD.replace("\n", "\\n"))}`,
    'exec "$NODE" "$MAIN" connect --home "$BB_BOX_HOME"',
  ].join("\n");
}

function openStream(args: readonly string[], host: string, signal: AbortSignal, clock: Clock): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const child = spawn("ssh", [...args], { stdio: ["pipe", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString("utf8")).slice(-STDERR_MAX)));
    let stream: Duplex | null = null;
    const settled = (end: () => void) => {
      cancel();
      signal.removeEventListener("abort", abort);
      child.stdout.removeListener("readable", read);
      end();
    };
    const fail = (error: Error) => settled(() => reject(error));
    const abort = () => {
      child.kill();
      fail(new BoxError("unreachable", "It is not wanted any more."));
    };
    const cancel = clock.after(FIRST_WORD_MS, () => {
      child.kill();
      fail(new BoxError("unreachable", `${host} said nothing for ${FIRST_WORD_MS / 1_000} s.`));
    });
    const read = () => {
      const found = readFirstWord(child);
      if (found === "not-yet") return;
      if (found === "other") {
        child.kill();
        return fail(
          new BoxError(
            "unreachable",
            `${host} prints something at each login, which is no place for a protocol. Its shell must be silent when nobody is there.`,
          ),
        );
      }
      settled(() => {
        stream = new ChildStream(child, (code) => ended(code, host, stderr));
        // Whoever uses the stream hears its errors; one that ends between two users must not end the process.
        stream.on("error", () => {});
        resolve(stream);
      });
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort);
    child.stdout.on("readable", read);
    child.stdin.on("error", () => {});
    child.once("error", (error) => fail(new BoxError("unreachable", `ssh could not be started: ${error.message}`)));
    child.once("close", (code) => {
      if (stream === null) fail(ended(code, host, stderr));
    });
  });
}

function readFirstWord(child: ChildProcessWithoutNullStreams): "found" | "other" | "not-yet" {
  const chunk = child.stdout.read() as Buffer | null;
  if (chunk === null) return "not-yet";
  if (chunk.byteLength < FIRST_WORD.length && FIRST_WORD.startsWith(chunk.toString("latin1"))) {
    child.stdout.unshift(chunk);
    return "not-yet";
  }
  if (chunk.subarray(0, FIRST_WORD.length).toString("latin1") !== FIRST_WORD) return "other";
  const rest = chunk.subarray(FIRST_WORD.length);
  if (rest.byteLength > 0) child.stdout.unshift(rest);
  return "found";
}

function ended(code: number | null, host: string, stderr: string): BoxError {
  switch (code) {
    case EXIT_NOT_INSTALLED:
      return new BoxError("not-installed", `${host} has no device server yet.`);
    case EXIT_NO_NODE:
      return new BoxError("no-node", noNode(host));
    case EXIT_SSH:
      return new BoxError("unreachable", unreachable(host, stderr));
    default:
      return new BoxError("unreachable", lastLine(stderr).replace(/^bb-box-device connect: /, "") || `The connection to ${host} ended.`);
  }
}

function noNode(host: string): string {
  return `${host} has no Node. Install Node 20.19 or newer there (https://nodejs.org), or name it as "node" in boxes.json.`;
}

function unreachable(host: string, stderr: string): string {
  const said = lastLine(stderr);
  return `${host} cannot be reached by ssh${said === "" ? "" : ` (${said})`}. Try: ssh ${host}`;
}

function lastLine(text: string): string {
  return text.trim().split(/\r?\n/).at(-1)?.trim() ?? "";
}
