/**
 * Characters that make a person or a parser see another command than bash runs: invisible and
 * bidirectional ones, blanks that only look like separators, control bytes, half surrogate pairs.
 * Owns which ones those are; refuses to guess what was meant by them.
 */

/** Code points from–to; tab and newline are the only control characters a command needs. */
const misleading: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x600, 0x605],
  [0x61c, 0x61c],
  [0x6dd, 0x6dd],
  [0x70f, 0x70f],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xffff],
];

function codeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** One fast scan for the common case of none. */
const suspicious = new RegExp(`[${misleading.map(([from, to]) => `${codeUnit(from)}-${codeUnit(to)}`).join("")}]`);
/** Written with tag and music control characters, beyond the basic plane. */
const invisible = /[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
/** Selectors and joiners inside an emoji are part of what everybody sees. */
const emojiGlue =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)(?:\ufe0f|\u200d(?=\p{Extended_Pictographic}))|(?<=[0-9#*])\ufe0f(?=\u20e3)/gu;

export interface CharacterFinding {
  readonly reason: string;
  /** The text cannot even be handed to a shell as it stands. */
  readonly impossible: boolean;
}

export function findSuspiciousCharacters(text: string): CharacterFinding | undefined {
  if (!suspicious.test(text)) return undefined;
  if (text.includes("\0")) return { reason: "contains a NUL byte", impossible: true };
  if (loneSurrogate.test(text)) return { reason: "contains half of a surrogate pair, which no shell can receive", impossible: true };
  if (invisible.test(text)) return { reason: "contains invisible characters", impossible: false };
  const rest = text.replace(emojiGlue, "").replace(/[\ud800-\udbff][\udc00-\udfff]/g, "");
  const match = suspicious.exec(rest);
  if (match === null) return undefined;
  const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return { reason: `contains an invisible or misleading character (U+${code})`, impossible: false };
}
