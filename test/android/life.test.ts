import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { realOutside } from "#drivers/android/outside.ts";

import { describeWith } from "../support/needs.ts";
import { freePort } from "../support/ports.ts";
import { FOLD_ARGS, offerOf, PIXEL_FOLD, Rig, SMALL, SMALL_ARGS, soon } from "./rig.ts";

describeWith(["python3-grpcio", "protoc", "adb"], "an emulator's life", () => {
  let rig: Rig;
  beforeEach(async () => void (rig = await Rig.start()));
  afterEach(() => rig.stop());

  const running = () => join(rig.runtime, "avd", "running");

  it("boots an AVD with exactly the flags that keep it closed, and from its snapshot", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver, record } = rig.driver();
    expect(await driver.attach(await offerOf(driver, "Small"), soon())).toBe("booted");
    const [args] = rig.emulatorStarts();
    const port = args?.[args.indexOf("-grpc") + 1];
    const allow = join(rig.deviceHome, "emulator-access.json");
    expect(args?.join(" ")).toBe(`-avd Small -no-window -gpu swiftshader_indirect -grpc ${port} -grpc-use-token -grpc-allowlist ${allow}`);
    const list = JSON.parse(readFileSync(allow, "utf8")) as { allowlist: { allowed: string[] }[]; unprotected: string[] };
    expect(list.unprotected).toEqual([]);
    expect(
      list.allowlist[0]?.allowed.some((pattern) => new RegExp(pattern).test("/android.emulation.control.EmulatorController/setGps")),
    ).toBe(true);
    expect(record.progress[0]).toBe("Starting Small from its snapshot.");
  });

  it("gives the emulator a systemd unit of its own where there is one, with its folders and nothing else", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const bin = join(rig.folder, "bin");
    const log = join(rig.folder, "systemd.jsonl");
    mkdirSync(bin);
    const script = (name: string, body: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    script("systemctl", 'case "$2" in is-system-running) echo degraded; exit 1;; esac');
    script(
      "systemd-run",
      `for arg in "$@"; do echo "$arg" >> ${log}; done\nwhile [ "$1" != "--" ]; do shift; done; shift\nsetsid "$@" > /dev/null 2>&1 < /dev/null &`,
    );
    const outside = rig.outside();
    const env = { ...rig.env, PATH: `${bin}:${rig.env.PATH}`, SECRET: "not for the emulator" };
    const { driver } = rig.driver({ outside: { ...outside, platform: "linux", env, run: realOutside(env).run } });
    expect(await driver.attach(await offerOf(driver, "Small"), soon())).toBe("booted");
    const args = readFileSync(log, "utf8").trim().split("\n");
    expect(args).toContain("--unit=bb-box-emulator@Small.service");
    expect(args).toContain("--user");
    expect(args).toContain(`--setenv=ANDROID_HOME=${rig.sdk}`);
    expect(args.join("\n")).not.toContain("SECRET");
    expect(args.slice(args.indexOf("--") + 1, args.indexOf("--") + 4)).toEqual([join(rig.sdk, "emulator", "emulator"), "-avd", "Small"]);
    await driver.shutdown(soon());
  });

  it("passes no list of its own where the emulator's already allows GPS, battery and posture", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    mkdirSync(join(rig.sdk, "emulator", "lib"));
    const list = `// who may call what\n{ "unprotected": [], "allowlist": [ { "iss": "android-studio", // ours\n "allowed": [ "/android.emulation.control.EmulatorController/.*", ] } ] }`;
    writeFileSync(join(rig.sdk, "emulator", "lib", "emulator_access.json"), list);
    const { driver } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    expect(rig.emulatorStarts()[0]).not.toContain("-grpc-allowlist");
  });

  it("an emulator it booted outlives it, and the next server finds it and may reboot it cold", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const first = rig.driver();
    await first.driver.attach(await offerOf(first.driver, "Small"), soon());
    await first.driver.detach();
    const second = rig.driver();
    expect(await second.driver.attach(await offerOf(second.driver, "Small"), soon())).toBe("reattached");
    expect(rig.emulatorStarts()).toHaveLength(1);
    await second.driver.control({ action: "reboot" }, soon());
    expect(rig.emulatorStarts().map((args) => args.includes("-no-snapshot-load"))).toEqual([false, true]);
    expect((await second.driver.screenshot()).width).toBe(320);
  });

  it("stops one by its console, which saves the snapshot, so that the next boot is warm", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver } = rig.driver();
    const offer = await offerOf(driver, "Small");
    await driver.attach(offer, soon());
    const peer = await rig.booted("Small");
    const killed = peer.feed.next((said) => said.event === "killed");
    await driver.shutdown(soon());
    expect(await killed).toMatchObject({ saved: true });
    expect(await driver.running()).toEqual([]);
    await driver.attach(offer, soon());
    expect(rig.emulatorStarts()[1]).not.toContain("-no-snapshot-load");
  });

  it("boots cold after an end that saved no snapshot, and tells how it ended", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const { driver, record } = rig.driver();
    const offer = await offerOf(driver, "Small");
    await driver.attach(offer, soon());
    const exited = record.feed.next((said) => said.event === "exited");
    await (await rig.booted("Small")).die();
    expect(await exited).toMatchObject({
      code: "device-exited",
      words: "The emulator of Small crashed. What was not on its disk is lost.",
    });
    expect(await driver.attach(offer, soon())).toBe("booted");
    expect(rig.emulatorStarts()[1]).toContain("-no-snapshot-load");
    expect((await driver.screenshot()).width).toBe(320);
  });

  it("an emulator that a person closed saved its own snapshot: told, and warm the next time", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator(SMALL_ARGS);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver, record } = rig.driver();
    const offer = await offerOf(driver, "Small");
    await driver.attach(offer, soon());
    const exited = record.feed.next((said) => said.event === "exited");
    const { connect } = await import("node:net");
    connect(peer.consolePort, "127.0.0.1").write("auth Kx3vCONSOLEtoken\nkill\n");
    expect(await exited).toMatchObject({ code: "device-exited", words: "The emulator of Small was closed." });
    await driver.attach(offer, soon());
    expect(rig.emulatorStarts()[0]).not.toContain("-no-snapshot-load");
  });

  it("stops one of its own that still boots, and knows which is its own", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--not-booted"]);
    const { driver } = rig.driver();
    expect(await driver.startedHere?.()).toBe(false);
    const giveUp = new AbortController();
    const attaching = driver.attach(await offerOf(driver, "Small"), giveUp.signal);
    await expect.poll(() => existsSync(join(rig.folder, "control-Small")), { timeout: 10_000 }).toBe(true);
    expect(await driver.startedHere?.()).toBe(true);
    const peer = await rig.booted("Small");
    giveUp.abort(new Error("given up"));
    await expect(attaching).rejects.toThrow("given up");
    const killed = peer.feed.next((said) => said.event === "killed");
    await driver.shutdown(soon());
    expect((await killed).saved).toBe(true);
    expect(realOutside().alive(peer.pid)).toBe(false);
  });

  it("waits for sys.boot_completed and says how far it is", async () => {
    rig.avd("Small", SMALL);
    const peer = await rig.peer([...SMALL_ARGS, "--not-booted"], { avd: "Small" });
    let nowMs = 0;
    const { driver, record } = rig.driver({}, { now: () => (nowMs += 3_000), wall: () => Date.now() });
    const asked = peer.feed.next((said) => said.event === "shell" && said.line === "getprop sys.boot_completed");
    const attaching = driver.attach(await offerOf(driver, "Small"), soon());
    await asked;
    await peer.feed.next((said) => said.event === "shell" && said.line === "getprop sys.boot_completed");
    await peer.feed.next((said) => said.event === "shell" && said.line === "getprop sys.boot_completed");
    await peer.order("prop", { key: "sys.boot_completed", value: "1" });
    expect(await attaching).toBe("reattached");
    expect(record.progress.some((words) => /^Android is booting on Small: \d+ s\.$/.test(words))).toBe(true);
  });

  it("gives up after 120 s with words", async () => {
    rig.avd("Small", SMALL);
    await rig.peer([...SMALL_ARGS, "--not-booted"], { avd: "Small" });
    let nowMs = 0;
    const { driver } = rig.driver({}, { now: () => (nowMs += 50_000), wall: () => Date.now() });
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      "Android did not finish booting on Small within 120 s.",
    );
  });

  it("does not run on with an emulator of its own whose ports are open to the network", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator([...SMALL_ARGS, "--listen", "0.0.0.0"]);
    const { driver } = rig.driver();
    const error: unknown = await driver.attach(await offerOf(driver, "Small"), soon()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: "firewall-missing" });
    expect((error as Error).message).toMatch(/^The emulator listens beyond this machine \(\d+ on 0\.0\.0\.0/);
    expect(readdirSync(running())).toEqual([]);
  });

  it("warns of one that was found open, and shows it all the same", async () => {
    rig.avd("Small", SMALL);
    await rig.peer([...SMALL_ARGS, "--listen", "0.0.0.0"], { avd: "Small" });
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    expect(record.warnings.at(-1)).toContain("The emulator listens beyond this machine");
  });

  it("with two running, each is offered, and a named one is the only one", async () => {
    rig.avd("One", SMALL);
    rig.avd("Two", PIXEL_FOLD);
    await rig.peer(SMALL_ARGS, { avd: "One" });
    const two = await rig.peer(FOLD_ARGS, { avd: "Two" });
    const { driver } = rig.driver();
    expect([...(await driver.running())].sort()).toEqual(["One", "Two"]);
    const named = rig.driver({ serial: two.serial });
    expect(await named.driver.running()).toEqual(["Two"]);
    await named.driver.attach(await offerOf(named.driver, "Two"), soon());
    expect(named.record.geometries[0]?.screen).toBe("inner");
  });

  it("lets one server drive an emulator at a time, whatever their homes", async () => {
    rig.avd("Small", SMALL);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const first = rig.driver();
    const second = rig.driver();
    const offer = await offerOf(first.driver, "Small");
    await first.driver.attach(offer, soon());
    await expect(second.driver.attach(offer, soon())).rejects.toThrow(`Another bb-box-device drives ${peer.serial} already.`);
    await first.driver.detach();
    expect(await second.driver.attach(offer, soon())).toBe("reattached");
  });

  it("refuses a watch in words, running or not", async () => {
    rig.avd("Watch", { ...SMALL, "tag.id": "android-wear", "avd.ini.displayname": "Wear OS Large Round" });
    rig.installEmulator(SMALL_ARGS);
    const { driver } = rig.driver();
    expect(await driver.offered()).toEqual([]);
    const target = { model: "x", native: "Watch", runtime: { platform: "test", version: "1" } } as const;
    await expect(driver.attach(target, soon())).rejects.toThrow(
      "Wear OS Large Round is a Wear OS watch. Phones, tablets and foldables can be shown",
    );
  });

  it("names what there is when it is asked for an AVD that nobody knows", async () => {
    rig.avd("Small", SMALL);
    rig.installEmulator();
    const { driver } = rig.driver();
    const target = { model: "x", native: "Nothing", runtime: { platform: "test", version: "1" } } as const;
    await expect(driver.attach(target, soon())).rejects.toThrow("There is no AVD named Nothing. There is: Small.");
  });

  it("shows an emulator whose AVD it cannot read, by what it says of itself", async () => {
    await rig.peer(["--size", "400x800", "--density", "160"], { avd: "Elsewhere" });
    const { driver, record } = rig.driver();
    const [found] = await driver.offered();
    expect(found?.model).toMatchObject({ name: "Elsewhere", form: "phone", screen: { pixels: { width: 400, height: 800 }, scale: 1 } });
    await driver.attach(await offerOf(driver, "Elsewhere"), soon());
    expect(record.geometries[0]?.video).toEqual({ width: 400, height: 800 });
  });

  it("takes the token of a file that was replaced, and shows the screen again", async () => {
    rig.avd("Small", SMALL);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver, record } = rig.driver();
    await driver.attach(await offerOf(driver, "Small"), soon());
    const again = peer.feed.next((said) => said.event === "call" && said.method === "streamScreenshot");
    await peer.order("token");
    await peer.order("end-stream");
    await again;
    await driver.touch([{ id: 0, x: 5, y: 5 }]);
    await driver.touch([]);
    expect(record.feed.all.some((said) => said.event === "exited")).toBe(false);
    expect(peer.feed.all.filter((said) => said.event === "refused").length).toBeGreaterThan(0);
  });

  it("refuses an endpoint that takes only signed tokens, and one that has none, in words", async () => {
    rig.avd("Small", SMALL);
    await rig.peer([...SMALL_ARGS, "--jwt"], { avd: "Small" });
    const { driver } = rig.driver();
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      'takes only signed tokens (-grpc-use-jwt). Start it with "-grpc-use-token"',
    );
    // As one says of itself that was started with no -grpc.
    const file = join(running(), readdirSync(running()).find((name) => name.endsWith(".ini")) ?? "");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^grpc\..*\n/gm, ""));
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      'has no gRPC endpoint. Start it with "-grpc 8554 -grpc-use-token"',
    );
  });

  it("leaves an adb server of another version alone, and says what to do", async () => {
    rig.avd("Small", SMALL);
    await rig.peer(SMALL_ARGS, { avd: "Small" });
    const port = await freePort();
    const heard: string[] = [];
    const other = createServer((socket) => {
      socket.on("data", (data) => {
        heard.push(data.toString());
        socket.end("OKAY00040020");
      });
    }).listen(port, "127.0.0.1");
    const outside = rig.outside();
    const { driver } = rig.driver({ outside: { ...outside, env: { ...rig.env, ANDROID_ADB_SERVER_PORT: String(port) } } });
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      `An adb server of another version (32) runs on port ${port}; ${join(rig.sdk, "platform-tools", "adb")} is version 41 and would stop it.`,
    );
    other.close();
    expect(heard.every((text) => text === "000chost:version")).toBe(true);
  });

  it("sets the clean status bar again when the device starts", async () => {
    rig.avd("Small", SMALL);
    const log = join(rig.folder, "emulator.log");
    rig.installEmulator([...SMALL_ARGS, "--log", log]);
    const { driver } = rig.driver();
    const offer = await offerOf(driver, "Small");
    await driver.attach(offer, soon());
    await driver.control({ action: "status_bar", to: "clean" }, soon());
    await driver.control({ action: "reboot" }, soon());
    const peer = await rig.booted("Small");
    const clocks = () => rig.logged(log).filter(({ event, line }) => event === "shell" && String(line).includes("clock -e hhmm 0941"));
    expect(clocks()).toHaveLength(2);
    await driver.control({ action: "battery", to: { level: 3, charging: false } }, soon());
    await peer.heard();
    expect(peer.feed.all.some((said) => said.event === "shell" && String(said.line).includes("battery -e level 3"))).toBe(true);
  });

  it("says what the emulator said when it does not start", async () => {
    rig.avd("Small", SMALL);
    writeFileSync(
      join(rig.sdk, "emulator", "emulator"),
      "#!/bin/sh\necho 'ERROR   | x86_64 emulation currently requires hardware acceleration!'\nexit 1\n",
      {
        mode: 0o755,
      },
    );
    const { driver } = rig.driver();
    await expect(driver.attach(await offerOf(driver, "Small"), soon())).rejects.toThrow(
      "x86_64 emulation currently requires hardware acceleration!",
    );
  });

  it("offers no AVD to boot when there is no SDK", async () => {
    rig.avd("Small", SMALL);
    const { driver } = rig.driver();
    expect(await driver.offered()).toEqual([]);
  });

  it("after a resume sets the device's clock, opens its channels again and sends a key frame", async () => {
    rig.avd("Small", SMALL);
    const peer = await rig.peer(SMALL_ARGS, { avd: "Small" });
    const { driver } = rig.driver({}, { now: () => Number(process.hrtime.bigint()) / 1e6, wall: () => Date.now() + 3_600_000 });
    const video = driver.video();
    video.streaming(true);
    await driver.attach(await offerOf(driver, "Small"), soon());
    const units = video.frames()[Symbol.asyncIterator]();
    expect((await units.next()).value).toMatchObject({ key: true });
    const again = peer.feed.next((said) => said.event === "call" && said.method === "streamScreenshot");
    const resumedMs = Number(process.hrtime.bigint()) / 1e6;
    await driver.resumed();
    await again;
    for (let unit = (await units.next()).value; unit.monotonicMs < resumedMs || !unit.key;) unit = (await units.next()).value;
    expect(((await peer.order("state")) as unknown as { clockOffsetMs: number }).clockOffsetMs).toBeGreaterThan(3_590_000);
    const peers = new Set(peer.feed.all.filter((said) => said.event === "call").map((said) => said.peer));
    expect(peers.size).toBe(2);
  });
});
