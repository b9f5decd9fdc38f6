import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Observed } from "#core/device.ts";
import { LastSet } from "#server/rules/state.ts";
import { FLAT, FOLD, IOS } from "../wire/samples.ts";

const UNREAD: Observed<"light" | "dark"> = { known: false, why: "It has not been read yet." };

describe("who changed a setting last", () => {
  it("is bb-box while the device reports what bb-box set, and outside when it differs", () => {
    const last = new LastSet();
    expect(last.observe("appearance", UNREAD, "light", 1)).toEqual({ known: true, value: "light", at: 1, by: "outside" });
    last.control({ action: "appearance", to: "dark" });
    const ours = last.observe<"light" | "dark">("appearance", UNREAD, "dark", 2);
    expect(ours).toEqual({ known: true, value: "dark", at: 2, by: "bb-box" });
    expect(last.observe("appearance", ours, "light", 3)).toEqual({ known: true, value: "light", at: 3, by: "outside" });
  });

  it("stays through a read that failed, and keeps its time while nothing changes", () => {
    const last = new LastSet();
    last.control({ action: "appearance", to: "dark" });
    const failed = last.observe<"light" | "dark">("appearance", UNREAD, new Error("adb: device offline"), 1);
    expect(failed).toEqual({ known: false, why: "adb: device offline" });
    const again = last.observe("appearance", failed, "dark", 2);
    expect(again).toEqual({ known: true, value: "dark", at: 2, by: "bb-box" });
    expect(last.observe("appearance", again, "dark", 9)).toBe(again);
    expect(last.observe("appearance", again, undefined, 9)).toBe(again);
  });

  it("is bb-box for what the device has of its own once bb-box gave it back, and outside for what comes after", () => {
    const last = new LastSet();
    const unread: Observed<{ latitude: number; longitude: number } | null> = { known: false, why: "x" };
    last.control({ action: "location", to: null });
    const own = last.observe("location", unread, { latitude: 37, longitude: -122 }, 1);
    expect(own).toMatchObject({ by: "bb-box" });
    expect(last.observe("location", own, { latitude: 1, longitude: 2 }, 2)).toMatchObject({ by: "outside" });
    expect(last.observe("location", own, { latitude: 37, longitude: -122 }, 3)).toBe(own);
  });

  it("is known after a restart from the state that was kept", () => {
    expect(LastSet.of(FLAT).observe("appearance", UNREAD, "dark", 1)).toMatchObject({ by: "bb-box" });
    expect(LastSet.of(FLAT).observe<number>("fontScale", { known: false, why: "x" }, 1.3, 1)).toMatchObject({ by: "outside" });
    expect(LastSet.of(FOLD).observe<string>("posture", { known: false, why: "x" }, "closed", 1)).toMatchObject({ by: "bb-box" });
    expect(LastSet.of(IOS).observe("appearance", UNREAD, "dark", 1)).toMatchObject({ by: "bb-box" });
    expect(LastSet.of(null).observe("appearance", UNREAD, "dark", 1)).toMatchObject({ by: "outside" });
  });

  it("is told apart for each setting, whatever was set and read in any order", () => {
    const step = fc.oneof(
      fc.record({ set: fc.constantFrom("light" as const, "dark" as const) }),
      fc.record({ read: fc.constantFrom("light" as const, "dark" as const) }),
      fc.constant({ fails: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const last = new LastSet();
        let observed: Observed<"light" | "dark"> = UNREAD;
        let set: string | null = null;
        for (const [at, now] of steps.entries()) {
          if ("set" in now) {
            last.control({ action: "appearance", to: now.set });
            set = now.set;
          } else if ("read" in now) {
            observed = last.observe(`appearance`, observed, now.read, at);
            expect(observed).toMatchObject({ known: true, value: now.read, by: set === now.read ? "bb-box" : "outside" });
          } else {
            observed = last.observe<"light" | "dark">("appearance", observed, new Error("x"), at);
            expect(observed.known).toBe(false);
          }
          last.control({ action: "network", to: "slow" });
        }
      }),
    );
  });
});
