/**
 * adb, always as a child process with an argument array. Its server is left as it was found: one that ran is never stopped or replaced,
 * one that was started for us ends with us.
 */
import { DeviceError } from "#core/errors.ts";

import type { Outside, Ran } from "./outside.ts";

/** adb's own port, unless ANDROID_ADB_SERVER_PORT says another. */
export const ADB_PORT = 5037;

export interface AdbShell {
  /** One line for the device's shell; its output. Rejects with DeviceError: its words when it failed, unless `anyCode`. */
  shell(line: string, options?: ShellOptions): Promise<string>;
  /** Words to the emulator's console (adb signs in); its answer without the OK. */
  console(...words: readonly string[]): Promise<string>;
  /** adb's own commands on this device, such as install. */
  adb(args: readonly string[], options?: ShellOptions): Promise<Ran>;
}

export interface ShellOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Answer the output whatever the exit code. */
  readonly anyCode?: boolean;
}

const SHELL_TIMEOUT_MS = 10_000;
const SERVER_TIMEOUT_MS = 10_000;
/** What adb says, in every version, when it was this very call that started the server. */
const STARTED = "daemon started successfully";

export class Adb {
  readonly #outside: Outside;
  readonly #path: string;
  #own: Promise<number | null> | null = null;
  /** The server that listens was started by this object's own call. */
  #startedServer = false;
  #starting: Promise<void> | null = null;

  constructor(outside: Outside, path: string) {
    this.#outside = outside;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  get port(): number {
    const given = Number(this.#outside.env.ANDROID_ADB_SERVER_PORT ?? "");
    return Number.isInteger(given) && given > 0 ? given : ADB_PORT;
  }

  /** The protocol number of this adb: 41 of "1.0.41". */
  ownVersion(): Promise<number | null> {
    this.#own ??= this.#outside
      .run(this.#path, ["version"], { timeoutMs: 5_000, env: this.#outside.env })
      .then(({ stdout }) => Number(/version 1\.0\.(\d+)/.exec(stdout)?.[1] ?? Number.NaN))
      .then((version) => (Number.isNaN(version) ? null : version));
    return this.#own;
  }

  /** The protocol number of the server that listens; null when none does. */
  async serverVersion(): Promise<number | null> {
    const answer = await this.#outside.ask(this.port, "000chost:version", 2_000);
    const hex = /^OKAY0004([0-9a-f]{4})/.exec(answer ?? "")?.[1];
    return hex === undefined ? null : Number.parseInt(hex, 16);
  }

  /** Words when using this adb would stop a server of another version; null when it would not. */
  async clash(): Promise<string | null> {
    return this.#clashWith(await this.serverVersion());
  }

  async #clashWith(server: number | null): Promise<string | null> {
    const own = await this.ownVersion();
    if (own === null || server === null || own === server) return null;
    return (
      `An adb server of another version (${server}) runs on port ${this.port}; ${this.#path} is version ${own} and would stop it. ` +
      `Set ANDROID_HOME to the SDK whose adb started that server, or stop it with its own "adb kill-server".`
    );
  }

  /** Any adb command. A server of another version is left alone: DeviceError in words instead. */
  async run(args: readonly string[], options: ShellOptions = {}): Promise<Ran> {
    const server = await this.serverVersion();
    const words = await this.#clashWith(server);
    if (words !== null) throw new DeviceError("failed", words);
    try {
      if (server === null) await this.startServer();
      return await this.#outside.run(this.#path, args, {
        timeoutMs: options.timeoutMs ?? SHELL_TIMEOUT_MS,
        env: this.#outside.env,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new DeviceError("failed", `adb could not be run (${this.#path}): ${(error as Error).message}`, { cause: error });
    }
  }

  /** Starts the server where none runs, and remembers whether it was this call that did. Rejects only when adb cannot be run. */
  startServer(): Promise<void> {
    this.#starting ??= this.#outside
      .run(this.#path, ["start-server"], { timeoutMs: SERVER_TIMEOUT_MS, env: this.#outside.env })
      .then(({ stdout, stderr }) => void (this.#startedServer ||= `${stdout}${stderr}`.includes(STARTED)))
      .finally(() => void (this.#starting = null));
    return this.#starting;
  }

  /** The end of our use: a server that was started for us is stopped, any other left running. Never rejects. */
  async leave(): Promise<void> {
    await this.#starting?.catch(() => {});
    if (!this.#startedServer) return;
    this.#startedServer = false;
    // A server of another version took its place since: it is another's.
    const [own, server] = await Promise.all([this.ownVersion().catch(() => null), this.serverVersion()]);
    if (server === null || server !== own) return;
    await this.#outside.run(this.#path, ["kill-server"], { timeoutMs: SERVER_TIMEOUT_MS, env: this.#outside.env }).catch(() => {});
  }

  /** adb's state of a device: "device" when it can be used, null when it knows none of that name. */
  async state(serial: string): Promise<string | null> {
    const { stdout } = await this.run(["devices"]);
    const line = stdout.split(/\r?\n/).find((candidate) => candidate.startsWith(`${serial}\t`));
    return line?.split("\t")[1] ?? null;
  }

  on(serial: string): AdbShell {
    return {
      shell: async (line, options = {}) => {
        const ran = await this.run(["-s", serial, "shell", line], options);
        if (ran.code !== 0 && options.anyCode !== true) throw new DeviceError("failed", failedWords(ran, line));
        return ran.stdout;
      },
      console: async (...words) => {
        const ran = await this.run(["-s", serial, "emu", ...words]);
        const refused = /^KO:? ?(.*)$/m.exec(ran.stdout);
        if (ran.code !== 0 || refused !== null) {
          throw new DeviceError("failed", `The emulator's console refused "${words.join(" ")}": ${refused?.[1] ?? ran.stderr.trim()}`);
        }
        return ran.stdout.replace(/^OK.*$/gm, "").trim();
      },
      adb: (args, options = {}) => this.run(["-s", serial, ...args], options),
    };
  }
}

/** Why an adb command failed, in its own words. */
export function failedWords(ran: Ran, what: string): string {
  if (ran.code === null) return `adb did not answer in time: ${what}`;
  const said = `${ran.stderr}\n${ran.stdout}`.split(/\r?\n/).map((line) => line.trim());
  return said.find((line) => line !== "") ?? `adb ended with ${ran.code}: ${what}`;
}

/** One word for the device's shell, whatever it holds. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
