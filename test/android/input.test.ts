import { afterEach, beforeEach, expect, it } from "vitest";

import { videoToDevice } from "#core/geometry.ts";
import type { DeviceModel, Orientation } from "#core/device.ts";
import type { DeviceDriver } from "#drivers/driver.ts";

import { describeWith } from "../support/needs.ts";
import { bodyOf } from "./feed.ts";
import { FOLD_ARGS, type HostRecord, offerOf, type Peer, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

/** The peer's colours of the first fingers. */
const FIRST = [230, 60, 50];
const SECOND = [40, 160, 70];

describeWith(["python3-grpcio", "protoc", "adb"], "touch and keys", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  async function attached(args: readonly string[] = SMALL_ARGS, config: Readonly<Record<string, string>> = SMALL, options = {}) {
    rig.avd("Device", config);
    const peer = await rig.peer(args, { avd: "Device" });
    const { driver, record } = rig.driver(options);
    const found = (await driver.offered()).find(({ offer }) => offer.native === "Device");
    await driver.attach(await offerOf(driver, "Device"), soon());
    return { peer, driver, record, model: found?.model as DeviceModel };
  }

  /** Taps a point of the video as the device server does, and reads what the device drew there. */
  async function drawnAt(
    parts: { peer: Peer; driver: DeviceDriver; record: HostRecord; model: DeviceModel },
    at: { x: number; y: number },
  ) {
    const { peer, driver, record, model } = parts;
    const geometry = record.geometries.at(-1);
    if (geometry === undefined) throw new Error("no geometry yet");
    const point = videoToDevice(model, geometry, driver.touchSpace, at);
    await driver.touch([{ id: 0, ...point }]);
    await driver.touch([]);
    return (await peer.order("pixel", at)).rgb;
  }

  async function turn(parts: { driver: DeviceDriver }, to: Orientation) {
    await parts.driver.control({ action: "rotate", to }, soon());
  }

  it.each(["upright", "turned-left", "upside-down", "turned-right"] as const)("draws a tap where it was made: %s", async (to) => {
    const parts = await attached();
    await turn(parts, to);
    expect(parts.record.geometries.at(-1)?.physical).toBe(to);
    const odd = to === "turned-left" || to === "turned-right";
    expect(await drawnAt(parts, odd ? { x: 500, y: 60 } : { x: 60, y: 500 })).toEqual(FIRST);
  });

  it("draws a tap where it was made in the other touch space too, when the option names it", async () => {
    const parts = await attached([...SMALL_ARGS, "--touch-space", "oriented"], SMALL, { touchSpace: "video" });
    await turn(parts, "turned-left");
    expect(await drawnAt(parts, { x: 500, y: 60 })).toEqual(FIRST);
  });

  it("draws a tap where it was made on both panels of a foldable, held either way", async () => {
    const parts = await attached(FOLD_ARGS, PIXEL_FOLD);
    expect(await drawnAt(parts, { x: 2000, y: 1500 })).toEqual(FIRST);
    await parts.driver.control({ action: "posture", to: "closed" }, soon());
    expect(parts.record.geometries.at(-1)?.screen).toBe("outer");
    expect(await drawnAt(parts, { x: 900, y: 1900 })).toEqual(FIRST);
    await turn(parts, "turned-right");
    expect(await drawnAt(parts, { x: 1900, y: 200 })).toEqual(FIRST);
  });

  it("holds ten fingers, moves them and lifts each where it was", async () => {
    const { peer, driver } = await attached();
    const ten = Array.from({ length: 10 }, (_, id) => ({ id, x: 20 + id * 25, y: 100 }));
    await driver.touch(ten);
    expect(Object.keys((await peer.order("state")).contacts as object)).toHaveLength(10);
    await driver.touch(ten.slice(2));
    await peer.heard();
    const sent = peer.feed.calls("sendTouch").at(-1)?.touches;
    expect(sent).toEqual([
      { identifier: 0, x: 20, y: 100, pressure: 0 },
      { identifier: 1, x: 45, y: 100, pressure: 0 },
    ]);
    await driver.touch([]);
    expect((await peer.order("state")).contacts).toEqual({});
  });

  it("refuses an eleventh finger in words and keeps the others down", async () => {
    const { peer, driver } = await attached();
    await driver.touch([{ id: 9, x: 5, y: 5 }]);
    await expect(async () => driver.touch([{ id: 10, x: 1, y: 1 }])).rejects.toThrow("A touch's id is 0 to 9, not 10.");
    expect(Object.keys((await peer.order("state")).contacts as object)).toEqual(["9"]);
  });

  it("lifts pointer 0 at pixel 0,0: the empty message is written", async () => {
    const { peer, driver } = await attached();
    await driver.touch([{ id: 0, x: 0, y: 0 }]);
    expect(Object.keys((await peer.order("state")).contacts as object)).toEqual(["0"]);
    await driver.touch([]);
    await peer.heard();
    expect(peer.feed.calls("sendTouch").at(-1)?.raw).toBe("0a00");
    expect((await peer.order("state")).contacts).toEqual({});
  });

  it("keeps the order of a gesture, and drops only moves that a newer one replaced", async () => {
    const { peer, driver } = await attached();
    const sends: Promise<void>[] = [];
    for (let step = 0; step <= 200; step += 1) sends.push(driver.touch([{ id: 0, x: step, y: step }]));
    sends.push(driver.touch([]), driver.key("Enter", true), driver.key("Enter", false));
    await Promise.all(sends);
    await peer.heard();
    const calls = peer.feed.all.filter((said) => said.event === "call" && (said.method === "sendTouch" || said.method === "sendKey"));
    const touches = calls
      .filter((said) => said.method === "sendTouch")
      .slice(1)
      .map((said) => (said.touches as { x: number; pressure: number }[])[0]);
    const places = touches.map((touch) => touch?.x ?? -1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBe(200);
    expect(touches.at(-1)?.pressure).toBe(0);
    expect(touches.length).toBeLessThan(202);
    expect(calls.slice(-2).map((said) => bodyOf(said))).toEqual([{ key: "Enter" }, { key: "Enter", eventType: "keyup" }]);
  });

  it("sends touches and keys on one connection that stays open", async () => {
    const { peer, driver } = await attached();
    await driver.touch([{ id: 0, x: 9, y: 9 }]);
    await driver.touch([]);
    await driver.key("a", true);
    await driver.key("a", false);
    await peer.heard();
    const peers = new Set(peer.feed.all.filter((said) => said.event === "call").map((said) => said.peer));
    expect(peers.size).toBe(1);
  });

  it("lifts at the start what a server before it may have left held", async () => {
    const { peer } = await attached();
    await peer.heard();
    const first = peer.feed.calls("sendTouch")[0]?.touches as { identifier: number; pressure: number }[];
    expect(first.map((touch) => touch.identifier)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(first.every((touch) => touch.pressure === 0)).toBe(true);
    expect(peer.feed.calls("sendKey").map((said) => bodyOf(said))).toEqual(
      ["Shift", "Control", "Alt", "Meta"].map((key) => ({ key, eventType: "keyup" })),
    );
  });

  it("two fingers are drawn in their own colours", async () => {
    const { peer, driver } = await attached();
    await driver.touch([
      { id: 0, x: 60, y: 300 },
      { id: 1, x: 260, y: 300 },
    ]);
    await driver.touch([]);
    expect((await peer.order("pixel", { x: 60, y: 300 })).rgb).toEqual(FIRST);
    expect((await peer.order("pixel", { x: 260, y: 300 })).rgb).toEqual(SECOND);
  });

  it("refuses what is no key's name", async () => {
    const { driver } = await attached();
    await expect(async () => driver.key("é", true)).rejects.toMatchObject({ code: "bad-value" });
    await expect(async () => driver.key("", true)).rejects.toMatchObject({ code: "bad-value" });
  });

  it("types by adb where the AVD has no hardware keyboard, and says so", async () => {
    const { peer, driver, record } = await attached(SMALL_ARGS, { ...SMALL, "hw.keyboard": "no" });
    expect(record.warnings.at(-1)).toContain("hw.keyboard=no");
    await driver.key("a", true);
    await driver.key("a", false);
    await driver.control({ action: "home" }, soon());
    await peer.heard();
    const lines = peer.feed.all.filter((said) => said.event === "shell").map((said) => said.line);
    expect(lines).toContain("input text 'a'");
    expect(lines).toContain("input keyevent KEYCODE_HOME");
    expect(peer.feed.calls("sendKey")).toEqual([]);
  });

  it("carries the clipboard both ways, and pastes by the device's key", async () => {
    const { peer, driver, record } = await attached();
    await driver.setClipboard("köttbullar 日本語 🎉");
    const pasted = peer.feed.next((said) => said.event === "pasted");
    await driver.pasteKey();
    expect((await pasted).text).toBe("köttbullar 日本語 🎉");
    expect(await driver.clipboard()).toBe("köttbullar 日本語 🎉");
    const copied = record.feed.next((said) => said.event === "clipboard");
    await peer.order("copy", { text: "from the device: ñ" });
    expect((await copied).text).toBe("from the device: ñ");
    expect(record.feed.all.filter((said) => said.event === "clipboard")).toHaveLength(1);
  });
});
