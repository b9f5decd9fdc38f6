/**
 * X11 keysyms from before Unicode, which older clients still send: a page (the high byte) of 96 characters from low byte 0xA0.
 * A full stop stands where a page has no character. Numbers: X.Org's keysymdef.
 */
const PAGES: Readonly<Record<number, string>> = {
  // Latin 2.
  0x01: ".Ą˘Ł¤ĽŚ§¨ŠŞŤŹ.ŽŻ°ą˛ł´ľśˇ¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
  // Latin 3.
  0x02: ".Ħ˘£¤.Ĥ§¨İŞĞĴ..Ż°ħ²³´µĥ·¸ışğĵ½.żÀÁÂ.ÄĊĈÇÈÉÊËÌÍÎÏ.ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜßàáâ.äċĉçèéêëìíîï.ñòóôġö÷ĝùúûüŭŝ˙",
  // Latin 4.
  0x03: ".ĄĸŖ¤ĨĻ§¨ŠĒĢŦ.Ž¯°ą˛ŗ´ĩļˇ¸šēģŧŊžŋĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪßāáâãäåæįčéęëėíîīđņōķôõö÷øųúûüũū˙",
  // katakana.
  0x04: ".。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜................................",
  // Cyrillic.
  0x06: ".ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏюабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
  // Greek.
  0x07: ".ΆΈΉΊΪ.ΌΎΫ.Ώ..΅―.άέήίϊΐόύϋΰώ.....ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣ.ΤΥΦΧΨΩ.......αβγδεζηθικλμνξοπρσςτυφχψω......",
};

/** Pages that follow Unicode's own order: the character of low byte 0xA0, and the low bytes they have. */
const IN_ORDER: Readonly<Record<number, { readonly base: number; readonly from: number; readonly to: number }>> = {
  // Arabic.
  0x05: { base: 0x0600, from: 0xac, to: 0xf2 },
  // Thai.
  0x0d: { base: 0x0e00, from: 0xa1, to: 0xf9 },
  // Currency signs, the euro among them.
  0x20: { base: 0x20a0, from: 0xa0, to: 0xac },
};

/** Hebrew begins at 0xCE0. */
const HEBREW = { from: 0xce0, to: 0xcfa, base: 0x05d0 };

const SINGLES: Readonly<Record<number, number>> = {
  0x08bc: 0x2264,
  0x08bd: 0x2260,
  0x08be: 0x2265,
  0x08bf: 0x222b,
  0x08c2: 0x221e,
  0x08d6: 0x221a,
  0x08f6: 0x0192,
  0x08fb: 0x2190,
  0x08fc: 0x2191,
  0x08fd: 0x2192,
  0x08fe: 0x2193,
  0x0aa9: 0x2014,
  0x0aaa: 0x2013,
  0x0aae: 0x2026,
  0x0ac9: 0x2122,
  0x0ad0: 0x2018,
  0x0ad1: 0x2019,
  0x0ad2: 0x201c,
  0x0ad3: 0x201d,
  0x0ae6: 0x2022,
  0x0af1: 0x2020,
  0x0af2: 0x2021,
  0x0afd: 0x201a,
  0x0afe: 0x201e,
  0x13bc: 0x0152,
  0x13bd: 0x0153,
  0x13be: 0x0178,
};

/** The character of a keysym below 0x2100 that is not Latin-1; null when it has none. */
export function legacyCharacter(keysym: number): string | null {
  const single = SINGLES[keysym];
  if (single !== undefined) return String.fromCodePoint(single);
  if (keysym >= HEBREW.from && keysym <= HEBREW.to) return String.fromCodePoint(HEBREW.base + keysym - HEBREW.from);
  const low = keysym & 0xff;
  const inOrder = IN_ORDER[keysym >> 8];
  if (inOrder !== undefined) return low >= inOrder.from && low <= inOrder.to ? String.fromCodePoint(inOrder.base + low - 0xa0) : null;
  const character = PAGES[keysym >> 8]?.[low - 0xa0];
  return character === undefined || character === "." ? null : character;
}
