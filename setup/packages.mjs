/** npm packages: installed when what is in node_modules is not what package-lock.json says. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";
import { SetupError, step, Stopped } from "./words.mjs";

/** What npm writes last: without it an install was broken off, and any package may be half there. */
const INSTALLED = "node_modules/.package-lock.json";

/** Names the first package that is missing, half there or of another version; null when all are there. */
export function missingPackage(root, { dev }) {
  const whole = existsSync(join(root, INSTALLED));
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "" || entry.optional || entry.devOptional || entry.peer || (entry.dev && !dev)) continue;
    const file = join(root, path, "package.json");
    if (!whole || !existsSync(file)) return path;
    if (JSON.parse(readFileSync(file, "utf8")).version !== entry.version) return path;
  }
  return null;
}

/** Without `dev` the development packages are left out, but never removed from a tree that has them. */
export async function installPackages(root, { dev, install }) {
  const missing = missingPackage(root, { dev });
  if (missing === null) return;
  if (!install) {
    throw new SetupError(`${missing} is not installed. Run npm ci${dev ? "" : " --omit=dev"} first, or start without --no-install.`);
  }
  await step(`Installing npm packages${dev ? "" : " (without the development ones)"}`, () =>
    run("npm", ["ci", ...(dev ? [] : ["--omit=dev"]), "--no-audit", "--no-fund"], {
      cwd: root,
      quiet: true,
      words: "npm ci",
    }).catch((error) => {
      if (error instanceof Stopped) throw error;
      throw new SetupError(`${error.message}\nThe npm registry must be reachable for the first start; later ones need no network.`);
    }),
  );
}
