/**
 * Frames of markup with CDATA: `<tool_call>` with elements inside, and the tags of ToolsXML.
 * The frame ends at its closing tag outside CDATA; `</tool_call>` inside CDATA is data.
 */
import { startsCdata } from "../read/elements.ts";
import { isBlankRange, isNameCode, isSpace, lowerSlice } from "../read/tag.ts";
import type { DecodedPart } from "../types.ts";
import type { FrameContext, FrameEnd, Framer } from "./frame.ts";
import { markupFollows, ShellQuotes } from "./shell-quotes.ts";

interface MarkupRules {
  /** Lower-case name of the frame's tag. */
  readonly name: string;
  /** Closing tags of what is around it: they end a frame whose own end is missing. */
  readonly around: ReadonlySet<string>;
  /** Closing tags after which the frame is complete but for its own end. */
  readonly completes: ReadonlySet<string>;
  /** The content is shell text: a closing tag between quotes is part of it, unless markup follows it. */
  readonly shellText?: boolean;
  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined;
}

const cdataOpen = "<![CDATA[";
/** The longest closing tag, blanks included; what is longer is content. */
const maxClosing = 144;

export class MarkupFramer implements Framer {
  ended: FrameEnd | undefined;
  unsure = false;
  private inCdata = false;
  /** Characters of the frame that were dealt with. */
  private offset = 0;
  private softEnd: number | undefined;
  /** The last thing seen, blanks aside: a closing tag, one that completes the frame, or something else. */
  private last: "close" | "complete" | "other" = "other";
  private readonly ownClose: string;
  private readonly quotes = new ShellQuotes();

  constructor(
    private readonly rules: MarkupRules,
    opened: number,
  ) {
    this.offset = opened;
    this.ownClose = `</${rules.name}>`;
  }

  feed(text: string, from: number, final: boolean): number {
    let p = from;
    while (p < text.length && this.ended === undefined) {
      const next = this.inCdata ? this.cdata(text, p, final) : this.content(text, p, final);
      this.offset += next - p;
      // No progress: what is left may be the start of a tag and waits for more.
      if (next === p) break;
      p = next;
    }
    return p;
  }

  giveUp(): number | undefined {
    return this.inCdata ? this.softEnd : undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    return this.rules.read(raw, end, context);
  }

  private cdata(text: string, from: number, final: boolean): number {
    const stop = text.indexOf("]]>", from);
    const to = stop < 0 ? text.length : stop;
    if (this.softEnd === undefined) {
      // Only until the first one is found: where an unclosed section would be cut.
      const segment = text.slice(from, to);
      const close = segment.indexOf(this.ownClose);
      if (close >= 0) this.softEnd = this.offset + close + this.ownClose.length;
    }
    if (stop >= 0) {
      this.inCdata = false;
      this.last = "other";
      return stop + 3;
    }
    if (final) return text.length;
    return Math.max(from, text.length - this.ownClose.length);
  }

  private content(text: string, from: number, final: boolean): number {
    const lt = text.indexOf("<", from);
    if (lt < 0) {
      this.passText(text, from, text.length);
      return text.length;
    }
    this.passText(text, from, lt);
    const next = text.charCodeAt(lt + 1);
    if (next === 47) return this.closing(text, lt, final);
    if (next === 33) {
      if (startsCdata(text, lt)) {
        this.inCdata = true;
        this.softEnd = undefined;
        return lt + 9;
      }
      if (!final && cdataOpen.startsWith(text.slice(lt, lt + 9).toUpperCase())) return lt;
    }
    if (Number.isNaN(next) && !final) return lt;
    const again = this.reopens(text, lt, final);
    if (again === "more") return lt;
    if (again) {
      this.ended = "unclosed";
      return lt;
    }
    this.last = "other";
    return lt + 1;
  }

  private closing(text: string, lt: number, final: boolean): number {
    const limit = Math.min(text.length, lt + maxClosing);
    let p = lt + 2;
    while (p < limit && isNameCode(text.charCodeAt(p))) p += 1;
    const nameEnd = p;
    while (p < limit && isSpace(text.charCodeAt(p))) p += 1;
    if (p === text.length && p < lt + maxClosing && !final) return lt;
    if (text.charCodeAt(p) !== 62) {
      this.last = "other";
      return nameEnd;
    }
    const name = lowerSlice(text, lt + 2, nameEnd);
    if (name === this.rules.name && this.rules.shellText && this.quotes.open) {
      const follows = markupFollows(text, p + 1, final);
      if (follows === "more") return lt;
      if (!follows) return p + 1;
    }
    if (name === this.rules.name) {
      this.ended = "closed";
      this.unsure = this.last === "other" && this.rules.completes.size > 0;
    } else if (this.rules.around.has(name)) {
      this.ended = "unclosed";
      this.unsure = true;
      return lt;
    } else this.last = this.rules.completes.has(name) ? "complete" : "close";
    return p + 1;
  }

  /** The same tag opens again right after this frame was complete: its end is missing. */
  private reopens(text: string, lt: number, final: boolean): boolean | "more" {
    if (this.last !== "complete") return false;
    const written = text.slice(lt + 1, lt + 2 + this.rules.name.length).toLowerCase();
    if (written.length <= this.rules.name.length) return !final && this.rules.name.startsWith(written) ? "more" : false;
    return /^[\s>]$/.test(written.slice(-1)) && written.startsWith(this.rules.name);
  }

  private passText(text: string, from: number, to: number): void {
    if (this.rules.shellText) this.quotes.pass(text, from, to);
    if (this.last !== "other" && !isBlankRange(text, from, to)) this.last = "other";
  }
}
