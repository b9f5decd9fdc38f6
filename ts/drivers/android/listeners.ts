/** Which TCP ports listen beyond loopback, from the system's own tables. */
import { readFile } from "node:fs/promises";

import type { Outside } from "./outside.ts";

export interface Listener {
  readonly port: number;
  /** As a person reads it: 0.0.0.0, ::, 192.168.1.5. */
  readonly address: string;
}

/** Those of the ports that listen on another address than loopback. */
export async function wideListeners(outside: Outside, ports: readonly number[]): Promise<readonly Listener[]> {
  const all = await listeners(outside);
  return all.filter((listener) => ports.includes(listener.port) && !isLoopback(listener.address));
}

/** Every listening TCP socket. Empty where the system does not say. */
export async function listeners(outside: Outside): Promise<readonly Listener[]> {
  if (outside.platform === "linux") {
    const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")));
    return tables.flatMap(parseProcNet);
  }
  const ran = await outside.run("lsof", ["-nP", "-iTCP", "-sTCP:LISTEN", "-Fn"], { timeoutMs: 5_000 }).catch(() => null);
  return ran === null ? [] : parseLsof(ran.stdout);
}

/** /proc/net/tcp and tcp6: addresses are hexadecimal words in the machine's order, state 0A is LISTEN. */
export function parseProcNet(text: string): readonly Listener[] {
  const found: Listener[] = [];
  for (const line of text.split("\n").slice(1)) {
    const fields = line.trim().split(/\s+/);
    if (fields[3] !== "0A") continue;
    const [address, port] = (fields[1] ?? "").split(":");
    if (address === undefined || port === undefined) continue;
    found.push({ port: Number.parseInt(port, 16), address: addressOf(address) });
  }
  return found;
}

function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)?.flatMap((word) => word.match(/../g)?.reverse() ?? []) ?? [];
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const joined = bytes.join("");
  if (/^0+$/.test(joined)) return "::";
  if (/^0{31}1$/.test(joined)) return "::1";
  if (/^0{20}ffff/i.test(joined))
    return bytes
      .slice(12)
      .map((byte) => Number.parseInt(byte, 16))
      .join(".");
  return joined.match(/.{4}/g)?.join(":").toLowerCase() ?? joined;
}

/** lsof -Fn: lines such as n127.0.0.1:5554, n*:8554, n[::1]:5554. */
export function parseLsof(text: string): readonly Listener[] {
  const found: Listener[] = [];
  for (const line of text.split("\n")) {
    const match = /^n(.*):(\d+)$/.exec(line);
    if (match === null) continue;
    const address = match[1] === "*" ? "0.0.0.0" : (match[1] ?? "").replace(/^\[(.*)\]$/, "$1");
    found.push({ port: Number(match[2]), address });
  }
  return found;
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.");
}
