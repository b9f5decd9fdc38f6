/** A zip with Android's binary AndroidManifest.xml that names a package: what reading an APK needs, and nothing else. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

export function makeApk(folder: string, name: string, packageName: string): string {
  const path = join(folder, name);
  const files = [
    { name: "classes.dex", data: Buffer.from(`BBPKG:${packageName}\n`), packed: false },
    { name: "AndroidManifest.xml", data: binaryManifest(packageName), packed: true },
  ];
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of files) {
    const body = file.packed ? deflateRawSync(file.data) : file.data;
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(file.packed ? 8 : 0, 4);
    about.writeUInt32LE(crc32(file.data), 10);
    about.writeUInt32LE(body.length, 14);
    about.writeUInt32LE(file.data.length, 18);
    about.writeUInt16LE(file.name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), about, Buffer.from(file.name), body]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 0]), about, where, Buffer.from(file.name)]));
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  writeFileSync(path, Buffer.concat([...parts, entries, end]));
  return path;
}

/** A string pool and one start element with a package attribute. */
export function binaryManifest(packageName: string, utf8 = false): Buffer {
  const strings = ["package", "manifest", packageName];
  const bodies = strings.map((text) =>
    utf8
      ? Buffer.concat([Buffer.from([text.length, Buffer.byteLength(text)]), Buffer.from(text), Buffer.from([0])])
      : Buffer.concat([u16(text.length), Buffer.from(text, "utf16le"), u16(0)]),
  );
  const offsets = bodies.map((_, index) => u32(bodies.slice(0, index).reduce((sum, body) => sum + body.length, 0)));
  const data = padded(Buffer.concat(bodies));
  const start = 28 + strings.length * 4;
  const pool = Buffer.concat([
    u16(1),
    u16(28),
    u32(start + data.length),
    u32(strings.length),
    u32(0),
    u32(utf8 ? 0x100 : 0),
    u32(start),
    u32(0),
    ...offsets,
    data,
  ]);
  const attribute = Buffer.concat([u32(0xffffffff), u32(0), u32(2), u16(8), Buffer.from([0, 3]), u32(2)]);
  const body = Buffer.concat([
    u32(1),
    u32(0xffffffff),
    u32(0xffffffff),
    u32(1),
    u16(20),
    u16(20),
    u16(1),
    u16(0),
    u16(0),
    u16(0),
    attribute,
  ]);
  const element = Buffer.concat([u16(0x102), u16(16), u32(8 + body.length), body]);
  return Buffer.concat([u16(3), u16(8), u32(8 + pool.length + element.length), pool, element]);
}

function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}
function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
function padded(buffer: Buffer): Buffer {
  return Buffer.concat([buffer, Buffer.alloc((4 - (buffer.length % 4)) % 4)]);
}
