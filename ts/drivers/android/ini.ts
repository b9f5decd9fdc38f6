/** `key=value` lines, as the emulator writes its discovery files and AVDs: trimmed, the first `=` splits, the last value of a key counts. */
export function parseIni(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const at = line.indexOf("=");
    if (at <= 0 || line.trimStart().startsWith("#")) continue;
    values.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  return values;
}

/** A whole number of at least `least`, or null. */
export function wholeNumber(text: string | undefined, least = 0): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text.trim())) return null;
  const value = Number(text);
  return value >= least ? value : null;
}
