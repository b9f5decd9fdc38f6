import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { ANDROID_FONT_SCALES, type DeviceControl } from "#core/device.ts";
import type { DeviceDriver } from "#drivers/driver.ts";

import { describeWith } from "../support/needs.ts";
import { makeApk } from "./apk-maker.ts";
import { bodyOf } from "./feed.ts";
import { FOLD_ARGS, offerOf, type Peer, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "controls and what is read back", () => {
  let rig: Rig;
  let peer: Peer;
  let driver: DeviceDriver;

  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  async function attach(args: readonly string[] = SMALL_ARGS, config: Readonly<Record<string, string>> = SMALL) {
    rig.avd("Device", config);
    peer = await rig.peer(args, { avd: "Device" });
    const made = rig.driver();
    driver = made.driver;
    await driver.attach(await offerOf(driver, "Device"), soon());
    return made.record;
  }
  const control = (what: DeviceControl) => driver.control(what, soon());
  const settings = async () => (await driver.readBack()).android;
  const state = () => peer.order("state");
  const shellLines = async () => {
    await peer.heard();
    return peer.feed.all.filter((said) => said.event === "shell").map((said) => String(said.line));
  };

  it.each([
    ["home", "GoHome"],
    ["back", "GoBack"],
    ["recents", "AppSwitch"],
  ] as const)("%s presses %s", async (action, key) => {
    await attach();
    await control({ action });
    await peer.heard();
    expect(
      peer.feed
        .calls("sendKey")
        .slice(-2)
        .map((said) => bodyOf(said)),
    ).toEqual([{ key }, { key, eventType: "keyup" }]);
  });

  it("lock and wake return once Android reads so", async () => {
    await attach();
    await control({ action: "lock" });
    expect((await driver.readBack()).awake).toBe(false);
    expect((await state()).awake).toBe(false);
    await expect(driver.screenshot()).rejects.toThrow("The device's display is off");
    await control({ action: "wake" });
    expect((await driver.readBack()).awake).toBe(true);
    expect((await driver.screenshot()).width).toBe(320);
  });

  it("rotate turns in one step, each way and to a name, and returns with the new picture", async () => {
    const record = await attach();
    await control({ action: "rotate", turn: "left" });
    await peer.heard();
    expect(bodyOf(peer.feed.calls("setPhysicalModel").at(-1))).toEqual({
      target: "ROTATION",
      value: { data: [0, 0, 90] },
      interpolation: "STEP",
    });
    expect(record.geometries.at(-1)).toEqual({ physical: "turned-left", content: "turned-left", video: { width: 640, height: 320 } });
    await control({ action: "rotate", turn: "right" });
    await control({ action: "rotate", turn: "right" });
    expect(record.geometries.at(-1)?.physical).toBe("turned-right");
    await control({ action: "rotate", to: "upside-down" });
    expect((await state()).turn).toBe(180);
    expect(record.geometries.map(({ physical }) => physical)).toEqual(["upright", "turned-left", "upright", "turned-right", "upside-down"]);
  });

  it("finds a turn that posts no frame", async () => {
    const record = await attach();
    await peer.order("hang", { on: true });
    await control({ action: "rotate", to: "turned-left" });
    expect(record.geometries.at(-1)?.physical).toBe("turned-left");
  });

  it("folds and unfolds until Android has committed it", async () => {
    const record = await attach(FOLD_ARGS, PIXEL_FOLD);
    for (const to of ["half-open", "closed", "open"] as const) {
      await control({ action: "posture", to });
      expect((await driver.readBack()).posture).toBe(to);
    }
    await peer.heard();
    expect(peer.feed.calls("setPosture").map((said) => bodyOf(said).value)).toEqual([
      "POSTURE_HALF_OPENED",
      "POSTURE_CLOSED",
      "POSTURE_OPENED",
    ]);
    expect(record.geometries.map(({ screen }) => screen)).toEqual(["inner", "outer", "inner"]);
  });

  it("appearance", async () => {
    await attach();
    await control({ action: "appearance", to: "dark" });
    expect((await state()).dark).toBe(true);
    expect((await settings())?.appearance).toBe("dark");
    await peer.order("night", { on: false });
    expect((await settings())?.appearance).toBe("light");
  });

  it("text size: each of Android's seven, and the moves between them", async () => {
    await attach();
    for (const to of ANDROID_FONT_SCALES) {
      await control({ action: "text_size", to });
      expect((await settings())?.fontScale).toBe(to);
    }
    await control({ action: "text_size", to: "smaller" });
    expect((await settings())?.fontScale).toBe(1.8);
    await control({ action: "text_size", to: "default" });
    expect((await settings())?.fontScale).toBe(1);
    await expect(control({ action: "text_size", to: "accessibility-large" })).rejects.toThrow(
      "text_size on Android takes larger, smaller, default or a font scale: 0.85, 1, 1.15, 1.3, 1.5, 1.8 or 2.",
    );
  });

  it("a setting that another changed is read as it is", async () => {
    await attach();
    await control({ action: "text_size", to: 1.3 });
    await peer.order("setting", { space: "system", key: "font_scale", value: "1.15" });
    expect((await settings())?.fontScale).toBe(1.15);
  });

  it("location, and the emulator's own again", async () => {
    await attach();
    expect((await settings())?.location).toBeNull();
    await control({ action: "location", to: { latitude: 59.334, longitude: 18.063 } });
    expect((await settings())?.location).toEqual({ latitude: 59.334, longitude: 18.063 });
    await control({ action: "location", to: { latitude: 0, longitude: 0 } });
    expect((await settings())?.location).toEqual({ latitude: 0, longitude: 0 });
    await control({ action: "location", to: null });
    expect((await settings())?.location).toBeNull();
  });

  it("battery, and the emulator's own again", async () => {
    await attach();
    await control({ action: "battery", to: { level: 7, charging: false } });
    expect((await settings())?.battery).toEqual({ level: 7, charging: false });
    await control({ action: "battery", to: { level: 0, charging: true } });
    expect((await settings())?.battery).toEqual({ level: 0, charging: true });
    await control({ action: "battery", to: null });
    expect((await settings())?.battery).toEqual({ level: 100, charging: true });
  });

  it("a token without GPS, battery and posture goes by the console", async () => {
    await attach([...FOLD_ARGS, "--deny", "setGps,getGps,setBattery,getBattery,setPosture"], PIXEL_FOLD);
    await control({ action: "location", to: { latitude: 48.137, longitude: 11.575 } });
    await control({ action: "battery", to: { level: 42, charging: false } });
    await control({ action: "posture", to: "closed" });
    const now = await state();
    expect(now).toMatchObject({ gps: { latitude: 48.137, longitude: 11.575 }, posture: 1 });
    const read = await driver.readBack();
    expect(read.posture).toBe("closed");
    expect(read.android?.battery).toEqual({ level: 42, charging: false });
    expect(read.android?.location).toEqual(new Error("This emulator's token may not read the location."));
  });

  it("a posture that neither token nor console can set is unsupported, in words", async () => {
    await attach([...SMALL_ARGS, "--deny", "setPosture"]);
    await expect(control({ action: "posture", to: "closed" })).rejects.toMatchObject({ code: "unsupported" });
  });

  it("a clean status bar reads 9:41 with the battery as set, and follows it", async () => {
    await attach();
    await control({ action: "battery", to: { level: 55, charging: false } });
    await control({ action: "status_bar", to: "clean" });
    const [line] = (await shellLines()).slice(-1);
    expect(line).toContain("clock -e hhmm 0941");
    expect(line).toContain("battery -e level 55 -e plugged false");
    await control({ action: "battery", to: { level: 90, charging: true } });
    expect((await shellLines()).at(-1)).toContain("battery -e level 90 -e plugged true");
    await control({ action: "status_bar", to: "live" });
    expect((await shellLines()).at(-1)).toBe("am broadcast -a com.android.systemui.demo -e command exit");
  });

  it("network presets are each complete: slow, then online, leaves no delay", async () => {
    await attach();
    expect((await settings())?.network).toBe("online");
    await control({ action: "network", to: "offline" });
    expect((await settings())?.network).toBe("offline");
    expect(await state()).toMatchObject({ settings: { "global.airplane_mode_on": "1", "global.wifi_on": "0" }, mobileData: false });
    await control({ action: "network", to: "slow" });
    expect((await settings())?.network).toBe("slow");
    const { qdiscs } = (await state()) as unknown as { qdiscs: Record<string, string> };
    expect(qdiscs.wlan0).toContain("delay 100ms rate 473600bit");
    expect(qdiscs.ifb0).toContain("rate 473600bit");
    await control({ action: "network", to: "online" });
    expect((await settings())?.network).toBe("online");
    expect(await state()).toMatchObject({
      qdiscs: {},
      settings: { "global.airplane_mode_on": "0", "global.wifi_on": "1" },
      mobileData: true,
    });
  });

  it("a Play image, which gives no root, refuses slow in words and does the others", async () => {
    await attach([...SMALL_ARGS, "--no-root"]);
    await expect(control({ action: "network", to: "slow" })).rejects.toThrow("A slow network needs a Google APIs image");
    await control({ action: "network", to: "offline" });
    expect((await settings())?.network).toBe("offline");
  });

  it("a mix that is no preset is not called one", async () => {
    await attach();
    await peer.order("setting", { space: "global", key: "wifi_on", value: "0" });
    expect((await settings())?.network).toBeInstanceOf(Error);
  });

  it("installs one APK, and the splits of an app, then syncs the disk", async () => {
    await attach();
    const one = makeApk(rig.folder, "one.apk", "com.example.one");
    await control({ action: "install", paths: [one] });
    expect((await shellLines()).at(-1)).toBe("sync");
    const splits = [makeApk(rig.folder, "base.apk", "com.example.two"), makeApk(rig.folder, "split.apk", "com.example.two")] as const;
    await control({ action: "install", paths: splits });
    const installs = peer.feed.all.filter((said) => said.event === "install");
    expect(installs.map((said) => said.flags)).toEqual([expect.arrayContaining(["-r"]), expect.arrayContaining(["-r"])]);
    expect(installs[1]).toMatchObject({ parts: 2 });
    expect((await shellLines()).at(-1)).toBe("sync");
  });

  it("says what Android says when an install fails, and refuses bundles in 063's words", async () => {
    await attach();
    const broken = makeApk(rig.folder, "broken.apk", "bb.broken.app");
    await expect(control({ action: "install", paths: [broken] })).rejects.toThrow("INSTALL_PARSE_FAILED_NOT_APK");
    await expect(control({ action: "install", paths: [join(rig.folder, "app.aab")] })).rejects.toThrow(
      "Android App Bundles do not install directly. Make APKs with bundletool build-apks --mode=universal.",
    );
  });

  it("knows from its files whether an app is installed, and then lets Android refuse to replace it", async () => {
    await attach();
    const apk = makeApk(rig.folder, "new.apk", "com.example.fresh");
    expect(await driver.installed?.([apk])).toBe(false);
    await control({ action: "install", paths: [apk] });
    expect(peer.feed.all.filter((said) => said.event === "install").at(-1)?.flags).toContain("-R");
    expect(await driver.installed?.([apk])).toBe(true);
    const note = join(rig.folder, "note.apk");
    writeFileSync(note, "not a zip");
    await expect(driver.installed?.([note])).rejects.toThrow("is not an APK: it is not a zip file.");
  });

  it("opens a link as one word, whatever is in it", async () => {
    await attach();
    const url = "https://example.com/?a=1&b=it's;reboot";
    await driver.open(url);
    expect((await shellLines()).at(-1)).toBe(`am start -a android.intent.action.VIEW -d 'https://example.com/?a=1&b=it'\\''s;reboot' 2>&1`);
    await expect(driver.open("nobody:x")).rejects.toThrow("No app on the device opens nobody:x: Activity not started");
  });

  it("reads the screen's elements, in the video's pixels", async () => {
    await attach();
    const [root] = await driver.tree();
    expect(root).toMatchObject({ role: "group", frame: { x: 0, y: 0, width: 320, height: 640 } });
    const [search, list] = root?.children ?? [];
    expect(search).toMatchObject({
      role: "text field",
      identifier: "com.android.settings:id/search",
      value: "Search & settings",
      focused: true,
      can: { tap: true, edit: true, scroll: false },
    });
    expect(list?.can).toEqual({ tap: false, edit: false, scroll: true });
    expect(list?.children[0]).toMatchObject({
      role: "static text",
      label: "Wi\u2011Fi",
      frame: { x: 40, y: 320, width: 240, height: 120 },
    });
    expect(list?.children[1]).toMatchObject({ role: "switch", label: "Airplane mode", value: "on", enabled: false });
  });

  it("gives elements where the picture has them, when the app stays upright on a turned device", async () => {
    await attach();
    await peer.order("app-upright", { on: true });
    await control({ action: "rotate", to: "turned-left" });
    const [root] = await driver.tree();
    expect(root?.frame).toEqual({ x: 0, y: 0, width: 640, height: 320 });
    // [40,160][280,280] of the upright screen, whose top edge is now at the picture's left.
    expect(root?.children[0]?.frame).toEqual({ x: 160, y: 40, width: 120, height: 240 });
  });

  it("refuses the tree in words while an instrumentation test runs, and goes on taking screenshots", async () => {
    await attach();
    await peer.order("instrumentation", { on: true });
    await expect(driver.tree()).rejects.toThrow("An instrumentation test is running on the device");
    expect((await shellLines()).some((line) => line.startsWith("uiautomator"))).toBe(false);
    expect((await driver.screenshot()).height).toBe(640);
  });

  it("restarts Android inside an emulator that it did not start, and has the clean status bar again", async () => {
    await attach();
    await control({ action: "status_bar", to: "clean" });
    const before = peer.feed.all.length;
    await control({ action: "reboot" });
    await peer.heard();
    const after = peer.feed.all.slice(before);
    expect(after.some((said) => said.event === "reboot")).toBe(true);
    expect(after.some((said) => said.event === "shell" && String(said.line).includes("clock -e hhmm 0941"))).toBe(true);
    expect(after.some((said) => said.event === "killed")).toBe(false);
  });

  it("answers a control that Android never carries out when its deadline comes, not before", async () => {
    await attach();
    const deadline = new AbortController();
    const locking = driver.control({ action: "posture", to: "half-open" }, deadline.signal);
    const read = peer.feed.next((said) => said.event === "shell" && String(said.line).includes("device_state"));
    await read;
    deadline.abort(new Error("the deadline"));
    await expect(locking).rejects.toThrow("the deadline");
  });
});
