import { describe, expect, it } from "vitest";
import { en } from "#viewer/i18n/messages.ts";
import { sayings } from "#viewer/panel/announcer.ts";
import type { PanelModel } from "#viewer/panel/model.ts";
import { foldState, known, panel, phoneState, withPower } from "./states.ts";

const said = (before: PanelModel, after: PanelModel): string[] => sayings(before, after, en).map((saying) => saying.words);

describe("what a screen reader hears", () => {
  it("is a turn, a fold, an appearance and a text size, once each", () => {
    const geometry = { generation: 2, physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } } as const;
    expect(said(panel(), panel({ state: phoneState({ geometry }) }))).toEqual(["Turned left."]);
    expect(said(panel({ state: foldState() }), panel({ state: foldState({ posture: known("half-open") }) }))).toEqual(["Half open."]);
    const settings = { ...phoneState().settings, appearance: known("dark" as const), fontScale: known(1.3 as const) };
    expect(said(panel(), panel({ state: phoneState({ settings }) }))).toEqual(["Appearance: dark.", "Text size: 1.3."]);
  });

  it("is who has control", () => {
    expect(said(panel(), panel({ holder: "you" }))).toEqual(["You have control. Hand back when done."]);
    expect(said(panel({ holder: "you" }), panel({ holder: "agent" }))).toEqual(["The agent has control."]);
    expect(said(panel(), panel({ holder: "other" }))).toEqual(["Someone else has control."]);
  });

  it("is a device that sleeps, wakes, fails and is ready", () => {
    const asleep = withPower({ is: "booted", awake: false });
    expect(said(panel(), asleep)).toEqual(["Pixel 8 is asleep."]);
    expect(said(asleep, panel())).toEqual(["Pixel 8 is awake."]);
    const failed = withPower({
      is: "failed",
      error: { code: "emulator-failed", words: "The emulator stopped twice in 5 minutes." },
      since: 0,
    });
    expect(said(panel(), failed)).toEqual(["Pixel 8 failed. The emulator stopped twice in 5 minutes."]);
    expect(said(panel({ pictured: false }), panel())).toEqual(["Pixel 8 is ready."]);
  });

  it("is a switch and each of its steps", () => {
    const step = (to: "stopping" | "booting"): PanelModel =>
      withPower({ is: "switching", to: "Pixel Fold", step: to, since: 0 }, { switchedFrom: "Pixel 8" });
    expect(said(panel(), step("stopping"))).toEqual(["Switching to the Pixel Fold."]);
    expect(said(step("stopping"), step("booting"))).toEqual(["Booting."]);
  });

  it("is a connection lost and back, and pictures instead of video", () => {
    const lost = panel({ link: { is: "lost", retryAtMs: 1 } });
    expect(said(panel(), lost)).toEqual(["Connection lost."]);
    expect(said(lost, panel())).toEqual(["Connected again."]);
    expect(said(panel(), panel({ stills: "no-decoder" }))).toEqual([en.saidStills]);
  });

  it("is nothing for what does not change, and for touches", () => {
    expect(said(panel(), panel({ agentTouches: true, latency: { medianMs: 1, p95Ms: 2 } }))).toEqual([]);
  });
});
