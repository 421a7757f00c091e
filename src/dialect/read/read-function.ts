/**
 * Functions with raw parameters to calls: `<invoke>`, `<function=…>`, and a name with `<arg_key>`/`<arg_value>`.
 * Contents are exact. The format of `<function=…>` writes one line break after the opening and one before the closing tag;
 * the other two formats add nothing.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { FrameContext, FrameEnd } from "../frame/frame.ts";
import type { FunctionFrame, Span } from "../frame/frame-function.ts";
import { isObject, type Shape, shapeOf } from "../frame/shape.ts";
import { isToolName, toolName } from "../names.ts";
import { type DecodedPart, decodedCall, type Repairs } from "../types.ts";
import { valueOfText } from "./coerce.ts";
import { level, startsCdata, tokenize } from "./elements.ts";
import { readJson, strictJson } from "./json-text.ts";
import { knownName, MarkupReader, starter } from "./markup-value.ts";
import { namedArguments } from "./read-json.ts";
import { bodyOf, withoutFence, withoutPartialTag } from "./read-tool-call.ts";
import { isSpace, readTag } from "./tag.ts";

type Style = "invoke" | "function" | "arguments";

export function functionReader(style: Style) {
  return (raw: string, end: FrameEnd, frame: FunctionFrame, context: FrameContext): readonly DecodedPart[] => {
    const tag = readTag(raw, 0, true, undefined, true);
    const opener = tag === "more" ? undefined : tag;
    const from = opener?.end ?? 0;
    const repairs: Repairs = new Set(opener?.repairs);
    const expected = style === "arguments" ? "tool_call" : style;
    if (opener !== undefined && opener.written !== expected) repairs.add(opener.name === expected ? "tag case" : "tag name");
    if (end !== "closed") repairs.add("missing end tag");
    if (frame.rejected) repairs.add("closing tag in content");
    const written = style === "arguments" ? nameBefore(raw, from) : (opener?.attributes.get("=") ?? opener?.attributes.get("name") ?? "");
    const cutOff = end === "cut";
    if (!isToolName(written.trim())) {
      const unreadable = cutOff ? "the call ends before its parameters" : "the call does not name a tool";
      return [{ type: "call", call: decodedCall({ name: "", input: {}, raw, repairs, cutOff, unreadable }) }];
    }
    const name = toolName(written, context.tools, repairs);
    const shape = shapeOf(context.tools(name));
    const spans = resolveGuesses(raw, frame.spans);
    if (spans.length === 0) {
      if (cutOff && style === "arguments" && !raw.includes("{", from)) {
        const unreadable = "the call ends before its arguments";
        return [{ type: "call", call: decodedCall({ name, input: {}, raw, repairs, cutOff, unreadable }) }];
      }
      const { to } = bodyOf(raw, true);
      const bodyFrom = style === "arguments" ? raw.indexOf(written, from) + written.length : from;
      const inner = innerParameters(raw, bodyFrom, Math.max(bodyFrom, to), shape, style, repairs, cutOff);
      return [{ type: "call", call: decodedCall({ name, raw, repairs, ...inner, cutOff: cutOff && inner.cutOff }) }];
    }
    if (frame.stray) repairs.add("stray text");
    const input: Record<string, Json> = {};
    let unreadable: string | undefined;
    for (const span of spans) {
      if (span.guessed) repairs.add("missing end tag");
      const key = span.keyRange === undefined ? span.key : raw.slice(span.keyRange[0], span.keyRange[1]).trim();
      if (key === undefined || key === "") {
        unreadable = "a parameter has no name";
        continue;
      }
      const stop = cutOff && span === spans.at(-1) ? Math.max(span.from, withoutPartialTag(raw, span.to)) : span.to;
      const known = knownName(key, shape, repairs);
      if (Object.hasOwn(input, known)) unreadable = `the parameter ${known} is given twice`;
      setOwn(input, known, spanValue(raw, { ...span, to: stop }, shape?.property(known), style, repairs));
    }
    return [{ type: "call", call: decodedCall({ name, input, raw, repairs, cutOff, unreadable }) }];
  };
}

/** `__proto__` is a name like any other. */
function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The name before the arguments: up to the first tag, or the first brace of arguments in JSON. */
function nameBefore(raw: string, from: number): string {
  const stop = raw.indexOf("<", from);
  const text = raw.slice(from, stop < 0 ? raw.length : stop);
  const brace = text.indexOf("{");
  return (brace < 0 ? text : text.slice(0, brace)).replace(/```(?:json)?\s*$/, "").trim();
}

function spanValue(raw: string, { from, to, guessed, written }: Span, property: Shape | undefined, style: Style, repairs: Repairs): Json {
  let start = from;
  while (start < to && isSpace(raw.charCodeAt(start))) start += 1;
  if (startsCdata(raw, start)) {
    const tokens = tokenize(raw, from, to, true).filter((token) => token.kind === "cdata");
    const leaf = new MarkupReader(raw, tokens, repairs).leaf({ from, to, first: 0, last: tokens.length });
    return valueOfText(leaf.text, property, true, repairs);
  }
  const text = raw.slice(from, to);
  // A value without its closing tag reaches up to the next tag, and the break before that one is the format's.
  const exact = style === "function" ? withoutFormatBreaks(text) : guessed && style === "arguments" ? text.replace(/\r?\n$/, "") : text;
  const isUntyped = property === undefined || property.types.size === 0;
  if (written !== undefined && isUntyped) return written === "text" ? exact : (strictJson(exact) ?? exact);
  return valueOfText(exact, property, false, repairs);
}

function withoutFormatBreaks(text: string): string {
  const from = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const to = text.endsWith("\r\n") ? text.length - 2 : text.endsWith("\n") ? text.length - 1 : text.length;
  return to < from ? "" : text.slice(from, to);
}

/**
 * A parameter whose closing tag was missing reaches to the end of the call. If another parameter starts on a
 * line of its own inside it, that one was a sibling; a closing tag right before the end is its own.
 */
function resolveGuesses(raw: string, spans: readonly Span[]): readonly Span[] {
  if (!spans.some((span) => span.guessed)) return spans;
  return spans.flatMap((span) => (span.guessed ? splitSpan(raw, span) : [span]));
}

function splitSpan(raw: string, span: Span): readonly Span[] {
  const out: Span[] = [];
  let current = { key: span.key, keyRange: span.keyRange, from: span.from };
  let closedAt: number | undefined;
  const finish = (to: number) => {
    const closed = closedAt !== undefined && raw.slice(raw.indexOf(">", closedAt) + 1, to).trim() === "";
    out.push({ ...current, to: closed ? (closedAt ?? to) : to, written: undefined, guessed: true });
    closedAt = undefined;
  };
  for (let at = raw.indexOf("<", span.from); at >= 0 && at < span.to; at = raw.indexOf("<", at + 1)) {
    if (!/^<\/?(antml:)?param/i.test(raw.slice(at, at + 16))) continue;
    const tag = readTag(raw, at, true);
    if (tag === undefined || tag === "more" || (tag.name !== "parameter" && tag.name !== "param")) continue;
    if (tag.closing) closedAt = at;
    else if (startsLine(raw, at)) {
      finish(at);
      current = { key: tag.attributes.get("name") ?? tag.attributes.get("="), keyRange: undefined, from: tag.end };
    }
  }
  finish(span.to);
  return out;
}

function startsLine(raw: string, at: number): boolean {
  let p = at - 1;
  while (p >= 0 && (raw.charCodeAt(p) === 32 || raw.charCodeAt(p) === 9)) p -= 1;
  return raw.charCodeAt(p) === 10;
}

/** No parameter tags at all: JSON, an element for each parameter, or nothing. */
function innerParameters(
  raw: string,
  from: number,
  to: number,
  shape: Shape | undefined,
  style: Style,
  repairs: Repairs,
  cut: boolean,
): { readonly input: JsonObject; readonly cutOff: boolean; readonly unreadable?: string } {
  const plain = raw.slice(from, to).trim();
  const body = withoutFence(plain) ?? plain;
  if (body === "") return { input: {}, cutOff: true };
  if (body.startsWith("{")) {
    const read = readJson(body);
    if (read !== undefined && isObject(read.value)) {
      if (style === "invoke") repairs.add("params as JSON");
      if (read.mended) repairs.add("JSON syntax");
      return { input: namedArguments(read.value, shape, repairs), cutOff: read.cut };
    }
  }
  const tokens = tokenize(raw, from, cut ? withoutPartialTag(raw, to) : to, cut);
  const reader = new MarkupReader(raw, tokens, repairs);
  const { elements } = level(raw, tokens, { from, to, first: 0, last: tokens.length }, starter(shape));
  if (elements.length === 0) return { input: {}, cutOff: true, unreadable: "the call holds text where its parameters belong" };
  repairs.add("missing parameter tags");
  const wrapper =
    elements.length === 1 && /^(params|parameters|arguments|args)$/.test(elements[0]?.tag.name ?? "") ? elements[0] : undefined;
  const inside = wrapper === undefined ? elements : level(raw, tokens, wrapper, starter(shape)).elements;
  return { input: reader.object(inside, shape), cutOff: true };
}
