import { describe, expect, it } from "vitest";
import type { DeviceControl } from "#core/device.ts";
import { JOURNAL_LINES_MAX, journalLine, parseJournal, wholeJournal } from "#server/rules/journal.ts";
import { type Asked, RequestBook, type Source, deadlineMs } from "#server/rules/requests.ts";

const fresh = (begun: readonly string[] = [], switching: { id: string; to: string } | null = null): RequestBook<string> =>
  new RequestBook({ begun, switching, model: () => "Pixel 8" });
const control = (id: string, wanted: DeviceControl = { action: "home" }, source: Source = "agent"): Asked => ({
  id,
  body: JSON.stringify(wanted),
  source,
  control: wanted,
});
const other = (id: string, body = "x"): Asked => ({ id, body, source: "agent", control: null });

describe("a request", () => {
  it("is done once, and sent again gets the first answer", () => {
    const book = fresh();
    expect(book.admit(other("a"))).toEqual({ is: "run" });
    expect(book.admit(other("a"))).toMatchObject({ is: "refused", error: { code: "in-progress" } });
    book.finish("a", "done");
    expect(book.admit(other("a"))).toEqual({ is: "answered", answer: "done" });
    expect(book.result("a")).toEqual({ is: "answered", answer: "done" });
  });

  it("with an id that another body had is refused, running, waiting or answered", () => {
    const book = fresh();
    book.admit(control("a"));
    book.admit(control("b"));
    for (const id of ["a", "b"]) expect(book.admit(other(id, "y"))).toMatchObject({ is: "refused", error: { code: "bad-value" } });
    book.finish("a", "done");
    expect(book.admit(control("a", { action: "back" }))).toMatchObject({ is: "refused", error: { code: "bad-value" } });
  });

  it("is remembered for the last 200 answers, the oldest forgotten first", () => {
    const book = fresh();
    for (let at = 0; at < 201; at += 1) {
      book.admit(other(`r${at}`));
      book.finish(`r${at}`, String(at));
    }
    expect(book.result("r0")).toEqual({ is: "unknown" });
    expect(book.result("r1")).toEqual({ is: "answered", answer: "1" });
    expect(book.result("r200")).toEqual({ is: "answered", answer: "200" });
  });

  it("that runs is never forgotten, however many are answered meanwhile", () => {
    const book = fresh();
    book.admit(control("slow", { action: "install", paths: ["a.apk"] }));
    for (let at = 0; at < 500; at += 1) {
      book.admit(other(`r${at}`));
      book.finish(`r${at}`, "x");
    }
    expect(book.result("slow")).toMatchObject({ is: "in-progress" });
    book.finish("slow", "installed");
    expect(book.result("slow")).toEqual({ is: "answered", answer: "installed" });
  });

  it("has one answer: a second is not taken", () => {
    const book = fresh();
    book.admit(control("a"));
    book.finish("a", "late, unknown");
    expect(book.finish("a", "it worked after all")).toBeNull();
    expect(book.result("a")).toEqual({ is: "answered", answer: "late, unknown" });
  });
});

describe("controls", () => {
  it("run one after another in the order they came, beside everything else", () => {
    const book = fresh();
    expect(book.admit(control("a"))).toEqual({ is: "run" });
    expect(book.admit(control("b"))).toEqual({ is: "wait" });
    expect(book.admit(control("c"))).toEqual({ is: "wait" });
    expect(book.admit(other("t"))).toEqual({ is: "run" });
    expect(book.finish("t", "typed")).toBeNull();
    expect(book.finish("a", "1")?.id).toBe("b");
    expect(book.finish("b", "2")?.id).toBe("c");
    expect(book.finish("c", "3")).toBeNull();
    expect(book.admit(control("d"))).toEqual({ is: "run" });
  });

  it("wait eight at most behind the one that runs", () => {
    const book = fresh();
    for (let at = 0; at < 9; at += 1) book.admit(control(`c${at}`));
    expect(book.waiting).toBe(8);
    expect(book.admit(control("ninth"))).toMatchObject({ is: "refused", error: { code: "busy" } });
    book.finish("c0", "x");
    expect(book.admit(control("ninth"))).toEqual({ is: "wait" });
  });

  it.each([
    [{ action: "switch", device: "Pixel Fold" }, "The box is switching to the Pixel Fold. Try again when box_status says it has booted."],
    [{ action: "reboot" }, "The Pixel 8 is rebooting. Try again when box_status says it has booted."],
  ] as const)("are refused while %j runs or waits", (exclusive, words) => {
    const running = fresh();
    running.admit(control("x", exclusive));
    expect(running.admit(control("a"))).toMatchObject({ is: "refused", error: { code: "busy", words } });
    const waiting = fresh();
    waiting.admit(control("a"));
    waiting.admit(control("x", exclusive));
    expect(waiting.admit(control("b"))).toMatchObject({ is: "refused", error: { code: "busy", words } });
    waiting.finish("a", "1");
    waiting.finish("x", "2");
    expect(waiting.admit(control("c"))).toEqual({ is: "run" });
  });

  it("of one source are dropped before they begin, each with an answer that is remembered, and the others go on", () => {
    const book = fresh();
    book.admit(control("running"));
    book.admit(control("agent", { action: "rotate", turn: "left" }));
    book.admit(control("person", { action: "home" }, "person"));
    expect(book.drop("agent", (asked) => `dropped ${asked.id}`).map(({ asked }) => asked.id)).toEqual(["agent"]);
    expect(book.result("agent")).toEqual({ is: "answered", answer: "dropped agent" });
    expect(book.finish("running", "1")?.id).toBe("person");
  });

  it("have the note's deadlines", () => {
    expect(deadlineMs({ action: "rotate", turn: "left" })).toBe(10_000);
    expect(deadlineMs(null)).toBe(10_000);
    expect(deadlineMs({ action: "switch", device: "x" })).toBe(120_000);
    expect(deadlineMs({ action: "reboot" })).toBe(120_000);
    expect(deadlineMs({ action: "install", paths: ["x"] })).toBe(300_000);
  });
});

describe("after a restart", () => {
  it("what was begun before is never begun again: nobody knows how it ended", () => {
    const book = fresh(["a"]);
    expect(book.admit(control("a"))).toEqual({ is: "unknown" });
    expect(book.result("a")).toEqual({ is: "unknown" });
    expect([book.knows("a"), book.knows("b")]).toEqual([true, false]);
    expect(book.admit(control("b"))).toEqual({ is: "run" });
    expect(book.knows("b")).toBe(true);
  });

  it("the switch that is carried on is in progress, keeps others out, and is answered once it is over", () => {
    const book = fresh(["s"], { id: "s", to: "Pixel Fold" });
    expect(book.result("s")).toMatchObject({ is: "in-progress" });
    expect(book.admit(control("s", { action: "switch", device: "Pixel Fold" }))).toMatchObject({
      is: "refused",
      error: { code: "in-progress" },
    });
    expect(book.admit(control("a"))).toMatchObject({ is: "refused", error: { code: "busy" } });
    book.carriedOn("switched");
    expect(book.result("s")).toEqual({ is: "answered", answer: "switched" });
    expect(book.admit(control("s", { action: "switch", device: "Pixel Fold" }))).toEqual({ is: "answered", answer: "switched" });
    expect(book.admit(control("a"))).toEqual({ is: "run" });
  });
});

describe("the journal of begun requests", () => {
  it("gives back the last 200 ids, whatever characters they hold", () => {
    const ids = Array.from({ length: JOURNAL_LINES_MAX }, (_, at) => `r${at}\n"é`);
    expect(parseJournal(ids.map(journalLine).join(""))).toEqual(ids.slice(-200));
    expect(parseJournal(wholeJournal(["a"]))).toEqual(["a"]);
    expect(parseJournal("")).toEqual([]);
  });

  it("cut at any byte gives the ids before the cut and never throws", () => {
    const ids = ["one", "two", 'th"ree', "日本"];
    const text = wholeJournal(ids);
    for (let length = 0; length <= text.length; length += 1) {
      const found = parseJournal(text.slice(0, length));
      expect(ids.slice(0, found.length)).toEqual(found);
    }
    expect(parseJournal('"a"\n{}\nnull\n"b"\n')).toEqual(["a", "b"]);
  });
});
