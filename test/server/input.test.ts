import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Contact } from "#core/device.ts";
import { formatRequest } from "#wire/device.ts";
import type { FakeBox } from "./fake-driver.ts";
import { agent, benches, booted, generationOf, refused, settled } from "./support.ts";

const { held, open } = benches();

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
