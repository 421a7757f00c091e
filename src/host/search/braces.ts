/** Brace alternatives: `src/{a,b}/*.{ts,tsx}` becomes four patterns. Pure, and bounded: a bomb is refused. */

const maxAlternatives = 1_000;
const maxLength = 4_096;

/** `undefined`: braces that do not close, or more alternatives than anybody needs. A lone `{}` or `{a}` keeps its content. */
export function expandBraces(pattern: string): readonly string[] | undefined {
  if (pattern.length > maxLength) return undefined;
  const open = nextSpecial(pattern, 0, "{}");
  if (open < 0) return [pattern];
  if (pattern[open] === "}") return undefined;
  const parts = splitGroup(pattern, open);
  if (parts === undefined) return undefined;
  const tails = expandBraces(pattern.slice(parts.end));
  if (tails === undefined) return undefined;
  const head = pattern.slice(0, open);
  const result: string[] = [];
  for (const alternative of parts.alternatives) {
    const middles = expandBraces(alternative);
    if (middles === undefined) return undefined;
    for (const middle of middles) {
      for (const tail of tails) {
        if (result.push(head + middle + tail) > maxAlternatives) return undefined;
      }
    }
  }
  return result;
}

function splitGroup(pattern: string, open: number): { alternatives: string[]; end: number } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = nextSpecial(pattern, open + 1, "{},"); at >= 0; at = nextSpecial(pattern, at + 1, "{},")) {
    const character = pattern[at];
    if (character === "{") depth++;
    else if (character === "}" && depth > 0) depth--;
    else if (depth === 0) {
      alternatives.push(pattern.slice(start, at));
      if (character === "}") return { alternatives, end: at + 1 };
      start = at + 1;
    }
  }
  return undefined;
}

/** The next of `characters` that is neither escaped nor inside a character class. */
function nextSpecial(pattern: string, from: number, characters: string): number {
  for (let at = from; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === "\\") {
      at++;
    } else if (character === "[") {
      const first = /[!^]/.test(pattern[at + 1] ?? "") ? at + 2 : at + 1;
      const close = pattern.indexOf("]", first + 1);
      if (close >= 0) at = close;
    } else if (characters.includes(character)) {
      return at;
    }
  }
  return -1;
}
