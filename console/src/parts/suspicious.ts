/** Finds characters that deceive a reader: bidi controls, zero-width ones, tags, controls; and hosts of mixed scripts. Pure. */

/** Ranges of code points that show nothing or change the direction of what follows. */
const hiddenRanges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
];

export interface TextPart {
  readonly text: string;
  readonly hidden: boolean;
}

export function suspicious(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let plain = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (!isHidden(code)) {
      plain += character;
      continue;
    }
    if (plain !== "") parts.push({ text: plain, hidden: false });
    plain = "";
    parts.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, "0")}`, hidden: true });
  }
  if (plain !== "" || parts.length === 0) parts.push({ text: plain, hidden: false });
  return parts;
}

function isHidden(code: number): boolean {
  if (code >= 0x20 && code < 0x7f) return false;
  return hiddenRanges.some(([from, to]) => code >= from && code <= to);
}

export function hasHidden(text: string): boolean {
  return suspicious(text).some(({ hidden }) => hidden);
}

/** The plain name of a host that is not plain itself. */
export function plainHost(host: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\u0000-\u007f]*$/.test(host)) return undefined;
  try {
    return new URL(`http://${host}`).hostname;
  } catch {
    return undefined;
  }
}
