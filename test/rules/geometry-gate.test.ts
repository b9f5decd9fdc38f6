import { describe, expect, it } from "vitest";
import { GeometryGate, HELD_MAX, HOLD_MS_MAX, changesGeometry } from "#server/rules/geometry-gate.ts";

const touch = (generation: number, x = 1) => ({ contacts: [{ id: 0, x, y: 1 }], generation });
const lift = (generation: number) => ({ contacts: [], generation });

describe("the geometry gate", () => {
  it("lets touches of the present generation through, and refuses every other", () => {
    const gate = new GeometryGate(3);
    expect(gate.person(touch(3), true)).toEqual({ is: "apply" });
    expect(gate.person(touch(2), true)).toMatchObject({ is: "refused", error: { code: "stale-geometry" } });
    expect(gate.agent([3, 3])).toBeNull();
    expect(gate.agent([3, 2])).toMatchObject({ code: "stale-geometry", words: "The device turned since that screenshot. Take another." });
  });

  it("never refuses a lift, which names no point", () => {
    expect(new GeometryGate(3).person(lift(1), false)).toEqual({ is: "apply" });
  });

  it("holds a person's touches and refuses the agent's from the control to the first frame of the new generation", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    expect(gate.person(touch(3), true)).toEqual({ is: "held" });
    expect(gate.agent([3])).toMatchObject({ code: "stale-geometry" });
    expect(gate.geometry(4, 100)).toBe(true);
    expect(gate.person(touch(4, 7), true)).toEqual({ is: "held" });
    expect(gate.controlEnds(200)).toEqual([]);
    expect(gate.frame(3)).toEqual([]);
    expect(gate.agent([4])).toMatchObject({ code: "stale-geometry" });
    // Only what was meant for the new picture lands.
    expect(gate.frame(4)).toEqual([touch(4, 7)]);
    expect(gate.open).toBe(true);
    expect(gate.agent([4])).toBeNull();
  });

  it("opens at the control's end when the geometry stayed, and gives back what it held", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.person(touch(3), true);
    gate.person(lift(3), false);
    expect(gate.controlEnds(100)).toEqual([touch(3), lift(3)]);
  });

  it("stays shut for the control though the frame is there already", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.geometry(4, 50);
    expect(gate.frame(4)).toEqual([]);
    expect(gate.open).toBe(false);
    gate.controlEnds(100);
    expect(gate.open).toBe(true);
  });

  it("shuts for a turn that nobody here asked for, and ends the gesture under way", () => {
    const gate = new GeometryGate(3);
    expect(gate.geometry(4, 100)).toBe(true);
    expect(gate.geometry(4, 100)).toBe(false);
    expect(gate.person(touch(4), true)).toEqual({ is: "held" });
    expect(gate.frame(4)).toEqual([touch(4)]);
  });

  it("opens by itself when the new picture never comes", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.geometry(4, 100);
    expect(gate.dueMs).toBeNull();
    gate.controlEnds(200);
    expect(gate.dueMs).toBe(200 + HOLD_MS_MAX);
    expect(gate.advance(199 + HOLD_MS_MAX)).toEqual([]);
    gate.advance(200 + HOLD_MS_MAX);
    expect(gate.open).toBe(true);
    expect(gate.dueMs).toBeNull();
  });

  it("holds the newest of moves of the same fingers, every press and lift, and no more than it may", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.person(touch(3, 0), true);
    for (let x = 1; x < 1_000; x += 1) gate.person(touch(3, x), false);
    gate.person(lift(3), false);
    expect(gate.controlEnds(0)).toEqual([touch(3, 999), lift(3)]);
    gate.controlBegins();
    for (let at = 0; at < HELD_MAX * 2; at += 1) {
      gate.person(touch(3, at), true);
      gate.person(lift(3), false);
    }
    const held = gate.controlEnds(0);
    expect(held.length).toBeLessThanOrEqual(HELD_MAX + 1);
    expect(held.at(-1)).toEqual(lift(3));
  });

  it("is open once the device is gone, though what turned it never ends, and shuts for the next one's geometry", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.geometry(4, 100);
    gate.person(touch(4), true);
    gate.gone();
    expect([gate.open, gate.dueMs]).toEqual([true, null]);
    gate.geometry(5, 200);
    expect(gate.open).toBe(false);
    expect(gate.controlEnds(300)).toEqual([]);
    expect(gate.frame(5)).toEqual([]);
    expect(gate.open).toBe(true);
  });

  it("drops what it holds with its owner", () => {
    const gate = new GeometryGate(3);
    gate.controlBegins();
    gate.person(touch(3), true);
    gate.drop();
    expect(gate.controlEnds(0)).toEqual([]);
  });

  it("is for turns, folds, switches and reboots", () => {
    expect(changesGeometry({ action: "rotate", turn: "left" })).toBe(true);
    expect(changesGeometry({ action: "posture", to: "open" })).toBe(true);
    expect(changesGeometry({ action: "switch", device: "x" })).toBe(true);
    expect(changesGeometry({ action: "reboot" })).toBe(true);
    expect(changesGeometry({ action: "home" })).toBe(false);
  });
});
