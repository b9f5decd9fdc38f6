/** Which versions of the C library's symbols a shared library needs: read from its ELF file, no tool needed. */
import { readFileSync } from "node:fs";

const VERNEED = 0x6ffffffe;

const text = (bytes, at) => bytes.toString("latin1", at, bytes.indexOf(0, at));

function sections(file) {
  if (file.toString("latin1", 0, 4) !== "\u007fELF" || file[4] !== 2 || file[5] !== 1) {
    throw new Error("not a 64-bit little-endian ELF file");
  }
  const [offset, size, count] = [Number(file.readBigUInt64LE(0x28)), file.readUInt16LE(0x3a), file.readUInt16LE(0x3c)];
  return Array.from({ length: count }, (_, index) => {
    const at = offset + index * size;
    return {
      type: file.readUInt32LE(at + 4),
      offset: Number(file.readBigUInt64LE(at + 24)),
      link: file.readUInt32LE(at + 40),
      entries: file.readUInt32LE(at + 44),
    };
  });
}

/** Every `GLIBC_…` version that the file needs, oldest first, as numbers: [2, 34]. Throws for what is no ELF file. */
export function glibcVersions(path) {
  const file = readFileSync(path);
  const all = sections(file);
  const found = new Set();
  for (const section of all.filter(({ type }) => type === VERNEED)) {
    const strings = all[section.link].offset;
    let library = section.offset;
    for (let index = 0; index < section.entries; index += 1) {
      let need = library + file.readUInt32LE(library + 8);
      for (let left = file.readUInt16LE(library + 2); left > 0; left -= 1) {
        found.add(text(file, strings + file.readUInt32LE(need + 8)));
        need += file.readUInt32LE(need + 12);
      }
      library += file.readUInt32LE(library + 12);
    }
  }
  return [...found]
    .filter((name) => /^GLIBC_\d/.test(name))
    .map((name) => name.slice("GLIBC_".length).split(".").map(Number))
    .sort(compareVersions);
}

export function compareVersions(one, other) {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
