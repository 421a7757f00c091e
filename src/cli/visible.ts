/** Control, invisible and direction characters made visible, so that nothing on a card can hide or overwrite another part. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** One line of at most `length` characters, nothing in it that a terminal would obey. */
export function oneLine(text: string, length = 160): string {
  const line = visible(text.replace(/\s*\n\s*/g, " ⏎ ").replaceAll("\t", " "));
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

/** Text of many lines that a terminal does not obey: nothing moves the cursor, sets colours or turns the direction of writing. */
export function harmless(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => visible(character));
}
