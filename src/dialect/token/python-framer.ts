/** Frames of calls in Python's notation: a list, or one call. They end where their brackets balance outside strings. */
import type { FrameContext, FrameEnd, Framer } from "../frame/frame.ts";
import { withRepairs } from "../frame/text-output.ts";
import { isSpace } from "../read/tag.ts";
import { type DecodedPart, decodedCall } from "../types.ts";
import { readPythonCalls } from "./python-calls.ts";
import { closingTokens, pythonParts } from "./token-forms.ts";
import { tokenAt } from "./tokens.ts";

export class PythonFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;
  private depth = 0;
  /** The mark that ends the string being read, one or three quotes. */
  private quote = "";
  /** Its brackets balance. */
  private balanced = false;

  constructor(
    /** Its tool is unknown: it is a call only if nothing follows it. */
    private readonly alone = false,
  ) {}

  giveUp(): undefined {
    if (this.balanced) this.ended = "closed";
    return undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    const calls = end === "closed" ? readPythonCalls(raw) : undefined;
    if (calls !== undefined) {
      const parts = pythonParts(calls, raw, context);
      return this.alone
        ? parts.map((part) => (part.type === "call" ? { type: "call", call: withRepairs(part.call, ["tool name"]) } : part))
        : parts;
    }
    if (this.alone) return undefined;
    const unreadable =
      end === "cut" ? "the call ends before its closing bracket" : "its arguments are not plain values, each with one name";
    return [{ type: "call", call: decodedCall({ name: pythonName(raw), input: {}, raw, cutOff: end === "cut", unreadable }) }];
  }

  feed(text: string, from: number, final: boolean): number {
    if (this.balanced) return this.behind(text, from, final);
    for (let p = from; p < text.length; ) {
      const character = text.charAt(p);
      if (character === '"' || character === "'" || (character === "\\" && this.quote !== "")) {
        // An escape and a triple quote need the characters behind them.
        if (text.length - p < 3 && !final) return p;
        p = this.inOrOut(text, p, character);
        continue;
      }
      p += 1;
      if (this.quote !== "") continue;
      if ("([{".includes(character)) this.depth += 1;
      else if (")]}".includes(character)) {
        this.depth -= 1;
        if (this.depth === 0 && this.alone) {
          this.balanced = true;
          return p;
        }
        if (this.depth === 0) {
          this.ended = "closed";
          return p;
        }
      }
    }
    return text.length;
  }

  /** Only blanks and the token that ends a turn may follow. */
  private behind(text: string, from: number, final: boolean): number {
    let p = from;
    while (p < text.length && isSpace(text.charCodeAt(p))) p += 1;
    if (p === text.length) return p;
    const token = text.charAt(p) === "<" ? tokenAt(text, p, final) : undefined;
    if (token === "more") return p;
    this.ended = token !== undefined && closingTokens.has(token.name) ? "closed" : "rejected";
    return p;
  }

  private inOrOut(text: string, p: number, character: string): number {
    if (character === "\\") return Math.min(text.length, p + 2);
    if (this.quote === "") {
      const triple = character.repeat(3);
      this.quote = text.startsWith(triple, p) ? triple : character;
      return p + this.quote.length;
    }
    if (!text.startsWith(this.quote, p)) return p + 1;
    const next = p + this.quote.length;
    this.quote = "";
    return next;
  }
}

/** Gemma prints what a call gives, or gives it a name; neither changes the call. */
const opening =
  /^\[?\s*(?:print\s*\(\s*(?=[\p{L}_][\p{L}\p{N}_.]*\s*\()|[\p{L}_][\p{L}\p{N}_]{0,63}\s*=\s*)?([\p{L}_][\p{L}\p{N}_.]{0,127})\s*\(/u;
const maybe =
  /^\[?\s{0,64}(?:print\s{0,8}\(\s{0,8}|[\p{L}_][\p{L}\p{N}_]{0,63}\s{0,8}=\s{0,8})?(?:[\p{L}_][\p{L}\p{N}_.]{0,127}\s{0,8})?$/u;

const listOpening = /^\[\s*[\p{L}_][\p{L}\p{N}_.]*\s*\(\s*(?:[\p{L}_][\p{L}\p{N}_]*\s*=(?!=)|\)\s*[\],])/u;

/** Whether a list of calls begins at `at`: a name with parameters by name, or with none. `more` if the text ends too early to say. */
export function pythonListAt(text: string, at: number, final: boolean): boolean | "more" {
  const window = text.slice(at, at + 320);
  if (listOpening.test(window)) return true;
  return !final && window.length < 320 && /^\[\s*[\p{L}_][\p{L}\p{N}_.]*\s*\(\s*(?:[\p{L}_][\p{L}\p{N}_]*\s*=?|\)\s*)?$/u.test(window)
    ? "more"
    : false;
}

/** The tool that a call at `at` names; `more` if the text ends too early to say. */
export function pythonCallAt(text: string, at: number, final: boolean): string | "more" | undefined {
  const window = text.slice(at, at + 256);
  if (!final && maybe.test(window)) return "more";
  return opening.exec(window)?.[1];
}

function pythonName(raw: string): string {
  return opening.exec(raw)?.[1] ?? "";
}
