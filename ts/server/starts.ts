/**
 * Ends a crash loop where the service manager never does (launchd): starts that did not end well are counted in a small file.
 * After ten within a minute the server says so in given-up.json, which `connect` reads, and ends well, so that it is left down.
 */
import type { HomeFiles } from "./files.ts";
import type { Clock, Log } from "./ports.ts";
import { parseStarts } from "#wire/home-files.ts";

const STARTS = "starts.json";
/** `connect` reads it by this name. */
export const GIVEN_UP = "given-up.json";
/** As systemd's StartLimitIntervalSec and StartLimitBurst. */
export const WINDOW_MS = 60_000;
export const BURST = 10;

/** The server has given itself up: ends with success, so that its manager leaves it down. */
export class GivenUpError extends Error {
  constructor(words: string) {
    super(words);
    this.name = "GivenUpError";
  }
}

export class Starts {
  readonly #files: HomeFiles;

  /** Counts this start. Throws GivenUpError when there were too many; the next start by hand counts from nothing. */
  constructor(files: HomeFiles, clock: Clock, log: Log) {
    this.#files = files;
    const nowMs = clock.wall();
    const kept = files.read(STARTS, parseStarts);
    const recent = (kept.is === "read" ? kept.value : []).filter((atMs) => atMs <= nowMs && nowMs - atMs < WINDOW_MS);
    if (recent.length >= BURST) {
      const words = `The device server crashed ${recent.length} times within a minute, so it has given up.`;
      files.tryWrite(GIVEN_UP, { words });
      files.remove(STARTS);
      log("error", words);
      throw new GivenUpError(words);
    }
    files.remove(GIVEN_UP);
    files.tryWrite(STARTS, [...recent, nowMs]);
  }

  /** The server ends because it was told to: none of its starts counts as a crash. */
  endedWell(): void {
    this.#files.remove(STARTS);
  }
}
