/** What a `<` in text begins: a call, a wrapper, a thought, the end of a wrapper, or nothing. */

import { functionReader } from "../read/read-function.ts";
import { lowerSlice, prefixLength, readTag, type Tag, wordAmong } from "../read/tag.ts";
import { closingTokens, sectionTokens, tokenForms } from "../token/token-forms.ts";
import { TokenFramer } from "../token/token-framer.ts";
import { tokenAt } from "../token/tokens.ts";
import type { Framer } from "./frame.ts";
import { CallFramer } from "./frame-call.ts";
import { FunctionFramer, functionStyle, invokeStyle } from "./frame-function.ts";
import type { Hearing } from "./openers.ts";

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
  | (FoundBase & { readonly kind: "close" | "section" | "json" | "result" | "tools" })
  /** `until`: the mark that ends it, where that is no closing tag. */
  | (FoundBase & { readonly kind: "thought"; readonly until?: string })
  | (FoundBase & { readonly kind: "frame"; readonly whole: boolean; framer(opened: number): Framer });

const bar = 124;
const wideBar = 0xff5c;
const gemmaStart = "<start_function_call>";

/** `wait`: it may begin something once more text is there. */
export function lookAtTag({ text, at, final, hearing }: TagView): Found | "wait" | undefined {
  const next = text.charCodeAt(at + 1);
  if (Number.isNaN(next)) return final ? undefined : "wait";
  if (hearing.json === "calls" && mayBeToken(text, at, next)) {
    const found = specialToken(text, at, final);
    if (found !== undefined) return found;
  }
  if (next === 124) return undefined;
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
      // An older form has elements: `<invoke><tool_name>…</tool_name><parameters>…`.
      if (!tag.attributes.has("name")) {
        return tag.selfClosing ? undefined : { kind: "frame", name, end, whole: false, framer: (opened) => new CallFramer(name, opened) };
      }
      return invokeAt(tag);
    case "function":
      if (!tag.attributes.has("=") && !tag.attributes.has("name")) return undefined;
      return {
        kind: "frame",
        name,
        end,
        whole: tag.selfClosing,
        framer: (opened) => new FunctionFramer(functionStyle, functionReader("function"), opened, tag.prefix),
      };
    case undefined:
      return undefined;
    default:
      return tag.selfClosing ? undefined : { kind, name, end };
  }
}

function invokeAt(tag: Tag): Found {
  const framer = (opened: number) => new FunctionFramer(invokeStyle, functionReader("invoke"), opened, tag.prefix);
  return { kind: "frame", name: "invoke", end: tag.end, whole: tag.selfClosing, framer };
}

/** `<|`, `<｜`, `</｜`, or Gemma's token without bars. */
function mayBeToken(text: string, at: number, next: number): boolean {
  if (next === bar || next === wideBar) return true;
  if (next === 47) return text.charCodeAt(at + 2) === bar || text.charCodeAt(at + 2) === wideBar;
  return next === 115 && text.startsWith(gemmaStart.slice(0, text.length - at), at);
}

function specialToken(text: string, at: number, final: boolean): Found | "wait" | undefined {
  const token = tokenAt(text, at, final);
  if (token === "more") return "wait";
  if (token === undefined) return undefined;
  const { name, end } = token;
  if (name === "dsml:invoke") {
    const tag = readTag(text, at, final, undefined, true);
    if (tag === "more") return "wait";
    return tag?.attributes.has("name") ? invokeAt(tag) : undefined;
  }
  if (name === "|channel") return { kind: "thought", name, end, until: "<channel|>" };
  if (name === "python_tag" || name === "function_call") return { kind: "json", name: "", end };
  if (sectionTokens.has(name)) return { kind: "section", name, end };
  if (closingTokens.has(name)) return { kind: "close", name, end };
  const invoke = name === "tool_call_begin" ? stepInvoke(text, end, final) : undefined;
  if (invoke === "wait") return "wait";
  if (invoke !== undefined) return { kind: "section", name, end: invoke };
  const form = tokenForms.get(name);
  return form && { kind: "frame", name, end, whole: false, framer: (opened) => new TokenFramer(form, opened) };
}

const stepOpening = "function<｜tool_sep｜><steptml:";

/** Where the invoke begins that Step writes between its tokens; it is framed by its own tags. */
function stepInvoke(text: string, end: number, final: boolean): number | "wait" | undefined {
  const window = text.slice(end, end + 96);
  const written = window.replaceAll(/\s/g, "").replaceAll("|", "｜").replaceAll("▁", "_").toLowerCase();
  if (written.startsWith(stepOpening)) return end + window.toLowerCase().indexOf("<steptml:");
  return !final && window.length < 96 && stepOpening.startsWith(written) ? "wait" : undefined;
}

function withoutPrefix(word: string): string {
  return word.slice(prefixLength(word));
}

function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
}
