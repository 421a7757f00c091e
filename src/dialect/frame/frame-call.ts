/**
 * `<tool_call>` before it is known what stands in it: the first characters tell whether it holds JSON, elements,
 * a bare name with arguments, or is only the wrapper of functions. A mention of the tag in prose is rejected
 * as soon as that is sure.
 */

import { functionReader } from "../read/read-function.ts";
import { completingTags, readJsonCall, readMarkupCall } from "../read/read-tool-call.ts";
import { isNameCode, isSpace, prefixLength } from "../read/tag.ts";
import { type DecodedPart, decodedCall } from "../types.ts";
import { closesAt, type FrameContext, type FrameEnd, type Framer } from "./frame.ts";
import { argumentStyle, FunctionFramer } from "./frame-function.ts";
import { JsonFramer } from "./frame-json.ts";
import { MarkupFramer } from "./frame-markup.ts";

/** Prose after the tag is followed this far for its end; then it was a mention. */
const maxProse = 400;

export class CallFramer implements Framer {
  ended: FrameEnd | undefined;
  unsure = false;
  /** It only wraps other calls: drop it and read on. */
  isContainer = false;
  private inner: Framer | undefined;
  private prose = 0;
  /** The last blank after the opening tag. */
  private spaceBefore = 0;
  private lastBreak = false;

  constructor(
    private readonly name: string,
    private offset: number,
  ) {}

  giveUp(): number | undefined {
    if (this.inner === undefined) {
      if (this.prose > 0) this.ended = "rejected";
      return undefined;
    }
    const end = this.inner.giveUp();
    if (this.inner.ended !== undefined) this.ended = this.inner.ended;
    else if (this.inner instanceof JsonFramer && this.inner.complete) this.ended = "unclosed";
    return end;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    if (this.inner !== undefined) return this.inner.read(raw, end, context);
    const unreadable = end === "cut" ? "the call ends before its name" : "the call is neither JSON nor has a <name>";
    return [{ type: "call", call: decodedCall({ name: "", input: {}, raw, cutOff: end === "cut", unreadable }) }];
  }

  feed(text: string, from: number, final: boolean): number {
    let p = from;
    if (this.inner === undefined) {
      if (this.prose === 0) p = this.sniff(text, from, final);
      this.offset += p - from;
      const start = p;
      if (this.prose > 0) p = this.readProse(text, p, final);
      this.offset += p - start;
    }
    if (this.inner === undefined || this.ended !== undefined) return p;
    p = this.inner.feed(text, p, final);
    this.ended = this.inner.ended;
    this.unsure = this.inner.unsure;
    return p;
  }

  private sniff(text: string, from: number, final: boolean): number {
    let p = from;
    while (p < text.length && isSpace(text.charCodeAt(p))) {
      this.spaceBefore = text.charCodeAt(p);
      p += 1;
    }
    if (p >= text.length) return p;
    const opened = this.offset + p - from;
    const character = text.charAt(p);
    if (character === "{" || character === "[") return this.json(opened, p);
    if (character === "`") {
      if (text.length - p < 3 && !final && "```".startsWith(text.slice(p))) return p;
      return text.startsWith("```", p) ? this.json(opened, p) : this.reject(p);
    }
    if (character === "<") return this.sniffTag(text, p, opened, final);
    return this.name === "invoke" ? this.reject(p) : this.sniffName(text, p, opened, final);
  }

  private json(opened: number, p: number): number {
    this.inner = new JsonFramer({ tag: this.name, read: readJsonCall }, opened);
    return p;
  }

  private reject(p: number): number {
    this.ended = "rejected";
    return p;
  }

  private sniffTag(text: string, p: number, opened: number, final: boolean): number {
    const word = wordAt(text, p + 1);
    if (p + 1 + word.length >= text.length && !final && word.length < 24) return p;
    const lower = word.toLowerCase();
    const bare = lower.slice(prefixLength(lower));
    const next = text.charAt(p + 1 + word.length);
    const isFunction = bare === "function" && /[\s=]/.test(next);
    if (isFunction || bare === "invoke" || bare === "tool_call") {
      this.isContainer = true;
      return this.reject(p);
    }
    if (this.name === "invoke" && !callParts.has(bare)) return this.reject(p);
    if (bare === "arg_key" || bare === "arg_value") this.arguments(opened);
    else this.markup(opened);
    return p;
  }

  /** Prose, then a tag: of a call after all, or of something else. */
  private proseBefore(text: string, p: number, from: number, final: boolean): number {
    const word = wordAt(text, p + 1);
    if (p + 1 + word.length >= text.length && !final && word.length < 24) return p;
    if (!callParts.has(word.toLowerCase())) return this.reject(p);
    this.markup(this.offset + p - from);
    return p;
  }

  private markup(opened: number): void {
    this.inner = new MarkupFramer({ name: this.name, around: nothing, completes: completingTags, read: readMarkupCall }, opened);
  }

  private arguments(opened: number): void {
    this.inner = new FunctionFramer(argumentStyle, functionReader("arguments"), opened, "");
  }

  /** A name, then arguments, the end of the tag, or JSON; anything else is prose. */
  private sniffName(text: string, p: number, opened: number, final: boolean): number {
    const limit = Math.min(text.length, p + maxProse);
    let q = p;
    while (q < limit && isNameCode(text.charCodeAt(q))) q += 1;
    let r = q;
    while (r < limit && isSpace(text.charCodeAt(r))) r += 1;
    if (r >= text.length && r - p < maxProse) {
      if (!final) return p;
      // A lone word at the very end: cut off in its name, or a mention in a sentence.
      if (q > p && this.spaceBefore !== 32) {
        this.arguments(opened);
        return p;
      }
    }
    if (q > p && text.charAt(r) === "<") {
      const word = text.slice(r + 1, r + 10).toLowerCase();
      if (word.length < 9 && !final) return p;
      const close = closesAt(text, r, this.name, final);
      if (close === "more") return p;
      if (word.startsWith("arg_key") || word.startsWith("arg_value") || (word.startsWith("/") && close !== undefined)) {
        this.arguments(opened);
        return p;
      }
    }
    const fence = q > p && text.startsWith("```", r);
    if (q > p && !fence && !final && text.charAt(r) === "`" && text.length - r < 3) return p;
    if (q > p && (fence || text.charAt(r) === "{")) {
      this.inner = new JsonFramer(
        { tag: this.name, read: (raw, end, context) => functionReader("arguments")(raw, end, noSpans, context) },
        opened,
      );
      return p;
    }
    this.prose = 1;
    return p;
  }

  private readProse(text: string, from: number, final: boolean): number {
    for (let p = from; p < text.length; p += 1) {
      const code = text.charCodeAt(p);
      if (code === 60) {
        if (p + 1 >= text.length && !final) return p;
        const close = text.charCodeAt(p + 1) === 47 ? closesAt(text, p, this.name, final) : undefined;
        if (close === "more") return p;
        if (close === undefined) return this.proseBefore(text, p, from, final);
        this.ended = "closed";
        return close;
      }
      if (code === 96 || this.prose > maxProse || (code === 10 && this.lastBreak)) return this.reject(p);
      this.lastBreak = code === 10;
      this.prose += 1;
    }
    return text.length;
  }
}

/** Tags that show a call even behind prose. */
const callParts: ReadonlySet<string> = new Set(["name", "tool_name", "params", "parameters", "arguments"]);
const nothing: ReadonlySet<string> = new Set();
const noSpans = { spans: [], rejected: false, stray: false };

function wordAt(text: string, at: number): string {
  let p = at;
  while (p < text.length && p < at + 24 && (isNameCode(text.charCodeAt(p)) || text.charCodeAt(p) === 58)) p += 1;
  return text.slice(at, p);
}
