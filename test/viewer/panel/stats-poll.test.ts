import { describe, expect, it } from "vitest";
import { StatsPoll } from "#viewer/panel/stats-poll.ts";
import type { Session } from "#viewer/panel/session.ts";
import { ManualClock, settle } from "../manual-clock.ts";
import { panel } from "./states.ts";

describe("Details' figures", () => {
  it("are asked for while it is open, every two seconds, and not before or after", async () => {
    const clock = new ManualClock();
    const asked: string[] = [];
    const session = {
      ask: (request: { type: string }) => {
        asked.push(request.type);
        return Promise.resolve({ ok: false, refusal: { why: "not-connected" } });
      },
    } as unknown as Session;
    const poll = new StatsPoll({ session: () => session, after: clock.after });
    poll.saw(panel());
    expect(asked).toEqual([]);
    poll.saw(panel({ popover: "details" }));
    poll.saw(panel({ popover: "details" }));
    await settle();
    expect(asked).toEqual(["stats"]);
    clock.move(2000);
    await settle();
    expect(asked).toEqual(["stats", "stats"]);
    poll.saw(panel());
    clock.move(60_000);
    await settle();
    expect(asked).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });
});
