/** Frames of calls in Python's notation: a list, or one call. They end where their brackets balance outside strings. */
import type { FrameContext, FrameEnd, Framer } from "../frame/frame.ts";
import { type DecodedPart, decodedCall } from "../types.ts";
import { readPythonCalls } from "./python-calls.ts";
import { pythonParts } from "./token-forms.ts";

export class PythonFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;
  private depth = 0;
  /** The mark that ends the string being read, one or three quotes. */
  private quote = "";

  giveUp(): undefined {
    return undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] {
    const calls = end === "closed" ? readPythonCalls(raw) : undefined;
    if (calls !== undefined) return pythonParts(calls, raw, context);
    const unreadable =
      end === "cut" ? "the call ends before its closing bracket" : "its arguments are not plain values, each with one name";
    return [{ type: "call", call: decodedCall({ name: pythonName(raw), input: {}, raw, cutOff: end === "cut", unreadable }) }];
  }

  feed(text: string, from: number, final: boolean): number {
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
        if (this.depth === 0) {
          this.ended = "closed";
          return p;
        }
      }
    }
    return text.length;
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

/** The tool that a call at `at` names; `more` if the text ends too early to say. */
export function pythonCallAt(text: string, at: number, final: boolean): string | "more" | undefined {
  const window = text.slice(at, at + 256);
  if (!final && maybe.test(window)) return "more";
  return opening.exec(window)?.[1];
}

function pythonName(raw: string): string {
  return opening.exec(raw)?.[1] ?? "";
}
