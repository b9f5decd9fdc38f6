import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Paste, type PasteEffect, type PasteOutcome, recoverClipboard } from "#server/rules/paste.ts";

const WAITS = { restoreAfterMs: 300, holdKeysMs: 500 };

/** A device with a clipboard and a field, and a disk that outlives the server. */
class World {
  clipboard = "the person's own";
  field = "";
  disk: string | null = null;
  waitedMs = 0;

  run(effect: PasteEffect): string | null {
    switch (effect.do) {
      case "read-clipboard":
        return this.clipboard;
      case "keep":
        this.disk = effect.text;
        return null;
      case "set-clipboard":
        this.clipboard = effect.text;
        return null;
      case "press-paste":
        this.field += this.clipboard;
        return null;
      case "wait":
        this.waitedMs += effect.ms;
        return null;
      case "forget":
        this.disk = null;
        return null;
      case "done":
        return null;
    }
  }
}

/** Runs a paste; `fail` and `abandonAt` name effects by their number. */
function pasted(
  world: World,
  paste: Paste,
  fail: ReadonlySet<number> = new Set(),
  abandonAt = -1,
): { outcome: PasteOutcome; done: string[] } {
  const done: string[] = [];
  let effect = paste.begin();
  for (let at = 0; effect.do !== "done"; at += 1) {
    if (at === abandonAt) paste.abandon();
    done.push(effect.do);
    if (fail.has(at)) effect = paste.failed(`no ${effect.do}.`);
    else effect = paste.ok(world.run(effect));
    if (at > 20) throw new Error("it never ends");
  }
  return { outcome: effect.outcome, done };
}

describe("a paste", () => {
  it("reads, keeps, sets, presses, waits, puts back, forgets, and holds the keys", () => {
    const world = new World();
    const { outcome, done } = pasted(world, new Paste("日本語", WAITS));
    expect(outcome).toEqual({ is: "pasted" });
    expect(done).toEqual(["read-clipboard", "keep", "set-clipboard", "press-paste", "wait", "set-clipboard", "forget", "wait"]);
    expect(world).toMatchObject({ clipboard: "the person's own", field: "日本語", disk: null, waitedMs: 500 });
  });

  it("holds the keys no longer where the clipboard goes back later than they may", () => {
    const world = new World();
    pasted(world, new Paste("x", { restoreAfterMs: 300, holdKeysMs: 0 }));
    expect(world.waitedMs).toBe(300);
  });

  it.each([0, 1, 2])("given up while effect %i runs, before its key, pastes nothing and leaves the clipboard as it was", (abandonAt) => {
    const world = new World();
    const { outcome, done } = pasted(world, new Paste("x", WAITS), new Set(), abandonAt);
    expect(outcome).toEqual({ is: "abandoned" });
    expect(done).not.toContain("press-paste");
    expect(world).toMatchObject({ clipboard: "the person's own", field: "", disk: null, waitedMs: 0 });
  });

  it.each([3, 4, 5, 6, 7])("whose key was sent finishes: given up at effect %i", (abandonAt) => {
    const world = new World();
    expect(pasted(world, new Paste("x", WAITS), new Set(), abandonAt).outcome).toEqual({ is: "pasted" });
    expect(world).toMatchObject({ clipboard: "the person's own", field: "x", disk: null });
  });

  it("says its first failure's words, and puts the clipboard back as far as it can, whatever fails and whenever it is given up", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(8), { maxLength: 3 }), fc.integer({ min: -1, max: 8 }), (failing, abandonAt) => {
        const world = new World();
        const paste = new Paste("x", WAITS);
        const { outcome, done } = pasted(world, paste, new Set(failing), abandonAt);
        expect(paste.pausesSync).toBe(false);
        if (outcome.is === "failed") expect(outcome.words).toMatch(/no .*\.$/);
        // Either the clipboard is back, or the disk says what it was.
        if (world.clipboard !== "the person's own") expect(world.disk).toBe("the person's own");
        expect(done.filter((name) => name === "press-paste").length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("cut off by a crash after any effect leaves what the next start needs to put the clipboard back", () => {
    for (let crash = 0; crash < 8; crash += 1) {
      const world = new World();
      const paste = new Paste("x", WAITS);
      let effect = paste.begin();
      for (let at = 0; at < crash; at += 1) effect = paste.ok(world.run(effect));
      for (const recovery of recoverClipboard(world.disk)) world.run(recovery);
      expect(world).toMatchObject({ clipboard: "the person's own", disk: null });
    }
  });

  it("tries three times to put the clipboard back, a second apart, and is pasted when one of them takes", () => {
    const world = new World();
    const { outcome, done } = pasted(world, new Paste("x", WAITS), new Set([5, 7]));
    expect(outcome).toEqual({ is: "pasted" });
    expect(done.slice(4)).toEqual(["wait", "set-clipboard", "wait", "set-clipboard", "wait", "set-clipboard", "forget", "wait"]);
    expect(world).toMatchObject({ clipboard: "the person's own", disk: null, waitedMs: 2_500 });
  });

  it("after one that could not put the clipboard back puts back what that one kept, even when it is given up itself", () => {
    for (const abandonAt of [-1, 0, 1]) {
      const world = new World();
      expect(pasted(world, new Paste("first", WAITS), new Set([5, 7, 9])).outcome).toMatchObject({
        is: "failed",
        words: "The device's clipboard could not be put back: no set-clipboard.",
      });
      expect(world).toMatchObject({ clipboard: "first", disk: "the person's own" });
      pasted(world, new Paste("second", WAITS, world.disk), new Set(), abandonAt);
      expect(world).toMatchObject({ clipboard: "the person's own", disk: null });
    }
  });

  it("keeps the clipboard from everyone else from its begin to its done", () => {
    const paste = new Paste("x", WAITS);
    expect(paste.pausesSync).toBe(true);
    pasted(new World(), paste);
    expect(paste.pausesSync).toBe(false);
  });
});
