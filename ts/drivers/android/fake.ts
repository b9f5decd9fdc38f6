/**
 * The stand-in emulator, started by hand for development (`--device fake-android`). It is part of a checkout, not of the product:
 * its path is given, and nothing of it is loaded here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { DeviceError } from "#core/errors.ts";

import { Adb } from "./adb.ts";
import { realOutside, type Outside } from "./outside.ts";

export interface FakeEmulator {
  /** The outside to hand to androidDriver: it sees this emulator and no other. */
  readonly outside: Outside;
  readonly avd: string;
  readonly serial: string;
  stop(): Promise<void>;
}

const MODELS = {
  "Pixel 8": { args: ["--size", "1080x2400"], config: ["hw.lcd.width=1080", "hw.lcd.height=2400", "hw.device.name=pixel_8"] },
  "Pixel Fold": {
    args: ["--size", "2208x1840", "--outer", "1080x2092"],
    config: [
      "hw.lcd.width=2208",
      "hw.lcd.height=1840",
      "hw.device.name=pixel_fold",
      "hw.sensor.hinge=yes",
      "hw.sensor.posture_list=1,2,3",
      "hw.displayRegion.0.1.width=1080",
      "hw.displayRegion.0.1.height=2092",
    ],
  },
  "Pixel Tablet": {
    args: ["--size", "2560x1600", "--density", "320"],
    config: ["hw.lcd.width=2560", "hw.lcd.height=1600", "hw.lcd.density=320", "hw.device.name=pixel_tablet"],
  },
} as const;

/** Starts `test/peers/emulator.py` of this checkout. Rejects in words when it is not there, the model is unknown, or it cannot start. */
export async function startFakeEmulator(checkout: string, model = "Pixel 8", env: Outside["env"] = process.env): Promise<FakeEmulator> {
  const script = join(checkout, "test", "peers", "emulator.py");
  if (!existsSync(script))
    throw new DeviceError("failed", `The stand-in emulator is part of a source checkout, and ${script} is not there.`);
  if (!existsSync(join(checkout, "node_modules", "android-emulator-webrtc")))
    throw new DeviceError(
      "failed",
      `The stand-in emulator needs the development packages of the checkout. Run: npm --prefix ${checkout} ci`,
    );
  const known = Object.entries(MODELS).find(([name]) => name === model)?.[1];
  if (known === undefined) throw new DeviceError("unknown-device", `The stand-in emulator is one of: ${Object.keys(MODELS).join(", ")}.`);
  const folder = await mkdtemp(join(tmpdir(), "bb-fake-android-"));
  const avd = model.replaceAll(" ", "_");
  const avds = join(folder, ".android", "avd");
  const runtime = join(folder, "runtime");
  await mkdir(join(avds, `${avd}.avd`), { recursive: true });
  await mkdir(runtime, { mode: 0o700 });
  await writeFile(join(avds, `${avd}.ini`), `path=${join(avds, `${avd}.avd`)}\ntarget=android-35\n`);
  const config = [
    `avd.ini.displayname=${model}`,
    "abi.type=x86_64",
    "tag.id=google_apis",
    "image.sysdir.1=system-images/android-35/google_apis/x86_64/",
  ];
  await writeFile(join(avds, `${avd}.avd`, "config.ini"), `${["hw.lcd.density=420", ...config, ...known.config].join("\n")}\n`);
  const token = "stand-in";
  await writeFile(join(folder, ".emulator_console_auth_token"), token, { mode: 0o600 });
  const own = { ...env, HOME: folder, XDG_RUNTIME_DIR: runtime, TMPDIR: runtime };
  const adb = new Adb(realOutside(env), "adb");
  await adb.startServer().catch(() => {
    throw new DeviceError("failed", "The stand-in emulator needs adb: install Debian's adb, or the SDK's platform-tools.");
  });
  const child = spawn(
    "/usr/bin/python3",
    [
      script,
      "--discovery",
      join(runtime, "avd", "running"),
      "--adb-server",
      env.ANDROID_ADB_SERVER_PORT ?? "5037",
      "--avd",
      avd,
      "--avd-dir",
      join(avds, `${avd}.avd`),
      "--console-token",
      token,
      ...known.args,
    ],
    { stdio: ["pipe", "pipe", "inherit"], env: own as NodeJS.ProcessEnv },
  );
  const ended = new Promise<void>((done) => void child.once("exit", () => done()));
  const putAway = async (): Promise<void> => {
    await adb.leave();
    await rm(folder, { recursive: true, force: true });
  };
  const serial = await ready(child).catch(async (error: unknown) => {
    await putAway();
    throw error;
  });
  return {
    outside: { ...realOutside(own), runUser: join(folder, "run-user") },
    avd,
    serial,
    stop: async () => {
      child.stdin?.end();
      await ended;
      await putAway();
    },
  };
}

function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = "The stand-in emulator did not start: it needs python3-grpcio, protobuf-compiler and protobuf-compiler-grpc.";
    child.once("error", () => reject(new DeviceError("failed", words)));
    child.once("exit", () => reject(new DeviceError("failed", words)));
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    lines.on("line", (line) => {
      const said = JSON.parse(line) as { readonly event: string; readonly serial?: string };
      if (said.event === "ready") resolve(said.serial ?? "");
    });
  });
}
