import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";

import { describe, expect, test } from "vitest";

import { livePhones, reachPhone } from "#drivers/phone/life.ts";
import { phonePlaces } from "#drivers/phone/places.ts";
import { LONGEST_LINE } from "#drivers/phone/protocol.ts";
import { realClock, runTestPhone } from "#drivers/phone/process.ts";

import { addon, homes, lookAt, phoneProcess } from "./rig.ts";

const { home } = homes();
const { command } = phoneProcess();
const MODEL = "360x640";
const deaf = { notice: () => undefined, closed: () => undefined };

async function started(folder: string, model = MODEL): Promise<ReturnType<typeof spawn>> {
  const [file, bundle] = command;
  const env = { ...process.env, BB_DEVICE_ADDON: addon.path };
  const { run, discovery, failure } = phonePlaces(folder, model);
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const watcher = watch(run);
  const child = spawn(file, [bundle, "--home", folder, "--model", model, "--scene", "still"], { env, stdio: "ignore" });
  while (!existsSync(discovery) && !existsSync(failure)) await once(watcher, "change");
  watcher.close();
  return child;
}

describe("a phone's process", () => {
  test("ends with 0 at SIGTERM, and leaves what it keeps but nothing in the run folder", async () => {
    const folder = home();
    const places = phonePlaces(folder, MODEL);
    const child = await started(folder);
    const { client } = await lookAt(folder, MODEL);
    await client.ask({ ask: "control", control: { action: "appearance", to: "dark" } });
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(readdirSync(places.run)).toEqual([]);
    expect(JSON.parse(readFileSync(places.data, "utf8"))).toMatchObject({ dark: true });
  });

  test("ends at once at SIGTERM although a control of it still hangs", async () => {
    const folder = home();
    const child = await started(folder);
    const { client, closed } = await lookAt(folder, MODEL);
    await client.ask({ ask: "fault", fault: "hang-control", ms: 600_000 });
    const hung = client.ask({ ask: "control", control: { action: "home" } });
    child.kill("SIGTERM");
    await expect(hung).rejects.toThrow(/has ended/);
    await closed;
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("of a model that runs already ends with 1 and leaves its reason, and the first lives on", async () => {
    const folder = home();
    const first = await started(folder);
    const world = { binding: addon.binding, clock: realClock(), pid: 1, onEnd: () => undefined, crash: () => undefined };
    // A lock is a process's, so the second one is a process too.
    const [file, bundle] = command;
    const second = spawn(file, [bundle, "--home", folder, "--model", MODEL], { env: { ...process.env, BB_DEVICE_ADDON: addon.path } });
    expect(await once(second, "exit")).toEqual([1, null]);
    expect(readFileSync(phonePlaces(folder, MODEL).failure, "utf8")).toMatch(/already runs/);
    expect(await livePhones(folder, world.clock)).toEqual([MODEL]);
    first.kill("SIGTERM");
    await once(first, "exit");
  });

  test("does not delete a file that lies in its socket's place", async () => {
    const folder = home();
    const places = phonePlaces(folder, MODEL);
    mkdirSync(places.run, { mode: 0o700 });
    writeFileSync(places.socket, "precious");
    const world = { binding: addon.binding, clock: realClock(), pid: 1, onEnd: () => undefined, crash: () => undefined };
    expect(await runTestPhone({ home: folder, model: MODEL, scene: "still" }, world)).toBe(1);
    expect(readFileSync(places.failure, "utf8")).toMatch(/is not a socket/);
    await expect(reachPhone(folder, MODEL, world.clock, deaf)).rejects.toThrow(/is not a socket/);
    expect(readFileSync(places.socket, "utf8")).toBe("precious");
  });

  test("unknown to the drawing leaves its reason", async () => {
    const folder = home();
    const world = { binding: addon.binding, clock: realClock(), pid: 1, onEnd: () => undefined, crash: () => undefined };
    expect(await runTestPhone({ home: folder, model: "Nexus", scene: "still" }, world)).toBe(1);
    expect(readFileSync(phonePlaces(folder, "Nexus").failure, "utf8")).toMatch(/no test phone named Nexus/);
  });
});

describe("a phone's socket", () => {
  test("answers what it does not know under its own id and goes on; a line without end ends its own connection only", async () => {
    const folder = home();
    const child = await started(folder);
    const { socket } = phonePlaces(folder, MODEL);
    const rude = connect(socket).setEncoding("utf8");
    rude.write('{"id":7,"ask":"dance"}\n{"id":9,"ask":"key","key":"a"}\n{"id":8,"ask":"hello"}\n');
    let heard = "";
    while (heard.split("\n").length < 4) heard += String((await once(rude, "data"))[0]);
    const answers = heard
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(answers).toMatchObject([
      { id: 7, ok: false, code: "bad-value", words: expect.stringContaining("dance") },
      { id: 9, ok: false, code: "bad-value", words: expect.stringContaining("down") },
      { id: 8, ok: true },
    ]);
    const other = await lookAt(folder, MODEL);
    rude.on("error", () => undefined);
    rude.write("x".repeat(LONGEST_LINE + 1));
    await once(rude, "close");
    expect(await other.state()).toMatchObject({ model: MODEL });
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  test.each(["nonsense", '{"ask":"hello"}', '{"id":"7","ask":"hello"}'])(
    "closes on %s, whose answer nobody could know, in words and with nothing done after it; the others stay",
    async (line) => {
      const folder = home();
      const child = await started(folder);
      const other = await lookAt(folder, MODEL);
      const rude = connect(phonePlaces(folder, MODEL).socket).setEncoding("utf8");
      rude.write(`${line}\n{"id":2,"ask":"set-clipboard","text":"late"}\n`);
      let heard = "";
      rude.on("data", (text: string) => (heard += text));
      await once(rude, "close");
      expect(JSON.parse(heard)).toMatchObject({ id: null, ok: false, code: "bad-value", words: expect.stringContaining("closed") });
      expect(await other.client.ask({ ask: "clipboard" })).not.toBe("late");
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  );

  test("cuts off a client that never reads, and the others stay", async () => {
    const folder = home();
    const child = await started(folder);
    const other = await lookAt(folder, MODEL);
    await other.client.ask({ ask: "set-clipboard", text: "x".repeat(4 * 1024 * 1024) });
    const deafEar = connect(phonePlaces(folder, MODEL).socket).pause();
    deafEar.on("error", () => undefined);
    deafEar.write(Array.from({ length: 12 }, (_, id) => `{"id":${id},"ask":"clipboard"}\n`).join(""));
    await other.entry((entry) => entry.what === "disconnected");
    expect(await other.state()).toMatchObject({ model: MODEL });
    deafEar.destroy();
    child.kill("SIGTERM");
    await once(child, "exit");
  });
});

describe("a phone whose socket somebody deletes", () => {
  /** A phone in this process, whose clock a test moves. */
  async function here(folder: string) {
    const timers = new Set<() => void>();
    const after = (_ms: number, call: () => void) => {
      timers.add(call);
      return () => void timers.delete(call);
    };
    let end: () => void = () => undefined;
    const clock = { now: () => 0, wall: () => 0, after };
    const world = { binding: addon.binding, clock, pid: 1, onEnd: (call: () => void) => (end = call), crash: () => undefined };
    const ended = runTestPhone({ home: folder, model: MODEL, scene: "still" }, world);
    await expect.poll(() => existsSync(phonePlaces(folder, MODEL).discovery)).toBe(true);
    const pass = (): void => {
      const due = [...timers];
      timers.clear();
      for (const timer of due) timer();
    };
    return { ended, end: () => end(), pass };
  }

  test("makes it and its discovery file anew, and is found again; who is connected stays", async () => {
    const folder = home();
    const phone = await here(folder);
    const { socket, run } = phonePlaces(folder, MODEL);
    const before = await lookAt(folder, MODEL);
    rmSync(socket);
    // As a device server does that looks for it just then.
    expect(await livePhones(folder, realClock())).toEqual([]);
    phone.pass();
    await expect.poll(() => livePhones(folder, realClock())).toEqual([MODEL]);
    expect(await before.state()).toMatchObject({ model: MODEL });
    phone.end();
    expect(await phone.ended).toBe(0);
    expect(readdirSync(run)).toEqual([]);
  });

  test("with its whole home lives on while somebody is connected, and then ends, since nobody can find it any more", async () => {
    const folder = home();
    const phone = await here(folder);
    const look = await lookAt(folder, MODEL);
    rmSync(folder, { recursive: true });
    phone.pass();
    expect(await look.state()).toMatchObject({ model: MODEL });
    look.client.close();
    await expect.poll(() => (phone.pass(), Promise.race([phone.ended, "lives"]))).toBe(0);
  });

  test("and who finds another's in its place by then leaves that one alone and ends", async () => {
    const folder = home();
    const phone = await here(folder);
    const { run, socket } = phonePlaces(folder, MODEL);
    rmSync(folder, { recursive: true });
    mkdirSync(run, { recursive: true, mode: 0o700 });
    const other = createServer().listen(socket);
    await once(other, "listening");
    phone.pass();
    expect(await phone.ended).toBe(0);
    expect(existsSync(socket)).toBe(true);
    other.close();
    await once(other, "close");
  });
});

describe("looking for phones", () => {
  test("one that takes connections but never answers is told in words and left alone", async () => {
    const folder = home();
    const places = phonePlaces(folder, MODEL);
    mkdirSync(places.run, { mode: 0o700 });
    const silent = createServer((socket) => socket.resume());
    silent.listen(places.socket);
    await once(silent, "listening");
    writeFileSync(places.discovery, JSON.stringify({ pid: 1, socket: places.socket, model: MODEL, started: 0 }));
    const impatient = { after: (_ms: number, call: () => void) => (setImmediate(call), () => undefined) };
    await expect(reachPhone(folder, MODEL, impatient, deaf)).rejects.toThrow(/does not answer/);
    expect([places.socket, places.discovery].map(existsSync)).toEqual([true, true]);
    silent.close();
    await once(silent, "close");
  });

  test("a discovery file whose socket nobody listens on goes, whatever process has its number now", async () => {
    const folder = home();
    const places = phonePlaces(folder, MODEL);
    mkdirSync(places.run, { mode: 0o700 });
    writeFileSync(places.discovery, JSON.stringify({ pid: process.pid, socket: places.socket, model: MODEL, started: 0 }));
    expect(await livePhones(folder, realClock())).toEqual([]);
    expect(existsSync(places.discovery)).toBe(false);
  });

  test("a home that is not there has none, and a broken discovery file names none", async () => {
    expect(await livePhones("/nowhere-at-all", realClock())).toEqual([]);
    const folder = home();
    const places = phonePlaces(folder, MODEL);
    mkdirSync(places.run, { mode: 0o700 });
    writeFileSync(places.discovery, "{");
    expect(await livePhones(folder, realClock())).toEqual([]);
  });
});
