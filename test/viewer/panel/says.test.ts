import { describe, expect, it } from "vitest";
import { helloOf, panel, phoneState, withPower } from "./states.ts";
import { SLOW_AFTER_MS, screenSays } from "#viewer/panel/says.ts";

const says = (model: ReturnType<typeof panel>, nowMs = 0, wallMs = 0) => screenSays(model, nowMs, wallMs);

describe("what the screen says", () => {
  it("is nothing only while a booted, waking device's picture shows", () => {
    expect(says(panel())).toEqual({ kind: "nothing" });
  });

  it("is the model's name and Connecting until the first picture, and after ten seconds that this is slow", () => {
    const model = panel({ pictured: false, waitingSinceMs: 0 });
    expect(says(model, SLOW_AFTER_MS - 1)).toEqual({ kind: "connecting", name: "Pixel 8", slow: false });
    expect(says(model, SLOW_AFTER_MS)).toMatchObject({ kind: "connecting", slow: true });
    expect(says(panel({ state: null, pictured: false }))).toMatchObject({ kind: "connecting", name: null });
  });

  it("counts a boot against what it usually takes: 16 s cold, 4 s from a snapshot, 60 s for an iPhone's first", () => {
    const booting = { is: "booting", since: 1000 } as const;
    expect(says(withPower(booting), 0, 9000)).toMatchObject({ kind: "booting", elapsedMs: 8000, expectedMs: 16_000, firstBoot: false });
    const state = phoneState({ power: booting });
    const hello = helloOf(state);
    const runtime = { ...hello.devices[0]?.runtime, snapshot: { emulator: "", cpu: "", made: "" } };
    const snapshot = { ...hello, devices: [{ model: "Pixel 8", native: "Pixel 8", runtime }] } as typeof hello;
    expect(says(panel({ state, hello: snapshot }), 0, 2000)).toMatchObject({ expectedMs: 4000 });
  });

  it("names the device that a switch goes to and the one it comes from", () => {
    const model = withPower({ is: "switching", to: "Pixel Fold", step: "booting", since: 0 }, { switchedFrom: "Pixel 8" });
    expect(says(model)).toEqual({ kind: "switching", name: "Pixel Fold", from: "Pixel 8", step: "booting" });
  });

  it("gives a failure's own words and its code", () => {
    const model = withPower({ is: "failed", error: { code: "emulator-failed", words: "It stopped twice." }, since: 0 });
    expect(says(model)).toMatchObject({ kind: "failed", words: "It stopped twice.", code: "emulator-failed" });
  });

  it("lays Asleep and Connection lost over the last picture where there is one", () => {
    expect(says(withPower({ is: "booted", awake: false }))).toEqual({ kind: "asleep", overPicture: true });
    expect(says(withPower({ is: "booted", awake: false }, { pictured: false }))).toEqual({ kind: "asleep", overPicture: false });
    expect(says(panel({ link: { is: "lost", retryAtMs: 4000 } }), 1000)).toEqual({ kind: "lost", retryInMs: 3000, overPicture: true });
    expect(says(panel({ link: { is: "lost", retryAtMs: null } }))).toMatchObject({ kind: "lost", retryInMs: null });
  });

  it("never is nothing in any other state: no black screen without words", () => {
    const models = [
      panel({ state: null }),
      panel({ pictured: false }),
      withPower({ is: "stopped" }),
      panel({ link: { is: "superseded" } }),
      panel({ link: { is: "ended", words: null } }),
      panel({ link: { is: "refused", why: "no-token" } }),
      panel({ link: { is: "refused", why: "old-token" } }),
      panel({ state: null, hello: { ...helloOf(phoneState()), devices: [] } }),
    ];
    for (const model of models) expect(says(model).kind).not.toBe("nothing");
  });
});
