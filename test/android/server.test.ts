import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { connectDevice, type DeviceClient } from "#client/client.ts";
import type { DeviceControl, DeviceState } from "#core/device.ts";
import { loadBinding } from "#native/load.ts";
import { startDeviceServer, type DeviceServer } from "#server/server.ts";

import { Heard } from "../server/support.ts";
import { describeWith } from "../support/needs.ts";
import { FOLD_ARGS, type Peer, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS } from "./rig.ts";

const FIRST_FINGER = [230, 60, 50];

describeWith(["python3-grpcio", "protoc", "adb"], "an emulator behind the device server", () => {
  let rig: Rig;
  /** Short, since a socket's path is. */
  let home: string;
  const servers: DeviceServer[] = [];
  const clients: DeviceClient[] = [];

  beforeEach(async () => {
    rig = await Rig.start();
    home = mkdtempSync(join(tmpdir(), "bb-"));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.terminate();
    for (const server of servers.splice(0)) await server.close();
    await rig.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function serve(): Promise<DeviceServer> {
    const binding = loadBinding();
    const server = await startDeviceServer({ home, driver: rig.factory(), lock: (path) => binding.lock(path), log: () => {} });
    servers.push(server);
    return server;
  }
  async function connect(role: "viewer" | "input" | "control") {
    const heard = new Heard();
    const who = role === "control" ? { role, instance: randomUUID(), since: Date.now() } : { role };
    const client = await connectDevice({ socket: join(home, "device.sock"), ...who }, heard.events);
    clients.push(client);
    const state = () => (heard.states().at(-1)?.state ?? client.hello.state) as DeviceState;
    const until = async (test: (state: DeviceState) => boolean) => {
      await heard.until(() => test(state()));
      return state();
    };
    return { client, heard, state, until };
  }
  const booted = (state: DeviceState) => state.power.is === "booted" && state.geometry !== null;
  const control = (client: DeviceClient, what: DeviceControl) => client.request({ type: "control", control: what });

  /** A server on a running emulator, its input connection, and a viewer so that pictures flow. */
  async function running(args: readonly string[] = SMALL_ARGS, config: Readonly<Record<string, string>> = SMALL) {
    rig.avd("Device", config);
    const peer = await rig.peer(args, { avd: "Device" });
    await serve();
    const viewer = await connect("viewer");
    const input = await connect("input");
    await input.until(booted);
    await viewer.heard.until(({ units }) => units.length > 0);
    return { peer, viewer, input };
  }
  async function tapShows(peer: Peer, client: DeviceClient, generation: number, at: { x: number; y: number }) {
    const lifted = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 0);
    client.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts: [{ id: 0, ...at }], generation })}`);
    client.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts: [], generation })}`);
    await lifted;
    expect((await peer.order("pixel", at)).rgb).toEqual(FIRST_FINGER);
  }

  it("draws a tap where it was made in all four orientations", async () => {
    const { peer, input } = await running();
    for (const to of ["upright", "turned-left", "upside-down", "turned-right"] as const) {
      const { state } = await control(input.client, { action: "rotate", to });
      const geometry = state?.geometry;
      expect(geometry?.physical).toBe(to);
      const odd = to === "turned-left" || to === "turned-right";
      await tapShows(peer, input.client, geometry?.generation ?? 0, odd ? { x: 520, y: 90 } : { x: 90, y: 520 });
    }
  });

  it("draws a tap where it was made on both panels of a foldable", async () => {
    const { peer, input } = await running(FOLD_ARGS, PIXEL_FOLD);
    await tapShows(peer, input.client, input.state().geometry?.generation ?? 0, { x: 2100, y: 1700 });
    const { state } = await control(input.client, { action: "posture", to: "closed" });
    expect(state).toMatchObject({
      form: "foldable",
      posture: { known: true, value: "closed", by: "bb-box" },
      geometry: { screen: "outer" },
    });
    await tapShows(peer, input.client, state?.geometry?.generation ?? 0, { x: 1000, y: 2000 });
  });

  it("lifts a gesture where it is when the device turns under it", async () => {
    const { peer, input } = await running();
    const generation = input.state().geometry?.generation ?? 0;
    const down = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 1);
    input.client.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts: [{ id: 0, x: 50, y: 50 }], generation })}`);
    await down;
    const lifted = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 0);
    await control(input.client, { action: "rotate", to: "turned-left" });
    await lifted;
  });

  it("lifts what a connection held when it ends", async () => {
    const { peer, input } = await running();
    const generation = input.state().geometry?.generation ?? 0;
    const down = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 2);
    input.client.send(
      `BB_DEVICE ${JSON.stringify({
        type: "touch",
        contacts: [
          { id: 0, x: 50, y: 50 },
          { id: 3, x: 90, y: 50 },
        ],
        generation,
      })}`,
    );
    await down;
    const lifted = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 0);
    input.client.terminate();
    await lifted;
  });

  it("pastes text with no US key, and puts the device's clipboard back", async () => {
    const { peer, input } = await running();
    await peer.order("copy", { text: "the device's own" });
    const state = () => peer.order("state");
    const sets = () => peer.feed.calls("setClipboard").length;
    await input.client.request({ type: "text", text: "smörgåsbord 日本語" });
    expect((await state()).typed).toBe("smörgåsbord 日本語");
    while (sets() < 2) await peer.feed.next((said) => said.event === "call" && said.method === "setClipboard");
    expect((await state()).clipboard).toBe("the device's own");
  });

  it("does every control and reads each back as its own doing", async () => {
    const { input } = await running();
    const ask = async (what: DeviceControl) => (await control(input.client, what)).state as Extract<DeviceState, { platform: "android" }>;
    const mine = { known: true, by: "bb-box" };
    expect((await ask({ action: "appearance", to: "dark" })).settings.appearance).toMatchObject({ ...mine, value: "dark" });
    expect((await ask({ action: "text_size", to: "larger" })).settings.fontScale).toMatchObject({ ...mine, value: 1.15 });
    expect((await ask({ action: "location", to: { latitude: 1, longitude: 2 } })).settings.location).toMatchObject({
      ...mine,
      value: { latitude: 1, longitude: 2 },
    });
    expect((await ask({ action: "battery", to: { level: 12, charging: false } })).settings.battery).toMatchObject({
      ...mine,
      value: { level: 12, charging: false },
    });
    expect((await ask({ action: "network", to: "slow" })).settings.network).toMatchObject({ ...mine, value: "slow" });
    expect((await ask({ action: "status_bar", to: "clean" })).settings.statusBar).toMatchObject({ set: "clean" });
    expect((await ask({ action: "lock" })).power).toEqual({ is: "booted", awake: false });
    expect((await ask({ action: "wake" })).power).toEqual({ is: "booted", awake: true });
    for (const action of ["home", "back", "recents"] as const) expect((await ask({ action })).power.is).toBe("booted");
    await expect(ask({ action: "posture", to: "closed" })).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("does not fold"),
    });
  });

  it("shows a setting that something else changed as outside", async () => {
    const { peer, input } = await running();
    await control(input.client, { action: "text_size", to: 1.3 });
    await peer.order("setting", { space: "system", key: "font_scale", value: "0.85" });
    const later = await connect("viewer");
    const state = await later.until(
      (now) => now.platform === "android" && now.settings.fontScale.known && now.settings.fontScale.value === 0.85,
    );
    expect(state.platform === "android" && state.settings.fontScale).toMatchObject({ by: "outside" });
  });

  it("shows a turn that something else made", async () => {
    const { peer, input } = await running();
    await peer.order("rotate", { degrees: -90 });
    expect((await input.until(({ geometry }) => geometry?.physical === "turned-right")).geometry?.video).toEqual({
      width: 640,
      height: 320,
    });
  });

  it("boots a device that crashed once again, cold, and leaves it failed in words after a second crash within five minutes", async () => {
    rig.avd("Device", SMALL);
    rig.installEmulator(SMALL_ARGS);
    await serve();
    const viewer = await connect("viewer");
    await viewer.until(booted);
    await viewer.heard.until(({ units }) => units.length > 0);
    await (await rig.booted("Device")).die();
    await viewer.until(({ power }) => power.is === "booting");
    await viewer.until(booted);
    expect(rig.emulatorStarts().map((args) => args.includes("-no-snapshot-load"))).toEqual([false, true]);
    await (await rig.booted("Device")).die();
    const { power } = await viewer.until((state) => state.power.is === "failed");
    expect(power).toMatchObject({ error: { code: "device-exited", words: expect.stringContaining("The emulator of Device crashed.") } });
    expect(rig.emulatorStarts()).toHaveLength(2);
  });

  it("does not run on with ports open to the network: the state says firewall-missing", async () => {
    rig.avd("Device", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--listen", "0.0.0.0"]);
    await serve();
    const viewer = await connect("viewer");
    const { power } = await viewer.until((state) => state.power.is === "failed");
    expect(power).toMatchObject({ error: { code: "firewall-missing", words: expect.stringContaining("listens beyond this machine") } });
  });

  it("finds the same emulator again after the server itself ended, and lifts what was held", async () => {
    const { peer, input } = await running();
    const generation = input.state().geometry?.generation ?? 0;
    const down = peer.feed.next((said) => said.event === "contacts" && (said.down as unknown[]).length === 1);
    input.client.send(`BB_DEVICE ${JSON.stringify({ type: "touch", contacts: [{ id: 2, x: 50, y: 50 }], generation })}`);
    await down;
    await servers.splice(0)[0]?.close();
    await serve();
    const again = await connect("viewer");
    const state = await again.until(booted);
    expect(state.geometry?.generation).toBeGreaterThan(generation);
    expect((await peer.order("state")).contacts).toEqual({});
    await again.heard.until(({ units }) => units.some((unit) => unit.key));
  });

  it("has the picture back within a second when the frame stream is killed", async () => {
    const { peer, viewer } = await running();
    const before = viewer.heard.units.length;
    const again = peer.feed.next((said) => said.event === "call" && said.method === "streamScreenshot");
    const cutMs = performance.now();
    await peer.order("end-stream");
    await again;
    await viewer.heard.until(({ units }) => units.slice(before).some((unit) => unit.key));
    expect(performance.now() - cutMs).toBeLessThan(1_000);
  });
});
