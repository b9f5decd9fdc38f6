import { describe, expect, it } from "vitest";
import type { Contact } from "#core/device.ts";
import { LONG_PRESS_MS, MOVE_MS } from "#server/rules/gestures.ts";
import { PointerFingers } from "#server/rules/pointer.ts";
import { POINTER, type PointerMessage } from "#wire/selkies.ts";

const VIDEO = { width: 1200, height: 2400 };

/** A mouse over the picture, at a time of its own. */
class Mouse {
  readonly pointer = new PointerFingers();
  readonly lists: (readonly Contact[])[] = [];
  nowMs = 0;
  alt = false;

  move(x: number, y: number, mask = 0, notches = 0): this {
    return this.send({ kind: "pointer", relative: false, x, y, mask, notches });
  }
  send(message: PointerMessage): this {
    this.lists.push(...this.pointer.message(message, VIDEO, this.alt, this.nowMs));
    return this;
  }
  notch(bit: number, notches = 1): this {
    return this.send(relative(0, notches)).send(relative(bit, notches)).send(relative(0, notches));
  }
  wait(ms: number): this {
    const until = this.nowMs + ms;
    for (;;) {
      const due = this.pointer.dueMs;
      if (due === null || due > until) break;
      this.nowMs = Math.max(this.nowMs, due);
      this.lists.push(...this.pointer.advance(VIDEO, this.nowMs));
    }
    this.nowMs = until;
    return this;
  }
  get last(): readonly Contact[] | undefined {
    return this.lists.at(-1);
  }
}
const relative = (mask: number, notches = 0): PointerMessage => ({ kind: "pointer", relative: true, x: 0, y: 0, mask, notches });

describe("the left button", () => {
  it("is a touch at the pointer: down, moves, up", () => {
    const mouse = new Mouse().move(10, 20).move(10, 20, 1).move(30, 40, 1).move(50, 60, 0);
    expect(mouse.lists).toEqual([[{ id: 0, x: 10, y: 20 }], [{ id: 0, x: 30, y: 40 }], [{ id: 0, x: 50, y: 60 }], []]);
  });

  it("and a pen's eraser are one touch, which ends with the last of them", () => {
    const mouse = new Mouse()
      .move(100, 200, POINTER.eraser)
      .move(110, 200, POINTER.eraser | POINTER.left)
      .move(120, 200, POINTER.left);
    expect(mouse.last).toEqual([{ id: 0, x: 120, y: 200 }]);
    expect(mouse.move(120, 200).last).toEqual([]);
  });

  it("held outside the picture is a finger on its edge", () => {
    expect(new Mouse().move(10, 20, 1).move(-50, 9_999, 1).last).toEqual([{ id: 0, x: 0, y: 2_399 }]);
  });

  it("moves by motions too, from where the pointer was", () => {
    const mouse = new Mouse().move(10, 20, 1).send({ kind: "pointer", relative: true, x: 5, y: -5, mask: 1, notches: 0 });
    expect(mouse.last).toEqual([{ id: 0, x: 15, y: 15 }]);
  });

  it("with Alt held is a pinch: two fingers mirrored about the screen's centre, to the button's end", () => {
    const mouse = new Mouse();
    mouse.alt = true;
    mouse.move(100, 200, 1);
    expect(mouse.last).toEqual([
      { id: 0, x: 100, y: 200 },
      { id: 1, x: 1_099, y: 2_199 },
    ]);
    mouse.alt = false;
    mouse.move(500, 1_000, 1);
    expect(mouse.last).toEqual([
      { id: 0, x: 500, y: 1_000 },
      { id: 1, x: 699, y: 1_399 },
    ]);
    expect(mouse.move(500, 1_000, 0).last).toEqual([]);
  });

  it("that was held as someone else lifted its finger does nothing until it is pressed again", () => {
    const mouse = new Mouse().move(10, 20, 1);
    mouse.pointer.cut();
    mouse.lists.length = 0;
    mouse.move(11, 21, 1).move(12, 22, 0);
    expect(mouse.lists).toEqual([]);
    expect(mouse.move(13, 23, 1).lists).toEqual([[], [{ id: 0, x: 13, y: 23 }]]);
  });
});

describe("the right button", () => {
  it("is a long press, however short the click", () => {
    const mouse = new Mouse()
      .move(10, 20, 4)
      .wait(50)
      .move(10, 20, 0)
      .wait(LONG_PRESS_MS - 51);
    expect(mouse.last).toEqual([{ id: 0, x: 10, y: 20 }]);
    expect(mouse.wait(1).last).toEqual([]);
  });

  it("held longer ends as it is let go, and drags what it picked up", () => {
    const mouse = new Mouse().move(10, 20, 4).wait(2_000).move(40, 50, 4);
    expect(mouse.last).toEqual([{ id: 0, x: 40, y: 50 }]);
    expect(mouse.move(40, 50, 0).last).toEqual([]);
  });
});

describe("the wheel", () => {
  it("is a swipe from the pointer of a twelfth of the screen a notch, against the wheel", () => {
    const mouse = new Mouse().move(600, 1_200).notch(POINTER.wheelDown).wait(1_000);
    expect(mouse.lists[0]).toEqual([{ id: 0, x: 600, y: 1_200 }]);
    expect(mouse.lists.at(-2)).toEqual([{ id: 0, x: 600, y: 1_000 }]);
    expect(mouse.last).toEqual([]);
  });

  it.each([
    [POINTER.wheelUp, { x: 600, y: 1_400 }],
    [POINTER.wheelRight, { x: 500, y: 1_200 }],
    [POINTER.wheelLeft, { x: 700, y: 1_200 }],
  ])("goes each way: bit %i", (bit, to) => {
    const mouse = new Mouse().move(600, 1_200).notch(bit).wait(1_000);
    expect(mouse.lists.at(-2)).toEqual([{ id: 0, ...to }]);
  });

  it("joins notches within 100 ms into one swipe, and no others", () => {
    const joined = new Mouse().move(600, 1_800).notch(POINTER.wheelDown).wait(90).notch(POINTER.wheelDown).wait(1_000);
    expect(joined.lists.filter((list) => list.length === 0)).toHaveLength(1);
    expect(joined.lists.at(-2)).toEqual([{ id: 0, x: 600, y: 1_400 }]);
    const apart = new Mouse().move(600, 1_800).notch(POINTER.wheelDown).wait(300).notch(POINTER.wheelDown).wait(1_000);
    expect(apart.lists.filter((list) => list.length === 0)).toHaveLength(2);
  });

  it("rests before it lifts, so that the page does not fly on", () => {
    const mouse = new Mouse().move(600, 1_200).notch(POINTER.wheelDown);
    const reached = (): boolean => mouse.last?.[0]?.y === 1_000;
    while (!reached()) mouse.wait(MOVE_MS);
    const count = mouse.lists.length;
    mouse.wait(20);
    expect(mouse.lists).toHaveLength(count);
    expect(mouse.wait(200).last).toEqual([]);
  });

  it("turned further than the screen lifts at the edge and goes on from the pointer, all the way", () => {
    const mouse = new Mouse().move(600, 1_200).notch(POINTER.wheelDown, 10).notch(POINTER.wheelDown, 10).wait(5_000);
    let way = 0;
    for (const [index, list] of mouse.lists.entries()) {
      const before = mouse.lists[index - 1]?.[0];
      const now = list[0];
      if (before !== undefined && now !== undefined) way += before.y - now.y;
    }
    expect(way).toBeCloseTo(4_000, 3);
    expect(mouse.last).toEqual([]);
    for (const list of mouse.lists) for (const { y } of list) expect(y >= 96 && y <= 2_303).toBe(true);
  });

  it("is not turned by the mouse's Back and Forward, which have no notches, nor while a finger is down", () => {
    expect(new Mouse().move(600, 1_200).move(600, 1_200, POINTER.wheelDown, 0).lists).toEqual([]);
    const mouse = new Mouse()
      .move(600, 1_200, 1)
      .send(relative(1 | POINTER.wheelDown, 1))
      .wait(500);
    expect(mouse.lists).toEqual([[{ id: 0, x: 600, y: 1_200 }]]);
  });

  it("gives way to a press", () => {
    const mouse = new Mouse().move(600, 1_200).notch(POINTER.wheelDown).move(100, 100, 1);
    expect(mouse.lists.slice(-2)).toEqual([[], [{ id: 0, x: 100, y: 100 }]]);
    expect(mouse.wait(500).last).toEqual([{ id: 0, x: 100, y: 100 }]);
  });
});
