import { mkdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { BoxError } from "#host/backends/box-error.ts";
import { quoted, sshBackend, type SshOptions } from "#host/backends/ssh.ts";
import { openHost } from "#host/host.ts";
import { newKeys } from "#host/keys.ts";
import type { Clock } from "#host/ports.ts";
import { systemTimers } from "#launch/timers.ts";
import { describeWith } from "../support/needs.ts";
import { startSshd } from "../support/sshd.ts";
import { temporaryFolder } from "../support/temp.ts";
import { FakeDevice } from "./fake-device.ts";
import { PanelClient } from "./panel-client.ts";
import { FILES } from "./rig.ts";

const clock: Clock = { ...systemTimers, wall: () => Date.now() };

/** What stands for the device server's bundle in the box: joins its stdio to the home's socket, as connect does. */
const CONNECT = `
const { connect } = require("node:net");
const home = process.argv[process.argv.indexOf("--home") + 1];
const socket = connect(home + "/device/device.sock");
socket.on("error", (error) => { console.error("bb-box-device connect: No device server listens there (" + error.code + ")."); process.exit(1); });
process.stdin.pipe(socket).pipe(process.stdout);
socket.on("close", () => process.exit(0));
`;

async function makeBox(installed: boolean, over: Partial<SshOptions> = {}) {
  const sshd = await startSshd();
  const home = temporaryFolder("box");
  const device = new FakeDevice();
  mkdirSync(join(home, "device/server/current"), { recursive: true });
  if (installed) {
    // A bundle ends in .mjs; require is wanted here, so it is wrapped.
    writeFileSync(
      join(home, "device/server/current/bb-box-device.mjs"),
      `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);${CONNECT}`,
    );
    await device.listen(join(home, "device/device.sock"));
  }
  const backend = sshBackend(
    { host: `${sshd.user}@127.0.0.1`, port: sshd.port, identity: sshd.identity, options: sshd.options, home, ...over },
    clock,
  );
  onTestFinished(async () => {
    await backend.close();
    await device.close();
  });
  return { sshd, home, device, backend };
}

async function refusalOf(work: Promise<unknown>): Promise<BoxError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BoxError)) throw new Error(`not a BoxError: ${String(error)}`);
  return error;
}

describeWith(["sshd"], "a box behind a real sshd", () => {
  it("shows its device in the panel, takes control and answers an agent, all over one ssh connection", async () => {
    const { device, backend } = await makeBox(true);
    const home = temporaryFolder("host");
    const keys = newKeys(home);
    const host = await openHost({
      home,
      boxes: [{ id: "far", name: "Far", backend }],
      keys,
      files: FILES,
      port: 0,
      source: null,
      clock,
      log: () => {},
    });
    onTestFinished(() => host.close());
    const browser = new PanelClient(host.port, keys.token, randomUUID(), "far");
    expect(await browser.holder()).toBe("none");
    device.unit(1, true, 200_000);
    await browser.until(() => browser.binary.length > 0);
    expect(browser.binary[0]?.byteLength).toBe(200_010);
    browser.send("BB_CONTROL_TAKE");
    expect(await browser.holder()).toBe("you");
    browser.send("m,10,20,1,0");
    await device.heard("input", (text) => text === "m,10,20,1,0");
    browser.socket.close();
  });

  it("runs commands with its input whole, whatever bytes are in it", async () => {
    const { backend } = await makeBox(true);
    const input = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    const ran = await backend.run(
      `"$NODE" -e 'let n=0,s=0;process.stdin.on("data",(c)=>{n+=c.length;for(const b of c)s+=b});process.stdin.on("end",()=>console.log(n,s,process.env.BB_BOX_HOME))'`,
      {
        input,
        deadlineMs: 20_000,
      },
    );
    const sum = input.reduce((a, b) => a + b, 0);
    expect(ran.stdout.trim()).toMatch(new RegExp(`^100000 ${sum} /`));
    expect(await backend.run("echo it is\\'nt >&2; exit 7", { deadlineMs: 20_000 })).toMatchObject({ code: 7, stderr: "it is'nt" });
  });

  it("without a device server says that it may be brought one", async () => {
    const { backend } = await makeBox(false);
    const error = await refusalOf(backend.connect(new AbortController().signal));
    expect(error.why).toBe("not-installed");
  });

  it("without Node says so, for connections and commands", async () => {
    const { backend } = await makeBox(true, { node: "/no/such/node" });
    expect(await refusalOf(backend.connect(new AbortController().signal))).toMatchObject({
      why: "no-node",
      message: expect.stringMatching(/has no Node/) as string,
    });
    expect((await refusalOf(backend.run("true", { deadlineMs: 20_000 }))).why).toBe("no-node");
  });

  it("with a server that is down gives connect's own words", async () => {
    const { backend, device } = await makeBox(true);
    await device.kill();
    const stream = await backend.connect(new AbortController().signal);
    const error = await new Promise<Error>((resolve) => stream.once("error", resolve));
    expect(error.message).toBe("No device server listens there (ENOENT).");
  });

  it("that is not there is said in ssh's words and ours", async () => {
    const { backend, sshd } = await makeBox(true);
    await sshd.stop();
    const error = await refusalOf(backend.connect(new AbortController().signal));
    expect(error.message).toMatch(/cannot be reached by ssh \(.*Connection refused\)\. Try: ssh /);
  });
});

it("a word for sh stays one word", () => {
  expect(quoted("it's $HOME `x`")).toBe(`'it'\\''s $HOME \`x\`'`);
});

it("a box that was closed opens nothing again", async () => {
  const backend = sshBackend({ host: "nobody@127.0.0.1" }, clock);
  await backend.close();
  expect(await refusalOf(backend.connect(new AbortController().signal))).toMatchObject({ message: "The host is ending." });
  expect(await refusalOf(backend.run("true", { deadlineMs: 1_000 }))).toMatchObject({ message: "The host is ending." });
});
