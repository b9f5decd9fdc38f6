/** A made-up language: every sentence accented and four tenths longer, so that what is not translated or does not fit is seen. */
import { type Messages, en } from "#viewer/i18n/messages.ts";

const ACCENTS: Record<string, string> = { a: "á", e: "é", i: "í", o: "ó", u: "ú", n: "ñ", A: "Á", E: "É", I: "Í", O: "Ó", U: "Ú" };

export function lengthen(text: string): string {
  const accented = text.replace(/[aeiounAEIOU]/g, (letter) => ACCENTS[letter] ?? letter);
  return `${accented}${"·".repeat(Math.ceil(text.length * 0.4))}`;
}

export const pseudo: Messages = Object.fromEntries(
  Object.entries(en).map(([key, value]) => {
    if (typeof value === "string") return [key, lengthen(value)];
    const sentence = value as (parts: never) => string;
    return [key, (parts: never) => lengthen(sentence(parts))];
  }),
) as Messages;
