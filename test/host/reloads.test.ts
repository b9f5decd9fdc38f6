import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { localBackend } from "#host/backends/local.ts";
import { Box } from "#host/box.ts";
import type { DeliverySource } from "#host/delivery/source.ts";
import type { Backend, Clock } from "#host/ports.ts";
import { systemTimers } from "#launch/timers.ts";
import { bench } from "../server/support.ts";
import { temporaryFolder } from "../support/temp.ts";
import { FakeDevice } from "./fake-device.ts";

const RELOADS = 200;
/** Each start is later than the one before, however quick they follow. */
let wall = 1_800_000_000_000;
const clock: Clock = { ...systemTimers, wall: () => wall++ };

interface Instance {
  readonly box: Box;
  readonly since: number;
  readonly logs: string[];
}

function openInstance(backend: Backend, source: DeliverySource | null = null): Instance {
  const since = clock.wall();
  const logs: string[] = [];
  const box = new Box({
    id: "b-12",
    name: "b-12",
    backend,
    clock,
    log: (_level, message) => logs.push(message),
    lease: { instance: randomUUID(), since },
    client: "host",
    remembered: "the-person",
    remember: () => {},
    delivery: source === null ? null : { source, bad: 0, markBad: () => {} },
  });
  onTestFinished(() => box.close());
  return { box, since, logs };
}

it("two hosts reload against one device server 200 times: the later has the lease, the earlier is told once and acts no more, a person keeps control", async () => {
  const made = await bench();
  onTestFinished(() => made.close());
  const backend = localBackend({ home: join(made.home, ".."), deviceHome: made.home }, clock);
  let earlier = openInstance(backend);
  await earlier.box.reach();
  await earlier.box.holder.take("the-person");
  let generation = earlier.box.holder.owner.generation;
  let asked = 0;
  for (let reload = 0; reload < RELOADS; reload++) {
    const later = openInstance(backend);
    const person = earlier.box.holder.owner.holder === "person";
    // Both ask for something at the very moment that the lease changes hands.
    const act = () => ({ id: randomUUID(), type: "control" as const, control: { action: "home" as const } });
    const [old, now] = await Promise.all([
      earlier.box.ask(act()).catch((error: unknown) => error),
      later.box.ask(act()).catch((error: unknown) => error),
    ]);
    const refused = [old, now].map(
      (answer) => (answer as { code?: string }).code ?? (answer as { error?: { code: string } }).error?.code ?? "done",
    );
    asked += refused.filter((code) => code === "done").length;
    if (person) expect(refused[1]).toBe("person-has-control");
    else expect(refused[1]).toBe("done");
    expect(["superseded", "person-has-control", "done"]).toContain(refused[0]);
    while (!earlier.box.lease.superseded) await new Promise((resolve) => setImmediate(resolve));
    expect([earlier.box.lease.held, later.box.lease.held]).toEqual([false, true]);
    await expect(earlier.box.reach()).rejects.toMatchObject({ code: "superseded" });
    expect(later.box.holder.owner.holder).toBe(person ? "person" : "agent");
    expect(later.box.holder.person).toBe(person ? "the-person" : null);
    expect(later.box.holder.owner.generation).toBeGreaterThan(generation);
    generation = later.box.holder.owner.generation;
    // Control changes hands now and then, so that both cases are met.
    if (reload % 7 === 3) await (person ? later.box.holder.back("the-person") : later.box.holder.take("the-person"));
    generation = later.box.holder.owner.generation;
    await earlier.box.close();
    earlier = later;
  }
  // What was answered as done was done, each once.
  expect(made.box.controls().filter((action) => action === "home")).toHaveLength(asked);
}, 120_000);

it("over 200 reloads of hosts of two versions nothing is delivered backwards, twice, or under a person's control", async () => {
  const home = temporaryFolder();
  const device = new FakeDevice();
  device.version = 10;
  await device.listen(join(home, "device.sock"));
  onTestFinished(async () => {
    await device.close();
    rmSync(home, { recursive: true, force: true });
  });
  const delivered: { readonly version: number; readonly holder: string }[] = [];
  /** The box's commands, without a box: what is installed answers at the next start. */
  const backendOf = (version: number): Backend => ({
    ...localBackend({ home, deviceHome: home }, clock),
    run: (script) => {
      const said = (value: object) => Promise.resolve({ code: 0, stdout: `${JSON.stringify(value)}\n`, stderr: "" });
      if (script.includes("glibcVersionRuntime")) return said({ platform: "linux-x64-gnu", node: "20.20.2" });
      if (script.includes("did not arrive whole"))
        return said(device.version > version ? { ok: false, newer: device.version } : { ok: true, before: device.version });
      if (script.includes("keeper.sock")) {
        delivered.push({ version, holder: device.owner.holder });
        device.version = version;
        for (const { socket } of device.connections) socket.terminate();
        return said({});
      }
      return said(device.version > version ? { ok: false, newer: device.version } : { ok: true, before: device.version });
    },
  });
  const source = (version: number): DeliverySource => ({
    code: { version, protocol: { min: 1, max: 1 } },
    files: () => [{ name: "bb-box-device.mjs", bytes: Buffer.from(String(version)) }],
    unit: () => new Uint8Array(),
  });
  let newest = 10;
  let earlier: Instance | null = null;
  for (let reload = 0; reload < RELOADS; reload++) {
    // Rolled back as often as raised.
    const version = reload % 3 === 0 ? ++newest : newest - (reload % 3);
    const later = openInstance(backendOf(version), source(version));
    const before = device.version;
    const under = device.owner.holder === "person";
    await later.box.reach();
    await later.box.delivery?.consider({ version: device.version, protocol: device.protocol });
    expect(device.version).toBe(under ? before : Math.max(before, version));
    if (reload % 5 === 2) await (under ? later.box.holder.back("the-person") : later.box.holder.take("the-person"));
    await later.box.delivery?.consider({ version: device.version, protocol: device.protocol });
    expect(device.open("control").length).toBeLessThanOrEqual(1);
    await earlier?.box.close();
    earlier = later;
  }
  expect(delivered.length).toBeGreaterThan(20);
  expect(delivered.every(({ holder }) => holder !== "person")).toBe(true);
  const versions = delivered.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
}, 120_000);
