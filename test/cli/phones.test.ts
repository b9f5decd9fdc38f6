import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endPhones } from "#cli/phones.ts";
import { systemTimers } from "#launch/timers.ts";
import { temporaryFolder } from "../support/temp.ts";

it("what a killed phone left behind goes with the end, and nothing that is no socket", async () => {
  const home = temporaryFolder();
  const run = join(home, "run");
  mkdirSync(run);
  const socket = join(run, "phone-test-device.sock");
  const listens = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => console.log("listens"))`;
  const phone = spawn(process.execPath, ["-e", listens], { stdio: ["ignore", "pipe", "inherit"] });
  await once(phone.stdout, "data");
  phone.kill("SIGKILL");
  await once(phone, "exit");
  writeFileSync(join(run, "phone-test-device.json"), JSON.stringify({ pid: phone.pid, socket }));
  const precious = join(run, "precious");
  writeFileSync(precious, "");
  writeFileSync(join(run, "phone-other.json"), JSON.stringify({ pid: phone.pid, socket: precious }));
  await endPhones(home, systemTimers);
  expect(readdirSync(run)).toEqual(["precious"]);
});
