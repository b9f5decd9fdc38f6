/**
 * Who may speak to a server on loopback. Any page of any site can send requests to 127.0.0.1, and a name that a stranger owns can be
 * made to resolve there; so the Host must be loopback's own, an Origin must be this server itself, and the data needs the link's token.
 */
import type { IncomingHttpHeaders } from "node:http";
import { bearerToken, offeredProtocols, sameToken, tokenHash } from "./token.ts";

export interface Refusal {
  readonly status: number;
  readonly code: RefusalCode;
  /** What is wrong and what to do next. */
  readonly words: string;
}

export type RefusalCode =
  | "wrong-host"
  | "wrong-origin"
  | "token-in-address"
  | "no-token"
  | "old-link"
  | "wrong-token"
  | "bad-address"
  | "no-such-thing"
  | "wrong-method"
  | "too-large"
  | "not-json";

export interface Guarded {
  readonly method: string;
  /** The request's target as it came: path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly upgrade: boolean;
}

export interface GuardKeys {
  readonly token: string;
  /** SHA-256 of tokens of earlier starts, so that their links are told apart from nonsense. */
  readonly earlier: readonly string[];
}

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;
const TOKEN_PARAMETER = /^(?:.*[._-])?(?:token|secret|authorization)$/i;

/** The rules every request meets, token or not. Null: it may go on. */
export function checkOrigin(request: Guarded, token: string): Refusal | null {
  const host = request.headers.host;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    return refuse(
      403,
      "wrong-host",
      "This server answers only at 127.0.0.1, localhost or [::1]. Open the link that the start command printed.",
    );
  }
  const origin = request.headers.origin;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return refuse(
      403,
      "wrong-origin",
      "A page of another site asked for this. Only this server's own page may; open the link that the start command printed.",
    );
  }
  const site = request.headers["sec-fetch-site"];
  // A link on another page may open this one; a script or a picture there may fetch nothing.
  if ((site === "cross-site" || site === "same-site") && request.headers["sec-fetch-mode"] !== "navigate") {
    return refuse(
      403,
      "wrong-origin",
      "A page of another site asked for this. Only this server's own page may; open the link that the start command printed.",
    );
  }
  if (carriesToken(request.target, token)) {
    return refuse(
      400,
      "token-in-address",
      "A token in an address ends up in logs, so it is not taken from there. Send it as Authorization: Bearer; in a link it stands after the #.",
    );
  }
  return null;
}

/** The token's rule, for everything that shows or does something. Null: it may go on. */
export function checkToken(request: Guarded, keys: GuardKeys): Refusal | null {
  const offered =
    bearerToken(request.headers.authorization) ??
    (request.upgrade ? offeredProtocols(request.headers["sec-websocket-protocol"]).token : null);
  if (offered === null) {
    return refuse(401, "no-token", "This needs the token of the link that the start command printed. Open that link again.");
  }
  if (sameToken(offered, keys.token)) return null;
  if (keys.earlier.includes(tokenHash(offered))) {
    return refuse(
      401,
      "old-link",
      "This link is from an earlier start. Open the link that the start command printed last; `bb-box-device status` shows it too.",
    );
  }
  return refuse(401, "wrong-token", "This token is not this server's. Open the link that the start command printed, whole.");
}

/** One refusal, ready to be sent. */
export function refuse(status: number, code: RefusalCode, words: string): Refusal {
  return { status, code, words };
}

function carriesToken(target: string, token: string): boolean {
  if (token !== "" && (target.includes(token) || decoded(target).includes(token))) return true;
  const query = target.indexOf("?");
  if (query < 0) return false;
  for (const name of new URLSearchParams(target.slice(query + 1)).keys()) if (TOKEN_PARAMETER.test(name)) return true;
  return false;
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
