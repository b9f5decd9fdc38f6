import { expect, it } from "vitest";
import { settle } from "../launch/manual-timers.ts";
import { makeRig, type Rig } from "./rig.ts";

interface Details {
  readonly warning: string | null;
  readonly server: { readonly bootedHere: unknown };
}

async function details(rig: Rig): Promise<Details> {
  return (await (await rig.fetch("/api/boxes/local")).json()) as Details;
}

async function bootedHere(rig: Rig): Promise<unknown> {
  return (await details(rig)).server.bootedHere;
}

const told = (rig: Rig, bootedHere?: readonly string[]): string =>
  `BB_DEVICE_STATE ${JSON.stringify({ state: rig.device.hello().state, warning: null, progress: null, bootedHere })}`;

it.each(["control", "viewer"] as const)(
  "a model that was switched to and booted is told by status, from a state heard as %s",
  async (role) => {
    const rig = await makeRig();
    expect(await bootedHere(rig)).toEqual(["Test device"]);
    const first = rig.watch();
    await first.holder();
    const now = ["Test device", "Test foldable"];
    rig.device.say(role, told(rig, now));
    // What the control connection was told is heard before the answer that status asks for on it.
    if (role === "viewer") await first.next("BB_DEVICE_STATE ");
    expect(await bootedHere(rig)).toEqual(now);
  },
);

it("a device server that does not say which models have booted leaves what HELLO said", async () => {
  const rig = await makeRig();
  expect(await bootedHere(rig)).toEqual(["Test device"]);
  rig.device.say("control", told(rig));
  expect(await bootedHere(rig)).toEqual(["Test device"]);
});

it("a later start of the device server says anew which models have booted", async () => {
  const rig = await makeRig();
  expect(await bootedHere(rig)).toEqual(["Test device"]);
  rig.device.say("control", told(rig, ["Test device", "Test foldable"]));
  expect(await bootedHere(rig)).toEqual(["Test device", "Test foldable"]);
  await rig.device.kill();
  await rig.device.listen(rig.socket);
  while (rig.host.boxes[0]?.lease.held === true) await settle();
  expect(await bootedHere(rig)).toEqual(["Test device"]);
});

it("a warning that the device server gives, and takes back, is in the status", async () => {
  const rig = await makeRig();
  expect((await details(rig)).warning).toBeNull();
  const say = (warning: string | null): void =>
    rig.device.say("control", `BB_DEVICE_STATE ${JSON.stringify({ state: rig.device.hello().state, warning })}`);
  say("The emulator listens beyond this machine.");
  expect((await details(rig)).warning).toBe("The emulator listens beyond this machine.");
  say(null);
  expect((await details(rig)).warning).toBeNull();
});
