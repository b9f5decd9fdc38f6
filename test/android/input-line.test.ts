import fc from "fast-check";
import { expect, it } from "vitest";

import { InputLine } from "#drivers/android/input-line.ts";
import { emulatorKey } from "#drivers/android/keys.ts";
import { Fingers } from "#drivers/android/touch.ts";

/** Calls that are answered when the test says so. */
function held() {
  const answers: (() => void)[] = [];
  const sent: string[] = [];
  const send = (name: string) => () => {
    sent.push(name);
    return new Promise<void>((done) => answers.push(done));
  };
  const answer = async () => {
    answers.shift()?.();
    await new Promise((done) => setImmediate(done));
  };
  return { sent, send, answer };
}

it("sends one call at a time, in order, and lets a waiting move give way to a newer one of the same fingers", async () => {
  const { sent, send, answer } = held();
  const line = new InputLine();
  const all = [
    line.add(send("down")),
    line.add(send("move 1"), "0"),
    line.add(send("move 2"), "0"),
    line.add(send("two fingers move"), "0,1"),
    line.add(send("move 3"), "0"),
    line.add(send("up")),
    line.add(send("key")),
  ];
  expect(sent).toEqual(["down"]);
  for (let step = 0; step < 6; step += 1) await answer();
  expect(sent).toEqual(["down", "move 2", "two fingers move", "move 3", "up", "key"]);
  await Promise.all(all);
});

it("says that it is busy when nothing is answered, and goes on after a failed call", async () => {
  const { send, answer } = held();
  const line = new InputLine();
  const failing = line.add(() => Promise.reject(new Error("lost")));
  await expect(failing).rejects.toThrow("lost");
  const first = line.add(send("first"));
  const waiting = Array.from({ length: 256 }, () => line.add(send("key")));
  await expect(line.add(send("one too many"))).rejects.toMatchObject({ code: "busy" });
  line.clear();
  await Promise.all(waiting);
  await answer();
  await first;
});

it("brings the device to any contacts from any others: what the emulator has down is what was asked for last", () => {
  const contact = fc.record({ id: fc.nat(9), x: fc.nat(1079), y: fc.nat(2399) });
  const contacts = fc.uniqueArray(contact, { selector: ({ id }) => id, maxLength: 10 });
  fc.assert(
    fc.property(fc.array(contacts, { maxLength: 30 }), (story) => {
      const fingers = new Fingers();
      const device = new Map<number, string>();
      for (const wanted of story) {
        for (const touch of fingers.to(wanted)?.event.touches ?? []) {
          if (touch.pressure === 0) {
            expect(device.has(touch.identifier ?? 0)).toBe(true);
            device.delete(touch.identifier ?? 0);
          } else device.set(touch.identifier ?? 0, `${touch.x},${touch.y}`);
        }
        expect([...device].sort()).toEqual(wanted.map(({ id, x, y }) => [id, `${x},${y}`] as const).sort());
      }
    }),
    { numRuns: 300 },
  );
});

it("takes W3C key names and single characters, and nothing else", () => {
  expect(["a", "A", " ", "~", "Enter", "F12", "ArrowLeft", "AudioVolumeUp"].map(emulatorKey)).toEqual([
    "a",
    "A",
    " ",
    "~",
    "Enter",
    "F12",
    "ArrowLeft",
    "AudioVolumeUp",
  ]);
  expect(emulatorKey("BrowserBack")).toBe("GoBack");
  for (const bad of ["", "é", "日", "ab c", "a\n", "x".repeat(40), "\u0000"])
    expect(() => emulatorKey(bad)).toThrow("is not a key's W3C name");
});
