import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { describe } from "vitest";

const has = {
  Chromium: () => existsSync("/usr/bin/chromium"),
  ffmpeg: () => spawnSync("ffmpeg", ["-version"]).status === 0,
  sshd: () => existsSync("/usr/sbin/sshd") && spawnSync("ssh", ["-V"]).status === 0,
  "python3-websockets": () => spawnSync("/usr/bin/python3", ["-c", "import websockets"]).status === 0,
  "python3-grpcio": () => spawnSync("/usr/bin/python3", ["-c", "import grpc, google.protobuf"]).status === 0,
  protoc: () => spawnSync("protoc", ["--version"]).status === 0,
  adb: () => spawnSync("adb", ["version"]).status === 0,
  "systemd-analyze": () => spawnSync("systemd-analyze", ["--version"]).status === 0,
  objdump: () => spawnSync("objdump", ["--version"]).status === 0,
  root: () => process.getuid?.() === 0,
} as const;

export type Tool = keyof typeof has;

/** `describe` where the machine has these tools; otherwise skipped with a printed reason, or a failure with CI=true. */
export function describeWith(tools: readonly Tool[], title: string, body: () => void): void {
  const missing = tools.filter((tool) => !has[tool]());
  if (missing.length === 0) {
    describe(title, () => {
      body();
    });
    return;
  }
  const words = `${title}: needs ${missing.join(", ")}; npm test installs what it may`;
  if (process.env["CI"] === "true") throw new Error(words);
  process.stderr.write(`skipped: ${words}\n`);
  describe.skipIf(true)(title, () => {
    body();
  });
}
