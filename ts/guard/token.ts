/** The secret of one start of a host: made, compared and read out of a request. It never goes into a log or an address. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const SECRET_BYTES = 32;
/** The subprotocol that a host selects; beside it a browser offers its token, as it cannot set a header on an upgrade. */
export const PANEL_PROTOCOL = "bb.panel";
const TOKEN_PROTOCOL = "bb.token.";

/** A new secret: 256 bits, in letters that an address and a subprotocol take as they are. */
export function makeToken(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** SHA-256 of a token, in hex: what may be kept of one that is over. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares in a time that says nothing about where they differ, or about the length. */
export function sameToken(offered: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(offered), digest(expected));
}

/** The token of an `Authorization: Bearer` header; null when there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? "");
  return match?.[1] ?? null;
}

/** What an upgrade offers as subprotocols. */
export interface OfferedProtocols {
  readonly panel: boolean;
  readonly token: string | null;
}

/** Reads `Sec-WebSocket-Protocol`. Of several tokens none counts: one request, one secret. */
export function offeredProtocols(header: string | undefined): OfferedProtocols {
  const offered = (header ?? "").split(",").map((name) => name.trim());
  const tokens = offered.filter((name) => name.startsWith(TOKEN_PROTOCOL)).map((name) => name.slice(TOKEN_PROTOCOL.length));
  return { panel: offered.includes(PANEL_PROTOCOL), token: tokens.length === 1 ? (tokens[0] ?? null) : null };
}

/** The subprotocols a client offers with this token. */
export function protocolsFor(token: string): readonly [string, string] {
  return [PANEL_PROTOCOL, `${TOKEN_PROTOCOL}${token}`];
}
