import { describe, expect, it } from "vitest";
import { formatRequest } from "#wire/device.ts";
import { agent, benches, generationOf, refused, settled } from "./support.ts";

const { held, open } = benches();

/** The agent's swipe up the middle of the screen, under way for a second; its end is the test's to look at. */
function swipeOf(a: Awaited<ReturnType<typeof agent>>) {
  const generation = generationOf(a);
  const swipe = a.client.request({
    type: "input",
    input: { type: "swipe", from: { x: 500, y: 2000, generation }, to: { x: 500, y: 200, generation }, ms: 1000 },
    owner: a.owner,
  });
  swipe.catch(() => undefined);
  return swipe;
}

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
    const swipe = swipeOf(a);
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
    const swipe = swipeOf(a);
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

  it("is nobody's after the agent's host was away for 30 s, and the agent's when a host comes sooner", async () => {
    const { bench, clock } = await held();
    const viewer = await bench.connect("viewer");
    const a = await agent(bench);
    a.client.terminate();
    await settled();
    await clock.move(29_000);
    const back = await bench.control();
    expect(back.client.hello.owner).toEqual({ generation: a.owner, holder: "agent" });
    await clock.move(10_000);
    expect(back.heard.messages.filter((m) => m.kind === "owner")).toEqual([]);
    back.client.terminate();
    await settled();
    await clock.move(30_500);
    await viewer.heard.until((h) =>
      h.messages.some((m) => m.kind === "owner" && m.owner.holder === "none" && m.owner.generation === a.owner + 1),
    );
    expect(bench.log.some(({ message }) => /The agent's host has been away for 30 s, so control is handed back/.test(message))).toBe(true);
    // What it sent under its own generation is void, and a person's press needs no take.
    const late = await bench.control();
    const tap = { type: "input", input: { type: "tap", at: { x: 1, y: 1, generation: generationOf(late) } }, owner: a.owner } as const;
    await expect(late.client.request(tap)).rejects.toEqual(refused("superseded"));
    const person = await bench.connect("input");
    person.client.send("m,10,10,1,0");
    await bench.box.until(() => bench.box.touches().some((t) => t.length === 1));
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
