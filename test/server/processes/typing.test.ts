/** What a person and the agent type, as the phone's own field holds it: every kind of text, in order with the keys around it. */
import { describe, expect, it } from "vitest";
import type { DeviceElement } from "#core/device.ts";
import type { Connected } from "../support.ts";
import { entryBundle, generationOf, Rig, type PhoneLog } from "./rig.ts";

const entry = entryBundle();
const FAMILY = "👩‍👩‍👧‍👦";

function flat(elements: readonly DeviceElement[]): readonly DeviceElement[] {
  return elements.flatMap((element) => [element, ...flat(element.children)]);
}

async function element(by: Connected, identifier: string): Promise<DeviceElement> {
  const { elements } = await by.client.request({ type: "tree" });
  const found = flat(elements ?? []).find((one) => one.identifier === identifier);
  if (found === undefined) throw new Error(`The phone shows no ${identifier}.`);
  return found;
}

/** The field of the phone's notes has the focus. */
async function notes(): Promise<{ rig: Rig; person: Connected; phone: PhoneLog; value: () => Promise<string | null> }> {
  const rig = new Rig(entry.path);
  await rig.start();
  await rig.booted();
  const phone = await rig.phone();
  const person = await rig.connect("input");
  for (const identifier of ["app-notes", "note"]) {
    const { frame } = await element(person, identifier);
    const at = `${Math.round(frame.x + frame.width / 2)},${Math.round(frame.y + frame.height / 2)}`;
    const since = await phone.last();
    person.client.send(`m,${at},1,0`);
    await phone.entry((e) => e.what === "touch" && e.contacts.length === 1, since);
    person.client.send(`m,${at},0,0`);
    await person.client.request({ type: "settle", quietMs: 300, maxMs: 5000 });
  }
  return { rig, person, phone, value: async () => (await element(person, "note")).value };
}

function type(person: Connected, text: string): void {
  for (const character of text) {
    const keysym = character.codePointAt(0) ?? 0;
    const sent = keysym < 0x100 ? keysym : 0x100_0000 + keysym;
    person.client.send(`kd,${sent}`);
    person.client.send(`ku,${sent}`);
  }
}

describe("typing on the phone", () => {
  it("holds Japanese of an input method, Arabic, emoji, accents and plain keys exactly as typed, in order", async () => {
    const { person, value, phone } = await notes();
    await phone.setClipboard("the person's own");
    person.client.send("co,end,日本語");
    type(person, "abc");
    type(person, "éñ");
    await person.client.request({ type: "text", text: `مرحبا ${FAMILY} ok` });
    type(person, "Z!");
    person.client.send(`co,end,${FAMILY}🎉`);
    await person.client.request({ type: "text", text: "." });
    expect(await value()).toBe(`日本語abcéñمرحبا ${FAMILY} okZ!${FAMILY}🎉.`);
    const sets = (await phone.entries()).flatMap((e) => (e.what === "clipboard" && e.from === "client" ? [e.text] : []));
    expect(sets.at(-1)).toBe("the person's own");
  }, 30_000);

  it("holds a paste of 10,000 characters whole, between the keys before and after it, and the clipboard is back", async () => {
    const { person, value, phone } = await notes();
    await phone.setClipboard("the person's own");
    const since = await phone.last();
    const long = "あいうえお漢字かな交じり文🎌".repeat(800).slice(0, 10_000);
    type(person, "<");
    await person.client.request({ type: "paste", text: long });
    type(person, ">");
    await person.client.request({ type: "text", text: "" });
    await phone.entry((e) => e.what === "key" && e.key === ">" && !e.down, since);
    expect(await value()).toBe(`<${long}>`);
    const sets = (await phone.entries(since)).flatMap((e) => (e.what === "clipboard" && e.from === "client" ? [e.text.length] : []));
    expect(sets).toEqual([long.length, "the person's own".length]);
  }, 30_000);

  it("holds the agent's text, keys and backspaces in the order they were asked", async () => {
    const { rig, value } = await notes();
    const host = await rig.control();
    const owner = host.client.hello.owner.generation + 1;
    await host.client.request({ type: "owner", generation: owner, holder: "agent" });
    const ask = (input: object) => host.client.request({ type: "input", input, owner } as never);
    expect(generationOf(host)).toBeGreaterThan(0);
    await Promise.all([
      ask({ type: "text", text: "hello wörld" }),
      ask({ type: "key", key: "Backspace", modifiers: [] }),
      ask({ type: "key", key: "D", modifiers: [] }),
      ask({ type: "text", text: "\nsecond line" }),
    ]);
    expect(await value()).toBe("hello wörlD\nsecond line");
  }, 30_000);
});
