/**
 * The incremental reader of model text: finds calls, hands out everything else as text, and holds back only what
 * may be the beginning of a call. Every character is looked at a bounded number of times.
 *
 * What is not a call, by decision: anything in thoughts (`<think>`; an error if the thought never ends), in results of tools, in inline code, and in a
 * code fence, unless the fence holds nothing but calls (then they are calls, marked `code fence`).
 */

import { bareJsonReader } from "../read/read-bare-json.ts";
import { toolsXmlReader } from "../read/read-tools-xml.ts";
import { isSpace, readTag } from "../read/tag.ts";
import { shellTextTags } from "../read/tools-xml-tags.ts";
import { NamedJsonFramer } from "../token/named-json-framer.ts";
import { PythonFramer } from "../token/python-framer.ts";
import { TokenFramer } from "../token/token-framer.ts";
import { type DecodedPart, decodedCall, type Repair, type SchemaLookup, type TextDialect } from "../types.ts";
import { type CallFence, callLanguages, closesFence, type FenceLine, passCode } from "./fence.ts";
import type { FrameContext, FrameEnd, Framer } from "./frame.ts";
import { CallFramer } from "./frame-call.ts";
import { JsonFramer } from "./frame-json.ts";
import { LineFramer } from "./frame-line.ts";
import { MarkupFramer } from "./frame-markup.ts";
import { OpaqueText } from "./opaque.ts";
import { type Hearing, hearingOf } from "./openers.ts";
import { PlainText, type Sight } from "./plain-text.ts";
import type { Found } from "./tag-opener.ts";
import { isBlank, TextOutput, together, withRepairs } from "./text-output.ts";
import { ToolsRegion } from "./tools-region.ts";
import { unendedThought } from "./unended-thought.ts";

type Mode = "text" | "frame" | "opaque" | "code" | "fence" | "tools";

/** The most blanks, commas and semicolons between two calls in JSON. */
const maxSeparator = 256;
/** How often a JSON text that never ends is read again as plain text, or what stands behind a guessed end as more calls. */
const maxRescans = 4;
const nothing: ReadonlySet<string> = new Set();
const insideTools: ReadonlySet<string> = new Set(["tools"]);

export class Scanner {
  private readonly hearing: Hearing;
  private readonly text: PlainText;
  private readonly out = new TextOutput();
  private readonly context: FrameContext;
  private mode: Mode = "text";
  private carry = "";
  private framer: Framer | undefined;
  private pieces: string[] = [];
  private fence: CallFence | undefined;
  private code: FenceLine | undefined;
  private opaque: OpaqueText | undefined;
  /** The thought so far. */
  private thought: string[] = [];
  private hearsThought = false;
  private tools: ToolsRegion | undefined;
  /** A mark announced calls as JSON. */
  private expectsJson = false;
  /** The mark that announced a call of which nothing came yet. */
  private announced = "";
  /** The last thing was a call in JSON: another one may follow behind a comma or a semicolon. */
  private afterJson = false;
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
    this.text = new PlainText(this.hearing, dialect === "toolsxml", tools, dialect === "auto");
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
    if (this.tools !== undefined) this.out.write(this.tools.rest);
    if (this.announced !== "") this.announcedInVain();
    if (this.mode === "opaque") for (const part of unendedThought(together(this.thought), this.context.decode)) this.out.part(part);
    return this.out.take();
  }

  private scan(text: string, final: boolean): void {
    this.text.begin(text);
    let pos = 0;
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
    this.text.leave(text, pos);
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
    if (this.afterJson) {
      const next = this.separator(text, pos, final);
      if (next === "wait") return pos;
      if (next !== undefined) return next;
    }
    if (this.expectsJson && this.out.besideCall) {
      const sight = this.announcedPython(text, pos, final);
      if (sight === "wait") return pos;
      if (sight !== undefined) return sight;
    }
    let at = pos;
    this.runStart = pos;
    for (;;) {
      const found = this.text.next(at);
      const line = this.text.lineForm(text, at, found, final);
      if (line !== undefined) {
        this.say(text.slice(pos, line.at));
        return line.sight === "wait" ? line.at : this.follow(text, line.at, { kind: "line", form: line.sight });
      }
      if (found >= text.length) {
        this.say(text.slice(pos));
        return text.length;
      }
      if (this.text.nothingBefore && !isBlank(text.slice(pos, found))) this.text.nothingBefore = false;
      const sight = this.text.look(text, found, final, this.expectsJson && this.stillExpectsJson(text, found));
      if (typeof sight === "number") at = sight;
      else {
        this.say(text.slice(pos, found));
        return sight === "wait" ? found : this.follow(text, found, sight);
      }
    }
  }

  /** Passes by what stands between two calls in JSON; `undefined` if no call follows. */
  private separator(text: string, pos: number, final: boolean): number | "wait" | undefined {
    const limit = Math.min(text.length, pos + maxSeparator);
    let p = pos;
    while (p < limit && (isSpace(text.charCodeAt(p)) || text.charAt(p) === "," || text.charAt(p) === ";")) p += 1;
    if (p >= text.length && p < pos + maxSeparator && !final) return "wait";
    const opens = p < limit && (text.charAt(p) === "{" || text.charAt(p) === "[");
    const sight = opens ? this.text.json(text, p, final, true) : p;
    if (sight === "wait") return "wait";
    this.afterJson = false;
    if (typeof sight === "number") return undefined;
    this.structure();
    return this.follow(text, p, sight);
  }

  /** A call in Python's notation behind a mark that announced calls. */
  private announcedPython(text: string, pos: number, final: boolean): number | "wait" | undefined {
    let p = pos;
    while (p < text.length && isSpace(text.charCodeAt(p))) p += 1;
    if (p >= text.length) return final || p - pos > maxSeparator ? undefined : "wait";
    if (text.charAt(p) === "{") return undefined;
    const sight = this.text.python(text, p, final, true);
    if (sight === "wait") return "wait";
    return typeof sight === "number" ? undefined : this.follow(text, p, sight);
  }

  private stillExpectsJson(text: string, at: number): boolean {
    this.expectsJson = this.out.besideCall && isBlank(text.slice(this.runStart, at));
    return this.expectsJson;
  }

  /** Leaves plain text for what was seen; answers where to go on. */
  private follow(text: string, at: number, sight: Exclude<Sight, "wait" | number>): number {
    switch (sight.kind) {
      case "fence":
        return this.openFence(text, at, sight.line);
      case "json":
        return this.openJson(at, sight.expected);
      case "python":
        this.begin(new PythonFramer(sight.alone), "");
        return at;
      case "line":
        this.begin(new LineFramer(sight.form, sight.form.end - at), text.slice(at, sight.form.end));
        return sight.form.end;
      case "named":
        if (sight.name === "") this.out.structure();
        this.begin(new NamedJsonFramer(sight.name), sight.name);
        return sight.end;
      case "mark":
        return this.expectJson(sight.end, text.slice(at, sight.end));
      case "loose":
        return this.openToolsTag(text, at, ["missing tools tag"]);
      default:
        return this.enter(text, at, sight.found);
    }
  }

  private expectJson(next: number, mark: string): number {
    this.out.structure();
    this.expectsJson = true;
    this.announced = mark;
    return next;
  }

  private openJson(at: number, expected: boolean): number {
    const fenced = this.fence !== undefined;
    const loose = this.dialect === "auto" && !fenced && !expected && this.out.sawText;
    const repairs: Repair[] = loose ? ["bare JSON"] : [];
    const read = bareJsonReader({ replyOnly: this.hearing.json === "reply", repairs, announced: expected && this.announced !== "" });
    this.begin(new JsonFramer({ fenced, read }, 0), "");
    return at;
  }

  private enter(text: string, at: number, found: Found): number {
    const raw = text.slice(at, found.end);
    if (this.fence !== undefined && (found.kind === "thought" || found.kind === "result")) {
      this.fence.spoiled = true;
      return at;
    }
    this.text.inline.leave();
    switch (found.kind) {
      case "close":
        if (this.fence === undefined && !this.out.besideCall) this.write(raw);
        else this.structure();
        return found.end;
      case "section":
        this.structure();
        if (this.fence === undefined) this.announced = raw;
        return found.end;
      case "json":
        return this.expectJson(found.end, raw);
      case "thought":
      case "result":
        this.write(raw);
        this.opaque = new OpaqueText(found.name, found.kind === "result", found.kind === "thought" ? found.until : undefined);
        this.thought = [];
        this.hearsThought = found.kind === "thought";
        this.mode = "opaque";
        return found.end;
      case "tools":
        this.mode = "tools";
        this.tools = new ToolsRegion(this.dialect === "auto" && this.fence === undefined ? raw : undefined);
        if (this.tools.rest === "") this.structure();
        return found.end;
      default:
        this.begin(found.framer(found.end - at), raw);
        if (found.whole) this.finish("closed");
        return found.end;
    }
  }

  // Frames.

  private begin(framer: Framer, opening: string): void {
    this.announced = "";
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
    const raw = together(this.pieces);
    this.framer = undefined;
    this.pieces = [];
    this.mode = this.resting();
    if (framer === undefined) return;
    if (framer instanceof CallFramer && framer.isContainer) {
      this.structure();
      return;
    }
    const parts = end === "rejected" ? undefined : framer.read(raw, end, this.context);
    this.add(raw, parts);
    this.afterJson = framer instanceof JsonFramer && this.mode === "text" && parts?.at(-1)?.type === "call";
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
    const raw = together(this.pieces);
    if (better !== undefined && framer instanceof TokenFramer) {
      if (this.rescans >= maxRescans) {
        this.finish("cut");
        return undefined;
      }
      this.rescans += 1;
      this.pieces = [raw.slice(0, better)];
      this.finish("cut");
      this.tainted = true;
      return raw.slice(better);
    }
    if (better !== undefined) {
      // What follows a guessed end may be content, so no more calls are taken from it.
      this.pieces = [raw.slice(0, better)];
      this.finish("unclosed");
      this.write(raw.slice(better));
      return undefined;
    }
    const end = framer.ended ?? "cut";
    if (
      (framer instanceof JsonFramer || framer instanceof PythonFramer) &&
      this.fence === undefined &&
      framer.read(raw, end, this.context) === undefined &&
      this.rescans < maxRescans
    ) {
      this.rescans += 1;
      this.framer = undefined;
      this.pieces = [];
      this.mode = "text";
      this.text.breakOff();
      this.write(raw.slice(0, 1));
      return raw.slice(1);
    }
    this.finish(end);
    return undefined;
  }

  private inOpaque(text: string, pos: number, final: boolean): number {
    const next = this.opaque?.feed(text, pos, final) ?? pos;
    this.write(text.slice(pos, next));
    if (this.hearsThought) this.thought.push(text.slice(pos, next));
    if (this.opaque?.ended) {
      this.thought = [];
      this.mode = this.resting();
      // Models that think aloud write their call right behind the thought.
      this.text.beginLine(next);
    }
    return next;
  }

  // Code fences.

  private openFence(text: string, at: number, line: FenceLine): number {
    const raw = text.slice(at, line.end);
    this.text.inline.leave();
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
    if (character === fence.line.mark && this.text.startsLine(text, p)) {
      const close = closesFence(text, p, fence.line, final);
      if (close === "more") return p;
      if (close !== undefined) {
        fence.raw.push(text.slice(pos, close));
        this.commit(fence);
        return close;
      }
    } else if (character === "<" || ((character === "{" || character === "[") && this.hearing.json !== "none")) {
      const sight = character === "<" ? this.text.tag(text, p, final) : this.text.bracket(text, p, final, true);
      if (sight === "wait") return p;
      if (typeof sight !== "number") return this.follow(text, p, sight);
    } else if (fence.line.language === "tool_code" && this.hearing.json === "calls") {
      const sight = this.text.python(text, p, final);
      if (sight === "wait") return p;
      if (typeof sight !== "number") return this.follow(text, p, sight);
    } else if (character === "f" && this.hearing.json === "calls") {
      const next = this.text.phi(text, p, final);
      if (next === "wait") return p;
      if (next !== undefined) return next;
    } else if (character === "," || character === ";") return p + 1;
    else if ((character === "}" || character === "]") && fence.held.at(-1)?.type === "call") {
      // A bracket too many behind a whole call.
      const last = fence.held.pop();
      if (last?.type === "call") fence.held.push({ type: "call", call: withRepairs(last.call, ["JSON syntax"]) });
      return p + 1;
    }
    fence.spoiled = true;
    return p;
  }

  /** Nothing but calls stood in it. */
  private commit(fence: CallFence): void {
    this.fence = undefined;
    this.tools = undefined;
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
    this.tools = undefined;
    this.framer = undefined;
    this.pieces = [];
    this.out.write(fence.raw.join(""));
    this.code = fence.line;
    this.mode = "code";
  }

  private inCode(text: string, pos: number, final: boolean): number {
    const { code } = this;
    if (code === undefined) return pos;
    const passed = passCode(text, pos, code, (at) => this.text.startsLine(text, at), final);
    this.write(text.slice(pos, passed.next));
    if (passed.closed) this.mode = "text";
    return passed.next;
  }

  // Inside `<tools>`.

  private betweenTools(text: string, pos: number, final: boolean): number {
    const step = this.tools?.step(text, pos, final, this.fence?.line.mark);
    if (step === undefined) return pos;
    if (step.does === "open") return this.openToolsTag(text, step.next, []);
    if (step.does !== "on") {
      this.tools = undefined;
      this.mode = this.resting();
    }
    if (step.does === "leave") this.structure();
    this.write(step.text ?? "");
    return step.next;
  }

  private openToolsTag(text: string, at: number, extra: readonly Repair[]): number {
    const tag = readTag(text, at, true);
    if (tag === undefined || tag === "more") return at + 1;
    const rules = {
      name: tag.name,
      around: this.tools !== undefined ? insideTools : nothing,
      completes: nothing,
      shellText: shellTextTags.has(tag.name),
      read: toolsXmlReader(tag.name, extra),
    };
    this.begin(new MarkupFramer(rules, tag.end - at), text.slice(at, tag.end));
    if (tag.selfClosing) this.finish("closed");
    return tag.end;
  }

  // Output.

  private resting(): Mode {
    if (this.tools !== undefined) return "tools";
    return this.fence === undefined ? "text" : "fence";
  }

  /** The stream ended where a call should begin. */
  private announcedInVain(): void {
    const unreadable = "the text ends where a call was announced";
    this.out.part({ type: "call", call: decodedCall({ name: "", input: {}, raw: this.announced, cutOff: true, unreadable }) });
  }

  private structure(): void {
    if (this.fence === undefined) this.out.structure();
  }

  private say(text: string): void {
    if (this.text.nothingBefore && !isBlank(text)) this.text.nothingBefore = false;
    this.write(text);
  }

  private write(text: string): void {
    if (this.announced !== "" && !isBlank(text)) this.announced = "";
    if (this.fence === undefined) this.out.write(text);
    else if (!isBlank(text)) this.fence.spoiled = true;
  }
}
