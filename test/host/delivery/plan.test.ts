import { describe, expect, it } from "vitest";
import { plan, type Situation, waitWords } from "#host/delivery/plan.ts";

const P1 = { min: 1, max: 1 };
const P2 = { min: 2, max: 2 };
const at = (over: Partial<Situation> = {}): Situation => ({
  ours: { version: 7, protocol: P1 },
  theirs: { version: 6, protocol: P1 },
  leased: true,
  holder: "agent",
  recording: false,
  bad: 0,
  ...over,
});

describe("by version, only forward", () => {
  it("an older one is replaced, the same and a newer one are used", () => {
    expect(plan(at())).toEqual({ is: "deliver", backwards: false });
    expect(plan(at({ theirs: { version: 7, protocol: P1 } }))).toEqual({ is: "use" });
    expect(plan(at({ theirs: { version: 8, protocol: { min: 1, max: 4 } } }))).toEqual({ is: "use" });
  });
  it("a newer one is replaced only when no protocol is common to both", () => {
    expect(plan(at({ theirs: { version: 9, protocol: P2 } }))).toEqual({ is: "deliver", backwards: true });
  });
  it("an empty box gets one without a lease, which nobody there could give", () => {
    expect(plan(at({ theirs: null, leased: false }))).toEqual({ is: "deliver", backwards: false });
  });
});

describe("only by the lease holder, never under a person or a recording", () => {
  it("without the lease the server that is there is used", () => {
    expect(plan(at({ leased: false }))).toEqual({ is: "use" });
    expect(plan(at({ leased: false, theirs: { version: 9, protocol: P2 } }))).toEqual({ is: "refuse", why: "no-lease" });
  });
  it("it waits for a person first, then for a recording", () => {
    expect(plan(at({ holder: "person", recording: true }))).toEqual({ is: "wait", until: "hand-back" });
    expect(plan(at({ holder: "none", recording: true }))).toEqual({ is: "wait", until: "recording-end" });
    expect(plan(at({ holder: "none" }))).toEqual({ is: "deliver", backwards: false });
  });
  it("says so as the note does", () => {
    expect(waitWords("b-12", 7, "hand-back")).toBe("Box b-12's device server waits for version 7 until the person hands back control.");
  });
});

describe("a version that did not come up", () => {
  it("is not tried again, one above it is", () => {
    expect(plan(at({ bad: 7 }))).toEqual({ is: "use" });
    expect(plan(at({ bad: 6 }))).toEqual({ is: "deliver", backwards: false });
    expect(plan(at({ bad: 7, theirs: null }))).toEqual({ is: "refuse", why: "bad" });
    expect(plan(at({ bad: 7, theirs: { version: 6, protocol: P2 } }))).toEqual({ is: "refuse", why: "bad" });
  });
});
