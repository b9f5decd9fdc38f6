/** Which app an APK is: its package, from the zip's compressed AndroidManifest.xml. */
import { open, type FileHandle } from "node:fs/promises";
import { inflateRawSync } from "node:zlib";

import { DeviceError } from "#core/errors.ts";

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LARGEST_DIRECTORY_BYTES = 64 * 1024 * 1024;
const LARGEST_MANIFEST_BYTES = 16 * 1024 * 1024;

/** "com.example.app". Rejects with bad-value in words when the file is no APK. */
export async function packageOf(path: string): Promise<string> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw new DeviceError("bad-value", `There is no file ${path}.`, { cause: error });
  });
  try {
    const name = packageIn(await manifest(file));
    if (name === null) throw new Error("its manifest names no package");
    return name;
  } catch (error) {
    throw new DeviceError("bad-value", `${path} is not an APK: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  } finally {
    await file.close();
  }
}

async function manifest(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const tail = await bytesAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || tail.length - end < 22 || tail.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error("it is not a zip file");
  const directorySize = tail.readUInt32LE(end + 12);
  if (directorySize > LARGEST_DIRECTORY_BYTES) throw new Error("its directory is too large");
  const directory = await bytesAt(file, tail.readUInt32LE(end + 16), directorySize);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === DIRECTORY_ENTRY;) {
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + 46, at + 46 + nameLength);
    if (name === "AndroidManifest.xml") {
      return entry(file, {
        method: directory.readUInt16LE(at + 10),
        packed: directory.readUInt32LE(at + 20),
        size: directory.readUInt32LE(at + 24),
        offset: directory.readUInt32LE(at + 42),
      });
    }
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new Error("it has no AndroidManifest.xml");
}

async function entry(
  file: FileHandle,
  about: { readonly method: number; readonly packed: number; readonly size: number; readonly offset: number },
): Promise<Buffer> {
  if (about.packed > LARGEST_MANIFEST_BYTES || about.size > LARGEST_MANIFEST_BYTES) throw new Error("its manifest is too large");
  const local = await bytesAt(file, about.offset, 30);
  const start = about.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = await bytesAt(file, start, about.packed);
  if (about.method === 0) return packed;
  if (about.method === 8) return inflateRawSync(packed, { maxOutputLength: LARGEST_MANIFEST_BYTES });
  throw new Error(`its manifest is packed in a way (${about.method}) that cannot be read`);
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead !== length) throw new Error("it is cut short");
  return buffer;
}

const STRING_POOL = 0x0001;
const START_ELEMENT = 0x0102;
const UTF8 = 0x100;

/** The manifest element's package attribute, from Android's binary XML; null when there is none. */
export function packageIn(xml: Buffer): string | null {
  let strings: ((index: number) => string) | null = null;
  for (let at = 8; at + 8 <= xml.length;) {
    const type = xml.readUInt16LE(at);
    const size = xml.readUInt32LE(at + 4);
    if (size < 8) return null;
    if (type === STRING_POOL) strings = stringPool(xml.subarray(at, at + size));
    if (type === START_ELEMENT && strings !== null) {
      const found = attribute(xml.subarray(at, at + size), strings, "package");
      if (found !== null) return found;
    }
    at += size;
  }
  return null;
}

function stringPool(chunk: Buffer): (index: number) => string {
  const count = chunk.readUInt32LE(8);
  const utf8 = (chunk.readUInt32LE(16) & UTF8) !== 0;
  const base = chunk.readUInt32LE(20);
  return (index) => {
    if (index >= count) return "";
    let at = base + chunk.readUInt32LE(28 + index * 4);
    if (utf8) {
      // Two lengths, in characters and in bytes, of one or two bytes each.
      at += (chunk.readUInt8(at) & 0x80) !== 0 ? 2 : 1;
      const long = (chunk.readUInt8(at) & 0x80) !== 0;
      const bytes = long ? ((chunk.readUInt8(at) & 0x7f) << 8) | chunk.readUInt8(at + 1) : chunk.readUInt8(at);
      at += long ? 2 : 1;
      return chunk.toString("utf8", at, at + bytes);
    }
    return chunk.toString("utf16le", at + 2, at + 2 + chunk.readUInt16LE(at) * 2);
  };
}

function attribute(chunk: Buffer, strings: (index: number) => string, name: string): string | null {
  const start = 16 + chunk.readUInt16LE(24);
  const size = chunk.readUInt16LE(26);
  const count = chunk.readUInt16LE(28);
  for (let index = 0; index < count; index += 1) {
    const at = start + index * size;
    if (strings(chunk.readUInt32LE(at + 4)) === name) return strings(chunk.readUInt32LE(at + 8));
  }
  return null;
}
