import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newKeys, readKeys } from "#host/keys.ts";
import { openPanel } from "#host/panel-server.ts";
import { FILES, makeRig, type Rig } from "./rig.ts";

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** fetch sets Host and Origin itself, so these go by plain HTTP. */
function send(rig: Rig, method: string, path: string, headers: Record<string, string>): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: rig.host.port, method, path, headers }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: "" });
    });
    request.on("error", reject);
    request.end(method === "POST" ? "{}" : undefined);
  });
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const DISPLAY = `/api/boxes/local/displays/device?viewer=${randomUUID()}`;
const OPEN_ROUTES: readonly [string, string, Record<string, string>][] = [
  ["GET", "/", {}],
  ["GET", "/viewer.js", {}],
  ["GET", "/healthz", {}],
];
const TOKEN_ROUTES: readonly [string, string, Record<string, string>][] = [
  ["GET", "/api/boxes", {}],
  ["GET", "/api/boxes/local", {}],
  ["POST", "/api/boxes/local/requests", {}],
  ["GET", "/api/nothing", {}],
  ["GET", DISPLAY, UPGRADE],
  ["GET", "/api/nothing", UPGRADE],
];
const ALL = [...OPEN_ROUTES, ...TOKEN_ROUTES];
const name = ([method, path, headers]: readonly [string, string, Record<string, string>]) =>
  `${"upgrade" in headers ? "upgrade" : method} ${path.replace(/\?.*/, "")}`;

function withToken(headers: Record<string, string>, token: string): Record<string, string> {
  return "upgrade" in headers
    ? { ...headers, "sec-websocket-protocol": `bb.panel, bb.token.${token}` }
    : { ...headers, authorization: `Bearer ${token}` };
}

describe("every route and upgrade", () => {
  it.each(ALL.map((route) => [name(route), route] as const))(
    "%s refuses a foreign Origin and a rebound Host, with the token too",
    async (_name, [method, path, headers]) => {
      const rig = await makeRig();
      const right = withToken(headers, rig.token);
      const origin = await send(rig, method, path, { ...right, origin: "http://evil.example" });
      expect(origin.status).toBe(403);
      expect(origin.body).toMatch(/"wrong-origin"/);
      const host = await send(rig, method, path, { ...right, host: "evil.example:4710", origin: "http://evil.example:4710" });
      expect(host.status).toBe(403);
      expect(host.body).toMatch(/"wrong-host"/);
    },
  );

  it.each(ALL.map((route) => [name(route), route] as const))(
    "%s refuses a token in its address",
    async (_name, [method, path, headers]) => {
      const rig = await makeRig();
      const joined = `${path}${path.includes("?") ? "&" : "?"}token=${rig.token}`;
      const got = await send(rig, method, joined, withToken(headers, rig.token));
      expect(got.status).toBe(400);
      expect(got.body).toMatch(/"token-in-address"/);
      expect(got.body).not.toContain(rig.token);
    },
  );

  it.each(TOKEN_ROUTES.map((route) => [name(route), route] as const))(
    "%s refuses no token, an earlier start's and a wrong one, in words",
    async (_name, [method, path, headers]) => {
      const rig = await makeRig();
      for (const [token, code] of [
        [null, "no-token"],
        [rig.oldToken, "old-link"],
        ["nonsense", "wrong-token"],
      ] as const) {
        const got = await send(rig, method, path, token === null ? headers : withToken(headers, token));
        expect(got.status).toBe(401);
        expect(JSON.parse(got.body)).toMatchObject({ error: { code, words: expect.stringMatching(/link/) as string } });
      }
    },
  );
});

it("the right token passes: the page, the boxes and the upgrade, which selects bb.panel and not the token", async () => {
  const rig = await makeRig();
  const origin = `http://127.0.0.1:${rig.host.port}`;
  expect((await send(rig, "GET", "/", {})).body).toContain("panel");
  const boxes = await send(rig, "GET", "/api/boxes", { ...withToken({}, rig.token), origin });
  expect(JSON.parse(boxes.body)).toMatchObject({
    boxes: [
      {
        id: "local",
        name: "This machine",
        away: null,
        displays: [{ id: "device", shows: "device" }],
        device: { model: "Test device", runtime: "Test phone 1" },
      },
    ],
  });
  const upgraded = await send(rig, "GET", DISPLAY, { ...withToken(UPGRADE, rig.token), origin });
  expect(upgraded.status).toBe(101);
  expect(upgraded.headers["sec-websocket-protocol"]).toBe("bb.panel");
});

it("a token of an earlier start is kept by its hash alone, 0600, and its link says that it is old", async () => {
  const rig = await makeRig();
  const old = readKeys(rig.home)?.token ?? "";
  const keys = newKeys(rig.home);
  expect(keys.token).not.toBe(old);
  expect(readFileSync(join(rig.home, "keys.json"), "utf8")).not.toContain(old);
  expect(statSync(join(rig.home, "keys.json")).mode & 0o777).toBe(0o600);
  const panel = await openPanel({
    keys,
    files: FILES,
    api: { answer: () => Promise.reject(new Error("not asked")) },
    box: () => null,
    clock: rig.clock,
    log: () => {},
    port: 0,
  });
  const got = await fetch(`http://127.0.0.1:${panel.port}/api/boxes`, { headers: { authorization: `Bearer ${old}` } });
  expect(await got.json()).toMatchObject({ error: { code: "old-link", words: expect.stringMatching(/earlier start/) as string } });
  await panel.close();
});

it("every answer carries the policy that keeps the page to this server", async () => {
  const rig = await makeRig();
  for (const [method, path, headers] of OPEN_ROUTES) {
    const got = await send(rig, method, path, headers);
    expect(got.status).toBe(200);
    expect(got.headers["content-security-policy"]).toContain(`ws://127.0.0.1:${rig.host.port}`);
    expect(got.headers["x-content-type-options"]).toBe("nosniff");
    expect(got.headers["cache-control"]).toBe("no-store");
  }
});

it.each(["/../package.json", "/%2e%2e/keys.json", "/keys.json", "//evil.example/", "/viewer.js/"])("%s is nothing", async (path) => {
  const rig = await makeRig();
  expect((await send(rig, "GET", path, {})).status).toBe(404);
});

it("other methods, other boxes, other displays and no viewer are refused in words", async () => {
  const rig = await makeRig();
  expect((await send(rig, "POST", "/", {})).status).toBe(405);
  expect((await send(rig, "DELETE", "/api/boxes", withToken({}, rig.token))).status).toBe(405);
  expect((await send(rig, "GET", "/api/boxes/nowhere", withToken({}, rig.token))).body).toContain("There is no box");
  const upgrade = withToken(UPGRADE, rig.token);
  expect((await send(rig, "GET", `/api/boxes/nowhere/displays/device?viewer=${randomUUID()}`, upgrade)).status).toBe(404);
  expect((await send(rig, "GET", `/api/boxes/local/displays/desktop?viewer=${randomUUID()}`, upgrade)).status).toBe(404);
  expect((await send(rig, "GET", "/api/boxes/local/displays/device", upgrade)).body).toContain("?viewer=<uuid>");
});

it("a body past its bound and one that is no JSON are refused and close nothing", async () => {
  const rig = await makeRig();
  const large = await rig.fetch("/api/boxes/local/requests", { method: "POST", body: "x".repeat(1024 * 1024 + 1) }).catch(() => null);
  expect(large === null || large.status === 413).toBe(true);
  expect((await rig.fetch("/api/boxes/local/requests", { method: "POST", body: "{" })).status).toBe(400);
  expect((await rig.fetch("/healthz")).status).toBe(200);
});

it("bytes that are no HTTP end their own connection alone", async () => {
  const rig = await makeRig();
  const socket = connect(rig.host.port, "127.0.0.1");
  socket.write("\u0000\u0001nonsense\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve).resume());
  expect((await rig.fetch("/healthz")).status).toBe(200);
});

it("the token is in no log line", async () => {
  const rig = await makeRig();
  for (const [method, path, headers] of ALL) {
    await send(rig, method, path, withToken(headers, rig.token));
    await send(rig, method, `${path}?token=${rig.token}`, headers);
  }
  const browser = rig.watch();
  await browser.holder();
  expect(rig.logs.join("\n")).not.toContain(rig.token);
});

it("a taken port gives the next free one, said in words", async () => {
  const rig = await makeRig();
  const logs: string[] = [];
  const panel = await openPanel({
    keys: { token: "t", earlier: [] },
    files: new Map(),
    api: { answer: () => Promise.reject(new Error("not asked")) },
    box: () => null,
    clock: rig.clock,
    log: (_level, message) => logs.push(message),
    port: rig.host.port,
  });
  expect(panel.port).toBeGreaterThan(rig.host.port);
  expect(logs).toEqual([`Port ${rig.host.port} is taken, so the panel is at port ${panel.port}.`]);
  await panel.close();
});
