import { beforeEach, describe, expect, it } from "vitest";
import type { CanvasPicture } from "#viewer/frame/frame-view.ts";
import type { StillsWhy } from "#viewer/panel/model.ts";
import { AGENT_TOUCHES_MS, HIDDEN_AFTER_MS, Session } from "#viewer/panel/session.ts";
import type { Command, DevicePort } from "#viewer/stream/port.ts";
import { ManualClock, settle } from "../manual-clock.ts";
import { helloOf, phoneState } from "./states.ts";

let clock: ManualClock;
let sent: Command[];
let open: boolean;
let paused: number;
let touched: number;
let repictured: CanvasPicture[];
let session: Session;

function make(cannotPlay: StillsWhy | null = null): Session {
  const port: DevicePort = {
    open: () => undefined,
    send: (command) => {
      if (open) sent.push(command);
      return open;
    },
    connectNow: () => undefined,
    close: () => undefined,
  };
  const made = new Session(
    {
      port,
      now: clock.now,
      after: clock.after,
      changed: () => undefined,
      touched: () => {
        touched += 1;
      },
      copied: () => undefined,
      repictured: (picture) => repictured.push(picture),
      refusedWithoutId: () => undefined,
      cannotPlay,
    },
    {},
  );
  made.start({
    unit: () => undefined,
    still: () => undefined,
    pause: () => {
      paused += 1;
    },
    redraw: () => undefined,
    close: () => undefined,
  });
  return made;
}

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  open = true;
  paused = 0;
  touched = 0;
  repictured = [];
  session = make();
  session.link({ is: "open" });
  session.hello(helloOf(phoneState()));
  session.control({ holder: "agent", generation: 1 });
});

const did = (): string[] => sent.map((command) => command.do);

describe("a session", () => {
  it("asks for video when the connection stands, and for stills where video cannot be played", () => {
    expect(did()).toEqual(["start-video"]);
    sent = [];
    session = make("no-decoder");
    session.link({ is: "open" });
    expect(did()).toEqual(["stop-video", "start-stills"]);
  });

  it("stops the video of a tab that stays hidden for a quarter of a second, and starts it again on show", () => {
    sent = [];
    session.visible(false);
    clock.move(HIDDEN_AFTER_MS - 1);
    expect(did()).toEqual([]);
    clock.move(1);
    expect(did()).toEqual(["stop-video"]);
    session.visible(true);
    expect(did()).toEqual(["stop-video", "start-video"]);
  });

  it("sends nothing for a tab that is shown again at once", () => {
    sent = [];
    session.visible(false);
    clock.move(100);
    session.visible(true);
    clock.move(1000);
    expect(did()).toEqual([]);
  });

  it("takes control before a control, and asks only once it has it", async () => {
    sent = [];
    const pressed = session.press({ action: "home" });
    expect(did()).toEqual(["take-control"]);
    session.control({ holder: "you", generation: 2 });
    await settle();
    expect(did()).toEqual(["take-control", "ask"]);
    const asked = sent[1];
    if (asked?.do !== "ask" || asked.request.type === "touch") throw new Error("not asked");
    session.answer({ id: asked.request.id, ok: true, state: phoneState(), ms: 1 });
    expect(await pressed).toMatchObject({ ok: true });
  });

  it("says that control was not given when it does not come in three seconds", async () => {
    const pressed = session.press({ action: "home" });
    clock.move(3000);
    expect(await pressed).toBe("no-control");
    expect(did()).not.toContain("ask");
  });

  it("takes no control for a screenshot", () => {
    sent = [];
    void session.ask({ id: "s", type: "screenshot" });
    expect(did()).toEqual(["ask"]);
  });

  it("settles what waits when the connection ends, and gives up control", async () => {
    session.control({ holder: "you", generation: 2 });
    const pressed = session.press({ action: "home" });
    session.link({ is: "lost", retryAtMs: 1 });
    expect(await pressed).toEqual({ ok: false, refusal: { why: "lost" } });
    expect(session.model.holder).toBe("none");
    expect(paused).toBeGreaterThan(0);
  });

  it("gives a refusal's own words", async () => {
    session.control({ holder: "you", generation: 2 });
    const pressed = session.press({ action: "home" });
    const asked = sent.at(-1);
    if (asked?.do !== "ask" || asked.request.type === "touch") throw new Error("not asked");
    session.answer({ id: asked.request.id, ok: false, error: { code: "busy", words: "Wait for the switch." } });
    expect(await pressed).toEqual({ ok: false, refusal: { why: "refused", words: "Wait for the switch." } });
  });

  it("shows others' touches only to who has no control, and says for two seconds that the agent is at it", () => {
    const touch = { contacts: [{ id: 0, x: 1, y: 1 }], by: "agent" as const, generation: 1 };
    session.touches(touch);
    expect(touched).toBe(1);
    expect(session.model.agentTouches).toBe(true);
    clock.move(AGENT_TOUCHES_MS);
    expect(session.model.agentTouches).toBe(false);
    session.control({ holder: "you", generation: 2 });
    session.touches({ ...touch, by: "person" });
    expect(touched).toBe(1);
  });

  it("holds the old picture from a new generation's state until a picture of that generation is drawn", () => {
    const size = { width: 1080, height: 2400 };
    const first = session.pictureFor(1, size);
    if (first === null) throw new Error("unknown");
    session.drew(first);
    expect(session.held).toBe(false);
    const geometry = { generation: 2, physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } } as const;
    session.state({ state: phoneState({ geometry }), warning: null, progress: null });
    expect(session.held).toBe(true);
    const second = session.pictureFor(2, geometry.video);
    if (second === null) throw new Error("unknown");
    expect(second).toMatchObject({ content: "turned-left" });
    session.drew(second);
    expect(session.held).toBe(false);
  });

  it("knows of a model that booted in the box after HELLO, and keeps what it knew when a state says nothing of it", () => {
    const { state } = session.model;
    if (state === null) throw new Error("no state");
    session.state({ state, warning: null, progress: null, bootedHere: ["Pixel 8", "Pixel Fold"] });
    expect(session.model.hello?.bootedHere).toEqual(["Pixel 8", "Pixel Fold"]);
    session.state({ state, warning: null, progress: null });
    expect(session.model.hello?.bootedHere).toEqual(["Pixel 8", "Pixel Fold"]);
  });

  it("lets a picture wait for the state that tells how it lies, and draws it anyway after 300 ms", () => {
    const size = { width: 2400, height: 1080 };
    expect(session.pictureFor(9, size)).toBeNull();
    clock.move(299);
    expect(session.pictureFor(9, size)).toBeNull();
    clock.move(1);
    expect(session.pictureFor(9, size)).toMatchObject({ size, generation: 9 });
  });

  it("lays a guessed picture right once a state tells of it, though no further frame comes", () => {
    const geometry = { generation: 65_545, physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } } as const;
    session.pictureFor(9, geometry.video);
    clock.move(300);
    const guess = session.pictureFor(9, geometry.video);
    if (guess === null) throw new Error("not due");
    session.drew(guess);
    session.state({ state: phoneState({ geometry }), warning: null, progress: null });
    expect(repictured).toEqual([{ size: geometry.video, content: "turned-left", generation: 65_545, lit: "inner" }]);
    expect(session.held).toBe(false);
  });

  it("forgets the picture when a switch begins, so that the old device never shows as the new one", () => {
    const first = session.pictureFor(1, { width: 1080, height: 2400 });
    if (first === null) throw new Error("unknown");
    session.drew(first);
    expect(session.model.pictured).toBe(true);
    session.state({
      state: phoneState({ power: { is: "switching", to: "Pixel Fold", step: "stopping", since: 0 } }),
      warning: null,
      progress: null,
    });
    expect(session.model).toMatchObject({ pictured: false, switchedFrom: "Pixel 8" });
  });

  it("falls back to stills once, and stays with them", () => {
    sent = [];
    session.fallBack("no-decoder");
    session.fallBack("no-decoder");
    expect(did()).toEqual(["stop-video", "stop-video", "start-stills"]);
    expect(session.model.stills).toBe("no-decoder");
  });
});
