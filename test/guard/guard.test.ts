import { describe, expect, it } from "vitest";
import { checkOrigin, checkToken, type Guarded } from "#guard/guard.ts";
import { securityHeaders } from "#guard/headers.ts";
import { bearerToken, makeToken, offeredProtocols, protocolsFor, sameToken, tokenHash } from "#guard/token.ts";

const TOKEN = makeToken();
const KEYS = { token: TOKEN, earlier: [tokenHash("an-earlier-one")] };

function request(over: { target?: string; upgrade?: boolean; headers?: Guarded["headers"] } = {}): Guarded {
  return {
    method: "GET",
    target: over.target ?? "/api/boxes",
    upgrade: over.upgrade ?? false,
    headers: { host: "127.0.0.1:4710", ...over.headers },
  };
}

describe("Host", () => {
  it.each(["127.0.0.1", "127.0.0.1:4710", "localhost:9", "LOCALHOST:4710", "[::1]", "[::1]:4710"])("%s is loopback's", (host) => {
    expect(checkOrigin(request({ headers: { host } }), TOKEN)).toBeNull();
  });
  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1:4710.evil.example",
    "localhost.evil.example",
    "0.0.0.0:4710",
    "[::]:4710",
    "127.0.0.1:4710@evil.example",
    "",
    "localhost:4710 ",
  ])("%j is refused, as a rebound name is", (host) => {
    expect(checkOrigin(request({ headers: { host } }), TOKEN)).toMatchObject({ status: 403, code: "wrong-host" });
  });
  it("no Host at all is refused", () => {
    expect(checkOrigin({ ...request(), headers: {} }, TOKEN)?.code).toBe("wrong-host");
  });
});

describe("Origin", () => {
  it("equal to Host passes, none passes (a program, or a page that is opened)", () => {
    expect(checkOrigin(request({ headers: { origin: "http://127.0.0.1:4710" } }), TOKEN)).toBeNull();
    expect(checkOrigin(request(), TOKEN)).toBeNull();
  });
  it.each(["http://evil.example", "http://127.0.0.1:4711", "http://localhost:4710", "https://127.0.0.1:4710", "null", ""])(
    "%j is refused",
    (origin) => {
      expect(checkOrigin(request({ headers: { origin } }), TOKEN)).toMatchObject({ status: 403, code: "wrong-origin" });
    },
  );
  it("a fetch from another site without an Origin is refused, a link from there is not", () => {
    expect(checkOrigin(request({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" } }), TOKEN)?.code).toBe(
      "wrong-origin",
    );
    expect(checkOrigin(request({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" } }), TOKEN)).toBeNull();
  });
});

describe("the token", () => {
  it("passes as a bearer, and on an upgrade as a subprotocol beside bb.panel", () => {
    expect(checkToken(request({ headers: { authorization: `Bearer ${TOKEN}` } }), KEYS)).toBeNull();
    const headers = { "sec-websocket-protocol": protocolsFor(TOKEN).join(", ") };
    expect(checkToken(request({ upgrade: true, headers }), KEYS)).toBeNull();
    expect(offeredProtocols(headers["sec-websocket-protocol"])).toEqual({ panel: true, token: TOKEN });
  });
  it("as a subprotocol counts on an upgrade only", () => {
    expect(checkToken(request({ headers: { "sec-websocket-protocol": protocolsFor(TOKEN).join(",") } }), KEYS)?.code).toBe("no-token");
  });
  it("two tokens are none", () => {
    expect(offeredProtocols(`bb.panel, bb.token.a, bb.token.${TOKEN}`).token).toBeNull();
  });
  it("none, an earlier start's and a wrong one are told apart in words", () => {
    expect(checkToken(request(), KEYS)).toMatchObject({ status: 401, code: "no-token" });
    expect(checkToken(request({ headers: { authorization: "Bearer an-earlier-one" } }), KEYS)?.words).toMatch(/earlier start/);
    expect(checkToken(request({ headers: { authorization: `Bearer ${TOKEN}x` } }), KEYS)?.code).toBe("wrong-token");
    expect(checkToken(request({ headers: { authorization: `Basic ${TOKEN}` } }), KEYS)?.code).toBe("no-token");
  });
  it.each([
    "/?token=x",
    `/healthz?x=${TOKEN}`,
    `/${TOKEN}`,
    "/api/boxes?access_token=1",
    "/api/boxes?Token=1",
    "/api/boxes?bb.token=1",
    `/?x=%${TOKEN.charCodeAt(0).toString(16)}${TOKEN.slice(1)}`,
  ])("in an address (%s) is refused", (target) => {
    expect(checkOrigin(request({ target }), TOKEN)).toMatchObject({ status: 400, code: "token-in-address" });
  });
  it("an address with a percent sign that means nothing is no error", () => {
    expect(checkOrigin(request({ target: "/%zz" }), TOKEN)).toBeNull();
  });
  it("no refusal repeats what was offered", () => {
    const words = checkToken(request({ headers: { authorization: "Bearer leak-me-not" } }), KEYS)?.words;
    expect(words).not.toContain("leak-me-not");
  });
  it("is compared whole, whatever the lengths", () => {
    expect(sameToken("a", "a")).toBe(true);
    expect(sameToken("a", "ab")).toBe(false);
    expect(bearerToken("Bearer a b")).toBeNull();
  });
  it("is 256 bits and never twice the same", () => {
    expect(Buffer.from(TOKEN, "base64url")).toHaveLength(32);
    expect(makeToken()).not.toBe(makeToken());
  });
});

it("the policy lets the page fetch from this server alone, and nobody frame it", () => {
  const policy = securityHeaders("127.0.0.1:4710")["content-security-policy"];
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self' ws://127.0.0.1:4710;");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe/);
});
