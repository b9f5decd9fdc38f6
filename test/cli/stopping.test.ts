import { expect, it } from "vitest";

import { stopping } from "#cli/drivers.ts";
import { DeviceError } from "#core/errors.ts";
import type { DeviceDriver, DriverHost } from "#drivers/driver.ts";
import { FakeBox } from "../server/fake-driver.ts";

const HOST: DriverHost = {
  geometry: () => 1,
  changed: () => {},
  exited: () => {},
  clipboard: () => {},
  warning: () => {},
  log: () => {},
  progress: () => {},
};

/** What a driver's end tells its device, and a person. */
async function end(how: { ending: boolean; startedHere?: boolean; shutdown?: () => Promise<void>; stopMs?: number | null }) {
  const box = new FakeBox();
  if (how.shutdown !== undefined) box.hooks.shutdown = how.shutdown;
  const factory: typeof box.factory = (host, options) => {
    const driver: DeviceDriver = box.factory(host, options);
    return how.startedHere === undefined ? driver : Object.assign(driver, { startedHere: () => Promise.resolve(how.startedHere === true) });
  };
  const said: string[] = [];
  const { stopMs = 1_000 } = how;
  const make = stopping(
    { factory, stopMs, end: () => Promise.resolve() },
    () => how.ending,
    (words) => void said.push(words),
  );
  await make(HOST, { home: "", run: "", clock: { now: () => 0, wall: () => 0 } }).detach();
  return { told: box.told.map(({ what }) => what), said };
}

it("a device is stopped at the end alone, and let go of after that in any case", async () => {
  expect(await end({ ending: false })).toEqual({ told: ["detach"], said: [] });
  expect(await end({ ending: true })).toEqual({ told: ["shutdown", "detach"], said: [] });
  expect(await end({ ending: true, startedHere: true })).toEqual({ told: ["shutdown", "detach"], said: [] });
});

it("one that was not started here is left running, with words", async () => {
  const said = ["The emulator was not started here, so it is left running."];
  expect(await end({ ending: true, startedHere: false })).toEqual({ told: ["detach"], said });
});

it("one that does not stop is said and let go of; that none is booted is no news", async () => {
  const late = () => Promise.reject(new DeviceError("failed", "The emulator of Small did not stop within 30 s."));
  expect(await end({ ending: true, shutdown: late })).toEqual({
    told: ["detach"],
    said: ["The emulator of Small did not stop within 30 s."],
  });
  const none = () => Promise.reject(new DeviceError("not-booted", "No emulator is attached."));
  expect(await end({ ending: true, shutdown: none })).toEqual({ told: ["detach"], said: [] });
});

it("what is ended beside its driver is only let go of", async () => {
  expect(await end({ ending: true, stopMs: null })).toEqual({ told: ["detach"], said: [] });
});
