/**
 * Owns the text patterns of `Bash(...)` rules and tool names: `*` stands for any text, `\*` for a star.
 * Refuses regular expressions: matching is linear whatever the pattern.
 */

/** The literal pieces between the stars. */
export function piecesOf(pattern: string): string[] {
  const pieces = [""];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === "\\" && pattern[index + 1] === "*") {
      pieces[pieces.length - 1] += "*";
      index += 1;
    } else if (character === "*") pieces.push("");
    else pieces[pieces.length - 1] += character;
  }
  return pieces;
}

export function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  const end = text.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

export function escapeStars(text: string): string {
  return text.replaceAll("*", "\\*");
}
