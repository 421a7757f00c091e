/**
 * Text for a reader who must see its white space and marks: a tab, a no-break space and two blanks look alike otherwise,
 * and so do é as one character and as two.
 * Only for showing; nothing here is ever matched or written.
 */

const marks: ReadonlyMap<string, string> = new Map([
  [" ", "·"],
  ["\t", "→"],
  ["\r", "␍"],
  ["\n", "␊"],
  ["\u00a0", "⍽"],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must become visible
const unseen = /[\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|[\u0300-\u036f]/gu;

export function visible(text: string): string {
  return text.replace(unseen, (character) => {
    const mark = marks.get(character);
    if (mark !== undefined) return mark;
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The part of a line around `column` (0-based), visible, with `…` where something was left out. */
export function visibleAround(line: string, column: number, reach = 40): string {
  const from = Math.max(0, column - reach);
  const to = Math.min(line.length, column + reach);
  return `${from > 0 ? "…" : ""}${visible(line.slice(from, to))}${to < line.length ? "…" : ""}`;
}
