/**
 * Frames between special tokens: from the token that opens a form to the one that ends it. Everything between is one text.
 * A token inside a text of the arguments is data. If such a text never ends, the first token in it was the end after all.
 */
import type { FrameContext, FrameEnd, Framer } from "../frame/frame.ts";
import { isSpace } from "../read/tag.ts";
import type { DecodedPart } from "../types.ts";
import { tokenAt } from "./tokens.ts";

/**
 * How a form writes texts in which its tokens are data: as JSON and Python do, between marks of its own, not at all, or as JSON
 * only if what stands before the message names a recipient.
 */
type Quoting = "json" | "marks" | "none" | "recipient";

export interface TokenForm {
  /** Tokens that end the frame and belong to it. */
  readonly ends: ReadonlySet<string>;
  /** Tokens that end a frame whose own end is missing; they are read again. */
  readonly stops: ReadonlySet<string>;
  readonly quoting: Quoting;
  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined;
}

/** Marks around texts that have no escapes. */
const ownMarks = ["<escape>", '<|"|>'] as const;
const maxHead = 512;

export class TokenFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;
  private quoting: Quoting;
  /** The mark that ends the text being read; empty outside. */
  private quote = "";
  /** The last character before the text at hand that is not blank. */
  private last = "";
  /** What stands before the message. */
  private head = "";
  private offset: number;
  private softEnd: number | undefined;

  constructor(
    private readonly form: TokenForm,
    opened: number,
  ) {
    this.quoting = form.quoting;
    this.offset = opened;
  }

  giveUp(): number | undefined {
    return this.quote === "" ? undefined : this.softEnd;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    return this.form.read(raw, end, context);
  }

  feed(text: string, from: number, final: boolean): number {
    const next = this.pass(text, from, final);
    if (this.quoting === "recipient" && this.head.length < maxHead) this.head += text.slice(from, next);
    this.last = lastBefore(text, next, from) || this.last;
    this.offset += next - from;
    return next;
  }

  private pass(text: string, from: number, final: boolean): number {
    const signs = this.quoting === "json" || this.quoting === "marks" ? /["'\\<]/g : /</g;
    signs.lastIndex = from;
    for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
      const at = found.index;
      if (found[0] === "<") {
        const next = this.angle(text, at, from, final);
        if (next === "more") return at;
        if (this.ended !== undefined) return next;
        signs.lastIndex = next;
        // The message has begun: from here on quotes count, or nothing does.
        if (signs.source === "<" && this.quoting === "json") return next;
      } else if (found[0] === "\\") {
        if (at + 1 >= text.length && !final) return at;
        if (this.quote.length < 2) signs.lastIndex = at + 2;
      } else this.quoted(found[0], text, at, from);
    }
    return text.length;
  }

  private quoted(mark: string, text: string, at: number, from: number): void {
    if (this.quote === mark) this.quote = "";
    else if (this.quote === "" && (mark === '"' || startsText(lastBefore(text, at, from) || this.last))) this.quote = mark;
  }

  private angle(text: string, at: number, from: number, final: boolean): number | "more" {
    if (this.quoting === "marks") {
      const mark = ownMarks.find((one) => text.startsWith(one, at));
      if (mark !== undefined) {
        if (this.quote === "") this.quote = mark;
        else if (this.quote === mark) this.quote = "";
        return at + mark.length;
      }
      if (!final && ownMarks.some((one) => one.startsWith(text.slice(at, at + one.length)))) return "more";
    }
    const token = tokenAt(text, at, final);
    if (token === "more") return "more";
    if (token === undefined) return at + 1;
    if (token.name === "message" && this.quoting === "recipient") {
      this.quoting = /\bto=/.test(this.head + text.slice(from, at)) ? "json" : "none";
    }
    const ends = this.form.ends.has(token.name);
    if (!ends && !this.form.stops.has(token.name)) return at + 1;
    const to = ends ? token.end : at;
    if (this.quote !== "") {
      this.softEnd ??= this.offset + (to - from);
      return token.end;
    }
    this.ended = ends ? "closed" : "unclosed";
    return to;
  }
}

/** Where a text may begin: behind a bracket, a comma, or what stands between a key and its value. */
function startsText(before: string): boolean {
  return before !== "" && "{[(,:=".includes(before);
}

function lastBefore(text: string, to: number, from: number): string {
  for (let p = to - 1; p >= from; p -= 1) if (!isSpace(text.charCodeAt(p))) return text.charAt(p);
  return "";
}
