import { mkdirSync, mkdtempSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import type { Orientation, Size } from "#core/device.ts";
import { modelNamed } from "#core/device-models.ts";
import { allowedCalls } from "#drivers/android/access.ts";
import { quoted } from "#drivers/android/adb.ts";
import { packageIn, packageOf } from "#drivers/android/apk.ts";
import { findAvds, modelOf, offerOf, type Avd } from "#drivers/android/avd.ts";
import { discoveryFolders, findEmulators, parseDiscovery } from "#drivers/android/discovery.ts";
import { parseIni } from "#drivers/android/ini.ts";
import { isLoopback, parseLsof, parseProcNet } from "#drivers/android/listeners.ts";
import { networkOf } from "#drivers/android/network.ts";
import { realOutside, type Outside } from "#drivers/android/outside.ts";
import { postureOf, wakefulnessOf } from "#drivers/android/read-back.ts";
import { parseDump } from "#drivers/android/tree.ts";
import { parseXml } from "#drivers/android/xml.ts";

import { binaryManifest, makeApk } from "./apk-maker.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "bb-android-files-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function outsideIn(root: string, env: Record<string, string> = {}, changes: Partial<Outside> = {}): Outside {
  return {
    ...realOutside({ HOME: join(root, "home"), TMPDIR: join(root, "tmp"), ...env }),
    uid: 1000,
    runUser: join(root, "run/user"),
    proc: join(root, "proc"),
    platform: "linux",
    ...changes,
  };
}

function discoveryFile(at: string, pid: number, lines: Record<string, string | number> = {}): string {
  mkdirSync(at, { recursive: true });
  const path = join(at, `pid_${pid}.ini`);
  const values = { "port.serial": 5554, "port.adb": 5555, "avd.id": "Pixel_8", "grpc.port": 8554, "grpc.token": "t", ...lines };
  writeFileSync(
    path,
    Object.entries(values)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(""),
  );
  return path;
}

const avd = (config: Record<string, string>, id = "Some_AVD"): Avd => ({ id, folder: "/avd", config: new Map(Object.entries(config)) });

it("looks for emulators in every place one may write to, the system's runtime folder too when its variable is unset", () => {
  const root = folder();
  expect(discoveryFolders(outsideIn(root))).toEqual([
    join(root, "run/user/1000/avd/running"),
    join(root, "home/.android/avd/running"),
    join(root, "tmp/avd/running"),
  ]);
  const all = discoveryFolders(
    outsideIn(root, {
      XDG_RUNTIME_DIR: join(root, "x"),
      ANDROID_EMULATOR_HOME: join(root, "e"),
      ANDROID_SDK_HOME: join(root, "s"),
      ANDROID_USER_HOME: join(root, "u"),
    }),
  );
  expect(all.slice(0, 4)).toEqual(["e", "u", "s/.android", "x"].map((name) => join(root, name, "avd/running")));
  expect(discoveryFolders(outsideIn(root, {}, { platform: "darwin" }))[0]).toBe(
    join(root, "home/Library/Caches/TemporaryItems/avd/running"),
  );
});

it("deletes the files of dead emulators and never a live one's, and takes the newer of two for one port", async () => {
  const root = folder();
  const alive = new Set([11, 12]);
  const outside = outsideIn(root, {}, { alive: (pid) => alive.has(pid) });
  const [first = "", second = ""] = discoveryFolders(outside);
  const dead = discoveryFile(first, 10, { "port.serial": 5556 });
  const kept = discoveryFile(first, 13, { "port.serial": 5560 });
  const one = discoveryFile(first, 11, { "avd.id": "Old" });
  const { utimesSync } = await import("node:fs");
  utimesSync(one, 1_000, 1_000);
  discoveryFile(second, 12, { "avd.id": "New" });
  writeFileSync(join(second, "notes.ini"), "port.serial=5558\n");
  const found = await findEmulators(outside, 13);
  expect(found.map(({ avd: id, pid }) => [id, pid])).toEqual([["New", 12]]);
  expect([existsSync(dead), existsSync(one), existsSync(kept), existsSync(join(second, "notes.ini"))]).toEqual([false, true, true, true]);
});

it("reads a discovery file, and takes nothing from one that is not whole", () => {
  const text = "port.serial=5554\nport.adb=5555\navd.name=Pixel 8\navd.id=Pixel_8\navd.dir=/a=b/c.avd\ngrpc.port=8554\ngrpc.token=abc=\n";
  expect(parseDiscovery(text, "/f", 7)).toMatchObject({
    serial: "emulator-5554",
    avd: "Pixel_8",
    avdDir: "/a=b/c.avd",
    grpc: { port: 8554, token: "abc=", jwks: null },
  });
  expect(parseDiscovery("port.serial=5554\navd.id=x\n", "/f", 7)?.grpc).toBeNull();
  for (const broken of ["", "port.serial=\n", "port.serial=99999\n", "port.serial=-1\n", "port.serial=5554x\n"])
    expect(parseDiscovery(broken, "/f", 7)).toBeNull();
  expect(parseDiscovery("port.serial=5554\ngrpc.port=70000\n", "/f", 7)?.grpc).toBeNull();
});

it("makes a model of any phone, tablet or foldable, and the table's own where the AVD is one", () => {
  const table = modelNamed("Pixel Fold");
  const fold = {
    "hw.lcd.width": "2208",
    "hw.lcd.height": "1840",
    "hw.lcd.density": "420",
    "hw.device.name": "pixel_fold",
    "hw.sensor.hinge": "yes",
    "hw.displayRegion.0.1.width": "1080",
    "hw.displayRegion.0.1.height": "2092",
  };
  expect(modelOf(avd(fold))).toEqual({ ...table, name: "Some AVD" });
  expect(modelOf(avd({ ...fold, "hw.displayRegion.0.1.height": "2000" }))).toMatchObject({
    form: "foldable",
    outer: { pixels: { width: 1080, height: 2000 } },
    postures: ["closed", "half-open", "open"],
  });
  expect(
    modelOf(avd({ ...fold, "hw.sensor.posture_list": "1, 3", "hw.device.name": "x", "hw.sensor.hinge.areas": "0-920-2208-0" })),
  ).toMatchObject({
    postures: ["closed", "open"],
    hinge: "horizontal",
  });
  expect(
    modelOf(avd({ "hw.lcd.width": "2560", "hw.lcd.height": "1600", "hw.lcd.density": "320", "avd.ini.displayname": "My tablet" })),
  ).toMatchObject({
    name: "My tablet",
    form: "tablet",
    screen: { scale: 2, cutout: null },
  });
  expect(modelOf(avd({ "hw.lcd.width": "720", "hw.lcd.height": "1280", "hw.lcd.density": "320" })).form).toBe("phone");
});

it.each([
  ["android-wear", "Wear OS watch"],
  ["google-tv", "TV"],
  ["android-tv", "TV"],
  ["android-automotive-playstore", "car"],
  ["android-desktop", "desktop"],
])("refuses %s in words", (tag, word) => {
  expect(() => modelOf(avd({ "tag.id": tag, "hw.lcd.width": "1", "hw.lcd.height": "1" }))).toThrow(
    `Some AVD is a ${word}. Phones, tablets and foldables can be shown`,
  );
});

it("refuses an AVD without a screen's size in words", () => {
  expect(() => modelOf(avd({}))).toThrow("does not say its screen's size (hw.lcd.width and hw.lcd.height in its config.ini).");
});

it("offers an AVD with what it runs on, from its image's own files", async () => {
  const root = folder();
  const image = join(root, "sdk/system-images/android-34/google_apis_playstore/arm64-v8a");
  mkdirSync(image, { recursive: true });
  writeFileSync(join(image, "source.properties"), "Pkg.Revision=9\n");
  const config = {
    "image.sysdir.1": "system-images/android-34/google_apis_playstore/arm64-v8a/",
    "tag.id": "google_apis_playstore",
    "abi.type": "arm64-v8a",
  };
  expect((await offerOf(avd(config), join(root, "sdk"), "37.2.12")).runtime).toEqual({
    platform: "android",
    api: 34,
    image: "google_apis_playstore",
    revision: 9,
    abi: "arm64-v8a",
    emulator: "37.2.12",
    snapshot: null,
  });
});

it("finds AVDs wherever they are kept, the first folder's of two with one name", async () => {
  const root = folder();
  for (const [base, width] of [
    [join(root, "own"), "111"],
    [join(root, "home/.android/avd"), "222"],
  ] as const) {
    mkdirSync(join(base, "Phone.avd"), { recursive: true });
    writeFileSync(join(base, "Phone.ini"), "path.rel=avd/Phone.avd\n");
    writeFileSync(join(base, "Phone.avd/config.ini"), `hw.lcd.width=${width}\n`);
  }
  writeFileSync(join(root, "own/Broken.ini"), "path=/nowhere\n");
  const found = await findAvds(outsideIn(root, { ANDROID_AVD_HOME: join(root, "own") }));
  expect(found.map(({ id, config }) => [id, config.get("hw.lcd.width")])).toEqual([["Phone", "111"]]);
});

it("reads ini files as the emulator writes them", () => {
  expect([...parseIni("# note\r\n a = b=c \r\n\r\nnothing\nempty=\n=x\n")]).toEqual([
    ["a", "b=c"],
    ["empty", ""],
  ]);
});

it("reads who may call what, comments and trailing commas and all; nothing from what is broken", () => {
  const text = `// note\n{ "unprotected": [ ".*/getStatus" ], "allowlist": [ { "iss": "android-studio", // ours\n "allowed": [ "/a.EmulatorController/get.*", ], }, { "iss": "other", "allowed": [".*"] } ] }`;
  const allowed = allowedCalls(text);
  const may = (call: string) => allowed?.some((pattern) => pattern.test(call));
  expect([may("/a.EmulatorController/getGps"), may("/a.EmulatorController/setGps"), may("/x/getStatus")]).toEqual([true, false, true]);
  expect(allowedCalls("{")).toBeNull();
  expect(allowedCalls('{"allowlist":[{"iss":"android-studio","allowed":["("]}]}')).toBeNull();
});

it("reads listening sockets of both families, and knows loopback", () => {
  const head = "  sl  local_address rem_address   st\n";
  const tcp = `${head}   0: 0100007F:216A 00000000:0000 0A 0 0\n   1: 00000000:15B2 00000000:0000 0A 0 0\n   2: 0100007F:9999 0100007F:15B2 01 0 0\n`;
  const tcp6 = `${head}   0: 00000000000000000000000000000000:216A 0:0000 0A\n   1: 00000000000000000000000001000000:15B3 0:0000 0A\n   2: 0000000000000000FFFF00000100007F:15B4 0:0 0A\n`;
  expect(parseProcNet(tcp)).toEqual([
    { port: 8554, address: "127.0.0.1" },
    { port: 5554, address: "0.0.0.0" },
  ]);
  expect(parseProcNet(tcp6)).toEqual([
    { port: 8554, address: "::" },
    { port: 5555, address: "::1" },
    { port: 5556, address: "127.0.0.1" },
  ]);
  expect(parseLsof("p1\nf5\nn127.0.0.1:5554\nn*:8554\nn[::1]:5555\n")).toEqual([
    { port: 5554, address: "127.0.0.1" },
    { port: 8554, address: "0.0.0.0" },
    { port: 5555, address: "::1" },
  ]);
  expect(["127.0.0.1", "::1", "0.0.0.0", "::", "10.0.0.2"].map(isLoopback)).toEqual([true, true, false, false, false]);
});

it("reads an APK's package from its compressed manifest, in either text form", async () => {
  expect(await packageOf(makeApk(folder(), "a.apk", "com.example.app"))).toBe("com.example.app");
  expect(packageIn(binaryManifest("com.example.utf8", true))).toBe("com.example.utf8");
  const whole = binaryManifest("com.example.cut");
  for (let length = 0; length < whole.length; length += 1) {
    const cut = whole.subarray(0, length);
    const read = () => {
      try {
        return packageIn(cut);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        return null;
      }
    };
    expect([null, "com.example.cut"]).toContain(read());
  }
});

it("quotes a word for the device's shell, whatever is in it", () => {
  expect(quoted("a b'; reboot; $(x)")).toBe(`'a b'\\''; reboot; $(x)'`);
});

it("reads Android's words", () => {
  expect(wakefulnessOf("  mWakefulness=Dozing\n")).toBe(false);
  expect(wakefulnessOf("")).toBeNull();
  const state = (name: string) =>
    `Committed state: DeviceState{identifier=1, name='${name}', app_accessible=true}\nBase state: DeviceState{identifier=0, name='CLOSED'}`;
  expect([
    postureOf(state("HALF_OPENED")),
    postureOf(state("CLOSED")),
    postureOf(state("OPENED")),
    postureOf(state("TENT")),
    postureOf("x"),
  ]).toEqual(["half-open", "closed", "open", null, null]);
  const network = (airplane: string, wifi: string, qdisc = "") => networkOf({ airplane, wifi, qdisc });
  expect([network("0\n", "1\n"), network("1", "0"), network("0", "1", "qdisc netem 8001: dev wlan0 root")]).toEqual([
    "online",
    "offline",
    "slow",
  ]);
  expect([network("0", "0"), network("1", "2")].every((read) => read instanceof Error)).toBe(true);
});

it("parses a dump's entities and keeps what lies in nodes without a size", () => {
  const node = (attributes: string, inner = "") =>
    `<node text="" resource-id="" class="android.view.View" content-desc="" checkable="false" checked="false" clickable="false" enabled="true" focused="false" scrollable="false" long-clickable="false" ${attributes}>${inner}</node>`;
  const text = `<?xml version='1.0'?><hierarchy rotation="0"><!-- note -->${node('bounds="[0,0][0,0]"', '<node text="&lt;a&#128512;&#x41;&quot;&nbsp;" class="android.widget.Button" clickable="true" enabled="true" bounds="[-5,10][20,40]"/>')}</hierarchy>`;
  expect(parseDump(text)).toEqual([
    {
      role: "button",
      identifier: null,
      label: '<a😀A"&nbsp;',
      value: null,
      frame: { x: -5, y: 10, width: 25, height: 30 },
      enabled: true,
      focused: false,
      can: { tap: true, edit: false, scroll: false },
      children: [],
    },
  ]);
});

it("turns a dump's places to the picture where the app does not turn with the device", () => {
  const dump = (rotation: number, bounds: string) =>
    `<hierarchy rotation="${rotation}"><node class="a.Button" bounds="${bounds}" enabled="true"/></hierarchy>`;
  const frame = (rotation: number, bounds: string, content: Orientation, video: Size) =>
    parseDump(dump(rotation, bounds), { content, video })[0]?.frame;
  // A button in the upright screen's top left corner, on a device of 100x200 that is held turned left, upside down and turned right.
  expect(frame(0, "[0,0][30,10]", "turned-left", { width: 200, height: 100 })).toEqual({ x: 0, y: 70, width: 10, height: 30 });
  expect(frame(0, "[0,0][30,10]", "upside-down", { width: 100, height: 200 })).toEqual({ x: 70, y: 190, width: 30, height: 10 });
  expect(frame(0, "[0,0][30,10]", "turned-right", { width: 200, height: 100 })).toEqual({ x: 190, y: 0, width: 10, height: 30 });
  // An app that turned with it is where the picture has it; one that stays turned on an upright device is turned back.
  expect(frame(1, "[0,0][30,10]", "turned-left", { width: 200, height: 100 })).toEqual({ x: 0, y: 0, width: 30, height: 10 });
  expect(frame(1, "[0,0][30,10]", "upright", { width: 100, height: 200 })).toEqual({ x: 90, y: 0, width: 10, height: 30 });
});

it("says so where a web page gives no contents", () => {
  const [view] = parseDump('<hierarchy><node class="android.webkit.WebView" bounds="[0,0][10,10]" enabled="true"/></hierarchy>');
  expect(view).toMatchObject({ role: "web view", value: "The page's contents are not in the tree. Use a screenshot." });
});

it("refuses XML that is cut short, crossed or endless in depth", () => {
  for (const text of ["", "<a>", "<a><b></a></b>", "</a>", `${"<a>".repeat(600)}${"</a>".repeat(600)}`])
    expect(() => parseXml(text)).toThrow(/^XML: /);
});
