/**
 * Results in each dialect. Output of a tool is untrusted: it may hold closing tags, whole calls, or the control
 * tokens of chat templates. None of these ever stands in the encoded text as such, and no decoder of this room
 * takes a call from an encoded result. The escaping is lossless wherever the dialect has a lossless one.
 */
import {
  type Content,
  type ImageContent,
  type Json,
  type JsonObject,
  type Result,
  errorText as renderedError,
  type ToolError,
} from "../../contract/index.ts";
import { escapeXml } from "../read/entities.ts";
import type { Dialect } from "../types.ts";

/**
 * `<` before a word or sign of any protocol: openings and ends of calls and thoughts, ends of the elements used here,
 * roles, and the control tokens of chat templates. Web pages (`<input>`, `<Tooltip>`) are left as they are.
 */
const protocolTag = new RegExp(
  [
    "<(?=\\/?(?:antml:|tool_|function_|arg_(?:key|value)|(?:tools?|functions?|invoke|parameters?|think|thinking|thought|system|human|assistant)(?![\\w-])|system-)",
    "\\/(?:data|error|stdout|result|success|name)\\b",
    "[|\uff5c])",
  ].join("|"),
  "gi",
);

export function encodeResults(dialect: "anthropic" | "openai", results: readonly Result[]): Json;
export function encodeResults(dialect: Exclude<Dialect, "anthropic" | "openai">, results: readonly Result[]): string;
export function encodeResults(dialect: Dialect, results: readonly Result[]): string | Json;
export function encodeResults(dialect: Dialect, results: readonly Result[]): string | Json {
  switch (dialect) {
    case "toolsxml":
    case "tool_call":
    case "auto":
      return results.map((result) => formatToolResult(result.tool, result)).join("\n");
    case "anthropic_xml":
      return `<function_results>\n${results.map(functionResult).join("\n")}\n</function_results>`;
    case "hermes":
      return results.map(hermesResult).join("\n");
    case "qwen":
    case "glm":
      return results.map((result) => `<tool_response>\n${resultElements(result.tool, result)}\n</tool_response>`).join("\n");
    case "json":
      return results.map((result) => `\`\`\`json\n${safeJson({ tool_result: payload(result) })}\n\`\`\``).join("\n");
    case "anthropic":
      return results.map(anthropicResult);
    case "openai":
      return results.map(({ callId, providerId, ...result }) => ({
        role: "tool",
        tool_call_id: providerId ?? callId,
        content: wholeText(result),
      }));
  }
}

/** `<tool_result>` as in D5. */
export function formatToolResult(name: string, result: ResultBody): string {
  return `<tool_result>\n${resultElements(name, result)}\n</tool_result>`;
}

type ResultBody = Pick<Result, "status" | "output" | "content" | "data" | "error" | "approvalId">;

function resultElements(name: string, result: ResultBody): string {
  const error = errorText(result);
  return [
    `  <name>${escapeXml(name)}</name>`,
    `  <success>${succeeded(result)}</success>`,
    `  <data>${safeCdata(dataText(result))}</data>`,
    error === undefined ? "  <error/>" : `  <error>${safeCdata(error)}</error>`,
  ].join("\n");
}

function functionResult(result: Result): string {
  const error = errorText(result);
  const output = dataText(result);
  const lines = [`<result>\n<tool_name>${escapeXml(result.tool)}</tool_name>`];
  if (output !== "" || error === undefined) lines.push(`<stdout>${safeCdata(output)}</stdout>`);
  if (error !== undefined) lines.push(`<error>${safeCdata(error)}</error>`);
  return `${lines.join("\n")}\n</result>`;
}

function hermesResult(result: Result): string {
  return `<tool_response>\n${safeJson(payload(result))}\n</tool_response>`;
}

function payload(result: Result): JsonObject {
  const error = errorText(result);
  return { name: result.tool, success: succeeded(result), data: dataText(result), ...(error === undefined ? {} : { error }) };
}

function anthropicResult(result: Result): JsonObject {
  const failed = !succeeded(result);
  const images = result.content.filter((content): content is ImageContent => content.type === "image");
  const text = wholeText({ ...result, content: [] });
  const blocks: Json[] = text === "" ? [] : [{ type: "text", text }];
  for (const { mediaType, data } of images) blocks.push({ type: "image", source: { type: "base64", media_type: mediaType, data } });
  return { type: "tool_result", tool_use_id: result.providerId ?? result.callId, content: blocks, ...(failed ? { is_error: true } : {}) };
}

function succeeded(result: Pick<Result, "status">): boolean {
  return result.status === "ok" || result.status === "planned";
}

/** Output, or the structured data where there is no output; images are noted, since text cannot carry them. */
function dataText(result: ResultBody): string {
  const output = result.output === "" && result.data !== undefined ? JSON.stringify(result.data) : result.output;
  const notes = result.content.filter(isImage).map(imageNote);
  return [...(output === "" ? [] : [output]), ...notes].join("\n");
}

function isImage(content: Content): content is ImageContent {
  return content.type === "image";
}

function imageNote({ mediaType, width, height }: ImageContent): string {
  return `[image ${mediaType}${width === undefined || height === undefined ? "" : ` ${width}x${height}`}, not shown in this form]`;
}

function errorText(result: ResultBody): string | undefined {
  if (result.error !== undefined) {
    const { code, message, hint } = result.error;
    return `${code}: ${message}${hint === undefined ? "" : `\n${hint}`}`;
  }
  if (result.status === "suspended")
    return `suspended: waits for a person to answer${result.approvalId === undefined ? "" : ` (${result.approvalId})`}`;
  return succeeded(result) ? undefined : result.status;
}

/** What a native message says: the output, and the error before it. */
function wholeText(result: ResultBody): string {
  const error = errorText(result);
  const data = dataText(result);
  if (error === undefined) return data;
  const printed = result.error === undefined ? data : withoutError(data, result.error);
  return printed === "" ? `Error: ${error}` : `Error: ${error}\n${printed}`;
}

/** An output repeats its error at its end; a message that begins with it says it once. */
function withoutError(output: string, error: ToolError): string {
  const repeated = [renderedError(error), error.message].find((text) => text !== "" && output.endsWith(text));
  return repeated === undefined ? output : output.slice(0, -repeated.length).trimEnd();
}

/** CDATA in which no tag of a protocol survives: its `<` is written as a reference between two sections. */
function safeCdata(text: string): string {
  if (text === "") return "";
  const split = text.replaceAll("]]>", "]]]]><![CDATA[>").replace(protocolTag, "]]>&lt;<![CDATA[");
  return `<![CDATA[${split}]]>`;
}

/** JSON in which no tag and no fence survives; both are escaped as characters, so nothing is lost. */
function safeJson(value: Json): string {
  return JSON.stringify(value).replace(protocolTag, "\\u003c").replaceAll("```", "\\u0060\\u0060\\u0060");
}
