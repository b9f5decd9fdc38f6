import { beforeEach, describe, expect, it } from "vitest";
import type { Command } from "#viewer/stream/port.ts";
import { PointerInput, type PointerLike } from "#viewer/input/pointer.ts";
import { ManualClock } from "../manual-clock.ts";

let clock: ManualClock;
let sent: Command[];
let generation: number | null;
let input: PointerInput;

/** The video is 100 by 200 pixels at the page's origin. */
beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  generation = 5;
  input = new PointerInput({
    toVideo: ({ x, y }, clamp) => {
      const inside = x >= 0 && y >= 0 && x < 100 && y < 200;
      if (!inside && !clamp) return null;
      return { x: Math.min(Math.max(x, 0), 99), y: Math.min(Math.max(y, 0), 199) };
    },
    mirrored: ({ x, y }) => ({ x: 99 - x, y: 199 - y }),
    generation: () => generation,
    send: (command) => sent.push(command),
    onNextFrame: clock.onNextFrame,
  });
});

const mouse = (x: number, y: number, over: Partial<PointerLike> = {}): PointerLike => ({
  pointerId: 1,
  pointerType: "mouse",
  button: 0,
  altKey: false,
  clientX: x,
  clientY: y,
  ...over,
});
const finger = (pointerId: number, x: number, y: number): PointerLike => mouse(x, y, { pointerId, pointerType: "touch" });
const pointers = (): string[] => sent.flatMap((command) => (command.do === "pointer" ? [`${command.x},${command.y},${command.mask}`] : []));
const contacts = (): string[] =>
  sent.flatMap((command) =>
    command.do === "ask" && command.request.type === "touch"
      ? [command.request.contacts.map((contact) => `${contact.id}:${contact.x},${contact.y}`).join(" ")]
      : [],
  );

describe("a mouse", () => {
  it("presses, moves and lifts, with moves joined to one per animation frame", () => {
    input.down(mouse(10, 20));
    input.move(mouse(11, 20));
    input.move(mouse(12, 20));
    clock.frame();
    input.move(mouse(13, 20));
    input.up(mouse(13, 21));
    expect(pointers()).toEqual(["10,20,1", "12,20,1", "13,20,1", "13,21,0"]);
  });

  it("tells nothing while it only hovers", () => {
    input.move(mouse(10, 20));
    clock.frame();
    expect(sent).toEqual([]);
  });

  it("sends the right button as its own bit, for a long press", () => {
    input.down(mouse(1, 1, { button: 2 }));
    input.up(mouse(1, 1, { button: 2 }));
    expect(pointers()).toEqual(["1,1,4", "1,1,0"]);
  });

  it("holds a drag that leaves the picture to its edge", () => {
    input.down(mouse(50, 50));
    input.move(mouse(500, -40));
    clock.frame();
    expect(pointers()).toEqual(["50,50,1", "99,0,1"]);
  });

  it("does not press beside the picture", () => {
    expect(input.down(mouse(100, 20))).toBe(false);
    expect(sent).toEqual([]);
  });

  it("pinches with Alt: two contacts mirrored about the middle", () => {
    input.down(mouse(10, 20, { altKey: true }));
    input.move(mouse(20, 30, { altKey: true }));
    clock.frame();
    input.up(mouse(20, 30));
    expect(contacts()).toEqual(["0:10,20 1:89,179", "0:20,30 1:79,169", ""]);
    expect(pointers()).toEqual([]);
  });
});

describe("fingers", () => {
  it("are contacts with the smallest free ids, each message with all that are down", () => {
    input.down(finger(7, 10, 10));
    input.down(finger(9, 50, 50));
    input.up(finger(7, 10, 10));
    input.down(finger(11, 60, 60));
    input.up(finger(9, 50, 50));
    input.up(finger(11, 60, 60));
    expect(contacts()).toEqual(["0:10,10", "0:10,10 1:50,50", "1:50,50", "1:50,50 0:60,60", "0:60,60", ""]);
  });

  it("carry the generation of the picture they were put on", () => {
    input.down(finger(1, 10, 10));
    expect(sent[0]).toMatchObject({ request: { type: "touch", generation: 5 } });
  });

  it("flush the move that waits before a lift", () => {
    input.down(finger(1, 10, 10));
    input.move(finger(1, 15, 15));
    input.up(finger(1, 16, 16));
    expect(contacts()).toEqual(["0:10,10", "0:16,16", ""]);
  });

  it("are at most ten", () => {
    for (let id = 0; id < 12; id += 1) input.down(finger(id, id, id));
    expect(contacts()).toHaveLength(10);
  });

  it("are all let go when the browser takes the pointer away", () => {
    input.down(finger(1, 10, 10));
    input.down(finger(2, 20, 20));
    input.cancel();
    expect(contacts().at(-1)).toBe("");
    expect(input.active).toBe(false);
  });
});

describe("a turn under a gesture", () => {
  it("ends it: nothing more is sent of it, and the next press is a new one", () => {
    input.down(mouse(10, 20));
    input.interrupt();
    input.move(mouse(30, 30));
    clock.frame();
    expect(pointers()).toEqual(["10,20,1"]);
    input.up(mouse(30, 30));
    expect(pointers()).toEqual(["10,20,1", "10,20,0"]);
    input.down(mouse(5, 5));
    expect(pointers().at(-1)).toBe("5,5,1");
  });

  it("sends no more contacts of fingers that were down, nor of new ones until all are up", () => {
    input.down(finger(1, 10, 10));
    input.interrupt();
    expect(input.down(finger(2, 20, 20))).toBe(false);
    input.up(finger(1, 10, 10));
    expect(contacts()).toEqual(["0:10,10"]);
    expect(input.down(finger(3, 30, 30))).toBe(true);
  });

  it("takes no press while the new picture is awaited", () => {
    generation = null;
    expect(input.down(mouse(10, 20))).toBe(false);
    expect(input.down(finger(1, 10, 20))).toBe(false);
    expect(sent).toEqual([]);
  });
});

describe("the wheel", () => {
  const wheel = (deltaY: number, deltaMode = 0, deltaX = 0): boolean =>
    input.wheel({ deltaX, deltaY, deltaMode, clientX: 10, clientY: 20 });

  it("goes in whole notches at the pointer, gathered from a trackpad's small steps", () => {
    for (let step = 0; step < 5; step += 1) wheel(30);
    expect(sent).toEqual([
      { do: "pointer", x: 10, y: 20, mask: 0, move: false },
      { do: "wheel", axis: "y", notches: 1, mask: 0 },
    ]);
  });

  it("counts lines and pages as notches, and at most ten at once", () => {
    wheel(-3, 1);
    wheel(40, 2);
    expect(sent.filter((command) => command.do === "wheel")).toEqual([
      { do: "wheel", axis: "y", notches: -1, mask: 0 },
      { do: "wheel", axis: "y", notches: 10, mask: 0 },
    ]);
  });

  it("is the page's own beside the picture", () => {
    expect(input.wheel({ deltaX: 0, deltaY: 100, deltaMode: 0, clientX: 300, clientY: 20 })).toBe(false);
    expect(sent).toEqual([]);
  });
});
