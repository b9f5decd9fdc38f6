/** The test phone's process as tests start it: the product's own entry, bundled. */
import { loadBinding } from "#native/load.ts";
import { readPhoneArguments, runTestPhone, testPhoneWorld } from "#drivers/phone/process.ts";

process.exitCode = await runTestPhone(readPhoneArguments(process.argv.slice(2)), testPhoneWorld(loadBinding()));
