import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Contact } from "#core/device.ts";
import { Fingers } from "#server/rules/fingers.ts";
import { MOVE_MS, TAP_MS, type TouchInput, checkPoints, gestureSteps, isTouchInput, pointsOf } from "#server/rules/gestures.ts";

const VIDEO = { width: 1080, height: 2400 };
const at = (x: number, y: number) => ({ x, y, generation: 3 });

describe("a gesture", () => {
  it("that taps is a finger down and up", () => {
    expect(gestureSteps({ type: "tap", at: at(10, 20) }, VIDEO)).toEqual([
      { atMs: 0, contacts: [{ id: 0, x: 10, y: 20 }] },
      { atMs: TAP_MS, contacts: [] },
    ]);
  });

  it("that presses long is a finger held as long as was asked", () => {
    expect(gestureSteps({ type: "long_press", at: at(10, 20), ms: 1_200 }, VIDEO).map(({ atMs }) => atMs)).toEqual([0, 1_200]);
  });

  const inputs: fc.Arbitrary<TouchInput> = fc.oneof(
    fc.record({
      type: fc.constant("swipe" as const),
      from: fc.record({ x: fc.nat(1079), y: fc.nat(2399), generation: fc.constant(3) }),
      to: fc.record({ x: fc.nat(1079), y: fc.nat(2399), generation: fc.constant(3) }),
      ms: fc.nat(600),
    }),
    fc.record({
      type: fc.constant("pinch" as const),
      centre: fc.record({ x: fc.nat(1079), y: fc.nat(2399), generation: fc.constant(3) }),
      from: fc.nat(3_000),
      to: fc.nat(3_000),
      ms: fc.nat(600),
    }),
  );

  it("that moves has a point every 16 ms, on the picture, keeps its fingers, and ends with every finger up", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const steps = gestureSteps(input, VIDEO);
        const last = steps.at(-1);
        expect(last?.contacts).toEqual([]);
        expect(last?.atMs).toBe(Math.max(input.type === "swipe" || input.type === "pinch" ? input.ms : 0, MOVE_MS));
        for (const [index, step] of steps.slice(1).entries()) {
          expect(step.atMs - (steps[index]?.atMs ?? 0)).toBeLessThanOrEqual(MOVE_MS);
          expect(step.atMs).toBeGreaterThanOrEqual(steps[index]?.atMs ?? 0);
        }
        for (const { contacts } of steps.slice(0, -1)) {
          expect(contacts.map(({ id }) => id)).toEqual(input.type === "pinch" ? [0, 1] : [0]);
          for (const { x, y } of contacts) expect(x >= 0 && y >= 0 && x < 1080 && y < 2400).toBe(true);
        }
      }),
    );
  });

  it("that swipes begins and ends where it was told", () => {
    const steps = gestureSteps({ type: "swipe", from: at(100, 2_000), to: at(100, 400), ms: 200 }, VIDEO);
    expect(steps[0]?.contacts).toEqual([{ id: 0, x: 100, y: 2_000 }]);
    expect(steps.at(-2)?.contacts).toEqual([{ id: 0, x: 100, y: 400 }]);
  });

  it("that pinches keeps its fingers mirrored about the centre", () => {
    for (const { contacts } of gestureSteps({ type: "pinch", centre: at(540, 900), from: 100, to: 600, ms: 300 }, VIDEO).slice(0, -1)) {
      const [a, b] = contacts;
      expect((a?.x ?? 0) + (b?.x ?? 0)).toBe(1_080);
      expect([a?.y, b?.y]).toEqual([900, 900]);
    }
  });

  it("names its points, and one outside the picture is refused in words", () => {
    expect(pointsOf({ type: "swipe", from: at(1, 2), to: at(3, 4), ms: 1 })).toHaveLength(2);
    expect(checkPoints({ type: "tap", at: at(1079, 2399) }, VIDEO)).toBeNull();
    expect(checkPoints({ type: "tap", at: at(1080, 0) }, VIDEO)).toMatchObject({
      code: "bad-value",
      words: "The point 1080, 0 is not on the picture, which is 1080x2400.",
    });
    expect(isTouchInput({ type: "text", text: "x" })).toBe(false);
  });
});

describe("fingers", () => {
  const one = (id: number, x = 1): Contact => ({ id, x, y: 1 });

  it("of the agent and a person are told to the device as one list, each under a number of its own", () => {
    const fingers = new Fingers();
    expect(fingers.set("person", [one(0)])).toEqual([one(0)]);
    expect(fingers.set("agent", [one(0, 9)])).toEqual([
      { id: 1, x: 9, y: 1 },
      { id: 0, x: 1, y: 1 },
    ]);
    expect(fingers.set("person", [])).toEqual([{ id: 1, x: 9, y: 1 }]);
    expect(fingers.any).toBe(true);
    expect(fingers.set("agent", [])).toEqual([]);
    expect(fingers.any).toBe(false);
  });

  it("that have not moved say nothing", () => {
    const fingers = new Fingers();
    fingers.set("person", [one(0)]);
    expect(fingers.set("person", [one(0)])).toBeNull();
    expect(fingers.lift(["agent"])).toBeNull();
  });

  it("that were lifted for their owner stay up until the owner lifts them", () => {
    const fingers = new Fingers();
    fingers.set("person", [one(0), one(1)]);
    expect(fingers.lift()).toEqual([]);
    expect(fingers.set("person", [one(0, 5), one(1, 6)])).toBeNull();
    expect(fingers.presses("person", [one(0, 5)])).toBe(false);
    expect(fingers.set("person", [one(1, 7)])).toBeNull();
    expect(fingers.set("person", [one(0, 8), one(1, 7)])).toEqual([one(0, 8)]);
    expect(fingers.set("person", [])).toEqual([]);
    expect(fingers.presses("person", [one(1)])).toBe(true);
    expect(fingers.set("person", [one(1)])).toEqual([one(1)]);
  });

  it("of one who has gone are up, and the next one to come starts afresh", () => {
    const fingers = new Fingers();
    fingers.set("person", [one(0)]);
    expect(fingers.forget("person")).toEqual([]);
    expect(fingers.set("person", [one(0)])).toEqual([one(0)]);
  });

  it("keep the device's number from press to lift, never share one, and all end up, whatever is done", () => {
    const step = fc.record({
      source: fc.constantFrom("agent" as const, "person" as const),
      ids: fc.uniqueArray(fc.nat(9), { maxLength: 10 }),
      lift: fc.nat(9).map((n) => n === 0),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const fingers = new Fingers();
        let list: readonly Contact[] = [];
        for (const { source, ids, lift } of steps) {
          const told = lift
            ? fingers.lift([source])
            : fingers.set(
                source,
                ids.map((id) => one(id, Math.random())),
              );
          list = told ?? list;
          expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
          for (const { id } of list) expect(id >= 0 && id <= 9).toBe(true);
        }
        list = fingers.lift() ?? list;
        expect(list).toEqual([]);
      }),
    );
  });
});
