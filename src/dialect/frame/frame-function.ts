/**
 * Frames of functions with raw parameters: `<invoke name>` with `<parameter name>`, `<function=…>` with
 * `<parameter=…>`, and a name with `<arg_key>`/`<arg_value>`. Models write these contents unescaped, so a closing
 * tag counts only where what follows it fits: `</parameter>` before another parameter or the end of the call.
 * A whole example of such a call inside a parameter is balanced, and therefore content. So is a tag whose prefix is
 * another than that of the tag it would close.
 */
import { startsCdata } from "../read/elements.ts";
import { barredPrefix, isBlankRange, isSpace, lowerSlice, prefixLength, readTag, type Tag, tagPrefixes, wordAmong } from "../read/tag.ts";
import type { DecodedPart } from "../types.ts";
import type { FrameContext, FrameEnd, Framer } from "./frame.ts";

type Role = "parameter" | "key" | "function" | "container";

interface FunctionStyle {
  readonly roles: ReadonlyMap<string, Role>;
  readonly names: readonly string[];
  /** Opening tags of parameters and functions carry a name. */
  readonly named: boolean;
}

function style(named: boolean, roles: Readonly<Record<string, Role>>): FunctionStyle {
  return { roles: new Map(Object.entries(roles)), names: Object.keys(roles), named };
}

export const invokeStyle = style(true, { parameter: "parameter", invoke: "function", param: "parameter", function_calls: "container" });

export const functionStyle = style(true, {
  parameter: "parameter",
  function: "function",
  tool_call: "container",
  param: "parameter",
  tool_calls: "container",
  function_calls: "container",
});

export const argumentStyle = style(false, { arg_key: "key", arg_value: "parameter", tool_call: "function" });

/** A parameter's content, by offsets in the frame. */
export interface Span {
  readonly key: string | undefined;
  /** Where the key's own text stands, in the style that writes it as an element. */
  readonly keyRange: readonly [number, number] | undefined;
  readonly from: number;
  readonly to: number;
  /** What its tag says about its type: DeepSeek writes `string="true"` for a text, `string="false"` for JSON. */
  readonly written: "text" | "json" | undefined;
  /** Its closing tag was missing, so its end is a guess. */
  readonly guessed: boolean;
}

export interface FunctionFrame {
  readonly spans: readonly Span[];
  /** A closing tag stood in a content. */
  readonly rejected: boolean;
  /** Text between the parameters. */
  readonly stray: boolean;
}

interface Mark {
  readonly role: Role;
  readonly tag: Tag;
}

export class FunctionFramer implements Framer {
  ended: FrameEnd | undefined;
  readonly unsure = false;
  private state: "between" | "parameter" | "afterParameter" | "afterFunction" = "between";
  private readonly spans: Span[] = [];
  private rejected = false;
  private stray = false;
  private inCdata = false;
  /** Only blanks since the parameter opened. */
  private fresh = false;
  private nestedParameters = 0;
  private nestedFunctions = 0;
  private key: string | undefined;
  /** Of the parameter that is open. */
  private prefix = "";
  private written: Span["written"];
  /** A call without a name in its tag has it as its first text. */
  private sawMark = false;
  /** Where a closing tag of another prefix stands that the next tag may prove to be meant. */
  private looseTo: number | undefined;
  private keyFrom = 0;
  private inKey = false;
  private keyRange: readonly [number, number] | undefined;
  private spanFrom = 0;
  private spanTo = 0;
  private soft: { readonly content: number; readonly frame: number } | undefined;
  private offset: number;

  constructor(
    private readonly style: FunctionStyle,
    private readonly reader: (
      raw: string,
      end: FrameEnd,
      frame: FunctionFrame,
      context: FrameContext,
    ) => readonly DecodedPart[] | undefined,
    opened: number,
    /** The prefix of the tag that opened the call. */
    private readonly own: string,
  ) {
    this.offset = opened;
  }

  giveUp(): number | undefined {
    if (this.state === "afterParameter") this.commit(this.spanTo, false);
    else if (this.state === "afterFunction") {
      this.commit(this.spanTo, true);
      this.ended = "unclosed";
    } else if (this.state === "parameter") {
      const { soft } = this;
      this.commit(soft?.content ?? this.offset, true);
      return soft?.frame;
    }
    return undefined;
  }

  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined {
    return this.reader(raw, end, { spans: this.spans, rejected: this.rejected, stray: this.stray }, context);
  }

  feed(text: string, from: number, final: boolean): number {
    const base = this.offset - from;
    let p = from;
    while (p < text.length && this.ended === undefined) {
      const next = this.inCdata ? this.cdata(text, p, final) : this.step(text, p, base, final);
      if (next === p) break;
      p = next;
    }
    this.offset = base + p;
    return p;
  }

  private cdata(text: string, from: number, final: boolean): number {
    const stop = text.indexOf("]]>", from);
    if (stop < 0) return final ? text.length : Math.max(from, text.length - 2);
    this.inCdata = false;
    // Another section may follow at once: `]]>` in the content is written that way.
    this.fresh = true;
    return stop + 3;
  }

  private step(text: string, from: number, base: number, final: boolean): number {
    let lt = from;
    if (this.state === "afterParameter" || this.state === "afterFunction") {
      while (lt < text.length && isSpace(text.charCodeAt(lt))) lt += 1;
      if (lt >= text.length) return lt;
      if (text.charCodeAt(lt) !== 60) {
        this.reject();
        return lt;
      }
    } else {
      lt = text.indexOf("<", from);
      if (lt < 0) lt = text.length;
      this.passText(text, from, lt);
      if (lt === text.length) return lt;
    }
    if (this.state === "parameter" && this.fresh) {
      if (startsCdata(text, lt)) {
        this.inCdata = true;
        this.fresh = false;
        return lt + 9;
      }
      if (!final && "<![CDATA[".startsWith(text.slice(lt, lt + 9).toUpperCase())) return lt;
    }
    const mark = this.mark(text, lt, final);
    if (mark === "more") return lt;
    if (mark === undefined) {
      this.fresh = false;
      this.looseTo = undefined;
      if (this.state === "between") this.stray = true;
      else if (this.state !== "parameter") this.reject();
      return lt + 1;
    }
    this.sawMark = true;
    return this.take(mark, lt, base);
  }

  private passText(text: string, from: number, to: number): void {
    if (this.looseTo !== undefined && !isBlankRange(text, from, to)) this.looseTo = undefined;
    const watches = this.state === "between" ? !this.stray : this.fresh;
    if (!watches || isBlankRange(text, from, to)) return;
    if (this.state === "between") {
      if (!this.inKey && (this.style.named || this.sawMark)) this.stray = true;
    } else this.fresh = false;
  }

  /** A tag that plays a role here; every other `<` is content. */
  private mark(text: string, lt: number, final: boolean): Mark | "more" | undefined {
    let p = lt + 1;
    if (text.charCodeAt(p) === 47) p += 1;
    const bars = this.style.named ? barredPrefix(text, p, final) : 0;
    if (bars === "more") return "more";
    p += bars;
    const limit = Math.min(text.length, p + 24);
    const start = p;
    while (p < limit && isLetter(text.charCodeAt(p))) p += 1;
    if (p === text.length) return !final && this.mayStart(lowerSlice(text, start, p)) ? "more" : undefined;
    const exact = wordAmong(text, start, p, this.style.names);
    const word = exact ?? lowerSlice(text, start, p);
    const role = this.style.roles.get(word.slice(prefixLength(word)));
    if (role === undefined) return undefined;
    const tag = readTag(text, lt, final, exact, bars > 0);
    if (tag === "more" || tag === undefined) return tag;
    const needsName = this.style.named && !tag.closing && (role === "parameter" || role === "function");
    if (needsName && !tag.attributes.has("name") && !tag.attributes.has("=")) return undefined;
    return { role, tag };
  }

  private mayStart(word: string): boolean {
    const bare = word.slice(prefixLength(word));
    return tagPrefixes.some((prefix) => prefix.startsWith(word)) || [...this.style.roles.keys()].some((name) => name.startsWith(bare));
  }

  private take(mark: Mark, lt: number, base: number): number {
    switch (this.state) {
      case "between":
        return this.between(mark, lt, base);
      case "parameter":
        return this.parameter(mark, lt, base);
      case "afterParameter":
        if (mark.role === "parameter" && mark.tag.closing) {
          // Closed twice: the first closing tag was content.
          this.rejected = true;
          this.spanTo = base + lt;
          return mark.tag.end;
        }
        this.commit(this.spanTo, false);
        return this.between(mark, lt, base);
      default:
        if (mark.role === "container" || (mark.role === "function" && !mark.tag.closing)) {
          this.commit(this.spanTo, true);
          this.ended = "unclosed";
          return lt;
        }
        this.reject();
        return this.parameter(mark, lt, base);
    }
  }

  private between({ role, tag }: Mark, lt: number, base: number): number {
    if (role === "parameter") {
      if (!tag.closing) this.open(tag, base);
      if (tag.selfClosing) this.commit(this.spanFrom, false);
      return tag.end;
    }
    if (role === "key") {
      this.inKey = !tag.closing;
      if (tag.closing) this.keyRange = [this.keyFrom, base + lt];
      else this.keyFrom = base + tag.end;
      return tag.end;
    }
    if (role === "function" && tag.closing) {
      this.ended = tag.prefix === this.own ? "closed" : "unclosed";
      return tag.end;
    }
    this.ended = "unclosed";
    return lt;
  }

  private parameter({ role, tag }: Mark, lt: number, base: number): number {
    this.fresh = false;
    const { looseTo } = this;
    this.looseTo = undefined;
    if (role !== "container" && tag.prefix !== (role === "parameter" && tag.closing ? this.prefix : this.own)) {
      if (tag.closing && this.nestedParameters === 0 && this.nestedFunctions === 0) this.foreign(role, lt, tag, base);
      return tag.end;
    }
    if (looseTo !== undefined && (role === "parameter" ? !tag.closing : role === "function" && tag.closing)) {
      this.commit(looseTo, true);
      return this.between({ role, tag }, lt, base);
    }
    if (role === "parameter") {
      if (!tag.closing) this.nestedParameters += tag.selfClosing ? 0 : 1;
      else if (this.nestedParameters > 0) this.nestedParameters -= 1;
      else {
        this.spanTo = base + lt;
        this.state = "afterParameter";
      }
    } else if (role === "function") {
      if (!tag.closing) this.nestedFunctions += 1;
      else if (this.nestedFunctions > 0) this.nestedFunctions -= 1;
      else {
        this.spanTo = base + lt;
        this.soft ??= { content: base + lt, frame: base + tag.end };
        this.state = "afterFunction";
      }
    } else if (role === "key" && !tag.closing) {
      this.commit(base + lt, true);
      return this.between({ role, tag }, lt, base);
    } else if (role === "container" && tag.closing) this.soft ??= { content: base + lt, frame: base + lt };
    return tag.end;
  }

  /** A closing tag of another prefix is content, unless the tags behind it or the end of the stream say that it was meant. */
  private foreign(role: Role, lt: number, tag: Tag, base: number): void {
    if (role === "parameter") this.looseTo = base + lt;
    if (role === "function") this.soft ??= { content: base + lt, frame: base + tag.end };
  }

  private open(tag: Tag, base: number): void {
    this.state = "parameter";
    this.prefix = tag.prefix;
    const isText = tag.attributes.get("string");
    this.written = isText === "true" ? "text" : isText === "false" ? "json" : undefined;
    this.looseTo = undefined;
    this.key = tag.attributes.get("name") ?? tag.attributes.get("=");
    this.spanFrom = base + tag.end;
    this.fresh = true;
    this.nestedParameters = 0;
    this.nestedFunctions = 0;
    this.soft = undefined;
  }

  private commit(to: number, guessed: boolean): void {
    this.spans.push({ key: this.key, keyRange: this.keyRange, from: this.spanFrom, to, written: this.written, guessed });
    this.written = undefined;
    this.state = "between";
    this.key = undefined;
    this.keyRange = undefined;
    this.keyFrom = 0;
    this.inKey = false;
  }

  private reject(): void {
    this.rejected = true;
    this.state = "parameter";
  }
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 58;
}
