/**
 * JSON with line breaks and indents, token by token: numbers, strings and the order of keys stay exactly as they were
 * sent. What is not JSON is left as it is.
 */
const token = /\s+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gy;

export function formatJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const parts: string[] = [];
  let depth = 0;
  let last = "";
  const line = (): string => `\n${"  ".repeat(Math.min(depth, 100))}`;
  for (const [piece] of text.matchAll(token)) {
    if (/^\s/.test(piece)) continue;
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
