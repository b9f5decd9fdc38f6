import { afterEach, beforeEach, expect, it } from "vitest";

import { describeWith } from "../support/needs.ts";
import { readPng } from "./png.ts";
import { FOLD_ARGS, offerOf, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "attaching to a running emulator", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  it.each(["shared-memory", "in-band"] as const)("finds it by its discovery file and shows its screen: %s", async (frames) => {
    rig.avd("Pixel_8");
    const peer = await rig.peer();
    const { driver, record } = rig.driver({ frames });
    expect(await driver.running()).toEqual(["Pixel_8"]);
    const offer = await offerOf(driver, "Pixel_8");
    expect(offer.runtime).toMatchObject({ platform: "android", api: 35, image: "google_apis", abi: "x86_64", emulator: "37.2.12" });

    expect(await driver.attach(offer, soon())).toBe("reattached");

    expect(record.geometries).toEqual([{ physical: "upright", content: "upright", video: { width: 1080, height: 2400 } }]);
    const region = peer.feed.all.find((said) => said.event === "region");
    if (frames === "shared-memory") expect(region).toMatchObject({ mode: "0o600", bytes: 2400 * 2400 * 3 });
    else expect(region).toBeUndefined();
    const [request] = peer.feed.calls("streamScreenshot");
    expect(request?.body).toMatchObject({ format: "RGB888", width: 2400, height: 2400 });
    const picture = readPng((await driver.screenshot()).png);
    expect([picture.width, picture.height]).toEqual([1080, 2400]);
    expect(picture.at(500, 20)).toEqual((await peer.order("pixel", { x: 500, y: 20 })).rgb);
  });

  it("encodes what it shows, from a key frame", async () => {
    rig.avd("Small", SMALL);
    await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver } = rig.driver();
    const video = driver.video();
    video.streaming(true);
    await driver.attach(await offerOf(driver, "Small"), soon());
    for await (const unit of video.frames()) {
      expect(unit).toMatchObject({ key: true, width: 320, height: 640, generation: 1 });
      expect(video.encoder()?.version).toContain("by shared memory");
      break;
    }
  });

  it("leaves the emulator running on detach, with nothing of its own behind", async () => {
    rig.avd("Small", SMALL);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    const ended = peer.feed.next((said) => said.event === "stream-ended");
    await driver.detach();
    await ended;
    expect(await driver.running()).toEqual(["Small"]);
    expect((await peer.order("state")).contacts).toEqual({});
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(rig.run)).toEqual([]);
  });

  it("knows an emulator by its AVD's folder when it tells the name that is shown", async () => {
    rig.avd("Small_Phone", { ...SMALL, "avd.ini.displayname": "Small Phone" });
    await rig.peer([...SMALL_ARGS, "--avd-dir", `${rig.avds}/Small_Phone.avd`], { avd: "Small Phone" });
    const { driver } = rig.driver();
    expect(await driver.running()).toEqual(["Small_Phone"]);
    expect(await driver.attach(await offerOf(driver, "Small_Phone"), soon())).toBe("reattached");
  });

  it("knows both screens of a foldable by its pictures", async () => {
    rig.avd("Fold", PIXEL_FOLD);
    const peer = await rig.peer(FOLD_ARGS, { avd: "Fold" });
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Fold"), soon());
    expect(record.geometries[0]).toEqual({
      physical: "upright",
      content: "upright",
      video: { width: 2208, height: 1840 },
      screen: "inner",
    });
    const closed = record.feed.next((said) => said.event === "geometry");
    await peer.order("posture", { value: 1 });
    expect((await closed).geometry).toEqual({
      physical: "upright",
      content: "upright",
      video: { width: 1080, height: 2092 },
      screen: "outer",
    });
  });
});
