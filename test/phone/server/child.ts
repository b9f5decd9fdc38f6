/** A device server's driver in a process that a test kills: attaches, says so, and stays. */
import { loadBinding } from "#native/load.ts";
import { phoneDriver } from "#drivers/phone/driver.ts";
import { realPhoneParts } from "#drivers/phone/spawn.ts";

const [home = "", model = "", phone = ""] = process.argv.slice(2);
const ignore = (): void => undefined;
const factory = phoneDriver({ binding: loadBinding(), ...realPhoneParts({ command: [process.execPath, phone], scene: "still" }) });
const driver = factory(
  { geometry: () => 1, changed: ignore, exited: ignore, clipboard: ignore, warning: ignore, log: ignore, progress: ignore },
  { home, run: `${home}/run`, clock: { now: () => Number(process.hrtime.bigint()) / 1e6, wall: Date.now } },
);
const how = await driver.attach({ model, native: model, runtime: { platform: "test", version: "1" } }, new AbortController().signal);
await driver.open("bb-test://settings");
await driver.touch([{ id: 0, x: 1, y: 1 }]);
process.stdout.write(`${how}\n`);
