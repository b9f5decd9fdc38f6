import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import WebSocket from "ws";
import { decodeVideoHeader } from "#wire/frame.ts";
import { askCli, elements } from "../support/cli.ts";
import { describeWith } from "../support/needs.ts";
import { ROOT, startProduct } from "../support/product.ts";
import { type Sshd, startSshd } from "../support/sshd.ts";
import { temporaryFolder } from "../support/temp.ts";

const LEAST_VIDEO_BYTES = 10_000_000;
const EACH_WAY_BYTES = 100 * 1024;

/** The product on a home of its own, and an sshd that lets us in; both end with the test. */
async function reachable(): Promise<Far> {
  const home = temporaryFolder("bb-ssh");
  const sshd = await startSshd();
  const product = await startProduct({ home, scene: "busy" });
  onTestFinished(async () => void (await product.stop()));
  return { home, sshd };
}

interface Far {
  readonly home: string;
  readonly sshd: Sshd;
}

/** The far end's stdin and stdout, as a host has them. */
function connect({ home, sshd }: Far): { child: ChildProcess; stderr: () => string } {
  const options = ["BatchMode=yes", ...sshd.options].flatMap((option) => ["-o", option]);
  const way = ["-T", "-F", "/dev/null", "-p", String(sshd.port), "-i", sshd.identity, ...options, `${sshd.user}@127.0.0.1`];
  const child = spawn("ssh", [...way, process.execPath, join(ROOT, "build/bb-box-device.mjs"), "connect", "--home", home]);
  onTestFinished(() => void child.kill("SIGTERM"));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return { child, stderr: () => said };
}

/** `heard` gets every message from the first on. */
async function open(far: Far, role: string, heard: (data: Buffer, binary: boolean) => void): Promise<WebSocket> {
  const { child, stderr } = connect(far);
  const duplex = Duplex.from({ readable: child.stdout as NodeJS.ReadableStream, writable: child.stdin as NodeJS.WritableStream });
  const socket = new WebSocket(`ws://device/device?role=${role}&instance=${randomUUID()}&since=${Date.now()}`, {
    createConnection: (() => duplex) as never,
    perMessageDeflate: false,
  });
  socket.on("message", heard);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", () => resolve());
    socket.once("error", (error) => reject(new Error(`${error.message}: ${stderr()}`)));
  });
  return socket;
}

describeWith(["sshd", "root"], "connect through a real sshd", () => {
  it("upgrades and carries 10 MB of video, every unit whole and in order", async () => {
    let bytes = 0;
    let last: number | null = null;
    let keys = 0;
    const wrong: string[] = [];
    const acks: number[] = [];
    const socket = await open(await reachable(), "viewer", (data, binary) => {
      if (!binary) return;
      const header = decodeVideoHeader(data);
      if (header === null) return void wrong.push("a message that is no video unit");
      if (last !== null && !header.key && header.id !== (last + 1) % 65536) wrong.push(`unit ${header.id} after ${last}`);
      if (header.key) keys += 1;
      last = header.id;
      acks.push(header.id);
      bytes += data.length;
    });
    socket.on("message", () => {
      for (const id of acks.splice(0)) socket.send(`CLIENT_FRAME_ACK ${id}`);
    });
    await expect.poll(() => bytes, { timeout: 90_000 }).toBeGreaterThanOrEqual(LEAST_VIDEO_BYTES);
    expect(wrong).toEqual([]);
    expect(keys).toBeGreaterThanOrEqual(1);
    socket.terminate();
  }, 120_000);

  it("carries 100 KiB each way: text up into the phone's field, a screenshot down", async () => {
    const far = await reachable();
    const { home } = far;
    await askCli(home, ["control", "open", "bb-test://notes"]);
    const field = (await elements(home)).find((element) => element.can?.edit === true);
    if (field === undefined) throw new Error("no text field on the notes page");
    await askCli(home, ["tap", String(field.frame.x + field.frame.width / 2), String(field.frame.y + 40)]);
    const held = field.value ?? "";
    const text = "な".repeat(Math.ceil(EACH_WAY_BYTES / 3));

    // The later start takes the lease from the host, as another host's would.
    const answers = new Map<string, { ok: boolean; png?: string; elements?: unknown }>();
    let owner: number | null = null;
    const socket = await open(far, "control", (data) => {
      const [verb = "", ...rest] = data.toString().split(" ");
      if (verb === "BB_DEVICE_HELLO") owner = (JSON.parse(rest.join(" ")) as { owner: { generation: number } }).owner.generation;
      if (verb !== "BB_DEVICE_ANSWER") return;
      const answer = JSON.parse(rest.join(" ")) as { id: string; ok: boolean };
      answers.set(answer.id, answer);
    });
    await expect.poll(() => owner).not.toBeNull();
    const ask = (request: { id: string; type: string } & Record<string, unknown>) => socket.send(`BB_DEVICE ${JSON.stringify(request)}`);
    const answered = (id: string) => expect.poll(() => answers.get(id), { timeout: 40_000 });
    const generation = Number(owner) + 1;
    ask({ id: "own", type: "owner", generation, holder: "agent" });
    await answered("own").toMatchObject({ ok: true });
    ask({ id: "up", type: "input", input: { type: "text", text }, owner: generation });
    await answered("up").toMatchObject({ ok: true });
    ask({ id: "tree", type: "tree" });
    await answered("tree").toMatchObject({ ok: true });
    expect(JSON.stringify(answers.get("tree")?.elements)).toContain(held + text);
    ask({ id: "down", type: "screenshot" });
    await answered("down").toMatchObject({ ok: true });
    expect(answers.get("down")?.png?.length).toBeGreaterThan(EACH_WAY_BYTES);
    socket.terminate();
  }, 90_000);

  it("says in words that nothing listens, on stderr alone, and ends with a code", async () => {
    const { child, stderr } = connect({ home: temporaryFolder("bb-ssh"), sshd: await startSshd() });
    let stdout = "";
    child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr()).toMatch(/device server/i);
  });
});
