/**
 * Code fences of Markdown. A fence whose language may hold calls is watched: while it holds nothing but calls and
 * blanks they are kept back, and come out as calls when it closes; one other character makes the whole fence a text.
 */
import { isSpace } from "../read/tag.ts";
import type { DecodedPart } from "../types.ts";

export interface FenceLine {
  readonly mark: "`" | "~";
  readonly length: number;
  readonly language: string;
  /** Behind the line, its break included. */
  readonly end: number;
}

export interface CallFence {
  readonly line: FenceLine;
  /** Everything since the fence opened, for when it turns out to be text. */
  readonly raw: string[];
  readonly held: DecodedPart[];
  spoiled: boolean;
}

const maxLine = 256;

/** Tokens by which models end a turn; a server that passes them on leaves them right behind the closing line. */
const turnEnds = [
  "<|im_end|>",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|end|>",
  "<|endoftext|>",
  "<|return|>",
  "<end_of_turn>",
  "<eos>",
  "</s>",
  "<｜end▁of▁sentence｜>",
];

/** Languages under which models fence their calls; a fence in any other is an example. */
export const callLanguages: ReadonlySet<string> = new Set([
  "",
  "xml",
  "html",
  "json",
  "json5",
  "jsonc",
  "text",
  "txt",
  "plaintext",
  "tool",
  "tools",
  "tool_call",
  "tool_calls",
  "tool_code",
  "toolsxml",
  "tool_use",
  "function_call",
  "function_calls",
]);

export function runLength(text: string, at: number): number {
  const code = text.charCodeAt(at);
  let p = at;
  while (p < text.length && text.charCodeAt(p) === code) p += 1;
  return p - at;
}

/** A fence's opening line at `at`, which is known to start a line. */
export function readFenceLine(text: string, at: number, final: boolean): FenceLine | "more" | undefined {
  const length = runLength(text, at);
  const rest = text.slice(at + length, at + length + maxLine);
  const stop = rest.indexOf("\n");
  if (stop < 0 && rest.length < maxLine && !final) return "more";
  if (stop < 0 && rest.length >= maxLine) return undefined;
  const info = (stop < 0 ? rest : rest.slice(0, stop)).trim();
  const mark = text.charAt(at) === "~" ? "~" : "`";
  if (length < 3 || (mark === "`" && info.includes("`"))) return undefined;
  const language = info.split(/[\s{:,]/, 1)[0]?.toLowerCase() ?? "";
  return { mark, length, language, end: stop < 0 ? text.length : at + length + stop + 1 };
}

/** Does the line at `at` close the fence? The answer is where the marks end; the line break stays. */
export function closesFence(text: string, at: number, line: FenceLine, final: boolean): number | "more" | undefined {
  const length = text.charAt(at) === line.mark ? runLength(text, at) : 0;
  let p = at + length;
  if (p >= text.length && !final && length < maxLine) return "more";
  // The stream ended inside the closing line.
  if (p >= text.length && length > 0 && length < line.length) return p;
  if (length < line.length || length >= maxLine) return undefined;
  const limit = Math.min(text.length, p + maxLine);
  while (p < limit && isSpace(text.charCodeAt(p)) && text.charCodeAt(p) !== 10) p += 1;
  if (p >= text.length) return final || p >= at + length + maxLine ? at + length : "more";
  if (text.charCodeAt(p) === 10) return at + length;
  const behind = text.slice(p, p + 32);
  if (turnEnds.some((token) => behind.startsWith(token))) return at + length;
  return !final && turnEnds.some((token) => token.startsWith(behind)) ? "more" : undefined;
}

/** Code inside a fence that is no call: how far it goes for certain, and whether the fence closed there. */
export function passCode(
  text: string,
  from: number,
  line: FenceLine,
  startsLine: (at: number) => boolean,
  final: boolean,
): { readonly next: number; readonly closed: boolean } {
  for (let at = text.indexOf(line.mark, from); at >= 0; at = text.indexOf(line.mark, at + runLength(text, at))) {
    if (!startsLine(at)) continue;
    const close = closesFence(text, at, line, final);
    if (close === "more") return { next: at, closed: false };
    if (close !== undefined) return { next: close, closed: true };
  }
  return { next: text.length, closed: false };
}
