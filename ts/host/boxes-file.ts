/** The boxes of a host, from its boxes.json; without one it is this machine's own. */
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { localBackend } from "./backends/local.ts";
import { sshBackend, type SshOptions } from "./backends/ssh.ts";
import type { HostBox } from "./host.ts";
import type { Clock } from "./ports.ts";

export interface BoxesOptions {
  readonly home: string;
  /** The device server's folder on this machine. */
  readonly deviceHome: string;
  readonly clock: Clock;
}

export type BoxRecord =
  /** `deviceHome`: a device server's folder on this machine; null is the home's own. */
  | { readonly kind: "local"; readonly id: string; readonly name: string; readonly deviceHome: string | null }
  | { readonly kind: "ssh"; readonly id: string; readonly name: string; readonly ssh: SshOptions };

export const LOCAL_BOX = "local";
const BOXES_MAX = 100;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** ssh reads a target that begins with a dash as an option, and some of those run programs. */
const SSH_HOST = /^[A-Za-z0-9_[][A-Za-z0-9._@:%[\]-]{0,254}$/;
const SSH_OPTION = /^[A-Za-z]+[= ][^\n\r\0]{1,1000}$/;

/** Throws in words when the file cannot be read or says something that is no box. */
export function readBoxes(options: BoxesOptions): readonly HostBox[] {
  const { home, deviceHome, clock } = options;
  const path = join(home, "boxes.json");
  return readRecords(path).map((record) => ({
    id: record.id,
    name: record.name,
    backend:
      record.kind === "ssh" ? sshBackend(record.ssh, clock) : localBackend({ home, deviceHome: record.deviceHome ?? deviceHome }, clock),
  }));
}

function readRecords(path: string): readonly BoxRecord[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return [{ kind: "local", id: LOCAL_BOX, name: "This machine", deviceHome: null }];
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  const read = parseBoxes(value);
  if (typeof read === "string") throw new Error(`${path}: ${read}`);
  return read;
}

/** The boxes, or the first thing that is wrong, in words. */
export function parseBoxes(value: unknown): readonly BoxRecord[] | string {
  const boxes = isRecord(value) ? value["boxes"] : undefined;
  if (!Array.isArray(boxes) || boxes.length === 0)
    return 'It holds {"boxes": [{"id", "kind": "local" or "ssh", …}, …]}, with at least one box.';
  if (boxes.length > BOXES_MAX) return `It has ${boxes.length} boxes; ${BOXES_MAX} is the most.`;
  const read: BoxRecord[] = [];
  for (const [index, box] of (boxes as readonly unknown[]).entries()) {
    const one = parseBox(box);
    if (typeof one === "string") return `boxes[${index}]: ${one}`;
    if (read.some((other) => other.id === one.id)) return `boxes[${index}]: the id ${JSON.stringify(one.id)} is there twice.`;
    read.push(one);
  }
  return read;
}

function parseBox(value: unknown): BoxRecord | string {
  if (!isRecord(value)) return "A box is an object.";
  const { id, kind, name = id } = value;
  if (typeof id !== "string" || !ID.test(id)) return "Its id is 1 to 64 letters, digits, dots, dashes or underscores.";
  if (typeof name !== "string" || name === "" || name.length > 200) return "Its name is a text of 1 to 200 characters.";
  switch (kind) {
    case "local": {
      const wrong = unknownField(value, ["id", "kind", "name", "deviceHome"]);
      if (wrong !== null) return wrong;
      const { deviceHome = null } = value;
      if (deviceHome !== null && (typeof deviceHome !== "string" || !isAbsolute(deviceHome))) return "Its deviceHome is an absolute path.";
      return { kind, id, name, deviceHome };
    }
    case "ssh": {
      const ssh = parseSsh(value);
      return typeof ssh === "string" ? ssh : { kind, id, name, ssh };
    }
    default:
      return 'Its kind is "local" or "ssh".';
  }
}

function parseSsh(value: Readonly<Record<string, unknown>>): SshOptions | string {
  const wrong = unknownField(value, ["id", "kind", "name", "host", "port", "identity", "options", "node", "home"]);
  if (wrong !== null) return wrong;
  const { host, port, identity, options, node, home } = value;
  if (typeof host !== "string" || !SSH_HOST.test(host)) return "Its host is what ssh takes: user@host, or a name of ~/.ssh/config.";
  if (port !== undefined && (!Number.isInteger(port) || Number(port) < 1 || Number(port) > 65_535))
    return "Its port is a number from 1 to 65535.";
  if (!optionalPath(identity)) return "Its identity is an absolute path of a private key here.";
  if (!optionalPath(node)) return "Its node is an absolute path in the box.";
  if (home !== undefined && (typeof home !== "string" || !/^[^\0\n\r]{1,1000}$/.test(home))) return "Its home is a folder in the box.";
  const isOption = (one: unknown): one is string => typeof one === "string" && SSH_OPTION.test(one);
  if (options !== undefined && !(Array.isArray(options) && options.every(isOption)))
    return 'Its options are a list of texts such as "StrictHostKeyChecking=yes".';
  return {
    host,
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(identity === undefined ? {} : { identity }),
    ...(options === undefined ? {} : { options: options as readonly string[] }),
    ...(node === undefined ? {} : { node }),
    ...(home === undefined ? {} : { home }),
  };
}

function optionalPath(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === "string" && isAbsolute(value) && !/[\0\n\r]/.test(value));
}

function unknownField(value: Readonly<Record<string, unknown>>, known: readonly string[]): string | null {
  const other = Object.keys(value).find((key) => !known.includes(key));
  return other === undefined ? null : `It has a field ${JSON.stringify(other)}, which is not known here.`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
