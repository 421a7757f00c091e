/**
 * What stands inside `<tool_call>`: `<name>` and `<params>` with an element each (D2), or JSON (Hermes).
 * Missing end tags, other names for the same parts and JSON inside `<params>` are understood and said.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { FrameContext, FrameEnd } from "../frame/frame.ts";
import { isObject, type Shape, shapeOf } from "../frame/shape.ts";
import { isToolName, toolName } from "../names.ts";
import { type DecodedPart, decodedCall, type Repair, type Repairs } from "../types.ts";
import { type Element, level, tokenize } from "./elements.ts";
import { readJson, strictJson } from "./json-text.ts";
import { MarkupReader, starter } from "./markup-value.ts";
import { callsOfJson, namedArguments } from "./read-json.ts";
import { isBlankRange, readTag, type Tag } from "./tag.ts";

const nameTags = new Set(["name", "tool_name", "tool", "function_name", "function"]);
const paramsTags = new Set(["params", "parameters", "arguments", "args"]);

/** Closing tags after which a `<tool_call>` lacks nothing but its own end. */
export const completingTags: ReadonlySet<string> = new Set(["params", "parameters", "arguments", "args", "input"]);

export interface Parameters {
  readonly input: Json;
  readonly cut: boolean;
  readonly unreadable?: string;
}

/** The range of a frame's content: behind its opening tag, before its closing tag. */
export function bodyOf(raw: string, barred = false): { readonly opener: Tag | undefined; readonly from: number; readonly to: number } {
  const tag = readTag(raw, 0, true, undefined, barred);
  const opener = tag === "more" ? undefined : tag;
  const from = opener?.end ?? 0;
  const close = raw.lastIndexOf("</");
  const closer = close >= from ? readTag(raw, close, true, undefined, barred) : undefined;
  const closes = closer !== undefined && closer !== "more" && closer.name === opener?.name && isBlankRange(raw, closer.end, raw.length);
  return { opener, from, to: closes ? close : raw.length };
}

/** A tag that the stream cut in two is no content. */
export function withoutPartialTag(raw: string, to: number): number {
  const tail = raw.slice(Math.max(0, to - 64), to);
  const partial = /(<\/?[A-Za-z_]?[\w.:-]*|<!(\[C?D?A?T?A?)?|\]\]?)$/.exec(tail);
  return partial === null ? to : to - partial[0].length;
}

export function readMarkupCall(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] {
  const { opener, from, to: whole } = bodyOf(raw);
  const cut = end === "cut";
  const to = cut ? Math.max(from, withoutPartialTag(raw, whole)) : whole;
  const repairs: Repairs = new Set(openerRepairs(opener));
  if (end !== "closed") repairs.add("missing end tag");
  const tokens = tokenize(raw, from, to, cut);
  const reader = new MarkupReader(raw, tokens, repairs);
  const whereAll = { from, to, first: 0, last: tokens.length };
  const { elements, stray } = level(
    raw,
    tokens,
    whereAll,
    () => true,
    (tag) => paramsTags.has(tag.name),
  );
  if (stray) repairs.add("stray text");
  const nameElement = elements.find((one) => nameTags.has(one.tag.name));
  const paramsElement =
    elements.find((one) => paramsTags.has(one.tag.name)) ?? elements.find((one) => one.tag.name === "input" && one !== nameElement);
  for (const one of [nameElement, paramsElement]) {
    if (one === undefined) continue;
    if (!one.closed) repairs.add("missing end tag");
    if (one.tag.written !== one.tag.name) repairs.add("tag case");
    if (one.tag.name !== "name" && one.tag.name !== "params") repairs.add("tag name");
  }
  const answer = (name: string, parameters: Parameters): readonly DecodedPart[] => {
    const cutOff = cut && (parameters.cut || !paramsElement?.closed);
    return [
      { type: "call", call: decodedCall({ name, input: parameters.input, raw, repairs, cutOff, unreadable: parameters.unreadable }) },
    ];
  };
  const written = nameElement === undefined ? opener?.attributes.get("name") : reader.leaf(nameElement).text;
  if (written === undefined || !isToolName(written.trim()) || (cut && nameElement?.closed === false)) {
    const wrapped = nameElement === undefined ? toolElement(elements, context) : undefined;
    if (wrapped === undefined) return answer(nameOrUnknown(written), { input: {}, cut, unreadable: whyNoName(written, cut) });
    repairs.add("tag name");
    return answer(wrapped.tag.written, readParameters(reader, wrapped, shapeOf(context.tools(wrapped.tag.written))));
  }
  const name = toolName(written, context.tools, repairs);
  const shape = shapeOf(context.tools(name));
  if (paramsElement !== undefined) return answer(name, readParameters(reader, paramsElement, shape));
  const loose = elements.filter((one) => one !== nameElement);
  if (loose.length > 0) repairs.add("missing params tag");
  return answer(name, { input: reader.object(loose, shape), cut });
}

function nameOrUnknown(written: string | undefined): string {
  const name = written?.trim() ?? "";
  return isToolName(name) ? name : "";
}

function whyNoName(written: string | undefined, cut: boolean): string {
  if (cut) return "the call ends before its name and parameters";
  return written === undefined ? "no <name> in the call" : "the <name> of the call is not the name of a tool";
}

/** `<tool_call><Read><file_path>…`: the tool's own name as the tag, where there is such a tool. */
function toolElement(elements: readonly Element[], context: FrameContext): Element | undefined {
  const only = elements.length === 1 ? elements[0] : undefined;
  return only !== undefined && context.tools(only.tag.written) !== undefined ? only : undefined;
}

/** The parameters inside an element: one element each, or JSON. */
export function readParameters(reader: MarkupReader, element: Element, shape: Shape | undefined): Parameters {
  const inner = reader.text.slice(element.from, element.to).trimStart();
  const quoted = inner.startsWith("<![CDATA[");
  if (inner.startsWith("{") || quoted) {
    const json = quoted ? reader.leaf(element).text : inner;
    const read = json.trimStart().startsWith("{") ? readJson(json) : undefined;
    if (read !== undefined && isObject(read.value)) {
      reader.repairs.add("params as JSON");
      if (read.mended) reader.repairs.add("JSON syntax");
      return { input: namedArguments(read.value, shape, reader.repairs), cut: read.cut };
    }
  }
  const inside = level(reader.text, reader.tokens, element, starter(shape));
  if (inside.elements.length === 0 && inner.trim() !== "") {
    return { input: {}, cut: !element.closed, unreadable: "the parameters are text, not one element for each parameter" };
  }
  noteLevel(inside, reader.repairs);
  const input: JsonObject = reader.object(inside.elements, shape);
  return { input, cut: !element.closed };
}

function noteLevel(
  inside: { readonly elements: readonly Element[]; readonly stray: boolean; readonly reclosed: boolean },
  repairs: Repairs,
): void {
  if (inside.stray) repairs.add("stray text");
  if (inside.reclosed) repairs.add("closing tag in content");
  if (inside.elements.some((one) => !one.closed)) repairs.add("missing end tag");
}

/** Hermes: JSON inside the tag, one value or several. */
export function readJsonCall(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] {
  const { opener, from, to: whole } = bodyOf(raw);
  const to = end === "cut" ? withoutPartialTag(raw, whole) : whole;
  const body = raw.slice(from, Math.max(from, to));
  const repairs = [...openerRepairs(opener)];
  if (end !== "closed") repairs.push("missing end tag");
  const parts: DecodedPart[] = [];
  const unfenced = withoutFence(body.trim());
  if (unfenced !== undefined) repairs.push("code fence");
  for (const piece of jsonPieces(unfenced ?? body.trim())) {
    const read = readJson(piece);
    const own: Repair[] = read?.mended ? [...repairs, "JSON syntax"] : [...repairs];
    const cutOff = read?.cut === true && end === "cut";
    const source = { raw, repairs: new Set(own), cutOff, sure: true };
    const calls = read === undefined ? undefined : callsOfJson(read.value, source, context);
    if (calls !== undefined) parts.push(...calls);
    else {
      const unreadable = read?.cut ? "the call ends before its name and arguments" : 'the call is not JSON with "name" and "arguments"';
      parts.push({
        type: "call",
        call: decodedCall({ name: guessName(piece), input: {}, raw, repairs: own, cutOff: cutOff || end === "cut", unreadable }),
      });
    }
  }
  return parts;
}

/** ```json … ``` inside the tag. */
export function withoutFence(text: string): string | undefined {
  if (!text.startsWith("```")) return undefined;
  const line = text.indexOf("\n");
  const start = line < 0 ? text.search(/[{[]/) : line + 1;
  if (start < 0) return undefined;
  return text.endsWith("```") ? text.slice(start, Math.max(start, text.length - 3)) : text.slice(start);
}

/** One JSON text, or several that each start a line, where models put several calls into one tag. */
function jsonPieces(text: string): readonly string[] {
  if (!text.includes("\n") || strictJson(text) !== undefined) return [text];
  const pieces: string[] = [];
  let current: string[] = [];
  for (const line of text.split("\n")) {
    if (line.trimStart().startsWith("{") && current.length > 0) {
      pieces.push(current.join("\n"));
      current = [];
    }
    current.push(line);
  }
  pieces.push(current.join("\n"));
  const trimmed = pieces.map((piece) => piece.trim().replace(/,$/, ""));
  return trimmed.every((piece) => strictJson(piece) !== undefined) ? trimmed : [text];
}

function guessName(text: string): string {
  return /"(?:name|tool|function)"\s*:\s*"([\w.:/-]{1,128})"/.exec(text.slice(0, 400))?.[1] ?? "";
}

function openerRepairs(opener: Tag | undefined): readonly Repair[] {
  if (opener === undefined || opener.written === "tool_call") return opener?.repairs ?? [];
  return [
    ...opener.repairs,
    ...(opener.written !== opener.name ? (["tag case"] as const) : []),
    ...(opener.name !== "tool_call" ? (["tag name"] as const) : []),
  ];
}
