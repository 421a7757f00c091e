/** Calls in each dialect, as a model should write them: for examples, instructions and tests. Decoding gives them back. */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import { untyped } from "../read/coerce.ts";
import { cdata, escapeAttribute, escapeXml } from "../read/entities.ts";
import type { Dialect } from "../types.ts";
import { encodeToolsXml, type PlainCall } from "./encode-tools-xml.ts";
import { type ElementStyle, encodeElement, entriesOf, isElementName } from "./encode-value.ts";

export type { PlainCall };

export function encodeCalls(dialect: "anthropic" | "openai", calls: readonly PlainCall[]): Json;
export function encodeCalls(dialect: Exclude<Dialect, "anthropic" | "openai">, calls: readonly PlainCall[]): string;
export function encodeCalls(dialect: Dialect, calls: readonly PlainCall[]): string | Json;
export function encodeCalls(dialect: Dialect, calls: readonly PlainCall[]): string | Json {
  switch (dialect) {
    case "toolsxml":
      return encodeToolsXml(calls);
    case "tool_call":
    case "auto":
      return calls.map((call) => encodeToolCall(call, { quoteAll: false })).join("\n");
    case "anthropic_xml":
      return `<function_calls>\n${calls.map(invoke).join("\n")}\n</function_calls>`;
    case "hermes":
      return calls.map(hermes).join("\n");
    case "qwen":
      return calls.map(qwen).join("\n");
    case "glm":
      return calls.map(glm).join("\n");
    case "json":
      return fencedJson(calls);
    case "anthropic":
      return calls.map(({ id, name, input }, index) => ({ type: "tool_use", id: id ?? `call_${index + 1}`, name, input }));
    case "openai":
      return {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ id, name, input }, index) => ({
          id: id ?? `call_${index + 1}`,
          type: "function",
          function: { name, arguments: JSON.stringify(input) },
        })),
      };
  }
}

function parametersOf({ input }: PlainCall): JsonObject {
  return isObject(input) ? input : {};
}

export function encodeToolCall(call: PlainCall, style: ElementStyle): string {
  const input = parametersOf(call);
  const entries = entriesOf(input);
  const head = `<tool_call>\n  <name>${escapeXml(call.name)}</name>\n`;
  if (!entries.every(([key]) => isElementName(key))) return `${head}  <params>${cdata(JSON.stringify(input))}</params>\n</tool_call>`;
  const lines = entries.map(([key, value]) => `${encodeElement(key, value, "    ", style)}\n`);
  return `${head}  <params>\n${lines.join("")}  </params>\n</tool_call>`;
}

/** Raw as these models write it, unless it would not come back: then in CDATA. */
function rawValue(value: Json, tags: RegExp, exactBreaks: boolean): string {
  if (typeof value !== "string") {
    const json = JSON.stringify(value);
    return tags.test(json) ? json.replaceAll("<", "\\u003c") : json;
  }
  const ambiguous = untyped(value) !== value || value === "null" || /^\s*[[{]/.test(value) || /^\s*<!\[CDATA\[/i.test(value);
  const broken = !exactBreaks && (/^\r?\n/.test(value) || /\r?\n$/.test(value));
  return ambiguous || broken || tags.test(value) ? cdata(value) : value;
}

const parameterTags = /<\/?(antml:)?(param|invoke|function)|<\/?tool_call/i;
const argumentTags = /<\/?(arg_|tool_call)/i;

function invoke(call: PlainCall): string {
  const lines = entriesOf(parametersOf(call)).map(
    ([key, value]) => `<parameter name="${escapeAttribute(key)}">${rawValue(value, parameterTags, true)}</parameter>\n`,
  );
  return `<invoke name="${escapeAttribute(call.name)}">\n${lines.join("")}</invoke>`;
}

function hermes({ name, input }: PlainCall): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
}

function qwen(call: PlainCall): string {
  const entries = entriesOf(parametersOf(call));
  const plainKeys = entries.every(([key]) => /^[^\s<>"'=]+$/.test(key));
  const body = plainKeys
    ? entries.map(([key, value]) => `<parameter=${key}>\n${rawValue(value, parameterTags, false)}\n</parameter>\n`).join("")
    : `${JSON.stringify(call.input)}\n`;
  return `<tool_call>\n<function=${call.name}>\n${body}</function>\n</tool_call>`;
}

function glm(call: PlainCall): string {
  const entries = entriesOf(parametersOf(call));
  const plainKeys = entries.every(([key]) => /^[^\s<>]+$/.test(key));
  const body = plainKeys
    ? entries.map(([key, value]) => `<arg_key>${key}</arg_key>\n<arg_value>${rawValue(value, argumentTags, true)}</arg_value>\n`).join("")
    : `${JSON.stringify(call.input)}\n`;
  return `<tool_call>${call.name}\n${body}</tool_call>`;
}

function fencedJson(calls: readonly PlainCall[]): string {
  const list = calls.map(({ name, input }) => ({ name, arguments: input }));
  const json = JSON.stringify(list.length === 1 ? list[0] : list, undefined, 2);
  return `\`\`\`json\n${json}\n\`\`\``;
}
