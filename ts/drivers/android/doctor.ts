/** What the doctor says of Android: each row a fact, and where it is wrong, the fix in words. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";

import { missingCalls, OFTEN_MISSING } from "./access.ts";
import { Adb } from "./adb.ts";
import { findAvds, hasKeyboard, modelOf, refusal, type Avd } from "./avd.ts";
import { Channel, ChannelError } from "./channel.ts";
import { findEmulators, type RunningEmulator } from "./discovery.ts";
import { openPorts } from "./life.ts";
import { realOutside, type Outside } from "./outside.ts";
import { findSdk, type Sdk } from "./sdk.ts";
import { endpointOf } from "./session.ts";

export interface DoctorRow {
  readonly name: string;
  readonly is: "good" | "care" | "bad";
  readonly words: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
}

/** Every row, in the order a person sets things up. Never rejects. `kvm`: the device file that hardware acceleration needs. */
export async function androidDoctor(outside: Outside = realOutside(), kvm = "/dev/kvm"): Promise<readonly DoctorRow[]> {
  const sdk = await findSdk(outside);
  const [running, avds] = await Promise.all([findEmulators(outside), findAvds(outside)]);
  const adb = sdk.adb === null ? null : new Adb(outside, sdk.adb);
  const rows = [sdkRow(sdk, running), await accelerationRow(outside, kvm), await adbRow(adb), await accessRow(sdk), ...avdRows(avds)];
  const each = await Promise.all(running.map((emulator) => emulatorRows(outside, emulator)));
  return [...rows.filter((row) => row !== null), ...each.flat()];
}

function ok(what: string, words: string): DoctorRow {
  return { name: what, is: "good", words, fix: null };
}

function sdkRow(sdk: Sdk, running: readonly RunningEmulator[]): DoctorRow {
  if (sdk.emulator !== null)
    return ok("Android SDK", `emulator ${sdk.emulatorVersion ?? "of unknown version"}, ${sdk.root ?? sdk.emulator}`);
  const fix =
    "Install Android Studio, or the command-line tools and `sdkmanager emulator platform-tools`, and set ANDROID_HOME to the SDK.";
  if (running.length > 0) {
    return {
      name: "Android SDK",
      is: "care",
      words: "No SDK with an emulator: running emulators can be shown, none can be started.",
      fix,
    };
  }
  return { name: "Android SDK", is: "bad", words: "No SDK with an emulator was found.", fix };
}

async function accelerationRow(outside: Outside, kvm: string): Promise<DoctorRow | null> {
  if (outside.platform !== "linux") return null;
  const may = await access(kvm, constants.R_OK | constants.W_OK).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? "unknown",
  );
  if (may === null) return ok("KVM", `${kvm} can be used`);
  if (may === "EACCES" || may === "EPERM") {
    return {
      name: "KVM",
      is: "bad",
      words: `${kvm} is there, but not yours to use.`,
      fix: "Run: sudo gpasswd -a $USER kvm, then log in again.",
    };
  }
  return {
    name: "KVM",
    is: "bad",
    words: `There is no ${kvm}: an x86 emulator needs it.`,
    fix: "Turn on virtualisation in the firmware, or nested virtualisation for this VM, and load kvm_intel or kvm_amd.",
  };
}

async function adbRow(adb: Adb | null): Promise<DoctorRow> {
  if (adb === null) {
    return {
      name: "adb",
      is: "bad",
      words: "There is no adb.",
      fix: "Install the SDK's platform-tools and set ANDROID_HOME, or put adb on the PATH.",
    };
  }
  const clash = await adb.clash();
  if (clash !== null) return { name: "adb", is: "bad", words: clash, fix: "Use one adb for everything on this machine." };
  const [own, server] = await Promise.all([adb.ownVersion(), adb.serverVersion()]);
  return ok(
    "adb",
    `${adb.path}, version ${own ?? "unknown"}; ${server === null ? "no server runs" : `its server runs on port ${adb.port}`}`,
  );
}

async function accessRow(sdk: Sdk): Promise<DoctorRow | null> {
  const missing = await missingCalls(sdk.root);
  if (missing === null) return null;
  if (missing.length === 0) return ok("emulator's access list", "its token may set location, battery and posture");
  return {
    name: "emulator's access list",
    is: "care",
    words: `Its token may not set ${missing.map((name) => OFTEN_MISSING[name]).join(", ")}: an emulator that is found gets those by its console.`,
    fix: "Nothing to do: emulators started here get a list of their own.",
  };
}

function avdRows(avds: readonly Avd[]): readonly DoctorRow[] {
  if (avds.length === 0) {
    return [
      {
        name: "AVDs",
        is: "care",
        words: "There is no Android Virtual Device.",
        fix: "Make one in Android Studio's Device Manager, or with avdmanager create avd.",
      },
    ];
  }
  return avds.map((avd) => avdRow(avd));
}

function avdRow(avd: Avd): DoctorRow {
  const what = `AVD ${avd.id}`;
  const words = refusal(avd);
  if (words !== null) return { name: what, is: "care", words, fix: null };
  try {
    const model = modelOf(avd);
    if (hasKeyboard(avd)) return ok(what, `${model.name}, ${model.form}`);
    return {
      name: what,
      is: "care",
      words: "It has no hardware keyboard, so typed keys go by adb, one at a time.",
      fix: `Set hw.keyboard=yes in ${avd.folder}/config.ini and cold boot it: its snapshot does not hold the change.`,
    };
  } catch (error) {
    return { name: what, is: "bad", words: error instanceof Error ? error.message : String(error), fix: "Make the AVD again." };
  }
}

async function emulatorRows(outside: Outside, emulator: RunningEmulator): Promise<readonly DoctorRow[]> {
  const what = `${emulator.serial} (${emulator.avd})`;
  const wide = await openPorts(outside, emulator);
  const ports: DoctorRow =
    wide === null
      ? ok(`${what}, ports`, `gRPC ${emulator.grpc?.port ?? "none"}, console ${emulator.consolePort}, adb ${emulator.adbPort}, on loopback`)
      : {
          name: `${what}, ports`,
          is: "care",
          words: wide,
          fix: 'Start it with "-grpc <port> -grpc-use-token" rather than -grpc alone, or close the ports with a firewall.',
        };
  return [await endpointRow(what, emulator), ports];
}

/** What the endpoint lets its token read: what it may set is not tried, as that would change the device. */
async function endpointRow(what: string, emulator: RunningEmulator): Promise<DoctorRow> {
  let channel: Channel;
  try {
    channel = new Channel(endpointOf(emulator));
  } catch (error) {
    return { name: what, is: "bad", words: error instanceof Error ? error.message : String(error), fix: null };
  }
  try {
    const { version } = await channel.call("getStatus", {});
    const denied: string[] = [];
    for (const [name, words] of [
      ["getGps", "location"],
      ["getBattery", "battery"],
      ["getPhysicalModel", "posture"],
    ] as const) {
      await channel.call(name, {}).catch((error: unknown) => {
        if (error instanceof ChannelError && error.failure === "denied") denied.push(words);
      });
    }
    if (denied.length === 0) return ok(what, `emulator ${version}; its token may read location, battery and posture`);
    return { name: what, is: "care", words: `Its token may not read ${denied.join(", ")}; they are set by its console.`, fix: null };
  } catch (error) {
    const unauthenticated = error instanceof ChannelError && error.failure === "unauthenticated";
    const words = unauthenticated
      ? "It does not take the token of its own discovery file."
      : `It does not answer: ${error instanceof Error ? error.message : String(error)}.`;
    return { name: what, is: "bad", words, fix: "Stop that emulator and start it again." };
  } finally {
    channel.close();
  }
}
