/** The host's secret of this start, and hashes of those before it, in its home. */
import { join } from "node:path";
import type { GuardKeys } from "#guard/guard.ts";
import { makeToken, tokenHash } from "#guard/token.ts";
import { readJsonFile, textField, writeJson } from "./state-files.ts";

/** Links of so many earlier starts are still told apart from nonsense. */
const EARLIER_MAX = 50;

function keysFile(home: string): string {
  return join(home, "keys.json");
}

/** A new start: a new token; the one before is remembered by its hash alone. Throws what the file system says. */
export function newKeys(home: string): GuardKeys {
  const before = readKeys(home);
  const earlier = before === null ? [] : [tokenHash(before.token), ...before.earlier].slice(0, EARLIER_MAX);
  const keys = { token: makeToken(), earlier };
  writeJson(keysFile(home), keys);
  return keys;
}

/** The keys of the start that runs (a host that is started again within it). Null: there are none. */
export function readKeys(home: string): GuardKeys | null {
  const value = readJsonFile(keysFile(home));
  const token = textField(value, "token");
  if (token === null || token === "") return null;
  const earlier = (value as { readonly earlier?: unknown }).earlier;
  return { token, earlier: Array.isArray(earlier) ? earlier.filter((hash): hash is string => typeof hash === "string") : [] };
}
