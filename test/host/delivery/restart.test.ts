import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runProgram } from "#host/backends/run.ts";
import { restart } from "#host/delivery/steps.ts";
import type { Backend } from "#host/ports.ts";
import { systemTimers } from "#launch/timers.ts";
import { temporaryFolder } from "../../support/temp.ts";

const UNIT = Buffer.from("[Service]\nRestart=always\n");

/** A box of one folder: its home, and programs of its own before the machine's in its PATH, each noting how it was called. */
function box(programs: Readonly<Record<string, string>> = {}) {
  const home = temporaryFolder();
  const bin = join(home, "bin");
  const device = join(home, ".bb-box/device");
  const calls = join(home, "calls");
  mkdirSync(bin);
  mkdirSync(join(device, "server/current"), { recursive: true });
  writeFileSync(
    join(device, "server/current/bb-box-device.mjs"),
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(calls)}, "main " + process.argv.slice(2).join(" ") + "\\n");`,
  );
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>"${calls}"\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const clock = { ...systemTimers, wall: () => Date.now() };
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, NODE: process.execPath, BB_BOX_HOME: join(home, ".bb-box") };
  const backend: Pick<Backend, "run"> = { run: (script, options) => runProgram("/bin/sh", ["-c", script], { ...options, env }, clock) };
  return {
    home,
    device,
    restart: () => restart(backend as Backend, UNIT),
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
  };
}

/** No service manager answers here, whatever the machine of the test has. */
const NO_MANAGER = { systemctl: "exit 1", launchctl: "exit 1" };
/** `show-environment` and the rest succeed. */
const SYSTEMD = { systemctl: "exit 0", loginctl: "exit 0" };

it("where the user has systemd its unit is put in place, enabled and started, and a given-up one is forgiven", async () => {
  const { home, restart: go, calls } = box(SYSTEMD);
  expect(await go()).toBeNull();
  expect(readFileSync(join(home, ".config/systemd/user/bb-box-device.service"), "utf8")).toBe(UNIT.toString());
  expect(calls()).toEqual([
    "systemctl --user show-environment",
    "systemctl --user daemon-reload",
    "systemctl --user enable bb-box-device.service",
    "loginctl enable-linger",
    "systemctl --user reset-failed bb-box-device.service",
    "systemctl --user restart bb-box-device.service",
  ]);
});

it("a unit that would end with the user's last session is said, with what to do about it", async () => {
  const { restart: go, calls } = box({ ...SYSTEMD, loginctl: 'echo "Access denied" >&2; exit 1' });
  const words = await go();
  expect(words).toContain("ends with this user's last session");
  expect(words).toContain("Access denied");
  expect(words).toMatch(/As root: loginctl enable-linger \S+$/);
  expect(calls().at(-1)).toBe("systemctl --user restart bb-box-device.service");
});

it("a unit that a person wrote is left as it is", async () => {
  const { home, restart: go, calls } = box(SYSTEMD);
  const file = join(home, ".config/systemd/user/bb-box-device.service");
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "mine");
  await go();
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect(calls()).not.toContain("systemctl --user daemon-reload");
  expect(calls().at(-1)).toBe("systemctl --user restart bb-box-device.service");
});

it("systemd's own refusal comes back in its words", async () => {
  const { restart: go } = box({ systemctl: 'case "$2" in restart) echo "Unit is masked." >&2; exit 1;; esac' });
  await expect(go()).rejects.toThrow("The device server could not be started in the box: Unit is masked.");
});

it("on a Mac whose agent is loaded launchd kicks it", async () => {
  const { restart: go, calls } = box({ uname: "echo Darwin", launchctl: "exit 0" });
  await go();
  const uid = spawnSync("id", ["-u"], { encoding: "utf8" }).stdout.trim();
  expect(calls().filter((call) => call.startsWith("launchctl"))).toEqual([
    `launchctl print gui/${uid}/dev.bb-box.device`,
    `launchctl kickstart -k gui/${uid}/dev.bb-box.device`,
  ]);
});

it("without a service manager our own keeper is told, and only then it is over", async () => {
  const { device, restart: go, calls } = box(NO_MANAGER);
  let told = "";
  const keeper = createServer((socket) => {
    socket.once("data", (chunk) => {
      told = chunk.toString();
      socket.end("ok\n");
    });
  });
  await new Promise<void>((resolve) => void keeper.listen(join(device, "keeper.sock"), resolve));
  onTestFinished(() => void keeper.close());
  await go();
  expect(told).toBe("restart\n");
  expect(calls().some((call) => call.startsWith("main"))).toBe(false);
});

it("a device server that somebody started by hand is not replaced behind their back", async () => {
  const { device, restart: go, calls } = box(NO_MANAGER);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => void server.listen(join(device, "device.sock"), resolve));
  onTestFinished(() => void server.close());
  await expect(go()).rejects.toThrow(/started by hand; end it, and it is started anew/);
  expect(calls().some((call) => call.startsWith("main"))).toBe(false);
});

it("where nothing runs a keeper is started, which outlives the command that started it", async () => {
  const { home, restart: go, calls } = box(NO_MANAGER);
  await go();
  while (!calls().some((call) => call.startsWith("main"))) await new Promise((resolve) => setImmediate(resolve));
  expect(calls().at(-1)).toBe(`main serve --keep --home ${join(home, ".bb-box")}`);
});
