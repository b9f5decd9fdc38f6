import { describe, expect, it } from "vitest";
import { Ownership } from "#server/rules/owner.ts";

const BOTH = { agent: true, person: true };
const AGENT = { agent: true, person: false };
const PERSON = { agent: false, person: true };
const NOBODY = { agent: false, person: false };

const owned = (holder: "none" | "agent" | "person"): Ownership => {
  const ownership = new Ownership(null, 0);
  if (holder !== "none") ownership.set(10, holder, BOTH, 0);
  return ownership;
};

describe("control's owner", () => {
  it("has a generation that rises with each start, and keeps its holder over it", () => {
    expect(new Ownership(null, 0).owner).toEqual({ generation: 1, holder: "none" });
    expect(new Ownership({ generation: 7, holder: "person" }, 0).owner).toEqual({ generation: 8, holder: "person" });
  });

  it("changes only to a higher generation", () => {
    const ownership = owned("agent");
    for (const generation of [9, 10]) {
      expect(ownership.set(generation, "person", BOTH, 0)).toMatchObject({ is: "refused", error: { code: "superseded" } });
    }
    expect(ownership.set(11, "person", BOTH, 0)).toMatchObject({ is: "changed", change: { owner: { generation: 11, holder: "person" } } });
  });

  it("drops the agent's queue and lifts everything when a person takes control, and gives up a paste", () => {
    const answer = owned("agent").set(11, "person", BOTH, 0);
    expect(answer).toMatchObject({ is: "changed", change: { drop: ["agent"], lift: true, abandonPaste: true } });
  });

  it("drops the person's queue too when control is handed back, so that a late touch never lands", () => {
    expect(owned("person").set(11, "agent", BOTH, 0)).toMatchObject({ change: { drop: ["agent", "person"], lift: true } });
    expect(owned("person").set(11, "none", BOTH, 0)).toMatchObject({ change: { drop: ["agent", "person"], lift: true } });
  });

  it("lets the agent through under the present generation only", () => {
    const ownership = owned("agent");
    expect(ownership.agentMay(10, null).is).toBe("yes");
    expect(ownership.agentMay(9, null)).toMatchObject({ is: "no", error: { code: "superseded" } });
    expect(ownership.agentMay(11, { action: "home" })).toMatchObject({ is: "no", error: { code: "superseded" } });
    expect(owned("none").agentMay(1, { action: "home" }).is).toBe("yes");
  });

  it("refuses the agent while a person holds control, but for an install of what the device does not have", () => {
    const ownership = owned("person");
    expect(ownership.agentMay(10, null)).toMatchObject({ is: "no", error: { code: "person-has-control" } });
    expect(ownership.agentMay(10, { action: "rotate", turn: "left" })).toMatchObject({ is: "no", error: { code: "person-has-control" } });
    expect(ownership.agentMay(10, { action: "install", paths: ["a.apk"] }).is).toBe("if-not-installed");
    expect(ownership.agentMay(9, null)).toMatchObject({
      is: "no",
      error: { code: "superseded", words: expect.stringContaining("person") },
    });
  });

  it("ignores a person's input while the agent holds control, and takes it otherwise", () => {
    expect(owned("agent").personMay()).toMatchObject({ is: "no", error: { code: "superseded" } });
    expect(owned("none").personMay().is).toBe("yes");
    expect(owned("person").personMay().is).toBe("yes");
    expect(owned("person").stillMay("agent", 10)).toBe(false);
    expect(owned("agent").stillMay("agent", 10)).toBe(true);
    expect(owned("agent").stillMay("person", 10)).toBe(false);
  });

  it("takes control from an agent whose host is gone for 30 s, so that nobody waits for it", () => {
    const ownership = owned("agent");
    expect(ownership.dueMs).toBeNull();
    ownership.presence(PERSON, 1_000);
    ownership.presence(NOBODY, 5_000);
    expect(ownership.dueMs).toBe(31_000);
    expect(ownership.advance(30_999)).toBeNull();
    expect(ownership.advance(31_000)).toMatchObject({ owner: { generation: 11, holder: "none" }, drop: ["agent"], lift: true });
    expect(ownership.dueMs).toBeNull();
    expect(ownership.agentMay(10, null)).toMatchObject({ is: "no", error: { code: "superseded" } });
  });

  it("leaves control with an agent whose host comes back in time, and counts its absence from a restart of the server", () => {
    const restarted = new Ownership({ generation: 7, holder: "agent" }, 500);
    expect(restarted.dueMs).toBe(30_500);
    restarted.presence(AGENT, 900);
    expect(restarted.dueMs).toBeNull();
    expect(restarted.owner).toEqual({ generation: 8, holder: "agent" });
  });

  it("leaves control with a person whose connection is gone for 30 s, then hands it back", () => {
    const ownership = owned("person");
    ownership.presence(AGENT, 1_000);
    ownership.presence(NOBODY, 5_000);
    expect(ownership.dueMs).toBe(31_000);
    expect(ownership.advance(30_999)).toBeNull();
    expect(ownership.advance(31_000)).toMatchObject({ owner: { generation: 11, holder: "none" }, lift: true });
    expect(ownership.dueMs).toBeNull();
  });

  it("leaves control with a person who comes back in time, and starts the count anew", () => {
    const ownership = owned("person");
    ownership.presence(NOBODY, 1_000);
    ownership.presence(BOTH, 2_000);
    expect(ownership.dueMs).toBeNull();
    ownership.presence(AGENT, 3_000);
    expect(ownership.dueMs).toBe(33_000);
  });

  it("counts a person's absence from a restart of the server, and from a take by a host whose person is not connected", () => {
    expect(new Ownership({ generation: 7, holder: "person" }, 500).dueMs).toBe(30_500);
    const ownership = owned("agent");
    ownership.set(11, "person", AGENT, 700);
    expect(ownership.dueMs).toBe(30_700);
    ownership.presence(BOTH, 800);
    expect(ownership.dueMs).toBeNull();
  });
});
