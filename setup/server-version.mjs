/**
 * DEVICE_SERVER_VERSION and the server's files move together: hosts deliver by the number alone, so a change that keeps it never reaches a box.
 * `node setup/server-version.mjs` raises the number when the files differ from setup/server-version.json; with --keep it takes the new files
 * under the same number, for one that no box has yet. --check only compares.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deviceBundleOptions } from "./bundle.mjs";
import { cratesHash } from "./crates-hash.mjs";
import { fail, say, SetupError } from "./words.mjs";

const VERSION_FILE = "ts/core/version.ts";
const RECORD_FILE = "setup/server-version.json";
const LINE = /(export const DEVICE_SERVER_VERSION = )(\d+)(;)/;

/** The number in the code. */
export function serverVersion(root) {
  const found = LINE.exec(readFileSync(join(root, VERSION_FILE), "utf8"));
  if (found === null) throw new SetupError(`${VERSION_FILE} has no DEVICE_SERVER_VERSION any more.`);
  return Number(found[2]);
}

/** SHA-256 over what runs in a box: the device server, connect and the phone as one bundle without the number itself, and the addon's sources. */
export async function serverHash(root, { extra = {} } = {}) {
  const esbuild = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    ...deviceBundleOptions(root),
    entryPoints: undefined,
    stdin: {
      contents: 'export * from "./ts/cli/commands/serve.ts"; export * from "./ts/cli/commands/connect.ts";',
      resolveDir: root,
      loader: "ts",
    },
    write: false,
    // Without names of modules and files, so that a checkout elsewhere gives the same.
    minify: true,
    plugins: [
      {
        name: "without-the-number",
        setup(build) {
          build.onLoad({ filter: /[\\/]ts[\\/].*\.ts$/ }, ({ path }) => {
            const text = extra[path] ?? readFileSync(path, "utf8");
            return { contents: text.replace(LINE, "$10$3"), loader: "ts" };
          });
        },
      },
    ],
  });
  const hash = createHash("sha256");
  for (const { contents } of outputFiles) hash.update(contents);
  return hash.update(cratesHash(root)).digest("hex");
}

/** What was committed last. */
export function serverRecord(root) {
  return JSON.parse(readFileSync(join(root, RECORD_FILE), "utf8"));
}

/** Null when number and files belong together; else what is wrong, in words. */
export function versionProblem({ record, version, hash }) {
  if (record.version !== version) {
    return `DEVICE_SERVER_VERSION is ${version} and ${RECORD_FILE} says ${record.version}. Run: node setup/server-version.mjs`;
  }
  if (record.hash !== hash) {
    return `The device server's files changed and DEVICE_SERVER_VERSION is still ${version}, so no box would get them. Run: node setup/server-version.mjs`;
  }
  return null;
}

async function main(root, flags) {
  const version = serverVersion(root);
  const hash = await serverHash(root);
  let record = { version: 0, hash: "" };
  try {
    record = serverRecord(root);
  } catch {
    // The first one.
  }
  if (flags.includes("--check")) {
    const problem = versionProblem({ record, version, hash });
    if (problem !== null) throw new SetupError(problem);
    return;
  }
  if (record.hash === hash && record.version === version) return say(`Version ${version} is up to date.`);
  const next =
    flags.includes("--keep") || record.hash === "" ? version : Math.max(record.version, version) + (record.hash === hash ? 0 : 1);
  const path = join(root, VERSION_FILE);
  writeFileSync(path, readFileSync(path, "utf8").replace(LINE, `$1${next}$3`));
  writeFileSync(join(root, RECORD_FILE), `${JSON.stringify({ version: next, hash }, null, 2)}\n`);
  say(next === version ? `Version ${version}: its files are recorded anew.` : `Version ${version} is now ${next}.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main(fileURLToPath(new URL("..", import.meta.url)), process.argv.slice(2));
  } catch (error) {
    fail(error);
  }
}
