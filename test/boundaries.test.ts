import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Lints a tree of one file with the project's own rules. */
function lint(folder: string, file: string, source: string): { refused: boolean; output: string } {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
  const result = spawnSync(join(root, "node_modules/.bin/oxlint"), ["-c", ".oxlintrc.json", file], { cwd: folder, encoding: "utf8" });
  return { refused: result.status !== 0, output: result.stdout };
}

describe("import boundaries", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bb-boundaries-"));
    cpSync(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const forbidden: [file: string, specifier: string][] = [
    ["ts/core/x.ts", "#wire/device.ts"],
    ["ts/core/x.ts", "node:fs"],
    ["ts/core/x.ts", "zod"],
    ["ts/h264/x.ts", "#wire/frame.ts"],
    ["ts/wire/x.ts", "node:buffer"],
    ["ts/native/x.ts", "#server/server.ts"],
    ["ts/drivers/phone/x.ts", "#drivers/android/driver.ts"],
    ["ts/drivers/android/x.ts", "#wire/device.ts"],
    ["ts/drivers/phone/x.ts", "@grpc/grpc-js"],
    ["ts/server/x.ts", "#drivers/phone/driver.ts"],
    ["ts/server/x.ts", "#host/host.ts"],
    ["ts/connect/x.ts", "#core/errors.ts"],
    ["ts/connect/x.ts", "ws"],
    ["ts/client/x.ts", "#server/server.ts"],
    ["ts/relay/x.ts", "#host/host.ts"],
    ["ts/host/x.ts", "#drivers/driver.ts"],
    ["ts/host/x.ts", "#server/server.ts"],
    ["ts/viewer/x.ts", "node:events"],
    ["ts/viewer/x.ts", "#client/client.ts"],
    ["ts/server/x.ts", "../host/host.ts"],
    ["ts/host/x.ts", "#cli/main.ts"],
  ];
  it.each(forbidden)("%s may not import %s", (file, specifier) => {
    const { refused, output } = lint(folder, file, `import * as other from "${specifier}";\nexport const use = other;\n`);
    expect(output).toContain("no-restricted-imports");
    expect(refused).toBe(true);
  });

  const allowed: [file: string, specifier: string][] = [
    ["ts/server/x.ts", "#drivers/driver.ts"],
    ["ts/server/x.ts", "ws"],
    ["ts/drivers/android/x.ts", "@grpc/grpc-js"],
    ["ts/viewer/x.ts", "lit"],
    ["ts/cli/x.ts", "#server/server.ts"],
  ];
  it.each(allowed)("%s may import %s", (file, specifier) => {
    const { refused, output } = lint(folder, file, `import * as other from "${specifier}";\nexport const use = other;\n`);
    expect(output).not.toContain("no-restricted-imports");
    expect(refused).toBe(false);
  });

  it("names every module of ts/ in the table of docs/architecture.md", () => {
    const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
    for (const name of [
      "core",
      "h264",
      "wire",
      "native",
      "server",
      "connect",
      "launch",
      "guard",
      "client",
      "relay",
      "host",
      "viewer",
      "cli",
    ]) {
      expect(page).toMatch(new RegExp(`^\\|[^|]*\\b${name}\\b`, "m"));
    }
  });
});
