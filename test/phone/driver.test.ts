import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import type { DeviceElement } from "#core/device.ts";
import { phonePlaces } from "#drivers/phone/places.ts";
import type { BindingStill } from "#native/binding.ts";

import { addon, bundled, homes, lookAt, makeDriver, offerOf, phoneProcess, unitWhere, type HostNotes } from "./rig.ts";

const { home } = homes();
const { command } = phoneProcess();
const killed = bundled("server/child.ts");
const MODEL = "Test device";
const never = new AbortController().signal;

type Driver = ReturnType<typeof makeDriver>["driver"];
const started: { readonly driver: Driver }[] = [];

afterEach(async () => {
  for (const { driver } of started.splice(0)) {
    await driver.shutdown(never).catch(() => undefined);
  }
});

async function attached(
  model = MODEL,
  options: Parameters<typeof makeDriver>[2] = {},
): Promise<{ folder: string; driver: Driver; host: HostNotes }> {
  const folder = home();
  const made = makeDriver(folder, command, options);
  started.push(made);
  expect(await made.driver.attach(offerOf(model), never)).toBe("booted");
  return { folder, ...made };
}

function find(elements: readonly DeviceElement[], identifier: string): DeviceElement | null {
  for (const element of elements) {
    const found = element.identifier === identifier ? element : find(element.children, identifier);
    if (found !== null) return found;
  }
  return null;
}

async function tap(driver: Driver, identifier: string): Promise<void> {
  const element = find(await driver.tree(), identifier);
  if (element === null) throw new Error(`The phone shows no ${identifier}.`);
  const { x, y, width, height } = element.frame;
  await driver.touch([{ id: 0, x: Math.floor(x + width / 2), y: Math.floor(y + height / 2) }]);
  await driver.touch([]);
}

describe("a phone's process", () => {
  test("is started at need, lists as running, and its files are this user's alone", async () => {
    const { folder, driver } = await attached();
    expect(await driver.running()).toEqual([MODEL]);
    const places = phonePlaces(folder, MODEL);
    expect(statSync(places.discovery).mode & 0o777).toBe(0o600);
    expect(statSync(places.socket).mode & 0o777).toBe(0o600);
    expect(statSync(places.run).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(places.discovery, "utf8"))).toMatchObject({ model: MODEL, socket: places.socket });
  });

  test("lives on when its server goes, and the next one attaches to it with a region of its own", async () => {
    const { folder, driver } = await attached();
    await tap(driver, "app-settings");
    await driver.detach();
    const next = makeDriver(folder, command);
    started.push(next);
    expect(await next.driver.attach(offerOf(MODEL), never)).toBe("reattached");
    expect(find(await next.driver.tree(), "settings-list")).not.toBeNull();
    expect(next.host.geometries).toHaveLength(1);
    expect((await next.driver.screenshot()).width).toBe(1080);
    const regions = readdirSync(join(folder, "run")).filter((name) => name.endsWith(".rgb"));
    expect(regions).toHaveLength(1);
  });

  test("lives on when its server is killed: its finger lifts, and the next server attaches where the phone was left", async () => {
    const folder = home();
    const env = { ...process.env, BB_DEVICE_ADDON: addon.path };
    const [node, phone] = command;
    const server = spawn(node, [killed.path, folder, MODEL, phone], { env, stdio: ["ignore", "pipe", "inherit"] });
    expect(String((await once(server.stdout, "data"))[0])).toBe("booted\n");
    const onlooker = await lookAt(folder, MODEL);
    const pid = (await onlooker.client.ask({ ask: "hello" })) as { readonly pid: number };
    const before = (await onlooker.log()).at(-1)?.seq ?? 0;
    expect(readdirSync(join(folder, "run"))).toContain("region-test-device-1.rgb");
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await onlooker.entry((entry) => entry.seq > before && entry.what === "lifted");
    // Its sockets close before its locks do.
    await ended;
    expect(await onlooker.state()).toMatchObject({ contacts: 0, streaming: false, page: "settings" });
    const next = makeDriver(folder, command);
    started.push(next);
    expect(await next.driver.attach(offerOf(MODEL), never)).toBe("reattached");
    expect(next.host.geometries).toHaveLength(1);
    expect(await onlooker.client.ask({ ask: "hello" })).toMatchObject(pid);
    expect(find(await next.driver.tree(), "settings-list")).not.toBeNull();
    expect(readdirSync(join(folder, "run")).filter((name) => name.endsWith(".rgb"))).toHaveLength(1);
    onlooker.client.close();
  });

  test("a killed phone's files are cleared away and a new phone starts; its kept settings come back", async () => {
    const { folder, driver, host } = await attached();
    await driver.control({ action: "appearance", to: "dark" }, never);
    const onlooker = await lookAt(folder, MODEL);
    await onlooker.entry((entry) => entry.what === "saved");
    onlooker.client.ask({ ask: "fault", fault: "crash" }).catch(() => undefined);
    await onlooker.closed;
    await host.until(() => host.exits.length === 1);
    expect(host.exits[0]).toMatchObject({ code: "device-exited" });
    expect(existsSync(phonePlaces(folder, MODEL).discovery)).toBe(true);
    expect(await driver.running()).toEqual([]);
    expect(existsSync(phonePlaces(folder, MODEL).discovery)).toBe(false);
    expect(await driver.attach(offerOf(MODEL), never)).toBe("booted");
    expect((await driver.readBack()).android?.appearance).toBe("dark");
  });

  test("a phone that has just ended is started again at once, though the driver still lets go of the old one", async () => {
    const { folder, driver } = await attached();
    const { pid } = JSON.parse(readFileSync(phonePlaces(folder, MODEL).discovery, "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    while (await driver.tree().then(Boolean, () => false));
    expect(await driver.attach(offerOf(MODEL), never)).toBe("booted");
    expect(await driver.tree()).not.toEqual([]);
  });

  test("a second server on the same phone is refused in words, and the first keeps it", async () => {
    const { folder, driver } = await attached();
    const other = makeDriver(folder, command);
    await expect(other.driver.attach(offerOf(MODEL), never)).rejects.toThrow(/Another device server drives/);
    expect(await driver.tree()).not.toEqual([]);
  });

  test("shutdown ends it and leaves the run folder empty", async () => {
    const { folder, driver, host } = await attached();
    await driver.shutdown(never);
    expect(readdirSync(join(folder, "run"))).toEqual([]);
    expect(host.exits).toEqual([]);
  });

  test("a phone that cannot start says why", async () => {
    const folder = home();
    const { driver } = makeDriver(folder, command, { sizes: ["64x64"] });
    writeFileSync(join(folder, "run"), "in the way");
    await expect(driver.attach(offerOf(MODEL), never)).rejects.toThrow(/EEXIST|ENOTDIR/);
    await expect(driver.attach(offerOf("Nexus"), never)).rejects.toThrow(/no test phone Nexus/);
  });

  test("each model keeps its own settings", async () => {
    const { folder, driver } = await attached();
    await driver.control({ action: "appearance", to: "dark" }, never);
    await driver.shutdown(never);
    const other = makeDriver(folder, command);
    started.push(other);
    await other.driver.attach(offerOf("Test foldable"), never);
    expect((await other.driver.readBack()).android?.appearance).toBe("light");
    await other.driver.shutdown(never);
    await other.driver.attach(offerOf(MODEL), never);
    expect((await other.driver.readBack()).android?.appearance).toBe("dark");
  });
});

describe("video", () => {
  test("a still phone gives one key unit when watched, another when asked, and no others", async () => {
    const { driver, host } = await attached();
    expect(host.geometries).toHaveLength(1);
    const video = driver.video();
    const frames = video.frames()[Symbol.asyncIterator]();
    video.streaming(true);
    video.keyframe();
    const first = await unitWhere(frames, (unit) => unit.key);
    expect(first).toMatchObject({ width: 1080, height: 2400, generation: 1 });
    video.keyframe();
    const second = await unitWhere(frames, (unit) => unit.key);
    expect(second.monotonicMs).toBeGreaterThan(first.monotonicMs);
    expect(video.stats().framesIn).toBe(1);
  });

  test("a turn is a new generation at the turned size, told before its first unit", async () => {
    const { driver, host } = await attached();
    expect(host.geometries).toHaveLength(1);
    const frames = driver.video().frames()[Symbol.asyncIterator]();
    driver.video().streaming(true);
    driver.video().keyframe();
    await driver.control({ action: "rotate", to: "turned-left" }, never);
    const unit = await unitWhere(frames, (frame) => frame.generation === 2);
    expect(unit).toMatchObject({ key: true, width: 2400, height: 1080 });
    expect(host.geometries.at(-1)).toEqual({ physical: "turned-left", content: "turned-left", video: { width: 2400, height: 1080 } });
  });

  test("a fold shows the other screen", async () => {
    const { driver, host } = await attached("Test foldable");
    expect(host.geometries).toHaveLength(1);
    expect(host.geometries[0]).toMatchObject({ screen: "outer", video: { width: 1080, height: 2092 } });
    await driver.control({ action: "posture", to: "open" }, never);
    await host.until(() => host.geometries.length === 2);
    expect(host.geometries[1]).toMatchObject({ screen: "inner", video: { width: 2208, height: 1840 } });
    expect((await driver.readBack()).posture).toBe("open");
  });

  test("a sleeping phone is not pictured, and wakes where it was", async () => {
    const { driver } = await attached();
    await tap(driver, "app-settings");
    await driver.control({ action: "lock" }, never);
    expect((await driver.readBack()).awake).toBe(false);
    await expect(driver.screenshot()).rejects.toThrow(/screen is off/);
    expect(await driver.tree()).toEqual([]);
    await driver.control({ action: "wake" }, never);
    expect(find(await driver.tree(), "settings-list")).not.toBeNull();
  });
});

describe("a region that stays torn", () => {
  let torn = true;
  beforeEach(() => {
    torn = true;
  });
  /** Answers as the pipeline does when the phone draws during each of its reads. */
  class Tearing extends addon.binding.Pipeline {
    override async screenshot(longestEdge?: number): Promise<BindingStill> {
      if (torn) throw new Error("the screen changed during each of 3 tries to read it");
      return await super.screenshot(longestEdge);
    }
  }
  const tearing = { parts: { binding: { ...addon.binding, Pipeline: Tearing } } };

  test("gives no screenshot, so the phone's own comes, whole and scaled: the same pixels, whatever the region holds", async () => {
    const { folder, driver, host } = await attached(MODEL, tearing);
    expect(host.geometries).toHaveLength(1);
    torn = false;
    const calm = await driver.screenshot();
    torn = true;
    const region = join(folder, "run", "region-test-device-1.rgb");
    writeFileSync(region, Buffer.alloc(statSync(region).size, 0x5a), { flag: "r+" });
    const own = await driver.screenshot();
    expect(own).toMatchObject({ width: 1080, height: 2400, generation: 1 });
    expect(Buffer.from(own.png).equals(calm.png)).toBe(true);
    expect(await driver.screenshot({ longestEdge: 240 })).toMatchObject({ width: 108, height: 240 });
    for (const longestEdge of [0, -1, 1.5]) await expect(driver.screenshot({ longestEdge })).rejects.toThrow(/longest ?edge/i);
  });

  test("is answered, when the screen turns meanwhile, with the turned picture and its generation", async () => {
    const { folder, driver, host } = await attached(MODEL, tearing);
    expect(host.geometries).toHaveLength(1);
    const onlooker = await lookAt(folder, MODEL);
    await onlooker.client.ask({ ask: "fault", fault: "slow-turn", ms: 300 });
    await driver.control({ action: "rotate", to: "turned-left" }, never);
    expect(host.geometries).toHaveLength(1);
    expect(await driver.screenshot()).toMatchObject({ width: 2400, height: 1080, generation: 2 });
    onlooker.client.close();
  });

  test("is answered to many askers at once, and refused once the phone has ended", async () => {
    const { folder, driver, host } = await attached(MODEL, { ...tearing, scene: "busy" });
    expect(host.geometries).toHaveLength(1);
    const shots = await Promise.all(Array.from({ length: 8 }, () => driver.screenshot()));
    expect(shots.map(({ width, height }) => [width, height])).toEqual(Array.from({ length: 8 }, () => [1080, 2400]));
    const onlooker = await lookAt(folder, MODEL);
    const late = driver.screenshot();
    onlooker.client.ask({ ask: "fault", fault: "crash" }).catch(() => undefined);
    const why = await late.then(
      () => null,
      (error: unknown) => error,
    );
    // It may have been pictured in the last moment.
    if (why !== null) expect(why).toMatchObject({ code: "not-booted" });
    await host.until(() => host.exits.length === 1);
    await expect(driver.screenshot()).rejects.toMatchObject({ code: "not-booted" });
  });
});

describe("input", () => {
  test("keys, paste and the clipboard reach the field, and the phone's own log says so in order", async () => {
    const { folder, driver, host } = await attached();
    await driver.open("bb-test://notes");
    await tap(driver, "note");
    for (const key of ["H", "i"]) {
      await driver.key(key, true);
      await driver.key(key, false);
    }
    await driver.setClipboard(" 日本 🙂");
    await driver.pasteKey();
    expect(find(await driver.tree(), "note")).toMatchObject({ value: "Hi 日本 🙂", focused: true });
    await driver.key("Control", true);
    for (const key of ["a", "c"]) {
      await driver.key(key, true);
      await driver.key(key, false);
    }
    await driver.key("Control", false);
    await host.until(() => host.clipboards.length === 1);
    expect(host.clipboards).toEqual(["Hi 日本 🙂"]);
    expect(await driver.clipboard()).toBe("Hi 日本 🙂");
    const onlooker = await lookAt(folder, MODEL);
    const keys = (await onlooker.log()).flatMap((entry) => (entry.what === "key" && entry.down ? [entry.key] : []));
    expect(keys).toEqual(["H", "i", "Control", "v", "Control", "a", "c"]);
    onlooker.client.close();
  });

  test("what a server held lifts when its connection goes", async () => {
    const { folder, driver } = await attached();
    const onlooker = await lookAt(folder, MODEL);
    await driver.touch([{ id: 0, x: 500, y: 500 }]);
    await driver.key("Shift", true);
    expect(await onlooker.state()).toMatchObject({ contacts: 1, keysHeld: ["Shift"] });
    await driver.detach();
    await onlooker.entry((entry) => entry.what === "lifted");
    expect(await onlooker.state()).toMatchObject({ contacts: 0, keysHeld: [] });
    await onlooker.client.ask({ ask: "shutdown" });
    await onlooker.closed;
  });
});

describe("controls", () => {
  test("each setting is read back as it was set, and stays over a reboot", async () => {
    const { driver } = await attached();
    await driver.control({ action: "appearance", to: "dark" }, never);
    await driver.control({ action: "text_size", to: 1.3 }, never);
    await driver.control({ action: "location", to: { latitude: 52.52, longitude: 13.4 } }, never);
    await driver.control({ action: "battery", to: { level: 7, charging: true } }, never);
    await driver.control({ action: "network", to: "slow" }, never);
    const set = {
      awake: true,
      android: {
        appearance: "dark",
        fontScale: 1.3,
        location: { latitude: 52.52, longitude: 13.4 },
        battery: { level: 7, charging: true },
        network: "slow",
      },
    };
    expect(await driver.readBack()).toEqual(set);
    await driver.control({ action: "reboot" }, never);
    expect(await driver.readBack()).toEqual(set);
    expect(find(await driver.tree(), "app-settings")).not.toBeNull();
  });

  test("an APK is installed by its name; a bundle, another file and one that is not there are refused in words", async () => {
    const { folder, driver } = await attached();
    const apk = join(folder, "Weather.apk");
    const bundle = join(folder, "Weather.aab");
    writeFileSync(apk, "");
    writeFileSync(bundle, "");
    expect(await driver.installed?.([apk])).toBe(false);
    await driver.control({ action: "install", paths: [apk] }, never);
    expect(await driver.installed?.([apk])).toBe(true);
    expect(find(await driver.tree(), "app-weather")).not.toBeNull();
    await expect(driver.control({ action: "install", paths: [bundle] }, never)).rejects.toThrow(/App Bundle.*INSTALL_PARSE_FAILED_NOT_APK/);
    await expect(driver.control({ action: "install", paths: [join(folder, "no.apk")] }, never)).rejects.toThrow(/no file/);
  });

  test("a control that hangs is given up by its signal, and the phone stays usable", async () => {
    const { folder, driver } = await attached();
    const onlooker = await lookAt(folder, MODEL);
    await onlooker.client.ask({ ask: "fault", fault: "hang-control", ms: 600_000 });
    const stop = new AbortController();
    const hung = driver.control({ action: "home" }, stop.signal);
    await onlooker.entry((entry) => entry.what === "control");
    stop.abort(new Error("too long"));
    await expect(hung).rejects.toThrow("too long");
    expect((await driver.readBack()).awake).toBe(true);
    onlooker.client.close();
  });
});
