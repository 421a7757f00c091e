/**
 * The tags inside `<tools>` to calls (D1), by the table in `tools-xml-tags.ts`. Contents are exact: a command keeps
 * its line breaks, `<input>` gets none added, and web pages may stand in `<find>` unescaped.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import type { FrameContext, FrameEnd } from "../frame/frame.ts";
import { shapeOf } from "../frame/shape.ts";
import { isToolName } from "../names.ts";
import { type DecodedPart, decodedCall, type Repair, type Repairs } from "../types.ts";
import { valueOfText } from "./coerce.ts";
import { type Element, level, tokenize } from "./elements.ts";
import { MarkupReader } from "./markup-value.ts";
import { bodyOf, readParameters, withoutPartialTag } from "./read-tool-call.ts";
import type { Tag } from "./tag.ts";
import { type AttributeTag, attributeTags, editTag, namedTag, readTags, textTags, toolsXmlTags } from "./tools-xml-tags.ts";

/** One tag's frame, while it is read. */
interface Reading {
  readonly raw: string;
  readonly reader: MarkupReader;
  readonly whole: Element;
  readonly repairs: Repairs;
  readonly cut: boolean;
  readonly context: FrameContext;
}

export function toolsXmlReader(name: string, extra: readonly Repair[] = []) {
  return (raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] => {
    const { opener, from, to: all } = bodyOf(raw);
    const cut = end === "cut";
    const to = cut ? Math.max(from, withoutPartialTag(raw, all)) : all;
    const repairs: Repairs = new Set(extra.length === 0 ? opener?.repairs : [...extra, ...(opener?.repairs ?? [])]);
    if (opener !== undefined && opener.written !== name) repairs.add("tag case");
    if (end !== "closed") repairs.add("missing end tag");
    const tag = opener ?? emptyTag(name);
    const tokens = tokenize(raw, from, to, cut);
    const whole: Element = { tag, from, to, first: 0, last: tokens.length, closed: !cut };
    const reading: Reading = { raw, reader: new MarkupReader(raw, tokens, repairs), whole, repairs, cut, context };
    if (!toolsXmlTags.has(name)) {
      return [unreadable(reading, name, `<${name}> is not a tag of <tools>; there are ${[...toolsXmlTags].join(", ")}`)];
    }
    if (name === editTag.tag) return [readEdit(reading)];
    if (name === "read") return readFiles(reading);
    if (name === namedTag) return [readNamed(reading)];
    const text = textTags.find((one) => one.tag === name);
    if (text !== undefined) {
      const content = reading.reader.leaf(whole).text;
      return [call(reading, text.tool, { [text.parameter]: text.word ? content.trim() : content })];
    }
    const rule = attributeTags.find((one) => one.tag === name);
    return rule === undefined ? [] : [readAttributes(reading, rule, whole)];
  };
}

function emptyTag(name: string): Tag {
  return { name, prefix: "", written: name, closing: false, selfClosing: false, attributes: new Map(), end: 0, repairs: [] };
}

function call({ raw, repairs, cut }: Reading, name: string, input: Json): DecodedPart {
  return { type: "call", call: decodedCall({ name, input, raw, repairs, cutOff: cut }) };
}

function unreadable({ raw, repairs, cut }: Reading, name: string, why: string): DecodedPart {
  return { type: "call", call: decodedCall({ name, input: {}, raw, repairs, cutOff: cut, unreadable: why }) };
}

function readAttributes(reading: Reading, rule: AttributeTag, element: Element): DecodedPart {
  const shape = shapeOf(reading.context.tools(rule.tool));
  const input: Record<string, Json> = {};
  for (const [attribute, text] of element.tag.attributes) {
    const name = rule.rename.get(attribute) ?? attribute;
    if (name !== "__proto__")
      input[name] = rule.texts.includes(name) ? text : valueOfText(text, shape?.property(name), false, reading.repairs);
  }
  if (rule.content !== undefined && input[rule.content] === undefined) {
    const content = reading.reader.leaf(element).text.trim();
    if (content !== "") input[rule.content] = content;
  }
  for (const repair of element.tag.repairs) reading.repairs.add(repair);
  const missing = rule.required.filter((name) => input[name] === undefined);
  if (missing.length > 0) return unreadable(reading, rule.tool, `<${rule.tag}> lacks ${missing.join(" and ")}`);
  return call(reading, rule.tool, Object.assign(input, rule.fixed));
}

/** `<read>`: each `<file>` and `<search>` is a call of its own. */
function readFiles(reading: Reading): readonly DecodedPart[] {
  const { raw, reader, whole } = reading;
  const { attributes } = whole.tag;
  const direct = attributes.size === 0 ? undefined : readTags.find((rule) => [...rule.rename.keys()].some((name) => attributes.has(name)));
  if (direct !== undefined) return [readAttributes(reading, direct, whole)];
  const { elements } = level(raw, reader.tokens, whole, (tag) => readTags.some((rule) => rule.tag === tag.name));
  const parts = elements.flatMap((element): readonly DecodedPart[] => {
    const rule = readTags.find((one) => one.tag === element.tag.name);
    if (rule === undefined) return [unreadable(reading, "Read", `<${element.tag.name}> is not a tag of <read>; there are file and search`)];
    // `<file src="a">` without its end is written by habit of HTML; nothing is lost by it.
    if (!element.closed) reading.repairs.add("missing end tag");
    return [readAttributes(reading, rule, element)];
  });
  return parts.length > 0 ? parts : [unreadable(reading, "Read", '<read> holds no <file src="…"/>')];
}

function readEdit(reading: Reading): DecodedPart {
  const { raw, reader, whole, repairs } = reading;
  const isFile = (tag: Tag) => tag.name === "file";
  const outer = level(raw, reader.tokens, whole, isFile);
  // A single file's path may stand on the edit itself.
  const files = whole.tag.attributes.has("src") ? [whole] : outer.elements.filter((element) => element.tag.name === "file");
  const list: JsonObject[] = [];
  for (const file of files) {
    const path = file.tag.attributes.get("src") ?? file.tag.attributes.get("path");
    if (path === undefined || path === "") return unreadable(reading, editTag.tool, '<file> in <edit> lacks src="…"');
    for (const repair of file.tag.repairs) repairs.add(repair);
    if (!file.closed && !reading.cut) repairs.add("missing end tag");
    const edits = readEdits(reading, file);
    if (typeof edits === "string") return unreadable(reading, editTag.tool, edits);
    list.push({ [editTag.path]: path, [editTag.edits]: edits });
  }
  if (list.length === 0) return unreadable(reading, editTag.tool, '<edit> holds no <file src="…">');
  return call(reading, editTag.tool, { [editTag.list]: list });
}

function readEdits({ raw, reader, repairs, cut }: Reading, file: Element): readonly JsonObject[] | string {
  const isPart = (tag: Tag) => tag.name === "find" || tag.name === "replace";
  const inside = level(raw, reader.tokens, file, isPart);
  if (inside.reclosed) repairs.add("closing tag in content");
  if (inside.stray) repairs.add("stray text");
  const edits: JsonObject[] = [];
  let find: Element | undefined;
  for (const element of inside.elements.filter(({ tag }) => isPart(tag))) {
    if (!element.closed) repairs.add("missing end tag");
    if (element.tag.name === "find") {
      if (find !== undefined) return "a <find> has no <replace>";
      find = element;
    } else {
      if (find === undefined) return "a <replace> has no <find> before it";
      const all = find.tag.attributes.get("all") === "true" || element.tag.attributes.get("all") === "true";
      edits.push({
        [editTag.find]: reader.leaf(find).text,
        [editTag.replace]: reader.leaf(element).text,
        ...(all ? { [editTag.all]: true } : {}),
      });
      find = undefined;
    }
  }
  if (find !== undefined && !cut) return "a <find> has no <replace>";
  return edits.length > 0 || cut ? edits : "a <file> in <edit> holds no <find> and <replace>";
}

/** `<mcp server="s" tool="t">`: a tool by name, its parameters as in `<tool_call>`. */
function readNamed(reading: Reading): DecodedPart {
  const { reader, whole, raw, repairs } = reading;
  const { attributes } = whole.tag;
  const server = attributes.get("server") ?? "";
  const tool = attributes.get("tool") ?? attributes.get("name") ?? "";
  const name = server === "" ? tool : `mcp__${server}__${tool}`;
  if (!isToolName(tool) || !isToolName(name)) return unreadable(reading, name, '<mcp> lacks tool="…" (and server="…")');
  const shape = shapeOf(reading.context.tools(name));
  const { elements } = level(
    raw,
    reader.tokens,
    whole,
    () => true,
    (tag) => tag.name === "params",
  );
  const wrapper = elements.length === 1 && elements[0]?.tag.name === "params" ? elements[0] : whole;
  const parameters = readParameters(reader, wrapper, shape);
  // JSON is a way to write them here, not a slip.
  repairs.delete("params as JSON");
  if (parameters.unreadable !== undefined) return unreadable(reading, name, parameters.unreadable);
  return call(reading, name, parameters.input);
}
