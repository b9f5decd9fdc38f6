/**
 * The hash of the sources that the addon is built from; crates/addon/build.rs computes the same one.
 *
 * Of the files under `crates/`, with `Cargo.toml` and `Cargo.lock`, in byte order of their paths from the root (`/` between
 * names): SHA-256 over path, a zero byte, the length in decimal, a zero byte, the bytes, a zero byte. Left out are folders
 * named `target`, `benches`, `fuzz` and `tests`, and names that start with a dot: they change no addon.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LEFT_OUT = new Set(["target", "benches", "fuzz", "tests"]);

function collect(root, folder, files) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const below = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) files.push(below);
    else if (!LEFT_OUT.has(entry.name)) collect(root, below, files);
  }
  return files;
}

/** SHA-256 in hex. */
export function cratesHash(root) {
  const files = collect(root, "crates", ["Cargo.lock", "Cargo.toml"]);
  const paths = files.map((file) => Buffer.from(file, "utf8")).sort(Buffer.compare);
  const hash = createHash("sha256");
  for (const path of paths) {
    const bytes = readFileSync(join(root, path.toString("utf8")));
    hash.update(path).update("\0").update(String(bytes.length)).update("\0").update(bytes).update("\0");
  }
  return hash.digest("hex");
}
