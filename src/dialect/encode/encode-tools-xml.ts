/** Calls as ToolsXML: by the table where a tag fits the input exactly, by name otherwise. */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import { cdata, escapeAttribute, escapeXml } from "../read/entities.ts";
import { type AttributeTag, attributeTags, editTag, namedTag, readTags, textTags } from "../read/tools-xml-tags.ts";
import { encodeElement, entriesOf, isElementName } from "./encode-value.ts";

export interface PlainCall {
  readonly name: string;
  readonly input: Json;
  readonly id?: string;
}

export function encodeToolsXml(calls: readonly PlainCall[]): string {
  const lines = calls.map(({ name, input }) => encodeTag(name, isObject(input) ? input : {}));
  return ["<tools>", ...lines, "</tools>"].join("\n");
}

function encodeTag(name: string, input: JsonObject): string {
  const text = textTags.find((tag) => tag.tool === name);
  const content = text === undefined ? undefined : input[text.parameter];
  if (text !== undefined && typeof content === "string" && Object.keys(input).length === 1) {
    // A word is trimmed when it is read, so only a trimmed one may be written.
    if (!text.word || content === content.trim()) return `  <${text.tag}>${plain(content)}</${text.tag}>`;
  }
  if (name === editTag.tool) {
    const edit = encodeEdit(input);
    if (edit !== undefined) return edit;
  }
  const rule = [...attributeTags, ...readTags].find((tag) => tag.tool === name && fits(tag, input));
  return rule === undefined ? encodeNamed(name, input) : encodeAttributes(rule, input);
}

/** Plain text stays readable; anything that could be read as markup is quoted. */
function plain(text: string): string {
  return /[<&]|\]\]>/.test(text) || (text !== "" && text.trim() === "") ? cdata(text) : text;
}

function fits(rule: AttributeTag, input: JsonObject): boolean {
  const entries = entriesOf(input);
  return (
    rule.required.every((name) => typeof input[name] === "string" && input[name] !== "") &&
    Object.entries(rule.fixed).every(([name, value]) => input[name] === value) &&
    entries.every(
      ([name, value]) =>
        isAttribute(name) && (typeof value === "string" ? rule.texts.includes(name) || name in rule.fixed : typeof value !== "object"),
    )
  );
}

function isAttribute(name: string): boolean {
  return isElementName(name) && name === name.toLowerCase();
}

function encodeAttributes(rule: AttributeTag, input: JsonObject): string {
  const short = rule.rename.get("src");
  const attributes = entriesOf(input)
    .filter(([name]) => !(name in rule.fixed))
    .map(([name, value]) => `${short === name ? "src" : name}="${escapeAttribute(String(value))}"`);
  const tag = `<${rule.tag} ${attributes.join(" ")}/>`;
  return rule.inside === undefined ? `  ${tag}` : `  <${rule.inside}>\n    ${tag}\n  </${rule.inside}>`;
}

function encodeEdit(input: JsonObject): string | undefined {
  const files = input[editTag.list];
  if (!Array.isArray(files) || files.length === 0 || Object.keys(input).length !== 1) return undefined;
  const blocks = (files as readonly Json[]).map((file) => (isObject(file) ? encodeFile(file) : undefined));
  return blocks.every((block) => block !== undefined) ? `  <edit>\n${blocks.join("\n")}\n  </edit>` : undefined;
}

function encodeFile(file: JsonObject): string | undefined {
  const path = file[editTag.path];
  const edits = file[editTag.edits];
  if (typeof path !== "string" || path === "" || !Array.isArray(edits) || edits.length === 0 || Object.keys(file).length !== 2)
    return undefined;
  const pairs = (edits as readonly Json[]).map((edit) => {
    if (!isObject(edit)) return undefined;
    const find = edit[editTag.find];
    const replace = edit[editTag.replace];
    const all = edit[editTag.all];
    const extra = Object.keys(edit).some((key) => key !== editTag.find && key !== editTag.replace && key !== editTag.all);
    if (typeof find !== "string" || typeof replace !== "string" || extra || (all !== undefined && all !== true)) return undefined;
    return `      <find${all === true ? ' all="true"' : ""}>${plain(find)}</find>\n      <replace>${plain(replace)}</replace>`;
  });
  if (!pairs.every((pair) => pair !== undefined)) return undefined;
  return `    <file src="${escapeAttribute(path)}">\n${pairs.join("\n")}\n    </file>`;
}

/** Any tool by name: `mcp__server__tool` shows its server. */
function encodeNamed(name: string, input: JsonObject): string {
  const remote = /^mcp__([^_]+(?:_[^_]+)*)__(.+)$/.exec(name);
  const who =
    remote === null
      ? `tool="${escapeAttribute(name)}"`
      : `server="${escapeAttribute(remote[1] ?? "")}" tool="${escapeAttribute(remote[2] ?? "")}"`;
  const entries = entriesOf(input);
  if (entries.length === 0) return `  <${namedTag} ${who}/>`;
  if (!entries.every(([key]) => isElementName(key) && key !== "params"))
    return `  <${namedTag} ${who}>${escapeXml(JSON.stringify(input))}</${namedTag}>`;
  const lines = entries.map(([key, value]) => encodeElement(key, value, "    ", { quoteAll: false }));
  return `  <${namedTag} ${who}>\n${lines.join("\n")}\n  </${namedTag}>`;
}
