/** Files stay small enough to read in one sitting: 400 lines asks to be split (a note), 600 is the end (a failure). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "./run.mjs";
import { ROOT } from "./ready.mjs";
import { fail, SetupError, warn } from "./words.mjs";

const ASK = 400;
const END = 600;
const CODE = /\.(ts|mjs|rs|py|css)$/;
const GENERATED = /(^|\/)generated\//;

try {
  const tracked = output("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  if (tracked === null) throw new SetupError("git ls-files failed: the size of files cannot be checked");
  const files = tracked.split("\n").filter((file) => CODE.test(file) && !GENERATED.test(file));
  if (files.length === 0) throw new SetupError("no source files found: this check checks nothing");
  const tooLong = [];
  for (const file of files) {
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n").length - 1;
    if (lines > END) tooLong.push(`${file}: ${lines} lines`);
    else if (lines > ASK) warn(`${file}: ${lines} lines, asking to be two files`);
  }
  if (tooLong.length > 0) throw new SetupError(`Over ${END} lines; split by meaning:\n  ${tooLong.join("\n  ")}`);
} catch (error) {
  fail(error);
}
