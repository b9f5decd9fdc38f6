import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, it } from "vitest";

import { Adb } from "#drivers/android/adb.ts";
import { androidDoctor, type DoctorRow } from "#drivers/android/doctor.ts";
import { androidDriver } from "#drivers/android/driver.ts";
import { startFakeEmulator } from "#drivers/android/fake.ts";
import { realOutside } from "#drivers/android/outside.ts";
import { FramePipeline } from "#native/frame-pipeline.ts";
import { loadBinding } from "#native/load.ts";

import { describeWith } from "../support/needs.ts";
import { freePort } from "../support/ports.ts";
import { Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "the doctor on Android", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  const row = (rows: readonly DoctorRow[], name: string) => rows.find((candidate) => candidate.name.startsWith(name));

  it("finds nothing wrong where all is well", async () => {
    rig.avd("Small", { ...SMALL, "hw.keyboard": "yes" });
    rig.installEmulator(SMALL_ARGS);
    mkdirSync(join(rig.sdk, "emulator", "lib"));
    writeFileSync(
      join(rig.sdk, "emulator", "lib", "emulator_access.json"),
      '{"allowlist":[{"iss":"android-studio","allowed":["/android.emulation.control.EmulatorController/.*"]}]}',
    );
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const kvm = join(rig.folder, "kvm");
    writeFileSync(kvm, "");
    const rows = await androidDoctor(rig.outside(), kvm);
    expect(rows.map(({ name, is }) => [name, is])).toEqual([
      ["Android SDK", "good"],
      ["KVM", "good"],
      ["adb", "good"],
      ["emulator's access list", "good"],
      ["AVD Small", "good"],
      [`${peer.serial} (Small)`, "good"],
      [`${peer.serial} (Small), ports`, "good"],
    ]);
    expect(row(rows, "Android SDK")?.words).toContain("emulator 37.2.12");
    expect(row(rows, "adb")?.words).toContain(`version 41; its server runs on port ${rig.adbPort}`);
  });

  it("says each thing that is wrong with what to do about it", async () => {
    rig.avd("Mute", { ...SMALL, "hw.keyboard": "no" });
    rig.avd("Watch", { ...SMALL, "tag.id": "android-wear" });
    mkdirSync(join(rig.sdk, "emulator", "lib"));
    rig.installEmulator();
    writeFileSync(
      join(rig.sdk, "emulator", "lib", "emulator_access.json"),
      '{"allowlist":[{"iss":"android-studio","allowed":["/android.emulation.control.EmulatorController/get.*"]}]}',
    );
    const peer = await rig.peer([...SMALL_ARGS, "--listen", "0.0.0.0", "--deny", "getGps"], { avd: "Mute" });
    const port = await freePort();
    const other = createServer((socket) => socket.on("data", () => socket.end("OKAY00040020"))).listen(port, "127.0.0.1");
    const outside = rig.outside();
    const rows = await androidDoctor(
      { ...outside, env: { ...rig.env, ANDROID_ADB_SERVER_PORT: String(port) } },
      join(rig.folder, "no-kvm"),
    );
    other.close();
    expect(row(rows, "KVM")).toMatchObject({ is: "bad", fix: expect.stringContaining("nested virtualisation") });
    expect(row(rows, "adb")).toMatchObject({ is: "bad", words: expect.stringContaining(`another version (32) runs on port ${port}`) });
    expect(row(rows, "emulator's access list")?.words).toContain("may not set location, battery, posture");
    expect(row(rows, "AVD Mute")).toMatchObject({ is: "care", fix: expect.stringContaining("Set hw.keyboard=yes in") });
    expect(row(rows, "AVD Watch")?.words).toContain("is a Wear OS watch");
    expect(row(rows, `${peer.serial} (Mute)`)).toMatchObject({
      is: "care",
      words: "Its token may not read location; they are set by its console.",
    });
    expect(row(rows, `${peer.serial} (Mute), ports`)).toMatchObject({ is: "care", words: expect.stringContaining("beyond this machine") });
  });

  it("tells a KVM that is another's from one that is not there", async () => {
    const outside = rig.outside({ platform: "linux" });
    const kvm = join(rig.folder, "kvm");
    writeFileSync(kvm, "");
    chmodSync(kvm, 0o000);
    const rows = await androidDoctor(outside, kvm);
    // Root may open anything, so there it reads as usable.
    expect(row(rows, "KVM")?.is).toBe(process.getuid?.() === 0 ? "good" : "bad");
    expect(row(rows, "AVDs")).toMatchObject({ is: "care", fix: expect.stringContaining("avdmanager") });
    expect(row(rows, "Android SDK")).toMatchObject({ is: "bad", fix: expect.stringContaining("ANDROID_HOME") });
  });

  it("starts the stand-in by hand, which the driver finds like any other", async () => {
    const fake = await startFakeEmulator(fileURLToPath(new URL("../..", import.meta.url)), "Pixel Tablet", {
      ...rig.env,
      PATH: `${join(rig.sdk, "platform-tools")}:${rig.env.PATH}`,
    });
    const binding = loadBinding();
    const make = androidDriver({
      outside: fake.outside,
      lock: (path) => binding.lock(path),
      makePipeline: (onEvent) => new FramePipeline(binding, { onEvent }),
    });
    const host = { geometry: () => 1, changed() {}, exited() {}, clipboard() {}, warning() {}, log() {}, progress() {} };
    const clock = { now: () => Number(process.hrtime.bigint()) / 1e6, wall: () => Date.now() };
    const driver = make(host, { home: rig.deviceHome, run: rig.run, clock });
    const [only] = await driver.offered();
    expect(only?.model).toMatchObject({ name: "Pixel Tablet", form: "tablet" });
    if (only === undefined) throw new Error("nothing is offered");
    await driver.attach(only.offer, soon());
    expect((await driver.screenshot({ longestEdge: 256 })).width).toBe(256);
    await driver.detach();
    await fake.stop();
    expect(existsSync(fake.outside.home)).toBe(false);
  });

  it("leaves no adb server behind when the stand-in does not start", async () => {
    const broken = join(rig.folder, "broken");
    mkdirSync(join(broken, "test", "peers"), { recursive: true });
    mkdirSync(join(broken, "node_modules", "android-emulator-webrtc"), { recursive: true });
    writeFileSync(join(broken, "test", "peers", "emulator.py"), "raise SystemExit(1)\n");
    const env = { ...rig.env, ANDROID_ADB_SERVER_PORT: String(await freePort()) };
    await expect(startFakeEmulator(broken, "Pixel 8", env)).rejects.toThrow("The stand-in emulator did not start");
    expect(await new Adb(realOutside(env), "adb").serverVersion()).toBeNull();
  });

  it("says that the stand-in is not in a bundle, what it needs, and which models it has", async () => {
    await expect(startFakeEmulator(rig.folder)).rejects.toThrow("The stand-in emulator is part of a source checkout");
    // As npm start installs a checkout: without the development packages.
    const bare = join(rig.folder, "checkout");
    mkdirSync(join(bare, "test", "peers"), { recursive: true });
    writeFileSync(join(bare, "test", "peers", "emulator.py"), "");
    await expect(startFakeEmulator(bare)).rejects.toThrow(`needs the development packages of the checkout. Run: npm --prefix ${bare} ci`);
    await expect(startFakeEmulator(fileURLToPath(new URL("../..", import.meta.url)), "Nokia")).rejects.toThrow(
      "The stand-in emulator is one of: Pixel 8, Pixel Fold, Pixel Tablet.",
    );
  });
});
