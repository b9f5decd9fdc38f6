/** Finds and loads the addon; when it cannot, says of every candidate why. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Binding } from "./binding.ts";

export interface AddonCandidate {
  readonly path: string;
  /** Why it did not load, for a person. */
  readonly why: string;
}

/** No addon loaded. `words` name every candidate with its real reason. */
export class AddonError extends Error {
  readonly candidates: readonly AddonCandidate[];
  constructor(candidates: readonly AddonCandidate[]) {
    const tried = candidates.map(({ path, why }) => `  ${path}: ${why}`).join("\n");
    super(`The native addon could not be loaded. Tried:\n${tried}\nRun "npm start" in the project to build or fetch it.`);
    this.name = "AddonError";
    this.candidates = candidates;
  }
  get words(): string {
    return this.message;
  }
}

/** What loading needs of the world; a test hands in its own. */
export interface AddonWorld {
  /** The folder of the running module or bundle. */
  readonly here: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  exists(path: string): boolean;
  /** Loads a shared library as an addon. Throws with the loader's own words. */
  open(path: string): unknown;
  /** As prebuilds/ names its folders. */
  readonly platform: string;
}

/** How far above the module the project's root may lie: ts/native or build. */
const LEVELS_UP = 3;

/** `<os>-<cpu>-<libc>`; libc only where an operating system has several. */
export function platformName(): string {
  if (process.platform !== "linux") return `${process.platform}-${process.arch}`;
  const report: unknown = process.report.getReport();
  const text = typeof report === "string" ? report : JSON.stringify((report as { header?: unknown }).header);
  return `linux-${process.arch}-${text.includes("glibcVersionRuntime") ? "gnu" : "musl"}`;
}

function nodeWorld(): AddonWorld {
  return {
    here: dirname(fileURLToPath(import.meta.url)),
    env: process.env,
    exists: existsSync,
    open(path) {
      const module: { exports: unknown } = { exports: {} };
      process.dlopen(module, path);
      return module.exports;
    },
    platform: platformName(),
  };
}

/** Where the addon may be, the first that loads wins. BB_DEVICE_ADDON names one and rules the others out. */
export function addonPaths(world: Pick<AddonWorld, "here" | "env" | "platform">): readonly string[] {
  const named = world.env["BB_DEVICE_ADDON"];
  if (named !== undefined && named !== "") return [named];
  const paths = [join(world.here, "device.node")];
  const roots: string[] = [];
  for (let folder = world.here, level = 0; level < LEVELS_UP; level += 1) {
    roots.push(folder);
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  paths.push(...roots.map((root) => join(root, "build/device.node")));
  paths.push(...roots.map((root) => join(root, "prebuilds", world.platform, "device.node")));
  return [...new Set(paths)];
}

function isBinding(value: unknown): value is Binding {
  if (typeof value !== "object" || value === null) return false;
  const exports: Record<string, unknown> = { ...value };
  return ["Pipeline", "lock", "encoders", "buildInfo"].every((name) => typeof exports[name] === "function");
}

/** Loads the addon. Throws AddonError. Where it was found: `loadAddon`. */
export function loadBinding(world: AddonWorld = nodeWorld()): Binding {
  return loadAddon(world).binding;
}

export function loadAddon(world: AddonWorld = nodeWorld()): { readonly binding: Binding; readonly path: string } {
  const tried: AddonCandidate[] = [];
  for (const path of addonPaths(world)) {
    if (!world.exists(path)) {
      tried.push({ path, why: "there is no such file" });
      continue;
    }
    try {
      const binding = world.open(path);
      if (isBinding(binding)) return { binding, path };
      tried.push({ path, why: "it loads, but is not this product's addon" });
    } catch (error) {
      tried.push({ path, why: error instanceof Error ? error.message : String(error) });
    }
  }
  // A folder that has none says nothing; the files that are there do.
  const there = tried.filter(({ why }) => why !== "there is no such file");
  throw new AddonError(there.length > 0 ? there : tried);
}
