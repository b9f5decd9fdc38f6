import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { phonePlaces, type PhonePlaces } from "#drivers/phone/places.ts";
import { realPhoneParts } from "#drivers/phone/spawn.ts";

import { addon, homes, makeDriver, offerOf, phoneProcess } from "./rig.ts";

const { home } = homes();
const { command } = phoneProcess();
const MODEL = "Test device";

async function until(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const watcher = watch(dirname(path));
  while (!existsSync(path)) await once(watcher, "change");
  watcher.close();
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ["its process has only begun", (_places: PhonePlaces, pidFile: string) => pidFile],
  ["it has its lock", (places: PhonePlaces) => places.lock],
  ["its socket stands", (places: PhonePlaces) => places.socket],
] as const)("a start that is given up when %s leaves no phone and nothing in the run folder", async (_when, sign) => {
  const folder = home();
  const places = phonePlaces(folder, MODEL);
  const pidFile = join(folder, "pids", "phone");
  const [node, bundle] = command;
  // The shell becomes the phone, so that its process id is the phone's.
  const told = ["/bin/sh", "-c", `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; exec "$0" "$@"`, node, bundle] as const;
  const real = realPhoneParts({ command: told, scene: "still", env: { ...process.env, BB_DEVICE_ADDON: addon.path } });
  const giveUp = new AbortController();
  mkdirSync(dirname(pidFile));
  const { driver } = makeDriver(folder, command, {
    parts: {
      async spawn(...args) {
        const started = await real.spawn(...args);
        await Promise.all([until(pidFile), until(sign(places, pidFile))]);
        giveUp.abort();
        return started;
      },
    },
  });
  const attaching = driver.attach(offerOf(MODEL), giveUp.signal).catch((error: unknown) => error);
  await once(giveUp.signal, "abort");
  // As a server does that ends: it does not wait for the start that it gave up.
  await driver.detach();
  expect(lives(Number(readFileSync(pidFile, "utf8")))).toBe(false);
  expect(readdirSync(places.run)).toEqual([]);
  expect(await attaching).toMatchObject({ message: "The start of the test phone was given up." });
  const next = makeDriver(folder, command).driver;
  expect(await next.attach(offerOf(MODEL), new AbortController().signal)).toBe("booted");
  await next.shutdown(new AbortController().signal);
});

test("a phone that was started and has no room for its picture is ended again; one that ran before is left as it is", async () => {
  const folder = home();
  const places = phonePlaces(folder, MODEL);
  class FullPipeline extends addon.binding.Pipeline {
    override createRegion(): void {
      throw new Error("No space left on device");
    }
  }
  const full = () => makeDriver(folder, command, { parts: { binding: { ...addon.binding, Pipeline: FullPipeline } } }).driver;
  const attach = (driver: ReturnType<typeof full>) => driver.attach(offerOf(MODEL), new AbortController().signal);
  await expect(attach(full())).rejects.toThrow(/No space left/);
  expect(readdirSync(places.run)).toEqual([]);
  const roomy = makeDriver(folder, command).driver;
  expect(await attach(roomy)).toBe("booted");
  await roomy.detach();
  await expect(attach(full())).rejects.toThrow(/No space left/);
  expect(await attach(roomy)).toBe("reattached");
  await roomy.shutdown(new AbortController().signal);
});
