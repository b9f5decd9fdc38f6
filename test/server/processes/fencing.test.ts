/** Taking control from the agent, told by the phone's own log: nothing of the agent after the take (063 "Fencing input"). */
import { describe, expect, it } from "vitest";
import type { LogEntry } from "#drivers/phone/protocol.ts";
import { formatRequest } from "#wire/device.ts";
import { entryBundle, generationOf, Rig, type PhoneLog } from "./rig.ts";

const entry = entryBundle();

async function agentAndPerson() {
  const rig = new Rig(entry.path);
  await rig.start();
  await rig.booted();
  const phone = await rig.phone();
  const host = await rig.control();
  const person = await rig.connect("input");
  let owner = host.client.hello.owner.generation;
  const give = (holder: "agent" | "person") => host.client.request({ type: "owner", generation: ++owner, holder });
  await give("agent");
  return { rig, phone, host, person, give, owner: () => owner };
}

/** What reaches the phone when somebody presses, sets the clipboard or types. */
const pressed = (entries: readonly LogEntry[]): readonly LogEntry[] =>
  entries.filter((e) => e.what === "touch" || e.what === "key" || (e.what === "clipboard" && e.from === "client") || e.what === "control");

/** Resolves with what reached the phone after `since`, once this touch of the person's is there: all before it has arrived too. */
async function untilPerson(
  phone: PhoneLog,
  person: { send(text: string): void },
  generation: number,
  since: number,
): Promise<readonly LogEntry[]> {
  person.send(formatRequest({ type: "touch", contacts: [{ id: 7, x: 901, y: 902 }], generation }));
  const mark = await phone.entry((e) => e.what === "touch" && e.contacts.some((c) => c.x === 901), since);
  return pressed(await phone.entries(since)).filter((e) => e.seq < mark.seq);
}

describe("a person takes control", () => {
  it("half-way through the agent's swipe: one lift, and nothing of the agent after it", async () => {
    const { phone, host, person, give, owner } = await agentAndPerson();
    const generation = generationOf(host);
    const before = await phone.last();
    const swipe = host.client.request({
      type: "input",
      input: { type: "swipe", from: { x: 540, y: 2000, generation }, to: { x: 540, y: 400, generation }, ms: 4000 },
      owner: owner(),
    });
    swipe.catch(() => undefined);
    await phone.entry((e) => e.what === "touch" && (e.contacts[0]?.y ?? 9999) < 1700, before);
    await give("person");
    await expect(swipe).rejects.toMatchObject({ code: "superseded" });
    const after = await untilPerson(phone, person.client, generation, before);
    const lift = after.findIndex((e) => e.what === "touch" && e.contacts.length === 0);
    expect(lift).toBeGreaterThan(0);
    expect(after.slice(lift + 1)).toEqual([]);
    // It ended where it was, not where it was going.
    expect(after.slice(0, lift).every((e) => e.what === "touch" && (e.contacts[0]?.y ?? 0) > 600)).toBe(true);
  });

  it("half-way through the agent's paste of many pieces: what was pressed is finished, nothing more comes, the clipboard is back", async () => {
    const { phone, host, person, give, owner } = await agentAndPerson();
    const seeded = "what the person had copied";
    await phone.setClipboard(seeded);
    const generation = generationOf(host);
    const before = await phone.last();
    // 10,000 characters are five pastes, one after another.
    const typed = host.client.request({ type: "input", input: { type: "text", text: "語".repeat(10_000) }, owner: owner() });
    typed.catch(() => undefined);
    await phone.entry((e) => e.what === "key" && e.key === "v" && e.down, before);
    await give("person");
    const taken = await phone.last();
    await expect(typed).rejects.toMatchObject({ code: "superseded" });
    await phone.entry((e) => e.what === "clipboard" && e.from === "client" && e.text === seeded, before);
    const after = await untilPerson(phone, person.client, generation, taken);
    const pastes = pressed(await phone.entries(before)).filter((e) => e.what === "key" && e.key === "v" && e.down);
    expect(pastes).toHaveLength(1);
    // The keys that were down come up, and the clipboard goes back: nothing else.
    expect(after.filter((e) => !(e.what === "key" && !e.down) && !(e.what === "clipboard" && e.text === seeded))).toEqual([]);
  });

  it("while the agent's rotate waits behind another control: it never runs", async () => {
    const { phone, host, give, owner } = await agentAndPerson();
    await phone.fault({ fault: "hang-control", ms: 700 });
    const before = await phone.last();
    const home = host.client.request({ type: "control", control: { action: "home" }, owner: owner() });
    const rotate = host.client.request({ type: "control", control: { action: "rotate", turn: "left" }, owner: owner() });
    rotate.catch(() => undefined);
    await phone.entry((e) => e.what === "control", before);
    await give("person");
    await expect(rotate).rejects.toMatchObject({ code: "person-has-control" });
    await home;
    await host.client.request({ type: "tree" });
    expect((await phone.entries(before)).filter((e) => e.what === "control").map((e) => e.what === "control" && e.control.action)).toEqual([
      "home",
    ]);
  });

  it("and hands it back: a late touch of theirs never lands", async () => {
    const { phone, host, person, give, owner } = await agentAndPerson();
    await give("person");
    const generation = generationOf(host);
    const before = await phone.last();
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 100, y: 100 }], generation }));
    await phone.entry((e) => e.what === "touch" && e.contacts.length === 1, before);
    await give("agent");
    const lift = await phone.entry((e) => e.what === "touch" && e.contacts.length === 0, before);
    person.client.send(formatRequest({ type: "touch", contacts: [{ id: 0, x: 333, y: 333 }], generation }));
    person.client.send("m,333,333,1,0");
    person.client.send("kd,97");
    await person.client.request({ type: "tree" });
    await host.client.request({ type: "input", input: { type: "tap", at: { x: 44, y: 44, generation } }, owner: owner() });
    const after = pressed(await phone.entries(lift.seq));
    expect(after.filter((e) => e.what === "touch" && e.contacts.some((c) => c.x > 300))).toEqual([]);
    expect(after.filter((e) => e.what === "key")).toEqual([]);
    expect(after.some((e) => e.what === "touch" && e.contacts.some((c) => c.x === 44))).toBe(true);
  });
});
