/** The files of a device home cut at every byte, a server killed at each of its effects, a disk that is full. */
import { describe, expect, it } from "vitest";
import { parseServerMessage } from "#wire/server-messages.ts";
import type { Answer, Hello as ServerHello } from "#wire/device.ts";
import { Box, type Client, drain } from "./model/box.ts";
import { ownClipboard } from "./model/world.ts";

/** No two requests have one id, over all homes and servers. */
let ids = 0;

/** A host at a box, and what it was told. */
class Host {
  readonly box = new Box((text, client) => this.#heard(text, client));
  readonly answers = new Map<string, Answer>();
  hello: ServerHello | null = null;
  owner = 0;
  geometry = 0;
  control: Client | null = null;

  async start(): Promise<void> {
    await this.box.start();
    this.control = this.box.connect({ role: "control", client: null, instance: "00000000-0000-4000-8000-000000000001", since: 1 });
    await this.box.pass(600);
  }

  /** Asks, waits as long as it takes, and gives the answer; null when the server was killed. */
  async ask(body: object, ms = 1_500): Promise<Answer | null> {
    const id = `r${(ids += 1)}`;
    if (this.control !== null) this.box.say(this.control, `BB_DEVICE ${JSON.stringify({ id, owner: this.owner, ...body })}`);
    await this.box.pass(ms);
    return this.answers.get(id) ?? null;
  }

  paste(text: string): Promise<Answer | null> {
    return this.ask({ type: "input", input: { type: "text", text } });
  }
  switchTo(device: string): Promise<Answer | null> {
    return this.ask({ type: "control", control: { action: "switch", device } });
  }

  /** What must hold whenever a server has had its time: it runs, it says so, and nothing is left down or changed. */
  check(): void {
    const { world } = this.box;
    expect(world.mostRunning).toBe(1);
    expect(world.running.size).toBe(1);
    for (const [native, device] of [...world.running, ...world.stopped]) {
      expect([device.fingers.length, device.keys.size, device.clipboard]).toEqual([0, 0, ownClipboard(native)]);
    }
  }

  #heard(text: string, _client: Client): void {
    const message = parseServerMessage(text);
    if (message.kind === "hello") {
      this.hello = message.hello;
      this.owner = message.hello.owner.generation;
    }
    if (message.kind === "state") this.geometry = message.message.state.geometry?.generation ?? this.geometry;
    if (message.kind === "owner") this.owner = message.owner.generation;
    if (message.kind === "answer" && message.answer.id !== null) this.answers.set(message.answer.id, message.answer);
  }
}

/** A home with every file in it, as a server leaves it that was killed in the middle of a paste. */
async function fullHome(): Promise<Host> {
  const host = new Host();
  await host.start();
  await host.ask({ type: "owner", generation: host.owner + 1, holder: "agent" });
  await host.switchTo("Test foldable");
  await host.ask({ type: "control", control: { action: "location", to: { latitude: 1, longitude: 2 } } });
  await host.ask({ type: "input", input: { type: "text", text: "aé" } }, 10);
  host.box.life.kill();
  await drain();
  return host;
}

describe("a device home", () => {
  it("whose files are cut at any byte lets the server start: it runs the device, and nothing from before the cut matches", async () => {
    const { box } = await fullHome();
    const whole = new Map(box.world.files);
    expect([...whole.keys()].sort()).toEqual(
      ["begun.log", "booted-here.json", "clipboard.json", "held-keys.json", "intent.json", "owner.json", "state.json"].map(
        (name) => `/home/${name}`,
      ),
    );
    const numberIn = (name: string): number => (JSON.parse(whole.get(`/home/${name}`) ?? "{}") as { generation: number }).generation;
    const before = { owner: numberIn("owner.json"), geometry: numberIn("state.json") };
    for (const [path, text] of whole) {
      for (let length = 0; length < text.length; length += 1) {
        const host = new Host();
        host.box.world.boot("Test foldable");
        for (const [other, its] of whole) host.box.world.files.set(other, other === path ? text.slice(0, length) : its);
        await host.start();
        expect(host.hello?.owner.generation, `${path} cut at ${length}`).toBeGreaterThan(before.owner);
        expect(host.geometry, `${path} cut at ${length}`).toBeGreaterThan(before.geometry);
        expect([...host.box.world.running.keys()], `${path} cut at ${length}`).toEqual(["Test foldable"]);
        expect((await host.ask({ type: "control", control: { action: "home" } }, 60))?.ok, `${path} cut at ${length}`).toBe(true);
        host.check();
      }
    }
  }, 120_000);

  it("is left whole by a kill at any effect of a switch, a paste and a change of control, before it takes or after", async () => {
    for (const takes of [false, true]) {
      for (let after = 0; ; after += 1) {
        const host = new Host();
        await host.start();
        host.box.life.killTakes = takes;
        host.box.life.killIn = after;
        await host.ask({ type: "owner", generation: host.owner + 1, holder: "agent" }, 10);
        await host.paste("é");
        await host.switchTo("Test foldable");
        const survived = host.box.life.alive;
        host.box.life.killIn = null;
        if (!survived) await host.start();
        await host.box.pass(1_500);
        host.check();
        const intent = JSON.parse(host.box.world.files.get("/home/intent.json") ?? "{}") as { target: string; switching: unknown };
        expect([...host.box.world.running.keys()], `killed at effect ${after}`).toEqual([intent.target]);
        expect(intent.switching).toBeNull();
        if (survived) {
          expect(after).toBeGreaterThan(40);
          break;
        }
      }
    }
  }, 60_000);

  it("on a full disk: the device runs and does controls, and a paste, which could lose the clipboard, is refused in words", async () => {
    const host = new Host();
    await host.start();
    host.box.world.full = true;
    host.box.life.kill();
    await host.start();
    expect((await host.ask({ type: "owner", generation: host.owner + 1, holder: "agent" }))?.ok).toBe(true);
    expect((await host.ask({ type: "control", control: { action: "home" } }))?.ok).toBe(true);
    expect(await host.switchTo("Test foldable")).toMatchObject({ ok: true });
    const refused = await host.paste("é");
    expect(refused).toMatchObject({ ok: false, error: { code: "failed", words: expect.stringContaining("Make room") } });
    host.check();
    host.box.world.full = false;
    expect((await host.paste("é"))?.ok).toBe(true);
    host.check();
  });
});
