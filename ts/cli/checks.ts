/** What the doctor looks at. Each check says what it found, and how to mend it when it is not right. */
import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { BoxDetails } from "#cli/host-client.ts";
import type { Binding } from "#native/binding.ts";
import { SOCKET_PATH_BYTES_MAX } from "#wire/limits.ts";

export interface Check {
  readonly name: string;
  readonly is: "good" | "care" | "bad";
  readonly words: string;
  /** What to do; null when nothing is to be done. */
  readonly fix: string | null;
}

const LEAST_NODE = [20, 19] as const;
const LEAST_FREE_BYTES = 200 * 1024 * 1024;

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return enough
    ? good("node", `Node ${version}`)
    : bad("node", `Node ${version} is too old.`, `Install Node ${LEAST_NODE.join(".")} or newer: https://nodejs.org`);
}

/** `report`: process.report's; glibc's version at run time, or none. */
export function glibcOf(report: unknown): string | null {
  const value: unknown = typeof report === "string" ? (JSON.parse(report) as unknown) : report;
  const header = (value as { readonly header?: { readonly glibcVersionRuntime?: unknown } } | null)?.header;
  return typeof header?.glibcVersionRuntime === "string" ? header.glibcVersionRuntime : null;
}

export function checkGlibc(platform: NodeJS.Platform, version: string | null): Check {
  if (platform !== "linux") return good("libc", `This is ${platform}; its own C library.`);
  if (version === null) return care("libc", "This is not glibc (musl, perhaps).", "Build the addon here: install Rust, then npm start");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 35)
    ? good("libc", `glibc ${version}`)
    : care("libc", `glibc ${version} is older than the prebuilt addon's (2.35).`, "Build the addon here: install Rust, then npm start");
}

export type Loaded = { readonly binding: Binding; readonly path: string } | { readonly words: string };

export function checkAddon(loaded: Loaded): Check {
  if ("words" in loaded) return bad("addon", loaded.words, "npm start builds or fetches it");
  const { hash, features } = loaded.binding.buildInfo();
  return good("addon", `${loaded.path} (built from ${hash.slice(0, 12)}${features.length === 0 ? "" : `, ${features.join(", ")}`})`);
}

export function checkEncoder(loaded: Loaded, openh264: string | undefined): Check {
  if ("words" in loaded) return bad("encoder", "Unknown, since the addon does not load.", null);
  const found = loaded.binding.encoders(openh264);
  const [first] = found.filter((encoder) => encoder.version !== null);
  if (first !== undefined) return good("encoder", `${first.name} ${first.version ?? ""}`);
  const why = found.map((encoder) => `${encoder.name}: ${encoder.why ?? "unknown"}`).join("; ");
  return bad(
    "encoder",
    `No H.264 encoder can be opened (${why}).`,
    "Debian, Ubuntu: apt-get install libx264-dev. Elsewhere install x264, or set BB_OPENH264 to Cisco's OpenH264 2.6",
  );
}

export function checkHome(home: string, socket: string, platform: NodeJS.Platform): Check {
  const most = platform === "darwin" ? SOCKET_PATH_BYTES_MAX.darwin : SOCKET_PATH_BYTES_MAX.linux;
  const bytes = Buffer.byteLength(socket);
  if (bytes > most)
    return bad("home", `The socket's path ${socket} has ${bytes} bytes; ${most} is the most.`, "Choose a shorter folder with --home");
  const folder = nearest(home);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return bad("home", `${folder} cannot be written by this user.`, "Choose another folder with --home");
  }
  const free = freeBytes(folder);
  if (free !== null && free < LEAST_FREE_BYTES) {
    return care(
      "home",
      `${folder} has ${Math.round(free / 1024 / 1024)} MiB left.`,
      "Make room on that disk, or choose another folder with --home",
    );
  }
  return good("home", home);
}

function nearest(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    try {
      statSync(at);
      return at;
    } catch {
      if (dirname(at) === at) return at;
    }
  }
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** Taken by our own host is as it should be. */
export async function checkPort(port: number, ours: number | null): Promise<Check> {
  if (ours !== null) return good("port", `The panel of this home listens on 127.0.0.1:${ours}.`);
  const free = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
  return free
    ? good("port", `127.0.0.1:${port} is free.`)
    : care(
        "port",
        `127.0.0.1:${port} is taken by another program; the next free one is used.`,
        "Choose one with --port if you want it to stay the same",
      );
}

export function checkBrowser(screen: boolean, tunnel: string): Check {
  return screen
    ? good("browser", "There is a screen here; a browser is opened.")
    : care("browser", "There is no screen here.", `On your own computer: ${tunnel}`);
}

/** A box of the running host. */
export function checkBox(box: Pick<BoxDetails, "id" | "away" | "state" | "server" | "badVersion">): Check {
  const name = `box ${box.id}`;
  if (box.away !== null) return bad(name, box.away, null);
  const { state, server, badVersion } = box;
  const words = [state?.model ?? "no device", server === null ? "" : `device server version ${server.version}`]
    .filter((part) => part !== "")
    .join(", ");
  if (badVersion === 0) return good(name, words);
  const runs = server?.version === badVersion;
  return care(
    name,
    runs
      ? `${words}, which is marked bad: it did not come up when it was brought here.`
      : `${words}; version ${badVersion} did not come up there and is not brought again.`,
    "bb-box-device logs, there, says why. A newer version is brought by itself",
  );
}

function good(name: string, words: string): Check {
  return { name, is: "good", words, fix: null };
}
function care(name: string, words: string, fix: string | null): Check {
  return { name, is: "care", words, fix };
}
function bad(name: string, words: string, fix: string | null): Check {
  return { name, is: "bad", words, fix };
}
