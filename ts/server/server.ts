/** The device server: one device, one home, one unix socket. Puts the parts together and holds no rule of its own. */
import type { DriverFactory } from "#drivers/driver.ts";
import { HomeFiles, systemFiles, type FileCalls } from "./files.ts";
import { openHome, type TakeLock } from "./home.ts";
import { listen } from "./listener.ts";
import { Machine } from "./machine.ts";
import { systemClock, type Clock, type Log } from "./ports.ts";
import { Starts } from "./starts.ts";

export interface DeviceServerOptions {
  /** The device home, 0700; made when missing. */
  readonly home: string;
  readonly driver: DriverFactory;
  readonly lock: TakeLock;
  readonly log: Log;
  /** A model's or a native name, as it was asked for at this start. */
  readonly model?: string;
  /** It counts even when the last start named it too, and what runs beside it is left as it is: a person asked for it just now. */
  readonly modelAnew?: boolean;
  /** What HELLO says of this machine's C library; null where it has none by name. */
  readonly libc?: string | null;
  /** Give up after ten crashes within a minute: where the service manager never does (launchd). Rejects with GivenUpError then. */
  readonly countStarts?: boolean;
  readonly clock?: Clock;
  readonly files?: FileCalls;
}

export interface DeviceServer {
  readonly socket: string;
  /** Lifts everything, lets go of the device and leaves it running. */
  close(): Promise<void>;
}

/** Resolves once it listens; the device boots meanwhile. Rejects in words. */
export async function startDeviceServer(options: DeviceServerOptions): Promise<DeviceServer> {
  const { log, driver, model, libc } = options;
  const clock = options.clock ?? systemClock;
  const files = options.files ?? systemFiles;
  let starts: Starts | null = null;
  const home = openHome(options.home, options.lock, () => {
    if (options.countStarts === true) starts = new Starts(new HomeFiles(options.home, files, log), clock, log);
  });
  try {
    const machine = await Machine.make({
      home,
      factory: driver,
      files,
      clock,
      log,
      asked: model ?? null,
      ...(options.modelAnew === undefined ? {} : { askedAnew: options.modelAnew }),
      libc: libc ?? null,
    });
    const listener = await listen({ socket: home.socket, clock, log, connected: (connection) => machine.connected(connection) });
    log("info", `Listening on ${home.socket}.`);
    void machine.start();
    return {
      socket: home.socket,
      async close() {
        await listener.close();
        await machine.close();
        starts?.endedWell();
        home.release();
      },
    };
  } catch (error) {
    home.release();
    throw error;
  }
}
