/**
 * Special tokens of open models as they stand in raw text: `<|name|>`, `<｜name｜>`, `</｜name｜x>`, `<｜name｜x y="z">`. Owns how one is recognised;
 * knows no form. Models write the blank in a name as `▁`.
 */

export interface Token {
  /** Lower case, with `_` for `▁`: `tool_call_begin`, `/tool_call`, `dsml:function_calls`. */
  readonly name: string;
  readonly end: number;
}

const maxToken = 48;
const complete = /^<(\/?)[|｜]([\p{L}\p{N}_▁/]{1,40})(?:[|｜]>|[|｜]([\p{L}_]{1,20})(?:>|(?=\s)))/u;
const partial = /^<\/?(?:[|｜](?:[\p{L}\p{N}_▁/]{0,40}(?:[|｜][\p{L}_]{0,20})?)?)?$/u;
/** Tokens without bars. */
const plain = ["<start_function_call>", "<end_function_call>", "<|tool_call>", "<tool_call|>", "<|channel>"] as const;

/** `more`: the text ends inside what may be a token. `undefined`: no token stands at `at`. */
export function tokenAt(text: string, at: number, final: boolean): Token | "more" | undefined {
  const window = text.slice(at, at + maxToken);
  for (const token of plain) {
    if (window.startsWith(token)) return { name: token.slice(1, -1), end: at + token.length };
    if (!final && window.length < token.length && token.startsWith(window)) return "more";
  }
  const match = complete.exec(window);
  if (match === null) return !final && window.length < maxToken && partial.test(window) ? "more" : undefined;
  const [whole, slash = "", name = "", inner] = match;
  const plainName = name.replaceAll("▁", "_").toLowerCase();
  return { name: slash + (inner === undefined ? plainName : `${plainName}:${inner.toLowerCase()}`), end: at + whole.length };
}
