import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Contact } from "#core/device.ts";
import { DeviceError } from "#core/errors.ts";
import { formatRequest } from "#wire/device.ts";
import { FakeBox } from "./fake-driver.ts";
import { bench, booted, ManualClock, settled, type Bench, type BenchOptions, type Connected } from "./support.ts";

let made: Bench | null = null;
afterEach(async () => {
  await made?.close();
  made = null;
});
async function open(options: BenchOptions = {}): Promise<Bench> {
  made = await bench(options);
  return made;
}
/** On a clock that only the test moves. */
async function held(options: BenchOptions = {}): Promise<{ bench: Bench; clock: ManualClock; box: FakeBox }> {
  const clock = new ManualClock();
  const bench = await open({ ...options, clock });
  return { bench, clock, box: bench.box };
}

/** The next owner after the one of HELLO, held by the agent. */
async function agent(bench: Bench): Promise<Connected & { owner: number; give: (holder: "agent" | "person" | "none") => Promise<void> }> {
  const connected = await bench.control();
  let owner = connected.client.hello.owner.generation;
  const give = async (holder: "agent" | "person" | "none"): Promise<void> => {
    owner++;
    held.owner = owner;
    await connected.client.request({ type: "owner", generation: owner, holder });
  };
  const held = { ...connected, owner, give };
  await give("agent");
  return held;
}
const generationOf = ({ client, heard }: Connected): number =>
  ([client.hello.state, ...heard.states().map(({ state }) => state)].at(-1)?.geometry ?? { generation: -1 }).generation;
const refused = (code: string) => expect.objectContaining({ code }) as unknown as DeviceError;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

describe("requests", () => {
  it("give a request sent again its first answer, and never do it twice", async () => {
    const bench = await open();
    const a = await agent(bench);
    const first = await a.client.request({ id: "one", type: "control", control: { action: "home" }, owner: a.owner });
    const again = await a.client.request({ id: "one", type: "control", control: { action: "home" }, owner: a.owner });
    expect(again).toEqual(first);
    expect(bench.box.controls()).toEqual(["home"]);
  });

  it("refuse the same id with another body, as bad-value", async () => {
    const bench = await open();
    const a = await agent(bench);
    await a.client.request({ id: "one", type: "control", control: { action: "home" }, owner: a.owner });
    await expect(a.client.request({ id: "one", type: "control", control: { action: "back" }, owner: a.owner })).rejects.toEqual(
      refused("bad-value"),
    );
  });

  it("say in-progress while the first is under way, also to result, and give its answer to another connection later", async () => {
    const bench = await open();
    let finish = (): void => undefined;
    bench.box.hooks.control = () => new Promise((resolve) => (finish = resolve));
    const a = await agent(bench);
    const lost = a.client.request({ id: "one", type: "control", control: { action: "home" }, owner: a.owner });
    lost.catch(() => undefined);
    await bench.box.until(() => bench.box.controls().length === 1);
    await expect(a.client.request({ id: "one", type: "result" })).rejects.toEqual(refused("in-progress"));
    a.client.terminate();
    const b = await bench.control();
    await expect(b.client.request({ id: "one", type: "result" })).rejects.toEqual(refused("in-progress"));
    finish();
    await settled();
    expect(await b.client.request({ id: "one", type: "result" })).toMatchObject({ ok: true, id: "one" });
  });

  it("answer an id from before a restart with outcome-unknown and the state, and do it no second time", async () => {
    const bench = await open();
    const a = await agent(bench);
    await a.client.request({ id: "one", type: "control", control: { action: "home" }, owner: a.owner });
    await bench.restart();
    await booted(bench);
    const b = await agent(bench);
    await expect(b.client.request({ id: "one", type: "result" })).rejects.toEqual(refused("outcome-unknown"));
    await expect(b.client.request({ id: "one", type: "control", control: { action: "home" }, owner: b.owner })).rejects.toEqual(
      refused("outcome-unknown"),
    );
    expect(bench.box.controls()).toEqual(["home"]);
  });

  it("say of an id that was never sent that no such request is known, with the state, and nothing of a restart", async () => {
    const bench = await open();
    const a = await agent(bench);
    const answer = await a.client.request({ id: "no such", type: "result" }).catch((error: unknown) => error);
    expect(answer).toMatchObject({ code: "outcome-unknown" });
    expect((answer as DeviceError).words).toMatch(/^No request with the id no such is known/);
    expect((answer as DeviceError).words).not.toContain("anew");
  });

  it("answer outcome-unknown with the state read back when a control misses its 10 s", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.hooks.control = () => never();
    box.readBackValue = { ...box.readBackValue, android: { appearance: "dark" } };
    const asked = a.client.request({ type: "control", control: { action: "appearance", to: "dark" }, owner: a.owner });
    const outcome = asked.then(
      () => null,
      (error: unknown) => error as DeviceError,
    );
    await box.until(() => box.controls().length === 1);
    await clock.move(9_900);
    await clock.move(200);
    const error = await outcome;
    expect(error?.code).toBe("outcome-unknown");
    expect(error?.words).toMatch(/more than 10 s while changing the appearance of the Test device.*now .*dark/);
  });

  it("run controls one after another, eight waiting at most, and reads beside them", async () => {
    const bench = await open();
    const a = await agent(bench);
    const finish: (() => void)[] = [];
    bench.box.hooks.control = () => new Promise((resolve) => finish.push(resolve));
    const ask = () => a.client.request({ type: "control", control: { action: "home" }, owner: a.owner });
    const all = Array.from({ length: 9 }, ask);
    await expect(ask()).rejects.toEqual(refused("busy"));
    expect(bench.box.controls()).toHaveLength(1);
    expect((await a.client.request({ type: "tree" })).ok).toBe(true);
    for (let i = 0; i < 9; i++) {
      await bench.box.until(() => bench.box.controls().length > i);
      await settled();
      finish[i]?.();
    }
    await Promise.all(all);
    expect(bench.box.controls()).toHaveLength(9);
  });

  it("refuse what the model cannot do in one set of words, and what it does not take", async () => {
    const bench = await open();
    const a = await agent(bench);
    const ask = (control: object) => a.client.request({ type: "control", control, owner: a.owner } as never);
    await expect(ask({ action: "posture", to: "open" })).rejects.toEqual(refused("unsupported"));
    await expect(ask({ action: "switch", device: "Pixel 9" })).rejects.toEqual(refused("unknown-device"));
    await expect(ask({ action: "text_size", to: "accessibility-large" })).rejects.toEqual(refused("bad-value"));
    await expect(ask({ action: "rotate" })).rejects.toMatchObject({
      code: "bad-value",
      words: expect.stringContaining("rotate takes turn"),
    });
    expect(bench.box.controls()).toEqual([]);
  });
});

describe("the state", () => {
  it("reads back after a control, marks what bb-box set, and sees what changed outside", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.readBackValue = { awake: true, android: { appearance: "dark" } };
    const { state } = await a.client.request({ type: "control", control: { action: "appearance", to: "dark" }, owner: a.owner });
    expect(state.settings.appearance).toMatchObject({ known: true, value: "dark", by: "bb-box" });
    box.readBackValue = { awake: true, android: { appearance: "light" } };
    const viewer = await bench.connect("viewer");
    await clock.move(10_000);
    await viewer.heard.until((h) =>
      h.states().some((s) => s.state.settings.appearance.known && s.state.settings.appearance.value === "light"),
    );
    expect(viewer.heard.states().at(-1)?.state.settings.appearance).toMatchObject({ value: "light", by: "outside" });
  });

  it("is read every 10 s only while somebody watches", async () => {
    const { bench, clock, box } = await held();
    let reads = 0;
    box.hooks.readBack = () => {
      reads++;
      return Promise.resolve(box.readBackValue);
    };
    await clock.move(60_000);
    expect(reads).toBe(0);
    const viewer = await bench.connect("viewer");
    await settled();
    const joined = reads;
    expect(joined).toBe(1);
    await clock.move(30_000);
    expect(reads - joined).toBe(3);
    viewer.client.terminate();
    await settled();
    await clock.move(30_000);
    expect(reads - joined).toBe(3);
  });

  it("gives each geometry a number that goes on over a restart", async () => {
    const bench = await open();
    const before = generationOf(await bench.connect("viewer"));
    await bench.restart();
    await booted(bench);
    expect(generationOf(await bench.connect("viewer"))).toBeGreaterThan(before);
    expect(JSON.parse(readFileSync(join(bench.home, "state.json"), "utf8"))).toMatchObject({ state: { model: "Test device" } });
    expect(statSync(join(bench.home, "state.json")).mode & 0o777).toBe(0o600);
  });
});

describe("turning", () => {
  it("answers a rotate once the new picture is there, with its geometry", async () => {
    const bench = await open();
    const a = await agent(bench);
    const before = generationOf(a);
    const { state, words } = await a.client.request({ type: "control", control: { action: "rotate", turn: "left" }, owner: a.owner });
    expect(state.geometry).toMatchObject({ physical: "turned-left", video: { width: 2400, height: 1080 } });
    expect(state.geometry?.generation).toBeGreaterThan(before);
    expect(words).toMatch(/Turned the Test device left in .* Now: turned left, 2400x1080/);
  });

  it("refuses the agent's points of another generation, and maps none", async () => {
    const bench = await open();
    const a = await agent(bench);
    const at = { x: 10, y: 10, generation: generationOf(a) };
    await a.client.request({ type: "control", control: { action: "rotate", to: "turned-right" }, owner: a.owner });
    await expect(a.client.request({ type: "input", input: { type: "tap", at }, owner: a.owner })).rejects.toEqual(
      refused("stale-geometry"),
    );
    expect(bench.box.touches().flat()).toEqual([]);
  });

  it("holds a person's touches and refuses the agent's until the first frame of the new geometry", async () => {
    const { bench, box } = await held();
    const person = await bench.connect("input");
    let turn = (): void => undefined;
    box.hooks.control = () => new Promise((resolve) => (turn = resolve));
    box.encoder = false;
    const done = person.client.request({ type: "control", control: { action: "rotate", to: "turned-left" } });
    await box.until(() => box.controls().length === 1);
    const old = generationOf(person);
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 5, y: 5 }], generation: old }));
    await settled();
    const before = box.touches().filter((t) => t.length > 0).length;
    expect(before).toBe(0);
    turn();
    await done;
    await settled();
    // It was meant for the old picture, so it never lands.
    expect(box.touches().filter((t) => t.length > 0)).toEqual([]);
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 5, y: 5 }], generation: generationOf(person) }));
    await box.until(() => box.touches().some((t) => t.length === 1));
  });

  it("ends a gesture under way where it is when the screen turns by itself", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    const generation = generationOf(a);
    const swipe = a.client.request({
      type: "input",
      input: { type: "swipe", from: { x: 500, y: 2000, generation }, to: { x: 500, y: 200, generation }, ms: 1000 },
      owner: a.owner,
    });
    swipe.catch(() => undefined);
    await settled();
    await clock.move(300);
    expect(box.touches().at(-1)).toHaveLength(1);
    box.driver?.turn({ physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } });
    await expect(swipe).rejects.toEqual(refused("stale-geometry"));
    expect(box.touches().at(-1)).toEqual([]);
    const lifted = box.touches().length;
    await clock.move(2000);
    expect(box.touches()).toHaveLength(lifted);
  });
});

describe("control's owner", () => {
  it("goes up by one at each start, and refuses a generation that is not above it", async () => {
    const bench = await open();
    const a = await agent(bench);
    await expect(a.client.request({ type: "owner", generation: a.owner, holder: "person" })).rejects.toEqual(refused("superseded"));
    const before = a.owner;
    await bench.restart();
    expect((await bench.control()).client.hello.owner).toEqual({ generation: before + 1, holder: "agent" });
  });

  it("is told to every connection when it changes", async () => {
    const bench = await open();
    const viewer = await bench.connect("viewer");
    const a = await agent(bench);
    await viewer.heard.until((h) =>
      h.messages.some((m) => m.kind === "owner" && m.owner.generation === a.owner && m.owner.holder === "agent"),
    );
  });

  it("taken half-way through the agent's swipe leaves nothing of it after the take, and one lift", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    const generation = generationOf(a);
    const swipe = a.client.request({
      type: "input",
      input: { type: "swipe", from: { x: 500, y: 2000, generation }, to: { x: 500, y: 200, generation }, ms: 1000 },
      owner: a.owner,
    });
    swipe.catch(() => undefined);
    await settled();
    await clock.move(500);
    await a.give("person");
    const taken = box.touches().length;
    await expect(swipe).rejects.toEqual(refused("superseded"));
    expect(box.touches().at(-1)).toEqual([]);
    expect(box.touches().filter((t) => t.length === 0)).toHaveLength(2); // the lift at the start, and this one
    await clock.move(2000);
    expect(box.touches()).toHaveLength(taken);
  });

  it("refuses the agent's input and controls at once while a person holds it, and answers reads", async () => {
    const bench = await open();
    const a = await agent(bench);
    await a.give("person");
    const at = { x: 1, y: 1, generation: generationOf(a) };
    await expect(a.client.request({ type: "input", input: { type: "tap", at }, owner: a.owner })).rejects.toEqual(
      refused("person-has-control"),
    );
    await expect(a.client.request({ type: "control", control: { action: "home" }, owner: a.owner })).rejects.toEqual(
      refused("person-has-control"),
    );
    await expect(a.client.request({ type: "open", url: "https://example.org", owner: a.owner })).rejects.toEqual(
      refused("person-has-control"),
    );
    expect((await a.client.request({ type: "tree" })).ok).toBe(true);
    expect(bench.box.controls()).toEqual([]);
  });

  it("lets the agent install only an app that the device does not have while a person holds it", async () => {
    const bench = await open();
    const a = await agent(bench);
    await a.give("person");
    bench.box.installedPaths = ["/old.apk"];
    const install = (path: string) => a.client.request({ type: "control", control: { action: "install", paths: [path] }, owner: a.owner });
    await expect(install("/old.apk")).rejects.toEqual(refused("person-has-control"));
    expect((await install("/new.apk")).ok).toBe(true);
  });

  it("taken while the agent's rotate waits means that it never runs", async () => {
    const bench = await open();
    const a = await agent(bench);
    let finish = (): void => undefined;
    bench.box.hooks.control = () => new Promise((resolve) => (finish = resolve));
    const first = a.client.request({ type: "control", control: { action: "home" }, owner: a.owner });
    const queued = a.client.request({ type: "control", control: { action: "rotate", turn: "left" }, owner: a.owner });
    queued.catch(() => undefined);
    await bench.box.until(() => bench.box.controls().length === 1);
    await a.give("person");
    await expect(queued).rejects.toEqual(refused("person-has-control"));
    finish();
    await first;
    await settled();
    expect(bench.box.controls()).toEqual(["home"]);
  });

  it("ignores the input connection without a word while the agent holds it, and refuses its requests", async () => {
    const bench = await open();
    await agent(bench);
    const person = await bench.connect("input");
    person.client.send("m,10,10,1,0");
    await expect(person.client.request({ type: "text", text: "x" })).rejects.toEqual(refused("superseded"));
    await settled();
    expect(bench.box.touches().flat()).toEqual([]);
    expect(person.heard.messages.filter((m) => m.kind === "answer")).toHaveLength(1);
  });

  it("keeps a person's late touch after hand-back from landing", async () => {
    const bench = await open();
    const a = await agent(bench);
    await a.give("person");
    const person = await bench.connect("input");
    person.client.send("m,10,10,1,0");
    await bench.box.until(() => bench.box.touches().some((t) => t.length === 1));
    await a.give("agent");
    await bench.box.until(() => bench.box.touches().at(-1)?.length === 0);
    const before = bench.box.touches().length;
    person.client.send("m,20,20,1,0");
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 1, y: 1 }], generation: generationOf(person) }));
    await settled();
    expect(bench.box.touches()).toHaveLength(before);
  });

  it("is handed back after a person was away for 30 s, and kept when they come back sooner", async () => {
    const { bench, clock } = await held();
    const a = await agent(bench);
    const person = await bench.connect("input");
    await a.give("person");
    person.client.terminate();
    await settled();
    await clock.move(29_000);
    const back = await bench.connect("input");
    await clock.move(10_000);
    expect(back.heard.messages.filter((m) => m.kind === "owner")).toEqual([]);
    back.client.terminate();
    await settled();
    await clock.move(30_500);
    await a.heard.until((h) =>
      h.messages.some((m) => m.kind === "owner" && m.owner.holder === "none" && m.owner.generation === a.owner + 1),
    );
    expect(bench.log.some(({ message }) => /away for 30 s, so control is handed back/.test(message))).toBe(true);
  });
});

describe("text and paste", () => {
  it("types what a US keyboard has as keys and pastes the rest, in order, with the clipboard put back", async () => {
    const bench = await open();
    const person = await bench.connect("input");
    await person.client.request({ type: "text", text: "ab" });
    await person.client.request({ type: "text", text: "日本語" });
    await person.client.request({ type: "text", text: "c" });
    const order = bench.box.told.flatMap((t) =>
      t.what === "key" && t.down ? [t.key] : t.what === "pasteKey" ? ["paste"] : t.what === "setClipboard" ? [`=${t.text}`] : [],
    );
    expect(order).toEqual(["a", "b", "=日本語", "paste", "=the device's own", "c"]);
    expect(bench.box.clipboardText).toBe("the device's own");
  });

  it("gathers a person's characters with no US key for 150 ms into one paste", async () => {
    const { bench, clock, box } = await held();
    const person = await bench.connect("input");
    for (const keysym of [0x1003042, 0x1003044, 0x1003046]) {
      person.client.send(`kd,${keysym}`);
      person.client.send(`ku,${keysym}`);
      await settled();
      await clock.move(100);
    }
    expect(box.count("pasteKey")).toBe(0);
    await clock.move(100);
    await clock.move(1000);
    expect(box.told.filter((t) => t.what === "setClipboard").map((t) => t.text)).toEqual(["あいう", "the device's own"]);
  });

  it("taken half-way through the agent's paste gives it up, and the clipboard is back", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    let read = (_text: string): void => undefined;
    box.hooks.clipboard = () => new Promise((resolve) => (read = resolve));
    const typed = a.client.request({ type: "input", input: { type: "text", text: "日本" }, owner: a.owner });
    typed.catch(() => undefined);
    await settled();
    await a.give("person");
    read("the device's own");
    await expect(typed).rejects.toEqual(refused("superseded"));
    await clock.move(1000);
    expect(box.count("pasteKey")).toBe(0);
    expect(box.clipboardText).toBe("the device's own");
  });

  it("finishes a paste whose key was pressed, and puts the clipboard back", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    const typed = a.client.request({ type: "input", input: { type: "text", text: "日本" }, owner: a.owner });
    typed.catch(() => undefined);
    await box.until(() => box.count("pasteKey") === 1);
    await a.give("person");
    await clock.move(1000);
    expect(box.clipboardText).toBe("the device's own");
    expect(box.count("pasteKey")).toBe(1);
  });

  it("keeps the saved clipboard on the disk, 0600, and a start puts it back after a crash", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    void a.client.request({ type: "input", input: { type: "text", text: "日本" }, owner: a.owner }).catch(() => undefined);
    await box.until(() => box.count("pasteKey") === 1);
    const file = join(bench.home, "clipboard.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, "utf8");
    const closing = bench.restart();
    await clock.move(1000);
    await closing;
    // As if the server had been killed in the middle of it.
    writeFileSync(file, kept);
    box.clipboardText = "日本";
    await bench.restart();
    await booted(bench);
    expect(box.clipboardText).toBe("the device's own");
  });

  it("tells the input connection of the device's clipboard, and nobody of the server's own", async () => {
    const bench = await open();
    const person = await bench.connect("input");
    const viewer = await bench.connect("viewer");
    bench.box.driver?.host.clipboard("copied on the device");
    await person.heard.until((h) => h.messages.some((m) => m.kind === "clipboard" && m.text === "copied on the device"));
    bench.box.hooks.pasteKey = () => {
      bench.box.driver?.host.clipboard("日本");
      return Promise.resolve();
    };
    await person.client.request({ type: "paste", text: "日本" });
    await settled();
    expect(person.heard.messages.filter((m) => m.kind === "clipboard")).toHaveLength(1);
    expect(viewer.heard.messages.filter((m) => m.kind === "clipboard")).toHaveLength(0);
  });
});

describe("a person's pointer", () => {
  const lists = (box: FakeBox): (readonly Contact[])[] => box.touches().slice(1);
  it("presses, moves and lifts, in the device's own space, and is shown to watchers", async () => {
    const bench = await open();
    const viewer = await bench.connect("viewer");
    const person = await bench.connect("input");
    person.client.send("m,100,200,1,0");
    await bench.box.until(() => lists(bench.box).length === 1);
    person.client.send("m,110,210,1,0");
    await bench.box.until(() => lists(bench.box).length === 2);
    person.client.send("m,110,210,0,0");
    await bench.box.until(() => lists(bench.box).at(-1)?.length === 0);
    expect(lists(bench.box)[0]).toEqual([{ id: 0, x: 100, y: 200 }]);
    await viewer.heard.until((h) => h.messages.filter((m) => m.kind === "touch").length >= 3);
    expect(viewer.heard.messages.find((m) => m.kind === "touch")).toMatchObject({
      touch: { by: "person", contacts: [{ id: 0, x: 100, y: 200 }] },
    });
  });

  it("scrolls by the wheel as one swipe", async () => {
    const { bench, clock, box } = await held();
    const person = await bench.connect("input");
    for (let i = 0; i < 3; i++) {
      person.client.send("m,500,1200,0,0");
      person.client.send("m,500,1200,8,1");
      person.client.send("m,500,1200,0,0");
    }
    await settled();
    await clock.move(2000);
    expect(lists(box).filter((l) => l.length === 0)).toHaveLength(1);
    const ys = lists(box).flatMap((l) => l.map((c) => c.y));
    expect((ys[0] ?? 0) - (ys.at(-1) ?? 0)).toBeCloseTo(600, -1);
  });

  it("takes two fingers of a touch screen, and refuses a press of another generation", async () => {
    const bench = await open();
    const person = await bench.connect("input");
    const generation = generationOf(person);
    const contacts = [
      { id: 0, x: 10, y: 10 },
      { id: 3, x: 20, y: 20 },
    ];
    person.client.send(formatRequest({ type: "touch", contacts, generation }));
    await bench.box.until(() => bench.box.touches().some((t) => t.length === 2));
    person.client.send(formatRequest({ type: "touch", contacts: [], generation }));
    await bench.box.until(() => bench.box.touches().at(-1)?.length === 0);
    person.client.send(formatRequest({ type: "touch", contacts, generation: generation - 1 }));
    await person.heard.until((h) =>
      h.messages.some((m) => m.kind === "answer" && !m.answer.ok && m.answer.error.code === "stale-geometry"),
    );
  });
});

describe("the device's life", () => {
  it("is booted once again after a crash, and left failed after a second within five minutes", async () => {
    const { bench, clock, box } = await held();
    const viewer = await bench.connect("viewer");
    box.driver?.crash();
    await viewer.heard.until((h) => h.states().some((s) => s.state.power.is === "booting"));
    await box.until(() => box.count("attach") === 2);
    await viewer.heard.until((h) => h.states().at(-1)?.state.power.is === "booted");
    await clock.move(200_000);
    box.driver?.crash("It fell over.");
    await viewer.heard.until((h) => h.states().at(-1)?.state.power.is === "failed");
    expect(viewer.heard.states().at(-1)?.state.power).toMatchObject({
      error: { code: "device-exited", words: expect.stringMatching(/Reboot device/) },
    });
    expect(box.count("attach")).toBe(2);
    const person = await bench.connect("input");
    await person.client.request({ type: "control", control: { action: "reboot" } });
    expect(box.count("attach")).toBe(3);
  });

  it("is booted again after a second crash that comes later than five minutes", async () => {
    const { clock, box } = await held();
    box.driver?.crash();
    await box.until(() => box.count("attach") === 2);
    await settled();
    await clock.move(301_000);
    box.driver?.crash();
    await box.until(() => box.count("attach") === 3);
  });

  it("switches in place: the old one stopped before the new one boots, its intent on the disk before each step", async () => {
    const bench = await open();
    const a = await agent(bench);
    const steps: string[] = [];
    const read = (): string => {
      const { target, switching } = JSON.parse(readFileSync(join(bench.home, "intent.json"), "utf8")) as {
        target: string;
        switching: { step: string } | null;
      };
      return `${target} ${switching?.step ?? "-"}`;
    };
    bench.box.hooks.shutdown = () => {
      steps.push(`shutdown ${read()}`);
      return Promise.resolve();
    };
    bench.box.hooks.attach = () => {
      steps.push(`attach ${read()}`);
      return Promise.resolve();
    };
    bench.box.geometry = { physical: "upright", content: "upright", video: { width: 2208, height: 1840 }, screen: "inner" };
    const { state } = await a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner });
    expect(state).toMatchObject({ model: "Test foldable", form: "foldable", power: { is: "booted" }, geometry: { screen: "inner" } });
    expect(steps).toEqual(["shutdown Test foldable stopping", "attach Test foldable booting"]);
    expect(read()).toBe("Test foldable -");
    expect(bench.box.running).toEqual(["Test foldable"]);
    expect((await bench.connect("viewer")).client.hello.bootedHere).toEqual(["Test device", "Test foldable"]);
  });

  it("boots the old model again, in 063's words, when the new one does not come up in 120 s", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.hooks.attach = (native) => (native === "Test foldable" ? never() : Promise.resolve());
    const asked = a.client.request({ type: "control", control: { action: "switch", device: "Test foldable" }, owner: a.owner });
    const failed = asked.then(
      () => null,
      (error: unknown) => error as DeviceError,
    );
    await box.until(() => box.count("shutdown") === 1);
    await settled();
    await expect(a.client.request({ type: "control", control: { action: "home" }, owner: a.owner })).rejects.toEqual(refused("busy"));
    await clock.move(121_000);
    const error = await failed;
    expect(error?.words).toMatch(/^Could not start the Test foldable: .*The Test device is booted again\.$/);
    expect(box.running).toEqual(["Test device"]);
  });

  it.each(["stopping", "booting", "waiting", "streaming"] as const)(
    "carries on a switch from %s, and never has a second device",
    async (step) => {
      const box = new FakeBox();
      const first = await bench({ box });
      await first.server.close();
      if (step !== "stopping") box.running = step === "booting" ? [] : ["Test foldable"];
      const switching = { id: "the-switch", from: "Test device", step, since: 1 };
      writeFileSync(join(first.home, "intent.json"), JSON.stringify({ target: "Test foldable", switching }));
      made = await bench({ box, home: first.home, early: true });
      await booted(made);
      const { client } = await made.control();
      expect(client.hello.state.model).toBe("Test foldable");
      expect(box.running).toEqual(["Test foldable"]);
      expect(await client.request({ id: "the-switch", type: "result" })).toMatchObject({ ok: true });
    },
  );

  it("reattaches after a restart, and lifts everything first", async () => {
    const bench = await open();
    const before = bench.box.told.length;
    await bench.restart();
    await booted(bench);
    const after = bench.box.told.slice(before).filter((t) => t.what !== "detach");
    expect(after[0]).toMatchObject({ what: "attach", how: "reattached" });
    expect(after[1]).toEqual({ what: "touch", contacts: [] });
  });

  it("resumes when the clocks part by more than 5 s: lifted, the driver told, a key frame", async () => {
    const { bench, clock, box } = await held();
    const viewer = await bench.connect("viewer");
    await settled();
    await clock.move(2000);
    const before = { touches: box.touches().length, keys: box.forcedKeys };
    clock.sleep(4_000);
    await clock.move(2000);
    expect(box.count("resumed")).toBe(0);
    clock.sleep(3_600_000);
    await clock.move(2000);
    expect(box.count("resumed")).toBe(1);
    expect(box.touches().length).toBe(before.touches + 1);
    expect(box.forcedKeys).toBeGreaterThan(before.keys);
    await viewer.heard.until((h) => h.units.length > 0);
  });

  it("answers a read that the device never answers, and a touch that hangs holds up none that come later", async () => {
    const { bench, clock, box } = await held();
    const a = await agent(bench);
    box.hooks.tree = () => never();
    const tree = a.client.request({ type: "tree" }).catch((error: unknown) => error as DeviceError);
    await settled();
    await clock.move(16_000);
    expect((await tree) as DeviceError).toMatchObject({ code: "failed", words: expect.stringMatching(/did not answer within 15 s/) });
    let hang = true;
    box.hooks.touch = () => (hang ? never() : Promise.resolve());
    const generation = generationOf(a);
    const tap = (x: number) => a.client.request({ type: "input", input: { type: "tap", at: { x, y: 1, generation } }, owner: a.owner });
    const first = tap(1).catch((error: unknown) => error);
    await settled();
    hang = false;
    await clock.move(6_000);
    await first;
    const second = tap(2);
    await settled();
    await clock.move(1_000);
    expect((await second).ok).toBe(true);
  });

  it("says why a device does not boot, and stays up", async () => {
    const box = new FakeBox();
    box.hooks.attach = () => Promise.reject(new DeviceError("failed", "There is no room for it."));
    const bench = await open({ box, early: true });
    const viewer = await bench.connect("viewer");
    await viewer.heard.until((h) => [viewer.client.hello.state, ...h.states().map((s) => s.state)].at(-1)?.power.is === "failed");
    await expect(viewer.client.request({ type: "screenshot" })).rejects.toEqual(refused("not-booted"));
  });

  it("opens links and refuses what is none", async () => {
    const bench = await open();
    const person = await bench.connect("input");
    expect((await person.client.request({ type: "open", url: "https://example.org/x" })).ok).toBe(true);
    await expect(person.client.request({ type: "open", url: "example.org" })).rejects.toEqual(refused("bad-value"));
    await expect(person.client.request({ type: "open", url: "file:///etc/passwd" })).rejects.toEqual(refused("bad-value"));
    expect(bench.box.told.filter((t) => t.what === "open")).toEqual([{ what: "open", url: "https://example.org/x" }]);
  });
});
