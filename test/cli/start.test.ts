import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { PanelClient } from "../host/panel-client.ts";
import { tellWhenFailed } from "../support/failed.ts";
import { ROOT } from "../support/product.ts";
import { temporaryFolder } from "../support/temp.ts";

const MAIN = join(ROOT, "build/bb-box-device.mjs");

interface Ready {
  readonly ready: true;
  readonly url: string;
  readonly token: string;
  readonly socket: string;
  readonly device: string;
  readonly encoder: { readonly name: string };
}

interface Started {
  readonly home: string;
  readonly child: ChildProcess;
  readonly line: Promise<Ready>;
  readonly ended: Promise<number | null>;
  readonly stderr: () => string;
}

const running = new Set<Started>();
afterEach(async (context) => {
  const said = [...running].map(({ stderr }) => stderr());
  const logs = [...running].flatMap(({ home }) => [join(home, "logs/device.log"), join(home, "logs/host.log")]);
  tellWhenFailed(context, said, logs);
  for (const started of running) started.child.kill("SIGTERM");
  await Promise.all([...running].map((started) => started.ended));
  running.clear();
});

function start(home: string, ...more: string[]): Started {
  const args = [MAIN, "start", "--json", "--no-open", "--port", "0", "--home", home, "--model", "360x640", "--scene", "still", ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_RUNTIME_DIR: "" } });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const line = new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", (text) => resolve(JSON.parse(text) as Ready));
    void ended.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  line.catch(() => {});
  const started = { home, child, line, ended, stderr: () => stderr };
  running.add(started);
  return started;
}

async function command(home: string, ...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args, "--home", home], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Every live process whose command line names this text. */
function processesOf(text: string): { pid: number; args: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").join(" ");
      return args.includes(text) ? [{ pid: Number(name), args }] : [];
    } catch {
      return [];
    }
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

function left(home: string): string[] {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.sock$|region-|running\.json|open\.html|phone-.*\.json$/.test(name) && !name.includes("phone-data"));
}

const portOf = (ready: Ready) => Number(new URL(ready.url).port);
const pidOf = (home: string, what: string) => processesOf(home).find(({ args }) => args.includes(` ${what} `))?.pid ?? 0;

it("one JSON line when a device can be used; SIGTERM ends it with 0 within two seconds and leaves nothing", async () => {
  const home = temporaryFolder();
  const started = start(home);
  const ready = await started.line;
  expect(ready).toMatchObject({ ready: true, device: "360x640", socket: join(home, "device/device.sock") });
  expect(ready.encoder.name).not.toBe("");
  expect(ready.url).toBe(`http://127.0.0.1:${portOf(ready)}/#token=${ready.token}`);
  const tapped = await command(home, "tap", "100", "100", "--json");
  expect(tapped).toMatchObject({ code: 0 });
  expect(JSON.parse(tapped.stdout)).toMatchObject({ ok: true });
  const at = process.hrtime.bigint();
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(0);
  expect(Number(process.hrtime.bigint() - at) / 1e6).toBeLessThan(2_000);
  expect(processesOf(home)).toEqual([]);
  expect(left(home)).toEqual([]);
});

it("the token is in no process list, no environment and no log, and only its user can read where it lies", async () => {
  const home = temporaryFolder();
  const ready = await start(home).line;
  await fetch(`http://127.0.0.1:${portOf(ready)}/?token=${ready.token}`);
  await command(home, "status");
  const ours = processesOf(home);
  expect(ours.length).toBeGreaterThanOrEqual(4);
  for (const { pid, args } of ours) {
    expect(args).not.toContain(ready.token);
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(ready.token);
  }
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, name);
    if (!statSync(path).isFile() || !readFileSync(path).includes(ready.token)) continue;
    expect(name).toMatch(/^host\/(keys|running)\.json$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  expect(statSync(join(home, "host")).mode & 0o777).toBe(0o700);
});

it("a second start prints the running link and ends 0; two at once make one", async () => {
  const home = temporaryFolder();
  const [one, two] = [start(home), start(home)];
  const [first, second] = await Promise.all([one.line, two.line]);
  expect(second.url).toBe(first.url);
  const phone = pidOf(home, "test-phone");
  expect(phone).toBeGreaterThan(0);
  const third = await command(home, "start", "--json", "--port", "0");
  expect(third.code).toBe(0);
  expect((JSON.parse(third.stdout) as Ready).url).toBe(first.url);
  expect(await Promise.race([one.ended, two.ended])).toBe(0);
  expect(processesOf(home).filter(({ args }) => args.includes(" serve "))).toHaveLength(1);
  // The one that lost put nothing of the other's away, and did not change its link.
  expect(pidOf(home, "test-phone")).toBe(phone);
  const log = readFileSync(join(home, "logs/device.log"), "utf8");
  expect(log.match(/: booted\./g)).toHaveLength(1);
  process.kill(pidOf(home, "host"), "SIGKILL");
  let status = 0;
  while (status === 0) {
    status = await fetch(`http://127.0.0.1:${portOf(first)}/api/boxes`, { headers: { authorization: `Bearer ${first.token}` } }).then(
      (response) => response.status,
      () => 0,
    );
  }
  expect(status).toBe(200);
});

it("a device server that is killed is there again within a second, and the picture within two", async () => {
  const home = temporaryFolder();
  const ready = await start(home).line;
  const viewer = randomUUID();
  const before = new PanelClient(portOf(ready), ready.token, viewer);
  await before.until(() => before.binary.length > 0);
  const old = pidOf(home, "serve");
  const at = process.hrtime.bigint();
  process.kill(old, "SIGKILL");
  expect((await before.end()).code).toBe(1012);
  let pictured = false;
  let after: PanelClient | null = null;
  while (!pictured) {
    const client = new PanelClient(portOf(ready), ready.token, viewer);
    after = client;
    await client.until(() => client.binary.length > 0 || client.closed !== null);
    pictured = client.binary.length > 0;
  }
  expect(Number(process.hrtime.bigint() - at) / 1e6).toBeLessThan(2_000);
  expect(pidOf(home, "serve")).not.toBe(old);
  after?.socket.close();
});

it("a host that is killed is there again at the same link, and the device lives on", async () => {
  const home = temporaryFolder();
  const ready = await start(home).line;
  const phone = pidOf(home, "test-phone");
  const old = pidOf(home, "host");
  process.kill(old, "SIGKILL");
  await until(() => ![0, old].includes(pidOf(home, "host")));
  let boxes: Response | null = null;
  while (boxes === null) {
    boxes = await fetch(`http://127.0.0.1:${portOf(ready)}/api/boxes`, { headers: { authorization: `Bearer ${ready.token}` } }).catch(
      () => null,
    );
  }
  expect(boxes.status).toBe(200);
  expect(pidOf(home, "test-phone")).toBe(phone);
});

it("a start that is killed without a word takes everything it started with it", async () => {
  const home = temporaryFolder();
  const started = start(home);
  await started.line;
  started.child.kill("SIGKILL");
  await started.ended;
  await until(() => processesOf(home).length === 0);
  expect(left(home)).toEqual([]);
});

it("an old link says so after a new start", async () => {
  const home = temporaryFolder();
  const first = start(home);
  const old = await first.line;
  first.child.kill("SIGINT");
  expect(await first.ended).toBe(0);
  const now = await start(home).line;
  expect(now.token).not.toBe(old.token);
  const refused = await fetch(`http://127.0.0.1:${portOf(now)}/api/boxes`, { headers: { authorization: `Bearer ${old.token}` } });
  expect(await refused.json()).toMatchObject({ error: { code: "old-link" } });
});

it("a taken port, a wrong option and a home in use are said in words with exit codes of their own", async () => {
  const home = temporaryFolder();
  const taken = createServer();
  taken.listen(0, "127.0.0.1");
  await once(taken, "listening");
  const port = (taken.address() as AddressInfo).port;
  const started = start(home, "--port", String(port));
  const ready = await started.line;
  expect(portOf(ready)).not.toBe(port);
  expect(started.stderr()).toContain(`Port ${port} is taken, so the panel is at port ${portOf(ready)}.`);
  taken.close();
  const server = await command(home, "serve");
  expect(server.code).toBe(3);
  expect(server.stderr).toContain("Another device server already runs on");
  expect((await command(home, "host")).code).toBe(3);
  const wrong = await command(home, "start", "--port", "x");
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/--port takes a number/) as string });
  const far = await command(home, "tap", "99999", "3");
  expect(far).toMatchObject({ code: 2, stderr: expect.stringMatching(/^X is a number of pixels, at most 65535, not "99999"\./) as string });
  const nothing = await command(temporaryFolder(), "status", "--json");
  expect(nothing.code).toBe(4);
  expect(JSON.parse(nothing.stdout)).toMatchObject({ ok: false, error: { words: expect.stringMatching(/Nothing runs/) as string } });
});

it("what the device server cannot read of the command line ends the start as what start itself cannot", async () => {
  for (const [args, words] of [
    [["--device", "toaster"], /--device takes test, android/],
    [["--fps", "0"], /--fps takes whole frames a second, 1 to 60, not "0"/],
    [["--scene", "nope"], /--scene takes demo, still, busy/],
  ] as const) {
    const home = temporaryFolder();
    const started = start(home, ...args);
    expect(await started.ended).toBe(2);
    expect(started.stderr()).toMatch(words);
    expect(started.stderr()).toContain("See: bb-box-device start --help");
    expect(existsSync(join(home, "host/running.json"))).toBe(false);
  }
});

it("a home whose socket's path is too long, and a file in the socket's place, end the start at once in words, and nothing is deleted", async () => {
  const folder = temporaryFolder();
  const long = join(folder, "x".repeat(100));
  const tooLong = await command(long, "start", "--port", "0");
  expect(tooLong.code).toBe(6);
  expect(tooLong.stderr.match(/this system takes \d+ at most/g)).toHaveLength(1);
  expect(existsSync(long)).toBe(false);
  const home = join(folder, "home");
  const file = join(home, "device", "device.sock");
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, "precious");
  const taken = await command(home, "start", "--port", "0", "--device", "test");
  expect(taken.code).toBe(1);
  expect(taken.stderr.match(/is not a socket, so it is left alone/g)).toHaveLength(1);
  expect(readFileSync(file, "utf8")).toBe("precious");
  expect(processesOf(home)).toEqual([]);
});

it("an addon that does not load ends the start at once, with what it says and where to look", async () => {
  const home = temporaryFolder();
  const child = spawn(process.execPath, [MAIN, "start", "--json", "--port", "0", "--home", home], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, BB_DEVICE_ADDON: "/no/such/device.node" },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const at = process.hrtime.bigint();
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(1);
  expect(Number(process.hrtime.bigint() - at) / 1e6).toBeLessThan(5_000);
  expect(stderr).toContain("/no/such/device.node: there is no such file");
  expect(stderr).toContain("See: bb-box-device doctor");
});

it("the commands on a running box: screenshot, tree, text, control, logs and doctor", async () => {
  const home = temporaryFolder();
  await start(home).line;
  const file = join(home, "screen.png");
  expect((await command(home, "screenshot", file)).stderr).toContain("360x640");
  expect(readFileSync(file).subarray(1, 4).toString()).toBe("PNG");
  expect(JSON.parse((await command(home, "tree", "--json")).stdout)).toMatchObject({ ok: true });
  expect((await command(home, "control", "appearance", "dark")).code).toBe(0);
  const status = JSON.parse((await command(home, "status", "--json")).stdout) as { boxes: { owner: { holder: string } }[] };
  expect(status.boxes[0]?.owner.holder).toBe("agent");
  const refused = await command(home, "control", "switch", "Nokia", "--json");
  expect(refused.code).toBe(5);
  expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, error: { code: "unknown-device" } });
  const box = await command(home, "tree", "--box", "nowhere");
  expect(box).toMatchObject({ code: 1, stderr: 'There is no box "nowhere". There is: local.\n' });
  const modifiers = await command(home, "key", "a", "--modifiers", "hyper");
  expect(modifiers).toMatchObject({ code: 2, stderr: "--modifiers takes shift, control, alt, meta, not hyper.\n" });
  expect((await command(home, "logs")).stdout).toContain("The panel listens on");
  const doctor = JSON.parse((await command(home, "doctor", "--json")).stdout) as { checks: { name: string; is: string }[] };
  expect(doctor.checks.map((check) => check.name)).toEqual([
    "node",
    "libc",
    "addon",
    "encoder",
    "Android SDK",
    "home",
    "port",
    "browser",
    "box local",
  ]);
  expect(doctor.checks.filter((check) => check.is === "bad")).toEqual([]);
});
