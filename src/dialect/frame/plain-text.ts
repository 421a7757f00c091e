/**
 * Plain text between calls: where something may begin in it. It only looks and says; it keeps the little memory that
 * takes across chunks (inline code, whether a line has just begun).
 */

import { callKeys } from "../read/read-json.ts";
import { isSpace, readTag } from "../read/tag.ts";
import { toolsXmlTags } from "../read/tools-xml-tags.ts";
import { pythonCallAt, pythonListAt } from "../token/python-framer.ts";
import type { SchemaLookup } from "../types.ts";
import { CharFinder } from "./char-finder.ts";
import { type FenceLine, readFenceLine, runLength } from "./fence.ts";
import { InlineCode } from "./inline-code.ts";
import { jsonMayStart } from "./json-start.ts";
import { knownTagAt } from "./known-tag.ts";
import { type LineForm, lineFormAt } from "./line-forms.ts";
import type { Hearing } from "./openers.ts";
import { type Found, lookAtTag } from "./tag-opener.ts";

/** `wait`: more text is needed. A number: it is text up to there. */
export type Sight =
  | "wait"
  | number
  | { readonly kind: "fence"; readonly line: FenceLine }
  /** `expected`: a mark before it announced calls. */
  | { readonly kind: "json"; readonly expected: boolean }
  | { readonly kind: "mark"; readonly end: number }
  /** A call in Python's notation. `alone`: only if nothing follows it. */
  | { readonly kind: "python"; readonly alone?: boolean }
  /** A form that a line begins. */
  | { readonly kind: "line"; readonly form: LineForm }
  /** A name and JSON behind Mistral's mark, which ends at `end`. */
  | { readonly kind: "named"; readonly end: number; readonly name: string }
  | { readonly kind: "tag"; readonly found: Found }
  /** A tag of ToolsXML without `<tools>` around it. */
  | { readonly kind: "loose" };

const replyKeys: ReadonlySet<string> = new Set(["reply", "tools"]);
const mistralMark = "[TOOL_CALLS]";
const argumentsMark = "[ARGS]";
const thoughtMark = "[THINK]";
const bracketMarks = [mistralMark, argumentsMark, thoughtMark] as const;
const maxName = 64;
/** Phi writes its list of calls right behind this word. */
const phiMark = "functools";
const maxBlank = 64;

export class PlainText {
  readonly inline: InlineCode;
  /** Thoughts and calls aside, nothing was said yet. */
  nothingBefore = true;
  private readonly finder: CharFinder;
  /** Only blanks stand between the last line break and the start of the text at hand. */
  private blankBefore = true;
  /** Where a line begins in the text at hand without a line break before it. */
  private lineFrom = 0;
  /** The last characters before the text at hand. */
  private tail = "";

  constructor(
    private readonly hearing: Hearing,
    /** Tags of ToolsXML count on a line of their own. */
    private readonly hearsLoose: boolean,
    private readonly tools: SchemaLookup,
    /** Forms without marks of their own are heard. */
    private readonly hearsUnmarked: boolean,
  ) {
    this.finder = new CharFinder(hearing.json === "none" ? ["<", "`", "~"] : ["<", "`", "~", "{", "["]);
    this.inline = new InlineCode(this.finder);
  }

  begin(text: string): void {
    this.finder.reset(text);
    this.lineFrom = 0;
    this.inline.resume();
  }

  /** The text at hand is done with up to `to`. */
  leave(text: string, to: number): void {
    this.inline.suspend(to);
    this.tail = this.before(text, to);
    this.blankBefore = this.startsLine(text, to);
  }

  /** What follows counts as a line of its own. */
  beginLine(at: number): void {
    this.lineFrom = at;
  }

  /** The next text goes on in the middle of a line. */
  breakOff(): void {
    this.blankBefore = false;
  }

  next(from: number): number {
    return this.finder.next(from);
  }

  startsLine(text: string, at: number): boolean {
    let p = at - 1;
    while (p >= this.lineFrom && isBlankInLine(text.charCodeAt(p))) p -= 1;
    if (p < 0) return this.blankBefore;
    if (p < this.lineFrom) return true;
    return text.charCodeAt(p) === 10 || text.charCodeAt(p) === 13;
  }

  /** The first form without marks that a line begins between `from` and `to`. `wait`: there may be one at `at`. */
  lineForm(text: string, from: number, to: number, final: boolean): { readonly at: number; readonly sight: LineForm | "wait" } | undefined {
    if (!this.hearsUnmarked) return undefined;
    const end = Math.min(to, text.length);
    for (
      let start = this.startsLine(text, from) ? from : this.finder.lineEnd(from) + 1;
      start < end;
      start = this.finder.lineEnd(start) + 1
    ) {
      let at = start;
      while (at < end && isBlankInLine(text.charCodeAt(at))) at += 1;
      const sight = at < end ? lineFormAt(text, at, final, this.tools) : undefined;
      if (sight !== undefined) return { at, sight };
    }
    return undefined;
  }

  look(text: string, at: number, final: boolean, expectsJson: boolean): Sight {
    const code = text.charCodeAt(at);
    if (code === 96 || code === 126) return this.marks(text, at, final);
    if (this.inline.covers(at)) return at + 1;
    return code === 60 ? this.tag(text, at, final) : this.bracket(text, at, final, expectsJson);
  }

  /** A tag at `at`; a number where it is none. */
  tag(text: string, at: number, final: boolean): Sight {
    const found = lookAtTag({ text, at, final, hearing: this.hearing });
    if (found === "wait") return "wait";
    if (found !== undefined) return { kind: "tag", found };
    const known = this.hearsUnmarked && this.startsLine(text, at) ? knownTagAt(text, at, final, this.tools) : undefined;
    if (known === "wait") return "wait";
    return known === undefined ? this.looseTag(text, at, final) : { kind: "tag", found: known };
  }

  /** JSON at `at` that may be a call; a number where it cannot. */
  json(text: string, at: number, final: boolean, expected: boolean): Sight {
    const may = jsonMayStart(text, at, this.hearing.json === "calls" ? callKeys : replyKeys, final);
    if (may === "more") return "wait";
    return may === "no" ? at + 1 : { kind: "json", expected };
  }

  private marks(text: string, at: number, final: boolean): Sight {
    const run = this.inline.run(text, at, final);
    if (run === "wait") return "wait";
    if (run === "decoration") return at + runLength(text, at);
    if (run >= 3 && this.startsLine(text, at)) {
      const line = readFenceLine(text, at, final);
      if (line === "more") return "wait";
      if (line !== undefined) return { kind: "fence", line };
    }
    if (text.charCodeAt(at) === 96) this.inline.toggle(at, run);
    return at + run;
  }

  /** Behind Phi's word, if its list follows; `wait` if the text ends inside the word. */
  phi(text: string, at: number, final: boolean): number | "wait" | undefined {
    const opening = `${phiMark}[`;
    if (text.startsWith(opening, at)) return at + phiMark.length;
    return !final && opening.startsWith(text.slice(at, at + opening.length)) ? "wait" : undefined;
  }

  bracket(text: string, at: number, final: boolean, expected: boolean): Sight {
    if (this.hearing.json === "calls" && text.charCodeAt(at) === 91) {
      const mark = bracketMarks.find((one) => text.startsWith(one, at));
      if (mark === mistralMark) return this.mistral(text, at + mark.length, final);
      if (mark === argumentsMark) return this.lostMark(text, at);
      if (mark === thoughtMark) {
        return { kind: "tag", found: { kind: "thought", name: mark, end: at + mark.length, until: "[/THINK]" } };
      }
      if (!final && bracketMarks.some((one) => one.startsWith(text.slice(at, at + one.length)))) return "wait";
      if (expected || this.startsLine(text, at)) {
        const sight = this.python(text, at, final);
        if (typeof sight !== "number") return sight;
      }
    }
    const begins = expected || this.startsLine(text, at) || this.endsWith(text, at, phiMark);
    return begins ? this.json(text, at, final, expected) : at + 1;
  }

  /** A call in Python's notation of a tool that exists, or of any if a mark announced it; a number where it is none. */
  python(text: string, at: number, final: boolean, announced = false): Sight {
    const name = pythonCallAt(text, at, final);
    if (name === "more") return "wait";
    if (name !== undefined && announced) return { kind: "python" };
    if (name !== undefined && this.tools(name.replace(/^(?:functions|tools|default_api)\./, "")) !== undefined) return { kind: "python" };
    if (name === undefined || !this.nothingBefore || !this.hearsUnmarked) return at + 1;
    const begins = pythonListAt(text, at, final);
    if (begins === "more") return "wait";
    return begins ? { kind: "python", alone: true } : at + 1;
  }

  /** Behind the mark stands JSON, or a name with JSON. */
  private mistral(text: string, end: number, final: boolean): Sight {
    let p = end;
    while (p < text.length && isSpace(text.charCodeAt(p)) && p - end < maxBlank) p += 1;
    if (p >= text.length && !final) return "wait";
    return /[\p{L}_]/u.test(text.charAt(p)) ? { kind: "named", end, name: "" } : { kind: "mark", end };
  }

  /** The mark before the name is missing; the name of a tool right before its arguments is enough. */
  private lostMark(text: string, at: number): Sight {
    const name = /[\p{L}_][\p{L}\p{N}_.:/-]*$/u.exec(this.before(text, at))?.[0];
    return name !== undefined && this.tools(name) !== undefined ? { kind: "named", end: at, name } : at + 1;
  }

  /** The last characters before `at`, those of earlier texts included. */
  private before(text: string, at: number): string {
    return (this.tail + text.slice(Math.max(0, at - maxName), at)).slice(-maxName);
  }

  private endsWith(text: string, at: number, word: string): boolean {
    return this.before(text, at).endsWith(word);
  }

  private looseTag(text: string, at: number, final: boolean): Sight {
    if (!this.hearsLoose || !this.startsLine(text, at)) return at + 1;
    const tag = readTag(text, at, final);
    if (tag === "more") {
      const word = /^<([a-z_]*)/i.exec(text.slice(at, at + 16))?.[1] ?? "";
      return this.hearing.prefixes.has(word.toLowerCase()) ? "wait" : at + 1;
    }
    const isOurs = tag !== undefined && !tag.closing && toolsXmlTags.has(tag.name);
    // `<input type="text">` is a form of a web page.
    return isOurs && !(tag.name === "input" && tag.attributes.size > 0) ? { kind: "loose" } : at + 1;
  }
}

/** A blank, a tab, or the mark of the byte order before the first line. */
function isBlankInLine(code: number): boolean {
  return code === 32 || code === 9 || code === 0xfeff;
}
