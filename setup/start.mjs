/** `npm start`: a device on screen. Sets up what is missing, then becomes `bb-box-device start`. */
import { program, readyToLoad, readyToStart } from "./ready.mjs";
import { fail } from "./words.mjs";

const args = process.argv.slice(2).filter((arg) => arg !== "--no-install");
const install = args.length === process.argv.length - 2;
try {
  if (args.includes("--help") || args.includes("-h")) await readyToLoad({ install });
  else await readyToStart({ install });
  await program(["start", ...args]);
} catch (error) {
  fail(error);
}
