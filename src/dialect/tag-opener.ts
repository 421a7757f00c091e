/** What a `<` in text begins: a call, a wrapper, a thought, the end of a wrapper, or nothing. */
import type { Framer } from "./frame.ts";
import { CallFramer } from "./frame-call.ts";
import { FunctionFramer, functionStyle, invokeStyle } from "./frame-function.ts";
import type { Hearing } from "./openers.ts";
import { functionReader } from "./read-function.ts";
import { lowerSlice, readTag, wordAmong } from "./tag.ts";

interface TagView {
  readonly text: string;
  readonly at: number;
  readonly final: boolean;
  readonly hearing: Hearing;
}

interface FoundBase {
  readonly name: string;
  readonly end: number;
}

export type Found =
  | (FoundBase & { readonly kind: "close" | "json" | "thought" | "result" | "tools" })
  | (FoundBase & { readonly kind: "frame"; readonly whole: boolean; framer(opened: number): Framer });

const pythonMark = "<|python_tag|>";

/** `wait`: it may begin something once more text is there. */
export function lookAtTag({ text, at, final, hearing }: TagView): Found | "wait" | undefined {
  const next = text.charCodeAt(at + 1);
  if (Number.isNaN(next)) return final ? undefined : "wait";
  if (next === 124) return pythonTag(text, at, final, hearing);
  const closing = next === 47;
  const start = closing ? at + 2 : at + 1;
  let p = start;
  const limit = Math.min(text.length, start + 26);
  while (p < limit && isWord(text.charCodeAt(p))) p += 1;
  if (p === start && p < text.length) return undefined;
  if (p === text.length) return !final && hearing.prefixes.has(lowerSlice(text, start, p)) ? "wait" : undefined;
  const exact = wordAmong(text, start, p, hearing.names);
  const name = exact ?? withoutPrefix(lowerSlice(text, start, p));
  const kind = hearing.openers.get(name);
  if (closing ? !hearing.closers.has(name) : kind === undefined) return undefined;
  const tag = readTag(text, at, final, exact);
  if (tag === "more") return "wait";
  if (tag === undefined || tag.name !== name) return undefined;
  const { end } = tag;
  if (closing) return { kind: "close", name, end };
  switch (kind) {
    case "call":
      return { kind: "frame", name, end, whole: tag.selfClosing, framer: (opened) => new CallFramer(name, opened) };
    case "invoke":
      if (!tag.attributes.has("name")) return undefined;
      return {
        kind: "frame",
        name,
        end,
        whole: tag.selfClosing,
        framer: (opened) => new FunctionFramer(invokeStyle, functionReader("invoke"), opened),
      };
    case "function":
      if (!tag.attributes.has("=") && !tag.attributes.has("name")) return undefined;
      return {
        kind: "frame",
        name,
        end,
        whole: tag.selfClosing,
        framer: (opened) => new FunctionFramer(functionStyle, functionReader("function"), opened),
      };
    case undefined:
      return undefined;
    default:
      return tag.selfClosing ? undefined : { kind, name, end };
  }
}

function pythonTag(text: string, at: number, final: boolean, hearing: Hearing): Found | "wait" | undefined {
  if (hearing.json !== "calls") return undefined;
  if (text.startsWith(pythonMark, at)) return { kind: "json", name: "", end: at + pythonMark.length };
  return !final && pythonMark.startsWith(text.slice(at, at + pythonMark.length)) ? "wait" : undefined;
}

function withoutPrefix(word: string): string {
  return word.startsWith("antml:") ? word.slice(6) : word;
}

function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
}
