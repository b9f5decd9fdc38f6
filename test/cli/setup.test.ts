/** What stands before the program: packages, and a set-up that is stopped. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../support/product.ts";
import { temporaryFolder } from "../support/temp.ts";

const { missingPackage } = (await import("../../setup/packages.mjs" as string)) as {
  missingPackage(root: string, options: { readonly dev: boolean }): string | null;
};

function write(root: string, path: string, value: unknown): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(value));
}

function checkout(): string {
  const root = temporaryFolder();
  const packages = { "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "2.0.0", dev: true } };
  write(root, "package-lock.json", { packages });
  write(root, "node_modules/a/package.json", { version: "1.0.0" });
  write(root, "node_modules/.package-lock.json", {});
  return root;
}

it("names the package that is missing or of another version, and none when all are there", () => {
  const root = checkout();
  expect(missingPackage(root, { dev: false })).toBeNull();
  expect(missingPackage(root, { dev: true })).toBe("node_modules/b");
  write(root, "node_modules/a/package.json", { version: "0.9.0" });
  expect(missingPackage(root, { dev: false })).toBe("node_modules/a");
});

it("takes an install that was broken off for none, though every package has its file", () => {
  const root = checkout();
  rmSync(join(root, "node_modules/.package-lock.json"));
  expect(missingPackage(root, { dev: false })).toBe("node_modules/a");
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s during a step ends the step first, says that it stopped, and gives %i", async (signal, code) => {
  const script = `
    const { run } = await import(${JSON.stringify(join(ROOT, "setup/run.mjs"))});
    const { fail } = await import(${JSON.stringify(join(ROOT, "setup/words.mjs"))});
    const child = 'process.on("${signal}", () => { console.log("put back"); process.exit(1); }); setInterval(() => {}, 1000); console.log("begun")';
    await run(process.execPath, ["-e", child], { words: "the step" }).catch(fail);`;
  const setup = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void setup.kill("SIGKILL"));
  let said = "";
  setup.stderr.on("data", (data: Buffer) => {
    // One Ctrl-C reaches it twice: from the terminal, and handed on by npm.
    if (said === "" && data.toString().includes("begun")) for (let time = 0; time < 2; time += 1) setup.kill(signal);
    said += data.toString();
  });
  const [exit] = (await once(setup, "close")) as [number | null];
  expect(said).toBe("begun\nStopping the step\nput back\nStopped.\n");
  expect(exit).toBe(code);
});
