/** One delivery's steps in a box, each over its command transport. */
import { createHash } from "node:crypto";
import type { Backend, Ran } from "#host/ports.ts";
import { quoted } from "#host/backends/ssh.ts";
import { INSTALL, type InstallAnswer, type InstallHeader, POINT, PROBE, RESTART } from "./installer.ts";
import type { DeliveryFile } from "./source.ts";

const STEP_MS = 30_000;
/** A bundle and an addon over a slow line. */
const INSTALL_MS = 300_000;

export interface BoxKind {
  /** "linux-x64-gnu". */
  readonly platform: string;
  readonly node: string;
}

/** What the box is. Rejects in words. */
export async function probe(backend: Backend): Promise<BoxKind> {
  const ran = await backend.run(`"$NODE" -e ${quoted(PROBE)}`, { deadlineMs: STEP_MS });
  const kind = parsed(ran) as BoxKind;
  const [major = 0, minor = 0] = kind.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) throw new Error(`The box's Node ${kind.node} is too old: 20.19 or newer is needed.`);
  return kind;
}

/** Puts the files in the version's folder. Rejects in words; a box that has a newer version is left as it is. */
export async function install(
  backend: Backend,
  version: number,
  backwards: boolean,
  files: readonly DeliveryFile[],
): Promise<InstallAnswer> {
  const header: InstallHeader = {
    version,
    backwards,
    files: files.map(({ name, bytes }) => ({ name, bytes: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") })),
  };
  const input = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...files.map(({ bytes }) => bytes)]);
  return parsed(await backend.run(`"$NODE" -e ${quoted(INSTALL)}`, { input, deadlineMs: INSTALL_MS })) as InstallAnswer;
}

/** Points `current` at a version, or at nothing. `forward`: a newer one is left as it is. */
export async function point(backend: Backend, version: number | null, forward: boolean): Promise<InstallAnswer> {
  const args = [version === null ? "none" : String(version), ...(forward ? ["forward"] : [])];
  return parsed(await backend.run(`"$NODE" -e ${quoted(POINT)} ${args.join(" ")}`, { deadlineMs: STEP_MS })) as InstallAnswer;
}

/** Starts what `current` points at. Answers what a person should know of, or null. Rejects in words when whatever keeps it up there says no. */
export async function restart(backend: Backend, unit: Uint8Array): Promise<string | null> {
  const ran = await backend.run(RESTART, { input: unit, deadlineMs: STEP_MS });
  if (ran.code !== 0) throw new Error(`The device server could not be started in the box: ${words(ran)}`);
  // Whatever else a login or a service manager says is not for a person.
  return ran.stdout.split("\n").find((line) => line.startsWith("The device server ")) ?? null;
}

function parsed(ran: Ran): unknown {
  const line = ran.stdout.trim().split("\n").at(-1) ?? "";
  if (ran.code === 0) {
    try {
      return JSON.parse(line) as unknown;
    } catch {
      // Its words are below.
    }
  }
  throw new Error(`The box could not do it: ${words(ran)}`);
}

function words(ran: Ran): string {
  const said = ran.stderr || ran.stdout.trim();
  // Node prints where it threw above what it threw.
  const thrown = said.split("\n").find((line) => /^\w*Error\b/.test(line));
  if (thrown !== undefined) return thrown;
  return said === "" ? `exit code ${ran.code ?? "none"}` : said.split("\n").slice(-3).join(" / ");
}
