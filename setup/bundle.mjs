/** Bundles the program into build/bb-box-device.mjs and the viewer into build/viewer/. Skips what has not changed. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { step } from "./words.mjs";

/** Every file below a folder, sorted, with forward slashes. */
function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** SHA-256 over the sources that go into the bundles. */
export function sourcesHash(root) {
  const hash = createHash("sha256");
  for (const file of [...files(join(root, "ts")), join(root, "package-lock.json"), join(root, "setup/bundle.mjs")]) {
    hash
      .update(`${relative(root, file).replaceAll("\\", "/")}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** esbuild's settings for the one file that is delivered into boxes. Deterministic: the same sources give the same bytes. */
export function deviceBundleOptions(root) {
  return {
    absWorkingDir: root,
    entryPoints: { "bb-box-device": "ts/cli/main.ts" },
    outdir: "build",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    minifySyntax: true,
    legalComments: "none",
    charset: "utf8",
    logLevel: "warning",
    // Bundled CommonJS packages call require for Node's own modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
  };
}

export function viewerBundleOptions(root) {
  return {
    absWorkingDir: root,
    entryPoints: { viewer: "ts/viewer/main.ts" },
    outdir: "build/viewer",
    bundle: true,
    platform: "browser",
    target: ["chrome108", "firefox130", "safari16.4"],
    format: "esm",
    minify: true,
    sourcemap: true,
    legalComments: "none",
    charset: "utf8",
    logLevel: "warning",
  };
}

/** Builds both bundles when a source changed since the last build. */
export async function bundle(root) {
  const stamp = join(root, "build/bundle.json");
  const hash = sourcesHash(root);
  const built = ["build/bb-box-device.mjs", "build/viewer/viewer.js", "build/viewer/index.html"].every((file) =>
    existsSync(join(root, file)),
  );
  if (built && existsSync(stamp) && JSON.parse(readFileSync(stamp, "utf8")).hash === hash) return;
  await step("Bundling", async () => {
    const esbuild = await import("esbuild");
    mkdirSync(join(root, "build/viewer"), { recursive: true });
    await Promise.all([esbuild.build(deviceBundleOptions(root)), esbuild.build(viewerBundleOptions(root))]);
    // Its process would live beside the program for as long as that runs.
    await esbuild.stop();
    cpSync(join(root, "ts/viewer/index.html"), join(root, "build/viewer/index.html"));
    writeFileSync(stamp, `${JSON.stringify({ hash })}\n`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(fileURLToPath(new URL("..", import.meta.url)));
