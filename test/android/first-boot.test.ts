import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { describeWith } from "../support/needs.ts";
import { offerOf, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "a device's first boot in a box", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  const ofImage = () => writeFileSync(join(rig.folder, "image.json"), JSON.stringify({ devices: [{ model: "Small", native: "Small" }] }));

  it("gives a device of the image its own identity at its first boot, once: its Wi-Fi on disk first, one reboot last", async () => {
    rig.avd("Small", SMALL);
    const log = join(rig.folder, "emulator.log");
    rig.installEmulator([...SMALL_ARGS, "--log", log]);
    ofImage();
    const { driver, record } = rig.driver();
    const offer = await offerOf(driver, "Small");
    await driver.attach(offer, soon());
    const peer = await rig.booted("Small");
    const state = (await peer.order("state")) as unknown as { settings: Record<string, string> };
    expect(state.settings["secure.android_id"]).toMatch(/^[0-9a-f]{16}$/);
    expect(state.settings["secure.android_id"]).not.toBe("f00dfeedf00dfeed");
    expect(record.progress).toContain("First boot in this box: giving the device its own identity.");
    const done = rig.logged(log).flatMap(({ event, line }) => {
      if (event === "shell") return /AndroidWifi|put secure android_id|settings_ssaid/.exec(String(line))?.[0] ?? [];
      return event === "reboot" || event === "killed" ? event : [];
    });
    expect(done).toEqual(["AndroidWifi", "put secure android_id", "settings_ssaid", "reboot"]);
    await driver.shutdown(soon());
    const told = record.progress.length;
    await driver.attach(offer, soon());
    expect(record.progress.slice(told)).toEqual(["Starting Small from its snapshot."]);
  });

  it("gives no identity to a device that it found running, though the image record offers it", async () => {
    rig.avd("Small", SMALL);
    ofImage();
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    expect(await peer.order("state")).toMatchObject({ settings: { "secure.android_id": "f00dfeedf00dfeed" } });
    expect(peer.feed.all.some((said) => said.event === "reboot")).toBe(false);
    expect(record.progress).not.toContain("First boot in this box: giving the device its own identity.");
  });

  it("does not give an identity to an AVD that the image record does not offer", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    expect(record.progress).toEqual(["Starting Small from its snapshot."]);
    expect(existsSync(join(rig.deviceHome, "identity-Small.json"))).toBe(false);
  });
});
