/**
 * Frames of JSON: inside `<tool_call>`, inside a code fence, or bare. The frame ends when its brackets balance
 * outside strings (and, in a tag, when that tag closes). A closing tag inside a string is data.
 */

import { isSpace } from "../read/tag.ts";
import type { DecodedPart } from "../types.ts";
import { closesAt, type FrameContext, type FrameEnd, type Framer } from "./frame.ts";

interface JsonRules {
  /** The tag around it, lower case; without one the frame ends with its value. */
  readonly tag?: string;
  /** A line of three backticks ends it, even inside a string: no JSON string holds a raw line break. */
  readonly fenced?: boolean;
  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined;
}

const quote = 34;
const apostrophe = 39;
const backslash = 92;
const slash = 47;
const lessThan = 60;
const backtick = 96;
const newline = 10;

export class JsonFramer implements Framer {
  ended: FrameEnd | undefined;
  unsure = false;
  private depth = 0;
  private balanced = false;
  /** Code of the quote that closes the string being read; 0 outside. */
  private inString = 0;
  private escaped = false;
  /** The end of the comment being read. */
  private comment: "\n" | "*/" | undefined;
  /** The last character that is not blank. */
  private before = 0;
  /** A line break came after it. */
  private broke = false;
  private offset: number;
  private softEnd: number | undefined;

  constructor(
    private readonly rules: JsonRules,
    opened: number,
  ) {
    this.offset = opened;
  }

  giveUp(): number | undefined {
    return this.softEnd;
  }

  /** Every value in it is complete; only what is around it is missing. */
  get complete(): boolean {
    return this.balanced;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    return this.rules.read(raw, end, context);
  }

  feed(text: string, from: number, final: boolean): number {
    let p = from;
    while (p < text.length && this.ended === undefined) {
      const code = text.charCodeAt(p);
      const next =
        this.comment !== undefined || (code === slash && this.inString === 0)
          ? this.inComment(text, p, final)
          : code === lessThan || code === backtick
            ? this.special(text, p, code, from, final)
            : this.inString === 0
              ? this.outside(code, p)
              : this.inside(text, p);
      if (next < 0) break;
      p = next;
    }
    this.offset += p - from;
    return p;
  }

  /** A slash outside strings begins a comment, in which nothing counts. -1: more is needed. */
  private inComment(text: string, at: number, final: boolean): number {
    if (this.comment === undefined) {
      if (at + 1 >= text.length && !final) return -1;
      const next = text.charAt(at + 1);
      if (next !== "/" && next !== "*") {
        this.note(slash);
        return at + 1;
      }
      this.comment = next === "/" ? "\n" : "*/";
      return at + 2;
    }
    const end = text.indexOf(this.comment, at);
    if (end < 0) {
      // The first half of the mark may be the last character.
      const rest = this.comment === "*/" && !final && text.endsWith("*") ? text.length - 1 : text.length;
      return rest === at ? -1 : rest;
    }
    const { length } = this.comment;
    this.comment = undefined;
    return end + length;
  }

  /** Runs through a string up to the next character that means something. */
  private inside(text: string, at: number): number {
    const { length } = text;
    const end = this.inString;
    let p = at;
    if (this.escaped && p < length) {
      this.escaped = false;
      this.note(text.charCodeAt(p));
      p += 1;
    }
    // Nearly every character of a string is passed by; what stood last is looked up afterwards.
    let noted = p;
    for (; p < length; p += 1) {
      const code = text.charCodeAt(p);
      if (code > backtick && code !== end) continue;
      if (code === backslash) {
        p += 1;
        this.note(backslash);
        noted = p;
        if (p === length) {
          this.escaped = true;
          return p;
        }
        this.note(text.charCodeAt(p));
        noted = p + 1;
      } else if (code === end) {
        this.inString = 0;
        this.note(code);
        return p + 1;
      } else if (code === lessThan || code === backtick) break;
    }
    this.noteLast(text, noted, p);
    return p;
  }

  /** What the plain characters of a range leave behind: the last one that is no blank, and whether a line ended after it. */
  private noteLast(text: string, from: number, to: number): void {
    let broke = false;
    for (let p = to - 1; p >= from; p -= 1) {
      const code = text.charCodeAt(p);
      if (code === newline) broke = true;
      else if (code !== 32) {
        this.before = code;
        this.broke = broke;
        return;
      }
    }
    if (broke) this.broke = true;
  }

  private note(code: number): void {
    this.before = code;
    this.broke = false;
  }

  private outside(code: number, at: number): number {
    if (isSpace(code)) {
      if (code === newline) this.broke = true;
      return at + 1;
    }
    if (this.balanced && this.rules.tag !== undefined && !continues(code)) {
      this.ended = "unclosed";
      return at;
    }
    if (code === quote) this.inString = quote;
    else if ((code === apostrophe || code === 0x201c) && startsString(this.before))
      this.inString = code === apostrophe ? apostrophe : 0x201d;
    else if (code === 123 || code === 91) {
      this.depth += 1;
      this.balanced = false;
    } else if ((code === 125 || code === 93) && this.depth > 0) {
      this.depth -= 1;
      if (this.depth === 0) {
        this.balanced = true;
        this.softEnd = undefined;
        if (this.rules.tag === undefined) this.ended = "closed";
      }
    }
    this.note(code);
    return at + 1;
  }

  /** `<` may be the closing tag, a backtick the end of the fence. -1: more is needed. */
  private special(text: string, p: number, code: number, from: number, final: boolean): number {
    if (this.escaped) {
      this.escaped = false;
      this.note(code);
      return p + 1;
    }
    if (code === backtick) return this.fence(text, p, final);
    const { tag } = this.rules;
    if (tag !== undefined) {
      if (p + 1 >= text.length && !final) return -1;
      if (text.charCodeAt(p + 1) === 47) {
        const close = closesAt(text, p, tag, final);
        if (close === "more") return -1;
        if (close !== undefined) return this.closing(p, close, from);
      } else if (this.balanced && this.inString === 0) {
        this.ended = "unclosed";
        return p;
      }
    }
    this.note(code);
    return p + 1;
  }

  private closing(p: number, close: number, from: number): number {
    // In a string it is data, unless a raw line break after `}` shows that the string had lost its end.
    if (this.inString !== 0 && !(this.broke && (this.before === 125 || this.before === 93))) {
      this.softEnd ??= this.offset + (close - from);
      this.note(lessThan);
      return p + 1;
    }
    this.ended = "closed";
    this.unsure = !this.balanced;
    return close;
  }

  private fence(text: string, p: number, final: boolean): number {
    if (this.rules.fenced && (this.broke || this.before === 0)) {
      if (p + 3 > text.length && !final && "```".startsWith(text.slice(p))) return -1;
      if (text.startsWith("```", p)) {
        this.ended = "unclosed";
        return p;
      }
    }
    if (this.inString === backtick) this.inString = 0;
    else if (this.inString === 0 && startsString(this.before)) this.inString = backtick;
    this.note(backtick);
    return p + 1;
  }
}

/** After a complete value only more JSON may follow. */
function continues(code: number): boolean {
  return code === 44 || code === 123 || code === 91 || code === 125 || code === 93 || code === backtick || code === 59;
}

/** Where a key or value is expected: { [ , : */
function startsString(before: number): boolean {
  return before === 123 || before === 91 || before === 44 || before === 58;
}
