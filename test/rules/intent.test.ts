import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Intent } from "#core/device.ts";
import { Switch, type SwitchEffect, type SwitchOutcome } from "#server/rules/intent.ts";

const PLAN = { id: "s1", from: "Pixel 8", to: "Pixel Fold", since: 5 };

/** A machine with devices and a disk, both of which outlive the server. */
class World {
  running = new Set<string>(["Pixel 8"]);
  intent: Intent = { target: "Pixel 8", switching: null };
  most = 1;

  run(effect: SwitchEffect): void {
    if (effect.do === "write") this.intent = effect.intent;
    if (effect.do === "stop") this.running.delete(effect.model);
    if (effect.do === "boot") this.running.add(effect.model);
    this.most = Math.max(this.most, this.running.size);
  }
}

function drive(
  world: World,
  switching: Switch,
  fails: (effect: SwitchEffect, at: number) => boolean = () => false,
): { outcome: SwitchOutcome; done: string[] } {
  const done: string[] = [];
  let effect = switching.begin();
  for (let at = 0; effect.do !== "done"; at += 1) {
    done.push(effect.do === "write" ? `write ${effect.intent.switching?.step ?? "settled"}` : `${effect.do} ${effect.model}`);
    if (fails(effect, at)) effect = switching.failed("it broke.");
    else {
      world.run(effect);
      effect = switching.ok();
    }
    if (at > 30) throw new Error("it never ends");
  }
  return { outcome: effect.outcome, done };
}

describe("a switch", () => {
  it("writes its intent before each step and clears it after the first frame", () => {
    const world = new World();
    const { outcome, done } = drive(world, new Switch(PLAN));
    expect(outcome).toEqual({ is: "switched" });
    expect(done).toEqual([
      "write stopping",
      "stop Pixel 8",
      "write booting",
      "boot Pixel Fold",
      "write waiting",
      "wait-ready Pixel Fold",
      "write streaming",
      "first-frame Pixel Fold",
      "write settled",
    ]);
    expect(world.intent).toEqual({ target: "Pixel Fold", switching: null });
    expect([...world.running]).toEqual(["Pixel Fold"]);
  });

  it.each(["boot", "wait-ready", "first-frame"] as const)(
    "whose %s fails boots the old model again and says the note's sentence",
    (failing) => {
      const world = new World();
      const { outcome } = drive(world, new Switch(PLAN), (effect) => effect.do === failing && effect.model === "Pixel Fold");
      expect(outcome).toMatchObject({
        is: "failed",
        runs: "Pixel 8",
        error: { code: "failed", words: "Could not start the Pixel Fold: it broke. The Pixel 8 is booted again." },
      });
      expect(world.intent).toEqual({ target: "Pixel 8", switching: null });
      expect([...world.running]).toEqual(["Pixel 8"]);
    },
  );

  it("whose old model does not stop goes on with the old model", () => {
    const world = new World();
    const { outcome } = drive(world, new Switch(PLAN), (effect) => effect.do === "stop");
    expect(outcome).toMatchObject({ is: "failed", runs: "Pixel 8", error: { words: "Could not stop the Pixel 8: it broke." } });
    expect([...world.running]).toEqual(["Pixel 8"]);
    expect(world.intent).toEqual({ target: "Pixel 8", switching: null });
  });

  it("that can start neither says both, and nothing runs", () => {
    const world = new World();
    const { outcome } = drive(world, new Switch(PLAN), (effect) => effect.do === "boot");
    expect(outcome).toMatchObject({
      is: "failed",
      runs: null,
      error: { words: "Could not start the Pixel Fold: it broke. The Pixel 8 does not start again either: it broke." },
    });
  });

  it("is not stopped by a disk that is full", () => {
    const world = new World();
    expect(drive(world, new Switch(PLAN), (effect) => effect.do === "write").outcome).toEqual({ is: "switched" });
    expect([...world.running]).toEqual(["Pixel Fold"]);
  });

  it("is none where the intent holds none", () => {
    expect(Switch.resume({ target: "Pixel 8", switching: null }, ["Pixel 8"])).toBeNull();
  });

  it("carried on after crashes between any two steps, however many, ends with the one device that was meant and never two", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(12), { maxLength: 6 }), fc.array(fc.nat(20), { maxLength: 2 }), (crashes, failures) => {
        const world = new World();
        let switching: Switch | null = new Switch(PLAN);
        let outcome: SwitchOutcome | null = null;
        let effects = 0;
        for (const crashAfter of [...crashes, 99]) {
          if (switching === null) break;
          let effect = switching.begin();
          for (let at = 0; at < crashAfter && effect.do !== "done"; at += 1) {
            const fails = failures.includes(effects) && effect.do !== "write";
            effects += 1;
            if (!fails) world.run(effect);
            effect = fails ? switching.failed("it broke") : switching.ok();
          }
          if (effect.do === "done") {
            outcome = effect.outcome;
            break;
          }
          // The server dies here and starts again.
          switching = Switch.resume(world.intent, [...world.running]);
        }
        expect(world.most).toBe(1);
        // Where no switch was left in the intent, a start boots its target.
        if (switching === null) world.run({ do: "boot", model: world.intent.target });
        expect(world.intent.switching).toBeNull();
        if (outcome?.is === "failed" && outcome.runs === null) return;
        expect([...world.running]).toEqual([world.intent.target]);
      }),
      { numRuns: 5_000 },
    );
  });
});
