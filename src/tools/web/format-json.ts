/**
 * JSON with line breaks and indents, token by token: numbers, strings and the order of keys stay exactly as they were
 * sent. What is not JSON is left as it is.
 */
const token = /\s+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;

/** Deep lists of short values would be little but indents. */
const mostCharacters = 8 << 20;

export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return formatted(text, "  ") ?? formatted(text, "") ?? text;
}

/** `undefined` if the indents make it too long. */
function formatted(text: string, indent: string): string | undefined {
  const parts: string[] = [];
  let depth = 0;
  let last = "";
  let indented = 0;
  const line = (): string => {
    const start = `\n${indent.repeat(Math.min(depth, 100))}`;
    indented += start.length;
    return start;
  };
  for (const [piece] of text.matchAll(token)) {
    if (/^\s/.test(piece)) continue;
    if (indented > mostCharacters) return undefined;
    switch (piece) {
      case "{":
      case "[":
        if (last === "{" || last === "[") parts.push(line());
        parts.push(piece);
        depth += 1;
        break;
      case "}":
      case "]":
        depth -= 1;
        parts.push(last === "{" || last === "[" ? piece : `${line()}${piece}`);
        break;
      case ",":
        parts.push(`,${line()}`);
        break;
      case ":":
        parts.push(": ");
        break;
      default:
        if (last === "{" || last === "[") parts.push(line());
        parts.push(piece);
    }
    last = piece;
  }
  return parts.join("");
}
