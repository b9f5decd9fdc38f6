import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { findEmulators } from "#drivers/android/discovery.ts";
import { namesEmulator } from "#drivers/android/engine.ts";
import { type Outside, realOutside } from "#drivers/android/outside.ts";

const PID = 4_321;
const BOOT_S = 1_700_000_000;
const WRITTEN_S = BOOT_S + 1_000;
const QEMU = "/opt/sdk/emulator/qemu/linux-x86_64/qemu-system-x86_64-headless";

interface Process {
  readonly command?: readonly string[];
  /** After the machine's own start. */
  readonly begunS?: number;
}

/** A machine with one discovery file, and what the system tells of the process that it names. */
function machine({ command, begunS }: Process, changes: Partial<Outside> = {}): { readonly outside: Outside; readonly file: string } {
  const root = mkdtempSync(join(tmpdir(), "bb-engine-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "x/avd/running");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `pid_${PID}.ini`);
  writeFileSync(file, "port.serial=5554\nport.adb=5555\navd.id=Small\ngrpc.port=8554\ngrpc.token=t\n");
  utimesSync(file, WRITTEN_S, WRITTEN_S);
  const proc = join(root, "proc");
  mkdirSync(join(proc, String(PID)), { recursive: true });
  writeFileSync(join(proc, "stat"), `cpu 1 2 3\nbtime ${BOOT_S}\n`);
  if (command !== undefined) writeFileSync(join(proc, String(PID), "cmdline"), command.map((word) => `${word}\0`).join(""));
  if (begunS !== undefined) {
    const counted = ["S", ...Array<string>(18).fill("0"), String(begunS * 100)];
    writeFileSync(join(proc, String(PID), "stat"), `${PID} (a ) name) ${counted.join(" ")} 0 0\n`);
  }
  const env = { HOME: join(root, "home"), TMPDIR: join(root, "tmp"), XDG_RUNTIME_DIR: join(root, "x") };
  const outside: Outside = {
    ...realOutside(env),
    platform: "linux",
    runUser: join(root, "run"),
    proc,
    alive: () => true,
    ask: () => Promise.resolve(null),
    ...changes,
  };
  return { outside, file };
}

async function runs(process: Process, changes: Partial<Outside> = {}): Promise<boolean> {
  return (await findEmulators(machine(process, changes).outside)).length === 1;
}

it("a discovery file whose process id another program has by now is no running emulator, and is left where it is", async () => {
  const { outside, file } = machine({ command: ["/usr/bin/node", "server.js"], begunS: 500 });
  expect(await findEmulators(outside)).toEqual([]);
  expect(existsSync(file)).toBe(true);
});

it("an emulator that has the id of one that crashed is not taken for it: it began after the file, and nothing listens there", async () => {
  const later = { command: [QEMU, "-avd", "Other"], begunS: 2_000 };
  expect(await runs(later)).toBe(false);
  expect(await runs({ ...later, begunS: 990 })).toBe(true);
});

it("a clock that was set while an emulator runs does not deny it: it listens at its console", async () => {
  const asked: number[] = [];
  const ask = (port: number) => {
    asked.push(port);
    return Promise.resolve("Android Console");
  };
  expect(await runs({ command: [QEMU, "-avd", "Small"], begunS: 2_000 }, { ask })).toBe(true);
  expect(asked).toEqual([5554]);
});

it("where the system tells nothing of a process, its file counts", async () => {
  expect(await runs({})).toBe(true);
  expect(await runs({ command: [] })).toBe(true);
  expect(await runs({}, { platform: "win32" })).toBe(true);
});

it("on macOS ps tells what a process is", async () => {
  const ps =
    (line: string): Outside["run"] =>
    (file, args) => {
      expect([file, ...args].join(" ")).toBe(`ps -ww -o command= -p ${PID}`);
      return Promise.resolve({ stdout: `${line}\n`, stderr: "", code: 0 });
    };
  const on = (line: string) => runs({}, { platform: "darwin", run: ps(line) });
  expect(await on("/Users/a b/Library/Android/sdk/emulator/qemu/darwin-aarch64/qemu-system-aarch64-headless -avd Small")).toBe(true);
  expect(await on("/System/Library/CoreServices/Dock.app/Contents/MacOS/Dock")).toBe(false);
  expect(await on("")).toBe(true);
});

it.each([
  [QEMU, "-avd", "A"],
  ["emulator", "@A"],
  ["/usr/bin/python3", "test/peers/emulator.py", "--avd", "A"],
  ["/bin/sh", "/sdk/emulator/emulator"],
])("an emulator is known by its engine, its launcher, or a script of that name: %s %s", (...command) => {
  expect(namesEmulator(command)).toBe(true);
});

it.each([["/usr/bin/node"], ["java", "-jar", "/sdk/emulator"], ["vim", "--", "emulator"], ["/sdk/emulator/crashpad_handler"]])(
  "and not by what a program is given: %s %s",
  (...command) => {
    expect(namesEmulator(command)).toBe(false);
  },
);
