import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cases = readFileSync(join(root, "test/device-types.ts"), "utf8");

/** What the compiler says of these cases, with the project's own strictness. */
function compile(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), "device-types-"));
  try {
    writeFileSync(join(folder, "cases.ts"), source.replaceAll("#core/", `${root}ts/core/`));
    const options = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { types: [], rootDir: "/" },
      include: [],
      files: ["cases.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
    const ran = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    return `${ran.stdout}${ran.stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("the types of the data shape", () => {
  it("refuse every state that a device cannot be in", () => {
    expect(compile(cases)).toBe("");
  });

  it("are really looked at: with its guards taken away, each of the cases is an error", () => {
    const guards = cases.match(/^\/\/ @ts-expect-error/gm)?.length ?? 0;
    const errors = compile(cases.replaceAll("@ts-expect-error", "")).match(/error TS/g)?.length ?? 0;
    expect(guards).toBeGreaterThan(30);
    expect(errors).toBeGreaterThanOrEqual(guards);
  });
});
