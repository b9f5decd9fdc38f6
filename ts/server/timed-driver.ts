/** A driver whose calls all come to an end: one that hangs would hold up everything that waits behind it. */
import { failed } from "#core/errors.ts";
import { durationWords } from "#core/words.ts";
import type { DeviceDriver } from "#drivers/driver.ts";
import { within, type Clock } from "./ports.ts";

/** Well over what each takes on every platform that was measured; a slow pasteboard is tried again for 30 s by its driver. */
const LIMIT_MS = {
  touch: 5_000,
  key: 5_000,
  gesture: 20_000,
  pasteKey: 10_000,
  clipboard: 40_000,
  read: 15_000,
  open: 10_000,
  resume: 60_000,
} as const;

/** The same driver. `attach`, `shutdown` and `control` have their deadlines from who calls them. */
export function timedDriver(driver: DeviceDriver, clock: Clock): DeviceDriver {
  const timed = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
    within(clock, ms, work, () => failed(`The device did not answer within ${durationWords(ms)}.`));
  const { gesture, installed } = driver;
  return {
    platform: driver.platform,
    touchSpace: driver.touchSpace,
    get unsupported() {
      return driver.unsupported;
    },
    get paste() {
      return driver.paste;
    },
    offered: () => driver.offered(),
    running: () => timed(LIMIT_MS.read, () => driver.running()),
    attach: (target, signal) => driver.attach(target, signal),
    detach: () => driver.detach(),
    shutdown: (signal) => driver.shutdown(signal),
    video: () => driver.video(),
    touch: (contacts) => timed(LIMIT_MS.touch, () => driver.touch(contacts)),
    key: (key, down) => timed(LIMIT_MS.key, () => driver.key(key, down)),
    setClipboard: (text) => timed(LIMIT_MS.clipboard, () => driver.setClipboard(text)),
    clipboard: () => timed(LIMIT_MS.clipboard, () => driver.clipboard()),
    pasteKey: () => timed(LIMIT_MS.pasteKey, () => driver.pasteKey()),
    control: (control, signal) => driver.control(control, signal),
    ...(installed === undefined ? {} : { installed: (paths) => timed(LIMIT_MS.read, () => installed.call(driver, paths)) }),
    open: (url) => timed(LIMIT_MS.open, () => driver.open(url)),
    screenshot: (options) => timed(LIMIT_MS.read, () => driver.screenshot(options)),
    tree: () => timed(LIMIT_MS.read, () => driver.tree()),
    readBack: () => timed(LIMIT_MS.read, () => driver.readBack()),
    resumed: () => timed(LIMIT_MS.resume, () => driver.resumed()),
    ...(gesture === undefined ? {} : { gesture: (input) => timed(LIMIT_MS.gesture, () => gesture.call(driver, input)) }),
  };
}
