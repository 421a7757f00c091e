/**
 * The incremental reader of model text: finds calls, hands out everything else as text, and holds back only what
 * may be the beginning of a call. Every character is looked at a bounded number of times.
 *
 * What is not a call, by decision: anything in thoughts (`<think>`), in results of tools, in inline code, and in a
 * code fence, unless the fence holds nothing but calls (then they are calls, marked `code fence`).
 */
import { CharFinder } from "./char-finder.ts";
import { type CallFence, callLanguages, closesFence, type FenceLine, passCode, readFenceLine, runLength } from "./fence.ts";
import type { FrameContext, FrameEnd, Framer } from "./frame.ts";
import { CallFramer } from "./frame-call.ts";
import { JsonFramer } from "./frame-json.ts";
import { MarkupFramer } from "./frame-markup.ts";
import { InlineCode } from "./inline-code.ts";
import { jsonMayStart } from "./json-start.ts";
import { OpaqueText } from "./opaque.ts";
import { type Hearing, hearingOf } from "./openers.ts";
import { bareJsonReader } from "./read-bare-json.ts";
import { callKeys } from "./read-json.ts";
import { toolsXmlReader } from "./read-tools-xml.ts";
import { isSpace, readTag } from "./tag.ts";
import { type Found, lookAtTag, type TagView } from "./tag-opener.ts";
import { isBlank, TextOutput, withRepairs } from "./text-output.ts";
import { toolsXmlTags } from "./tools-xml-tags.ts";
import type { DecodedPart, Repair, SchemaLookup, TextDialect } from "./types.ts";

type Mode = "text" | "frame" | "opaque" | "code" | "fence" | "tools";

/** `wait`: more text is needed. A number: it is text up to there. A function: leave text, and answer where to go on. */
type Verdict = "wait" | number | (() => number);

/** How often a JSON text that never ends is read again as plain text. */
const maxRescans = 4;
const replyKeys: ReadonlySet<string> = new Set(["reply", "tools"]);
const nothing: ReadonlySet<string> = new Set();
const insideTools: ReadonlySet<string> = new Set(["tools"]);
const mistralMark = "[TOOL_CALLS]";

export class Scanner {
  private readonly hearing: Hearing;
  private readonly finder: CharFinder;
  private readonly inline: InlineCode;
  private readonly out = new TextOutput();
  private readonly context: FrameContext;
  private mode: Mode = "text";
  private carry = "";
  private framer: Framer | undefined;
  private pieces: string[] = [];
  private fence: CallFence | undefined;
  private code: FenceLine | undefined;
  private opaque: OpaqueText | undefined;
  private inTools = false;
  /** The text of `<tools>` until its first tag shows that it is ours. */
  private toolsOpening: string | undefined;
  private inComment = false;
  /** Only blanks stand between the last line break and the start of the text at hand. */
  private blankBefore = true;
  private expectsJson = false;
  /** Where the text at hand that is not written yet begins. */
  private runStart = 0;
  private tainted = false;
  private rescans = 0;

  constructor(
    private readonly dialect: TextDialect,
    tools: SchemaLookup,
    depth = 0,
  ) {
    this.hearing = hearingOf(dialect);
    this.finder = new CharFinder(this.hearing.json === "none" ? ["<", "`", "~"] : ["<", "`", "~", "{", "["]);
    this.inline = new InlineCode(this.finder);
    this.context = {
      tools,
      decode: (text) => {
        if (depth > 2) return [{ type: "text", text }];
        const inner = new Scanner(dialect === "json" ? "auto" : dialect, tools, depth + 1);
        return [...inner.push(text), ...inner.end()];
      },
    };
  }

  push(chunk: string): DecodedPart[] {
    this.scan(this.carry + chunk, false);
    return this.out.take();
  }

  end(): DecodedPart[] {
    for (let rest: string | undefined = this.carry; rest !== undefined; ) {
      this.scan(rest, true);
      rest = this.mode === "frame" ? this.giveUpFrame() : undefined;
    }
    if (this.fence !== undefined) {
      if (this.fence.spoiled) this.spoil(this.fence);
      else this.commit(this.fence);
    }
    if (this.toolsOpening !== undefined) this.out.write(this.toolsOpening);
    return this.out.take();
  }

  private scan(text: string, final: boolean): void {
    this.finder.reset(text);
    let pos = 0;
    this.inline.resume();
    while (pos < text.length) {
      const { mode, fence } = this;
      const next = this.step(text, pos, final);
      if (fence !== undefined && this.fence === fence) {
        fence.raw.push(text.slice(pos, next));
        if (fence.spoiled) this.spoil(fence);
      }
      if (next === pos && this.mode === mode) break;
      pos = next;
    }
    this.inline.suspend(pos);
    this.blankBefore = this.startsLine(text, pos);
    this.carry = text.slice(pos);
  }

  private step(text: string, pos: number, final: boolean): number {
    switch (this.mode) {
      case "text":
        return this.plain(text, pos, final);
      case "frame":
        return this.inFrame(text, pos, final);
      case "opaque":
        return this.inOpaque(text, pos, final);
      case "code":
        return this.inCode(text, pos, final);
      case "fence":
        return this.inFence(text, pos, final);
      default:
        return this.betweenTools(text, pos, final);
    }
  }

  // Plain text.

  private plain(text: string, pos: number, final: boolean): number {
    let at = pos;
    this.runStart = pos;
    for (;;) {
      const found = this.finder.next(at);
      if (found >= text.length) {
        this.write(text.slice(pos));
        return text.length;
      }
      const verdict = this.at(text, found, final);
      if (typeof verdict === "number") at = verdict;
      else {
        this.write(text.slice(pos, found));
        return verdict === "wait" ? found : verdict();
      }
    }
  }

  private at(text: string, at: number, final: boolean): Verdict {
    const code = text.charCodeAt(at);
    if (code === 96 || code === 126) return this.ticks(text, at, final);
    if (this.inline.covers(at)) return at + 1;
    return code === 60 ? this.tag(text, at, final) : this.bracket(text, at, final);
  }

  private ticks(text: string, at: number, final: boolean): Verdict {
    const run = this.inline.run(text, at, final);
    if (run === "wait") return "wait";
    if (run === "decoration") return at + runLength(text, at);
    if (run >= 3 && this.startsLine(text, at)) {
      const line = readFenceLine(text, at, final);
      if (line === "more") return "wait";
      if (line !== undefined) return () => this.openFence(text, at, line);
    }
    if (text.charCodeAt(at) === 96) this.inline.toggle(at, run);
    return at + run;
  }

  private bracket(text: string, at: number, final: boolean): Verdict {
    const expected = this.expectsJson && this.out.besideCall && isBlank(text.slice(this.runStart, at));
    this.expectsJson &&= expected;
    if (this.hearing.json === "calls" && text.charCodeAt(at) === 91) {
      if (text.startsWith(mistralMark, at)) return () => this.expectJson(at + mistralMark.length);
      if (!final && mistralMark.startsWith(text.slice(at, at + mistralMark.length))) return "wait";
    }
    if (!expected && !this.startsLine(text, at)) return at + 1;
    const may = jsonMayStart(text, at, this.hearing.json === "calls" ? callKeys : replyKeys, final);
    if (may === "more") return "wait";
    return may === "no" ? at + 1 : () => this.openJson(at, expected);
  }

  private expectJson(next: number): number {
    this.out.structure();
    this.expectsJson = true;
    return next;
  }

  private openJson(at: number, expected: boolean): number {
    const fenced = this.fence !== undefined;
    const loose = this.dialect === "auto" && !fenced && !expected && this.out.sawText;
    const repairs: Repair[] = loose ? ["bare JSON"] : [];
    const read = bareJsonReader({ replyOnly: this.hearing.json === "reply", repairs });
    this.begin(new JsonFramer({ fenced, read }, 0), "");
    return at;
  }

  private tag(text: string, at: number, final: boolean): Verdict {
    const view: TagView = { text, at, final, hearing: this.hearing };
    const found = lookAtTag(view);
    if (found === "wait") return "wait";
    if (found === undefined) return this.looseToolsTag(text, at, final);
    return () => this.enter(text, at, found);
  }

  /** In explicit ToolsXML a tag on a line of its own counts even without `<tools>` around it. */
  private looseToolsTag(text: string, at: number, final: boolean): Verdict {
    if (this.dialect !== "toolsxml" || !this.startsLine(text, at)) return at + 1;
    const tag = readTag(text, at, final);
    if (tag === "more") {
      const word =
        /^<[a-z_]*/i
          .exec(text.slice(at, at + 16))?.[0]
          .slice(1)
          .toLowerCase() ?? "";
      return this.hearing.prefixes.has(word) ? "wait" : at + 1;
    }
    if (tag === undefined || tag.closing || !toolsXmlTags.has(tag.name) || (tag.name === "input" && tag.attributes.size > 0)) return at + 1;
    return () => this.openToolsTag(text, at, ["missing tools tag"]);
  }

  private enter(text: string, at: number, found: Found): number {
    const raw = text.slice(at, found.end);
    if (this.fence !== undefined && (found.kind === "thought" || found.kind === "result")) {
      this.fence.spoiled = true;
      return at;
    }
    this.inline.leave();
    switch (found.kind) {
      case "close":
        if (this.fence === undefined && !this.out.besideCall) this.write(raw);
        else this.structure();
        return found.end;
      case "json":
        return this.expectJson(found.end);
      case "thought":
      case "result":
        this.write(raw);
        this.opaque = new OpaqueText(found.name, found.kind === "result");
        this.mode = "opaque";
        return found.end;
      case "tools":
        this.inTools = true;
        this.mode = "tools";
        if (this.dialect === "auto" && this.fence === undefined) this.toolsOpening = raw;
        else this.structure();
        return found.end;
      default:
        this.begin(found.framer(found.end - at), raw);
        if (found.whole) this.finish("closed");
        return found.end;
    }
  }

  // Frames.

  private begin(framer: Framer, opening: string): void {
    this.framer = framer;
    this.pieces = opening === "" ? [] : [opening];
    this.mode = "frame";
    this.expectsJson = false;
  }

  private inFrame(text: string, pos: number, final: boolean): number {
    const { framer } = this;
    if (framer === undefined) return pos;
    const next = framer.feed(text, pos, final);
    if (next > pos) this.pieces.push(text.slice(pos, next));
    if (framer.ended !== undefined) this.finish(framer.ended);
    return next;
  }

  private finish(end: FrameEnd): void {
    const { framer } = this;
    const raw = this.pieces.join("");
    this.framer = undefined;
    this.pieces = [];
    this.mode = this.resting();
    if (framer === undefined) return;
    if (framer instanceof CallFramer && framer.isContainer) {
      this.structure();
      return;
    }
    this.add(raw, end === "rejected" ? undefined : framer.read(raw, end, this.context));
    if (framer.unsure) this.tainted = true;
  }

  private add(raw: string, parts: readonly DecodedPart[] | undefined): void {
    if (parts === undefined) {
      this.write(raw);
      return;
    }
    for (const part of parts) {
      const whole: DecodedPart =
        this.tainted && part.type === "call" ? { type: "call", call: withRepairs(part.call, ["after a broken call"]) } : part;
      if (this.fence === undefined) this.out.part(whole);
      else this.fence.held.push(whole);
    }
  }

  /** The stream ended inside a frame. Answers text that must be read again. */
  private giveUpFrame(): string | undefined {
    const { framer } = this;
    if (framer === undefined) return undefined;
    const better = framer.giveUp();
    const raw = this.pieces.join("");
    if (better !== undefined) {
      // What follows a guessed end may be content, so no more calls are taken from it.
      this.pieces = [raw.slice(0, better)];
      this.finish("unclosed");
      this.write(raw.slice(better));
      return undefined;
    }
    const end = framer.ended ?? "cut";
    if (
      framer instanceof JsonFramer &&
      this.fence === undefined &&
      framer.read(raw, end, this.context) === undefined &&
      this.rescans < maxRescans
    ) {
      this.rescans += 1;
      this.framer = undefined;
      this.pieces = [];
      this.mode = "text";
      this.blankBefore = false;
      this.write(raw.slice(0, 1));
      return raw.slice(1);
    }
    this.finish(end);
    return undefined;
  }

  private inOpaque(text: string, pos: number, final: boolean): number {
    const next = this.opaque?.feed(text, pos, final) ?? pos;
    this.write(text.slice(pos, next));
    if (this.opaque?.ended) this.mode = this.resting();
    return next;
  }

  // Code fences.

  private openFence(text: string, at: number, line: FenceLine): number {
    const raw = text.slice(at, line.end);
    this.inline.leave();
    if (callLanguages.has(line.language)) {
      this.fence = { line, raw: [raw], held: [], spoiled: false };
      this.mode = "fence";
    } else {
      this.write(raw);
      this.code = line;
      this.mode = "code";
    }
    return line.end;
  }

  private inFence(text: string, pos: number, final: boolean): number {
    const { fence } = this;
    let p = pos;
    while (p < text.length && isSpace(text.charCodeAt(p))) p += 1;
    if (p >= text.length || fence === undefined) return p;
    const character = text.charAt(p);
    if (character === fence.line.mark && this.startsLine(text, p)) {
      const close = closesFence(text, p, fence.line, final);
      if (close === "more") return p;
      if (close !== undefined) {
        fence.raw.push(text.slice(pos, close));
        this.commit(fence);
        return close;
      }
    } else if (character === "<" || ((character === "{" || character === "[") && this.hearing.json !== "none")) {
      const verdict = character === "<" ? this.tag(text, p, final) : this.fencedJson(text, p, final);
      if (verdict === "wait") return p;
      if (typeof verdict === "function") return verdict();
    } else if (character === "," || character === ";") return p + 1;
    fence.spoiled = true;
    return p;
  }

  private fencedJson(text: string, at: number, final: boolean): Verdict {
    const may = jsonMayStart(text, at, this.hearing.json === "calls" ? callKeys : replyKeys, final);
    if (may === "more") return "wait";
    return may === "no" ? at : () => this.openJson(at, true);
  }

  /** Nothing but calls stood in it. */
  private commit(fence: CallFence): void {
    this.fence = undefined;
    this.inTools = false;
    this.mode = "text";
    if (fence.held.length === 0) this.out.write(fence.raw.join(""));
    for (const part of fence.held) {
      if (part.type === "text" || this.dialect === "json") this.out.part(part);
      else this.out.part({ type: "call", call: withRepairs(part.call, ["code fence"]) });
    }
  }

  /** Something else stood in it: it is an example, as a whole. */
  private spoil(fence: CallFence): void {
    this.fence = undefined;
    this.inTools = false;
    this.framer = undefined;
    this.pieces = [];
    this.out.write(fence.raw.join(""));
    this.code = fence.line;
    this.mode = "code";
  }

  private inCode(text: string, pos: number, final: boolean): number {
    const { code } = this;
    if (code === undefined) return pos;
    const passed = passCode(text, pos, code, (at) => this.startsLine(text, at), final);
    this.write(text.slice(pos, passed.next));
    if (passed.closed) this.mode = "text";
    return passed.next;
  }

  // Inside `<tools>`.

  private betweenTools(text: string, pos: number, final: boolean): number {
    if (this.inComment) return this.pastComment(text, pos, final);
    const lt = text.indexOf("<", pos);
    const to = lt < 0 ? text.length : lt;
    const gap = text.slice(pos, to);
    if (!isBlank(gap)) return this.strayInTools(text, pos, to);
    if (this.toolsOpening === undefined) this.write(gap);
    else this.toolsOpening += gap;
    if (lt < 0) return text.length;
    if (text.startsWith("<!--", lt)) {
      this.inComment = true;
      if (this.toolsOpening !== undefined) this.toolsOpening += "<!--";
      return lt + 4;
    }
    if (!final && "<!--".startsWith(text.slice(lt, lt + 4))) return lt;
    const tag = readTag(text, lt, final);
    if (tag === "more") return lt;
    if (tag?.closing && tag.name === "tools") return this.leaveTools(tag.end);
    const known = tag !== undefined && !tag.closing && toolsXmlTags.has(tag.name);
    if (!known && this.toolsOpening !== undefined) return this.notTools(lt);
    if (tag === undefined || tag.closing) {
      this.write(text.slice(lt, tag?.end ?? lt + 1));
      return tag?.end ?? lt + 1;
    }
    this.toolsOpening = undefined;
    return this.openToolsTag(text, lt, []);
  }

  private pastComment(text: string, pos: number, final: boolean): number {
    const stop = text.indexOf("-->", pos);
    this.inComment = stop < 0;
    const end = stop >= 0 ? stop + 3 : final ? text.length : Math.max(pos, text.length - 2);
    if (this.toolsOpening !== undefined) this.toolsOpening += text.slice(pos, end);
    return end;
  }

  private openToolsTag(text: string, at: number, extra: readonly Repair[]): number {
    const tag = readTag(text, at, true);
    if (tag === undefined || tag === "more") return at + 1;
    const rules = {
      name: tag.name,
      around: this.inTools ? insideTools : nothing,
      completes: nothing,
      read: toolsXmlReader(tag.name, extra),
    };
    this.begin(new MarkupFramer(rules, tag.end - at), text.slice(at, tag.end));
    if (tag.selfClosing) this.finish("closed");
    return tag.end;
  }

  private leaveTools(end: number): number {
    this.inTools = false;
    this.toolsOpening = undefined;
    this.mode = this.resting();
    this.structure();
    return end;
  }

  private strayInTools(text: string, pos: number, to: number): number {
    if (this.toolsOpening !== undefined) return this.notTools(pos);
    const { fence } = this;
    const gap = text.slice(pos, to);
    // The fence closes before `</tools>` came.
    if (fence !== undefined && gap.trimStart().startsWith(fence.line.mark)) {
      this.inTools = false;
      this.mode = "fence";
      return pos;
    }
    this.write(gap);
    return to;
  }

  /** `<tools>` of something else: it was text. */
  private notTools(at: number): number {
    this.inTools = false;
    this.mode = this.resting();
    this.write(this.toolsOpening ?? "");
    this.toolsOpening = undefined;
    return at;
  }

  // Output.

  private resting(): Mode {
    if (this.inTools) return "tools";
    return this.fence === undefined ? "text" : "fence";
  }

  private structure(): void {
    if (this.fence === undefined) this.out.structure();
  }

  private write(text: string): void {
    if (this.fence === undefined) this.out.write(text);
    else if (!isBlank(text)) this.fence.spoiled = true;
  }

  private startsLine(text: string, at: number): boolean {
    let p = at - 1;
    while (p >= 0 && (text.charCodeAt(p) === 32 || text.charCodeAt(p) === 9)) p -= 1;
    if (p < 0) return this.blankBefore;
    return text.charCodeAt(p) === 10 || text.charCodeAt(p) === 13;
  }
}
