/** The hash that ties an addon to its sources. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const { cratesHash } = (await import("../../setup/crates-hash.mjs" as string)) as { cratesHash(root: string): string };

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hash-"));
  mkdirSync(join(root, "crates/a/src"), { recursive: true });
  writeFileSync(join(root, "Cargo.toml"), "[workspace]\n");
  writeFileSync(join(root, "Cargo.lock"), "");
  writeFileSync(join(root, "crates/a/src/lib.rs"), "//! a\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("the same sources give the same hash wherever they lie", () => {
  const copy = mkdtempSync(join(tmpdir(), "hash-"));
  cpSync(root, copy, { recursive: true });
  expect(cratesHash(copy)).toBe(cratesHash(root));
  rmSync(copy, { recursive: true });
});

test.each(["Cargo.lock", "Cargo.toml", "crates/a/src/lib.rs", "crates/a/src/new.rs", "crates/a/build.rs"])(
  "a change of %s changes it",
  (file) => {
    const before = cratesHash(root);
    writeFileSync(join(root, file), "other\n");
    expect(cratesHash(root)).not.toBe(before);
  },
);

test.each(["crates/a/benches/b.rs", "crates/a/tests/t.rs", "crates/a/fuzz/f.rs", "crates/target/x", "crates/a/.swp"])(
  "%s leaves it as it is",
  (file) => {
    const before = cratesHash(root);
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "other\n");
    expect(cratesHash(root)).toBe(before);
  },
);

test("moving bytes from one file's end to the next file's start changes it", () => {
  writeFileSync(join(root, "crates/a/src/m.rs"), "ab");
  writeFileSync(join(root, "crates/a/src/n.rs"), "c");
  const before = cratesHash(root);
  writeFileSync(join(root, "crates/a/src/m.rs"), "a");
  writeFileSync(join(root, "crates/a/src/n.rs"), "bc");
  expect(cratesHash(root)).not.toBe(before);
});
