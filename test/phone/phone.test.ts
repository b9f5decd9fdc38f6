import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { FRAME_MS, TestPhone, type PhoneClock } from "#drivers/phone/phone.ts";
import { readPicture, type FrameNotice, type PhoneNotice, type PhoneRequest } from "#drivers/phone/protocol.ts";

import { addon } from "./rig.ts";

/** Time that only moves when told; timers fire `lateMs` after they are due. */
class HeldClock implements PhoneClock {
  time = 5_000;
  lateMs = 0;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();
  now(): number {
    return this.time;
  }
  wall(): number {
    return 1_796_030_700_000 + this.time;
  }
  after(ms: number, call: () => void): () => void {
    const timer = { at: this.time + ms + this.lateMs, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
  waiting(): number {
    return this.#timers.size;
  }
  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.call();
    }
    this.time = end;
  }
}

class Client {
  readonly heard: PhoneNotice[] = [];
  notice(notice: PhoneNotice): void {
    this.heard.push(notice);
  }
  frames(): readonly FrameNotice[] {
    return this.heard.filter((notice) => notice.notice === "frame");
  }
}

const BYTES = 360 * 640 * 3;
let folder: string;
let clock: HeldClock;
let saved: string[];
let ended: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bb-phone-engine-"));
  clock = new HeldClock();
  saved = [];
  ended = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function phoneOf(scene: "demo" | "still" | "busy", kept: string | null = null, frameMs = FRAME_MS): TestPhone {
  const model = "360x640";
  return new TestPhone(
    {
      phone: new addon.binding.Phone({ model, scene, wallMs: clock.wall() }),
      model,
      scene,
      pid: 1,
      clock,
      frameMs,
      exists: (path) => path.startsWith(folder),
      save: (text) => saved.push(text),
      crash: () => ended.push("crash"),
      shutdown: () => ended.push("shutdown"),
    },
    kept,
  );
}

function region(name = "region", bytes = BYTES): string {
  const path = join(folder, name);
  writeFileSync(path, "");
  truncateSync(path, bytes);
  return path;
}

async function watched(phone: TestPhone, name?: string): Promise<Client> {
  const client = new Client();
  phone.connected(client);
  await phone.handle({ ask: "stream", region: region(name), bytes: BYTES }, client);
  clock.pass(0);
  return client;
}

describe("frames", () => {
  test("a still phone tells of one frame and then of nothing, with no timer left", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    clock.pass(3_600_000);
    expect(client.frames()).toHaveLength(1);
    expect(client.frames()[0]).toMatchObject({ seq: 1, width: 360, height: 640, orientation: "upright", captureMs: 5_000 });
    expect(clock.waiting()).toBe(0);
  });

  test("a demo at rest tells of one frame a minute: its clock's", async () => {
    const client = await watched(phoneOf("demo"));
    clock.pass(10 * 60_000);
    expect(client.frames()).toHaveLength(11);
  });

  test("a busy phone tells of sixty frames a second, also when timers are late", async () => {
    const client = await watched(phoneOf("busy"));
    clock.pass(1_001);
    expect(client.frames()).toHaveLength(61);
    clock.lateMs = 2;
    clock.pass(1_000);
    const late = client.frames().slice(61);
    expect(late.length).toBeGreaterThanOrEqual(58);
    expect(late.length).toBeLessThanOrEqual(60);
  });

  test("a busy phone of 32 frames a second tells of 32", async () => {
    const client = await watched(phoneOf("busy", null, 1000 / 32));
    clock.pass(1_001);
    expect(client.frames()).toHaveLength(33);
    clock.lateMs = 2;
    clock.pass(1_000);
    expect(client.frames().length - 33).toBeGreaterThanOrEqual(31);
    expect(client.frames().length - 33).toBeLessThanOrEqual(32);
  });

  test("a touch is drawn at once when the screen was still, and never two frames within one frame's time", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    clock.pass(1_000);
    await phone.handle({ ask: "touch", contacts: [{ id: 0, x: 60, y: 560 }] }, client);
    clock.pass(0);
    expect(client.frames().map((frame) => frame.captureMs)).toEqual([5_000, 6_000]);
    await phone.handle({ ask: "touch", contacts: [] }, client);
    clock.pass(2_000);
    const times = client.frames().map((frame) => frame.captureMs);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(FRAME_MS - 1);
    expect(times.length).toBeGreaterThan(5);
    expect(clock.waiting()).toBe(0);
  });

  test("with nobody watching nothing is drawn and no timer runs", async () => {
    const phone = phoneOf("busy");
    const client = await watched(phone);
    phone.disconnected(client);
    clock.pass(1_000);
    expect(client.frames()).toHaveLength(1);
    expect(clock.waiting()).toBe(0);
  });

  test("sleep is told as 0 x 0, and the wake as a frame although the picture is the same", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    await phone.handle({ ask: "control", control: { action: "lock" } }, client);
    clock.pass(60_000);
    expect(client.frames().map(({ width, height }) => [width, height])).toEqual([
      [360, 640],
      [0, 0],
    ]);
    await phone.handle({ ask: "control", control: { action: "wake" } }, client);
    clock.pass(60_000);
    expect(client.frames()).toHaveLength(3);
    expect(client.frames()[2]).toMatchObject({ width: 360, height: 640 });
  });

  test("after a turn the first frame has the new size, and waits as long as a test says", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    await phone.handle({ ask: "fault", fault: "slow-turn", ms: 400 }, client);
    await phone.handle({ ask: "control", control: { action: "rotate", to: "turned-right" } }, client);
    clock.pass(399);
    expect(client.frames()).toHaveLength(1);
    clock.pass(2);
    expect(client.frames()[1]).toMatchObject({ width: 640, height: 360, orientation: "turned-right" });
  });

  test("a new watcher takes the stream over and the old one is told", async () => {
    const phone = phoneOf("busy");
    const first = await watched(phone, "one");
    const second = await watched(phone, "two");
    const before = first.frames().length;
    clock.pass(500);
    expect(first.heard.at(-1)).toEqual({ notice: "stream-ended", words: "Another client streams this phone now." });
    expect(first.frames()).toHaveLength(before);
    expect(second.frames().length).toBeGreaterThan(25);
    phone.disconnected(first);
    clock.pass(100);
    expect(second.frames().length).toBeGreaterThan(30);
  });

  test("a region too small or not there is refused in words; one that is cut ends the stream in words", async () => {
    const phone = phoneOf("busy");
    const client = new Client();
    phone.connected(client);
    const small: PhoneRequest = { ask: "stream", region: region("small", 100), bytes: 100 };
    await expect(phone.handle(small, client)).rejects.toThrow(/100 bytes.*needs 691200/);
    await expect(phone.handle({ ask: "stream", region: join(folder, "none"), bytes: BYTES }, client)).rejects.toThrow(/cannot be opened/);
    const path = region();
    await phone.handle({ ask: "stream", region: path, bytes: BYTES }, client);
    clock.pass(100);
    truncateSync(path, 10);
    clock.pass(100);
    expect(client.heard.at(-1)).toMatchObject({ notice: "stream-ended", words: expect.stringContaining("cut") });
    expect(clock.waiting()).toBe(0);
  });
});

describe("its own screenshots", () => {
  const shot: PhoneRequest = { ask: "screenshot" };

  test("come with nobody watching, whole or scaled, as PNG in base64", async () => {
    const phone = phoneOf("still");
    const client = new Client();
    const whole = readPicture(await phone.handle(shot, client));
    expect(whole).toMatchObject({ width: 360, height: 640 });
    expect(
      Buffer.from(whole?.png ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(await phone.handle({ ...shot, longestEdge: 64 }, client)).toMatchObject({ width: 36, height: 64 });
    expect(phone.log.after(0).filter((entry) => entry.what === "screenshot")).toHaveLength(2);
  });

  test("wait for the first frame after a turn, so that none is of a geometry that was not told", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    await phone.handle({ ask: "fault", fault: "slow-turn", ms: 400 }, client);
    await phone.handle({ ask: "control", control: { action: "rotate", to: "turned-right" } }, client);
    let told: number | null = null;
    const picture = phone.handle(shot, client).then((result) => {
      told = client.frames().length;
      return result;
    });
    clock.pass(399);
    await Promise.resolve();
    expect([told, client.frames().length]).toEqual([null, 1]);
    clock.pass(2);
    expect(await picture).toMatchObject({ width: 640, height: 360 });
    expect(told).toBe(2);
  });

  test("that wait for a frame come when the stream ends instead", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    await phone.handle({ ask: "fault", fault: "slow-turn", ms: 400 }, client);
    await phone.handle({ ask: "control", control: { action: "rotate", to: "turned-right" } }, client);
    const picture = phone.handle(shot, new Client());
    phone.disconnected(client);
    expect(await picture).toMatchObject({ width: 640, height: 360 });
  });

  test("are made while the phone goes on taking touches", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    const picture = phone.handle(shot, client);
    await phone.handle({ ask: "touch", contacts: [{ id: 0, x: 60, y: 560 }] }, client);
    clock.pass(100);
    expect(client.frames().length).toBeGreaterThan(1);
    expect(await picture).toMatchObject({ width: 360, height: 640 });
  });

  test("are refused in words while the screen is off, and beyond four at once", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    const all = Array.from({ length: 5 }, () => phone.handle(shot, client));
    await expect(all[4]).rejects.toMatchObject({ code: "busy" });
    await Promise.all(all.slice(0, 4));
    await phone.handle({ ask: "control", control: { action: "lock" } }, client);
    await expect(phone.handle(shot, client)).rejects.toMatchObject({ code: "failed", message: expect.stringContaining("screen is off") });
  });
});

describe("what it keeps and tells", () => {
  test("settings are kept a moment after they change, once, and come back", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    for (const to of ["dark", "light", "dark"] as const)
      await phone.handle({ ask: "control", control: { action: "appearance", to } }, client);
    expect(saved).toEqual([]);
    clock.pass(200);
    expect(saved).toHaveLength(1);
    const next = phoneOf("still", saved[0]);
    expect(await next.handle({ ask: "state" }, client)).toMatchObject({ appearance: "dark" });
  });

  test("an end keeps what was not kept yet, and a broken file is a phone as it came", async () => {
    const phone = phoneOf("still", "{ not json");
    const client = await watched(phone);
    await phone.handle({ ask: "control", control: { action: "text_size", to: 2 } }, client);
    phone.close();
    expect(JSON.parse(saved[0] ?? "")).toMatchObject({ fontStep: 6 });
  });

  test("the log holds what came, in order and with its times, and an asker can wait for the next entry", async () => {
    const phone = phoneOf("still");
    const client = new Client();
    phone.connected(client);
    await phone.handle({ ask: "key", key: "a", down: true }, client);
    clock.pass(30);
    await phone.handle({ ask: "key", key: "a", down: false }, client);
    const log = phone.log.after(0);
    expect(log.map((entry) => entry.what)).toEqual(["started", "connected", "key", "key"]);
    expect(log[3]).toMatchObject({ seq: 4, at: 5_030, key: "a", down: false });
    const waiting = phone.handle({ ask: "log", since: 4, waitMs: 1_000 }, client);
    await phone.handle({ ask: "open", url: "https://example.com" }, client);
    expect(await waiting).toMatchObject([{ seq: 5, what: "open", url: "https://example.com" }]);
    const none = phone.handle({ ask: "log", since: 5, waitMs: 1_000 }, client);
    clock.pass(1_000);
    expect(await none).toEqual([]);
  });

  test("the log's oldest entries go when it is full", () => {
    const phone = phoneOf("still");
    for (let at = 0; at < 25_000; at += 1) phone.log.add({ what: "clipboard-read" });
    expect(phone.log.after(0)[0]?.seq).toBeGreaterThan(4_000);
    expect(phone.log.after(25_000)).toHaveLength(1);
  });

  test("composed text stands in the field and is replaced until it settles", async () => {
    const phone = phoneOf("still");
    const client = new Client();
    await expect(phone.handle({ ask: "compose", text: "に", done: false }, client)).rejects.toThrow(/No field/);
    await phone.handle({ ask: "open", url: "bb-test://notes" }, client);
    clock.pass(500);
    await phone.handle({ ask: "touch", contacts: [{ id: 0, x: 100, y: 200 }] }, client);
    await phone.handle({ ask: "touch", contacts: [] }, client);
    for (const text of ["に", "にほ", "日本"]) await phone.handle({ ask: "compose", text, done: text === "日本" }, client);
    await phone.handle({ ask: "key", key: "!", down: true }, client);
    expect(JSON.stringify(await phone.handle({ ask: "tree" }, client))).toContain('"value":"日本!"');
  });

  test("a reboot shows the screen off, then the mark, then home, and answers when it is up", async () => {
    const phone = phoneOf("still");
    const client = await watched(phone);
    await phone.handle({ ask: "open", url: "bb-test://settings" }, client);
    clock.pass(1_000);
    const before = client.frames().length;
    let up = false;
    const reboot = phone.handle({ ask: "control", control: { action: "reboot" } }, client).then(() => (up = true));
    expect(client.frames()[before]).toMatchObject({ width: 0, height: 0 });
    clock.pass(300);
    await Promise.resolve();
    expect(up).toBe(false);
    clock.pass(600);
    await reboot;
    expect(await phone.handle({ ask: "state" }, client)).toMatchObject({ page: "home" });
  });
});
