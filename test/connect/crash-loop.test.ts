/** A crash loop ends in words: the program itself, started again and again as each service manager would, and stand-ins that record their calls. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runConnect } from "#connect/connect.ts";
import { LAUNCHD_LABEL, SYSTEMD_UNIT, type RunCommand } from "#connect/service.ts";
import { killPhones } from "../server/processes/rig.ts";
import { temporaryFolder } from "../support/temp.ts";

const program = fileURLToPath(new URL("../../build/bb-box-device.mjs", import.meta.url));

/** A program of this name that writes its arguments down and answers with what the state file says. */
function standIn(folder: string, name: string): { calls: () => string[]; answer: (text: string) => void; path: string } {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const calls = join(folder, `${name}.calls`);
  const state = join(folder, `${name}.state`);
  writeFileSync(state, "");
  writeFileSync(join(bin, name), `#!/bin/sh\necho "$*" >> "${calls}"\ncat "${state}"\n`);
  chmodSync(join(bin, name), 0o755);
  return {
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trimEnd().split("\n") : []),
    answer: (text) => writeFileSync(state, text),
    path: bin,
  };
}

describe("a crash loop", () => {
  it("under systemd ends in words through connect, which starts nothing", () => {
    const folder = temporaryFolder("bbl");
    const home = join(folder, "home");
    const systemctl = standIn(folder, "systemctl");
    const env = { ...process.env, PATH: `${systemctl.path}:${process.env["PATH"] ?? ""}` };
    // As the unit says: started again until ten starts within a minute have failed.
    let status = 0;
    for (let start = 0; start < 10; start++) {
      const served = spawnSync(process.execPath, [program, "serve", "--home", home, "--device", "test"], {
        env: { ...env, BB_DEVICE_ADDON: join(folder, "no-such.node") },
        encoding: "utf8",
      });
      status = served.status ?? 0;
      expect(served.stderr).toMatch(/no-such\.node/);
    }
    expect(status).not.toBe(0);
    systemctl.answer(
      `LoadState=loaded\nActiveState=failed\nSubState=failed\nResult=start-limit-hit\nNRestarts=10\nExecMainStatus=${status}\n`,
    );
    const joined = spawnSync(process.execPath, [program, "connect", "--home", home], { env, encoding: "utf8", input: "" });
    expect(joined.status).toBe(1);
    expect(joined.stdout).toBe("");
    expect(joined.stderr).toContain(`given it up (10 restarts, last exit status ${status}). See why with: journalctl --user`);
    expect(systemctl.calls()).toEqual([`--user show ${SYSTEMD_UNIT} -p LoadState,ActiveState,SubState,Result,NRestarts,ExecMainStatus`]);
  }, 60_000);

  it("under launchd is ended by the server itself, which counts its starts, and connect says so", async () => {
    const folder = temporaryFolder("bbl");
    const home = join(folder, "home");
    const launchctl = standIn(folder, "launchctl");
    launchctl.answer("\tstate = not running\n\truns = 11\n\tlast exit code = 0\n");
    const once = (): Promise<number | null> =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [program, "serve", "--home", home, "--device", "test", "--scene", "still"], {
          env: { ...process.env, BB_BOX_COUNT_STARTS: "1" },
          stdio: ["ignore", "ignore", "pipe"],
        });
        child.once("error", reject);
        child.once("exit", (code) => resolve(code));
        // Its crash: killed as soon as it listens.
        child.stderr.on("data", (chunk) => {
          if (String(chunk).includes("Listening on")) child.kill("SIGKILL");
        });
      });
    const codes: (number | null)[] = [];
    while (codes.at(-1) !== 0 && codes.length < 12) codes.push(await once());
    expect(codes).toEqual([...Array.from({ length: 10 }, () => null), 0]);
    const stderr = new PassThrough();
    let said = "";
    stderr.on("data", (chunk) => (said += String(chunk)));
    const run: RunCommand = (command, args) => {
      const ran = spawnSync(join(launchctl.path, command), args, { encoding: "utf8" });
      return Promise.resolve({ ok: ran.status === 0, missing: false, stdout: ran.stdout, stderr: ran.stderr });
    };
    const stdout = new PassThrough();
    const code = await runConnect({ home: join(home, "device"), stdin: new PassThrough(), stdout, stderr, platform: "darwin", run });
    expect(code).toBe(1);
    expect(said).toMatch(/crashed 10 times within a minute, so it has given up/);
    expect(launchctl.calls()).toEqual([`print gui/${process.getuid?.()}/${LAUNCHD_LABEL}`]);
    killPhones(join(home, "device"));
  }, 120_000);
});
