#!/usr/bin/env node
/** `bb-box-device …` from a checkout: builds what is missing, then runs the command. */
import { program, readyToLoad } from "./ready.mjs";
import { fail } from "./words.mjs";

try {
  await readyToLoad({ install: true });
  await program(process.argv.slice(2));
} catch (error) {
  fail(error);
}
