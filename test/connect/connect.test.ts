import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runConnect } from "#connect/connect.ts";
import { GIVEN_UP_FILE, LAUNCHD_LABEL, SYSTEMD_UNIT, type CommandResult } from "#connect/service.ts";
import { SERVER_NODE_ARGS } from "#launch/server-heap.ts";
import { GIVEN_UP } from "#server/starts.ts";
import { describeWith } from "../support/needs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const AS_ROOT = process.getuid?.() === 0;
let home = "";
let server: Server | null = null;
const sockets = new Set<Socket>();
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bbc-"));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise<void>((resolve) => (server === null ? resolve() : server.close(() => resolve())));
  server = null;
  rmSync(home, { recursive: true, force: true });
});

/** Listens where the device server does. */
function listen(each: (socket: Socket) => void): Promise<void> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    each(socket);
  });
  return new Promise((resolve) => server?.listen(join(home, "device.sock"), resolve));
}

interface Run {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly said: () => string;
  readonly code: Promise<number>;
  readonly commands: string[];
}

/** `answers` stands in for the service manager: one answer for each command, the last one again and again. */
function connect(
  answers: readonly (Partial<CommandResult> | (() => Partial<CommandResult> | Promise<Partial<CommandResult>>))[] = [],
  platform: NodeJS.Platform = "linux",
): Run {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const commands: string[] = [];
  let said = "";
  stderr.on("data", (chunk) => (said += String(chunk)));
  const code = runConnect({
    home,
    stdin,
    stdout,
    stderr,
    platform,
    run: async (command, args) => {
      commands.push([command, ...args].join(" "));
      const answer = answers[Math.min(commands.length, answers.length) - 1];
      const given = typeof answer === "function" ? await answer() : answer;
      return { ok: true, missing: false, stdout: "", stderr: "", ...given };
    },
  });
  return { stdin, stdout, said: () => said, code, commands };
}

const unit = (fields: Record<string, string>): Partial<CommandResult> => ({
  stdout: Object.entries({ LoadState: "loaded", NRestarts: "0", ExecMainStatus: "0", Result: "success", SubState: "dead", ...fields })
    .map(([key, value]) => `${key}=${value}`)
    .join("\n"),
});

describe("connect", () => {
  it("joins stdin and stdout to the socket: 10 MB both ways, byte for byte, and nothing else on stdout", async () => {
    await listen((socket) => socket.pipe(socket));
    const run = connect();
    const sent = Buffer.alloc(10_000_000, "0123456789abcdef");
    const heard: Buffer[] = [];
    let length = 0;
    const whole = new Promise<void>((resolve) =>
      run.stdout.on("data", (chunk: Buffer) => {
        heard.push(chunk);
        length += chunk.length;
        if (length >= sent.length) resolve();
      }),
    );
    run.stdin.write(sent);
    await whole;
    run.stdin.end();
    expect(await run.code).toBe(0);
    expect(Buffer.concat(heard).equals(sent)).toBe(true);
    expect(run.said()).toBe("");
    expect(run.commands).toEqual([]);
  });

  it("ends with 0 when the server ends, with its last bytes on stdout", async () => {
    await listen((socket) => socket.end("goodbye"));
    const run = connect();
    const heard: string[] = [];
    run.stdout.on("data", (chunk) => heard.push(String(chunk)));
    expect(await run.code).toBe(0);
    expect(heard.join("")).toBe("goodbye");
  });

  it("starts a service that is inactive, once, and joins it when it listens", async () => {
    const run = connect([
      unit({ ActiveState: "inactive" }),
      async () => {
        await listen((socket) => socket.end("hello"));
        return {};
      },
    ]);
    const heard: string[] = [];
    run.stdout.on("data", (chunk) => heard.push(String(chunk)));
    expect(await run.code).toBe(0);
    expect(heard.join("")).toBe("hello");
    expect(run.commands.map((c) => c.replace(/ -p .*/, ""))).toEqual([
      `systemctl --user show ${SYSTEMD_UNIT}`,
      `systemctl --user start ${SYSTEMD_UNIT}`,
    ]);
  });

  it("does not start one that is active or about to be: its own starts would use up the limit", async () => {
    const run = connect([
      async () => {
        setImmediate(() => void listen((socket) => socket.end()));
        return unit({ ActiveState: "activating", SubState: "auto-restart" });
      },
    ]);
    expect(await run.code).toBe(0);
    expect(run.commands.filter((c) => c.includes(" start "))).toEqual([]);
  });

  it("says in words that systemd has given the server up, with what to do, and leaves it down", async () => {
    const run = connect([unit({ ActiveState: "failed", Result: "start-limit-hit", NRestarts: "10", ExecMainStatus: "9" })]);
    expect(await run.code).toBe(1);
    expect(run.said()).toMatch(/crashed again and again, so systemd has given it up \(10 restarts, last exit status 9\)/);
    expect(run.said()).toMatch(/journalctl --user -u bb-box-device\.service.*reset-failed/);
    expect(run.commands).toHaveLength(1);
    expect(run.stdout.readableLength).toBe(0);
  });

  it("notices while it waits that the service has been given up meanwhile", async () => {
    const run = connect([unit({ ActiveState: "activating" }), unit({ ActiveState: "failed", Result: "start-limit-hit" })]);
    expect(await run.code).toBe(1);
    expect(run.said()).toMatch(/given it up/);
  });

  it.each([
    ["there is no systemd", { ok: false, missing: true }, /No device server listens on .*bb-box-device serve/],
    ["the unit is not set up", unit({ LoadState: "not-found" }), /is not set up \(not-found\)/],
    ["the user's manager cannot be asked", { ok: false, stderr: "Failed to connect to bus" }, /cannot be asked.*Failed to connect to bus/],
  ])("says what to do when %s", async (_name, answer, words) => {
    const run = connect([answer]);
    expect(await run.code).toBe(1);
    expect(run.said()).toMatch(words);
  });

  if (AS_ROOT) process.stderr.write("skipped: connect to another user's socket: root may open every socket\n");
  it.skipIf(AS_ROOT)("says that a socket belongs to another user", async () => {
    await listen(() => undefined);
    chmodSync(join(home, "device.sock"), 0);
    const run = connect();
    expect(await run.code).toBe(1);
    expect(run.said()).toMatch(/belongs to another user/);
  });

  it("reads launchd's words, starts an agent that is not running, and tells what the server wrote as it gave up", async () => {
    const started = connect(
      [
        { stdout: "\tstate = not running\n\truns = 1\n" },
        async () => {
          await listen((socket) => socket.end());
          return {};
        },
      ],
      "darwin",
    );
    expect(await started.code).toBe(0);
    expect(started.commands.at(-1)).toMatch(new RegExp(`^launchctl kickstart gui/\\d+/${LAUNCHD_LABEL}$`));
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    server = null;
    writeFileSync(
      join(home, GIVEN_UP_FILE),
      JSON.stringify({ words: "The device server crashed 10 times within a minute, so it has given up." }),
    );
    const down = connect([{ stdout: "\tstate = not running\n" }], "darwin");
    expect(await down.code).toBe(1);
    expect(down.said()).toMatch(/crashed 10 times within a minute.*launchctl kickstart/);
    expect(down.commands).toHaveLength(1);
  });

  it("names the given-up file as the server does", () => {
    expect(GIVEN_UP_FILE).toBe(GIVEN_UP);
  });
});

describe("the service files", () => {
  const service = readFileSync(join(root, "setup/systemd", SYSTEMD_UNIT), "utf8");
  it("hold the server's heap to what every other start holds it to", () => {
    const plist = readFileSync(join(root, "setup/launchd", `${LAUNCHD_LABEL}.plist`), "utf8");
    for (const words of [service, plist]) expect(words).toContain(`/usr/bin/env node ${SERVER_NODE_ARGS.join(" ")} `);
  });
  it("restart after 1 s and give up after ten in a minute, in the sections that systemd reads them from", () => {
    const [unitPart = "", servicePart = ""] = service.split("[Service]");
    expect(unitPart).toMatch(/^StartLimitIntervalSec=60$/m);
    expect(unitPart).toMatch(/^StartLimitBurst=10$/m);
    expect(servicePart).toMatch(/^Restart=always$/m);
    expect(servicePart).toMatch(/^RestartSec=1$/m);
  });
  it("confine the server without stopping V8's compiler", () => {
    for (const line of ["NoNewPrivileges=yes", "RestrictSUIDSGID=yes", "LockPersonality=yes", "UMask=0077"])
      expect(service).toContain(line);
    expect(service).not.toMatch(/MemoryDenyWriteExecute|SystemCallFilter/);
  });
  it("make launchd wait one second and leave a server down that ended well", () => {
    const plist = readFileSync(join(root, "setup/launchd", `${LAUNCHD_LABEL}.plist`), "utf8");
    expect(plist).toMatch(/<key>ThrottleInterval<\/key>\s*<integer>1<\/integer>/);
    expect(plist).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/);
    expect(plist).toMatch(/<key>BB_BOX_COUNT_STARTS<\/key>\s*<string>1<\/string>/);
    expect(plist).toContain(`<string>${LAUNCHD_LABEL}</string>`);
    const parsed = spawnSync("python3", ["-c", "import plistlib,sys; plistlib.loads(sys.stdin.buffer.read())"], {
      input: plist,
      encoding: "utf8",
    });
    expect(parsed.error === undefined ? parsed.stderr : "").toBe("");
  });
});

describeWith(["systemd-analyze"], "the systemd unit", () => {
  it("is what systemd takes without a word", () => {
    const folder = join(home, "systemd/user");
    spawnSync("mkdir", ["-p", folder]);
    copyFileSync(join(root, "setup/systemd", SYSTEMD_UNIT), join(folder, SYSTEMD_UNIT));
    const runtime = join(home, "runtime");
    spawnSync("mkdir", ["-p", "-m", "700", runtime]);
    const verified = spawnSync("systemd-analyze", ["--user", "verify", join(folder, SYSTEMD_UNIT)], {
      encoding: "utf8",
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_RUNTIME_DIR: runtime },
    });
    expect(`${verified.stdout}${verified.stderr}`).toBe("");
    expect(verified.status).toBe(0);
  });
});
