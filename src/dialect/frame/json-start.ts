/** Can the JSON that starts here be a call? Its first key tells, so that other JSON is not held back. */
import { isSpace } from "../read/tag.ts";

const maxBlank = 256;
const maxKey = 32;

export function jsonMayStart(text: string, at: number, keys: ReadonlySet<string>, final: boolean): "yes" | "no" | "more" {
  const more = final ? "no" : "more";
  let p = at;
  if (text.charAt(p) === "[") {
    p = skip(text, p + 1);
    if (p - at > maxBlank) return "no";
    if (p >= text.length || p < 0) return more;
  }
  if (text.charAt(p) !== "{") return "no";
  const brace = p;
  p = skip(text, p + 1);
  if (p - brace > maxBlank) return "no";
  if (p >= text.length || p < 0) return more;
  // Keys of escaped JSON begin with a backslash.
  if (text.charAt(p) === "\\") p += 1;
  if (p >= text.length) return more;
  const quoted = /["'“‘`]/.test(text.charAt(p));
  if (quoted) p += 1;
  const start = p;
  while (p < text.length && p - start <= maxKey && isWord(text.charCodeAt(p))) p += 1;
  if (p - start > maxKey) return "no";
  if (p >= text.length) return more;
  return keys.has(text.slice(start, p)) ? "yes" : "no";
}

/** Past blanks and comments; -1 if the text ends inside a comment. */
function skip(text: string, from: number): number {
  let p = from;
  while (p < text.length && p - from <= maxBlank) {
    if (isSpace(text.charCodeAt(p))) p += 1;
    else if (text.charAt(p) === "/") {
      const mark = text.slice(p, p + 2);
      if (mark === "/") return -1;
      if (mark !== "//" && mark !== "/*") return p;
      const end = text.indexOf(mark === "//" ? "\n" : "*/", p + 2);
      if (end < 0 && text.length - from <= maxBlank) return -1;
      p = end < 0 ? text.length + maxBlank : end + (mark === "//" ? 1 : 2);
    } else return p;
  }
  return p;
}

function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || (code >= 48 && code <= 57);
}
