import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DeviceError } from "#core/errors.ts";
import { agent, benches, booted, generationOf, never, refused, settled } from "./support.ts";

const { held, open } = benches();

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
