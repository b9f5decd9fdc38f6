/**
 * A device server in a process of its own whose clocks a test moves over IPC; the product has no such hook.
 * `entry.mjs serve HOME SCENE [MODEL]`, or `entry.mjs test-phone …` for the phone that the server starts.
 */
import { phoneDriver } from "#drivers/phone/driver.ts";
import { readPhoneArguments, runTestPhone, testPhoneWorld } from "#drivers/phone/process.ts";
import { realPhoneParts } from "#drivers/phone/spawn.ts";
import { loadBinding } from "#native/load.ts";
import type { Clock } from "#server/ports.ts";
import { startDeviceServer } from "#server/server.ts";

/** The real clocks, with what the test adds to each. */
class MovedClock implements Clock {
  #nowMs = 0;
  #wallMs = 0;
  readonly #timers = new Map<number, { readonly atMs: number; readonly run: () => void; readonly timer: NodeJS.Timeout }>();
  #count = 0;
  now(): number {
    return Number(process.hrtime.bigint()) / 1e6 + this.#nowMs;
  }
  wall(): number {
    return Date.now() + this.#wallMs;
  }
  after(ms: number, run: () => void): () => void {
    const id = ++this.#count;
    const fire = (): void => {
      this.#timers.delete(id);
      run();
    };
    const timer = setTimeout(fire, ms);
    this.#timers.set(id, { atMs: this.now() + ms, run: fire, timer });
    return () => {
      clearTimeout(timer);
      this.#timers.delete(id);
    };
  }
  /** Both clocks go on, and what became due runs. */
  move(ms: number): void {
    this.#nowMs += ms;
    this.#wallMs += ms;
    const due = [...this.#timers.values()].filter(({ atMs }) => atMs <= this.now()).toSorted((a, b) => a.atMs - b.atMs);
    for (const { timer, run } of due) {
      clearTimeout(timer);
      run();
    }
  }
  /** The machine slept: only the wall clock went on. */
  sleep(ms: number): void {
    this.#wallMs += ms;
  }
}

const [, script = "", command, ...rest] = process.argv;
if (command === "test-phone") process.exitCode = await runTestPhone(readPhoneArguments(rest), testPhoneWorld(loadBinding()));
else {
  const [home = "", scene = "still", model] = rest;
  const clock = new MovedClock();
  const binding = loadBinding();
  const real = realPhoneParts({
    command: [process.execPath, script, "test-phone"],
    scene: scene === "busy" ? "busy" : "still",
    env: process.env,
  });
  const server = await startDeviceServer({
    home,
    driver: phoneDriver({ binding, ...real }),
    lock: (path) => binding.lock(path),
    log: (level, message) => void process.stderr.write(`${level} ${message}\n`),
    clock,
    ...(model === undefined ? {} : { model }),
  });
  process.on("message", (told: { readonly move?: number; readonly sleep?: number }) => {
    if (told.sleep !== undefined) clock.sleep(told.sleep);
    if (told.move !== undefined) clock.move(told.move);
    process.send?.({ moved: true });
  });
  process.once("SIGTERM", () => void server.close().then(() => process.exit(0)));
  process.send?.({ listening: true });
}
