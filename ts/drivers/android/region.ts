/** The file that the emulator draws into and this process reads: made here, mapped by both, gone with its pipeline. */
import { open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

import type { Outside } from "./outside.ts";
import type { PicturePipeline } from "./pipeline.ts";

const LARGEST_BYTES = 512 * 1024 * 1024;

let made = 0;

export class Region {
  readonly #pipeline: PicturePipeline;
  readonly #folder: string;
  #path = "";
  #bytes = 0;

  constructor(pipeline: PicturePipeline, folder: string) {
    this.#pipeline = pipeline;
    this.#folder = folder;
  }

  /** 0: there is none yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What the emulator is told. It takes the path literally: one that was percent-encoded would not be found. */
  get handle(): string {
    return `file://${this.#path}`;
  }

  /** A region of at least this size: a new file, since a mapping keeps its size. False: it would be too large, or grew already. */
  make(bytes: number): boolean {
    if (bytes > LARGEST_BYTES || bytes <= this.#bytes) return false;
    made += 1;
    const path = join(this.#folder, `region-${process.pid}-${made}.rgb`);
    this.#pipeline.createRegion(path, bytes);
    this.#path = path;
    this.#bytes = bytes;
    return true;
  }

  /** What lies in it now, whole or torn; null when it cannot be read. */
  async read(bytes: number): Promise<Buffer | null> {
    if (this.#bytes === 0) return null;
    const file = await open(this.#path, "r").catch(() => null);
    if (file === null) return null;
    try {
      const buffer = Buffer.alloc(bytes);
      const { bytesRead } = await file.read(buffer, 0, bytes, 0);
      return bytesRead === bytes ? buffer : null;
    } finally {
      await file.close();
    }
  }

  /** Some builds answer as if they had written the mapping and have not: it is all nothing, and the picture is not. */
  async isEmptyBut(picture: Uint8Array): Promise<boolean> {
    const bytes = await this.read(picture.length);
    const nothing = Buffer.alloc(picture.length);
    return bytes !== null && bytes.equals(nothing) && !nothing.equals(picture);
  }
}

/** Regions of processes that are no more: a killed server leaves one. */
export async function removeDeadRegions(folder: string, outside: Outside): Promise<void> {
  for (const name of await readdir(folder).catch(() => [] as string[])) {
    const pid = /^region-(\d+)-\d+\.rgb$/.exec(name)?.[1];
    if (pid !== undefined && !outside.alive(Number(pid))) await unlink(join(folder, name)).catch(() => {});
  }
}
