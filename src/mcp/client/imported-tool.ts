/** Tools of servers as the registry holds them, and what their answers become. What a server says is a stranger's text. */
import { randomBytes } from "node:crypto";
import {
  type Content,
  defineTool,
  type Json,
  type JsonObject,
  type JsonSchema,
  markUntrusted,
  noOutputText,
  type RunContext,
  type Tool,
  ToolFailure,
  type ToolOutput,
} from "../../contract/index.ts";
import { wireName } from "../wire-name.ts";
import type { Asking } from "./connection.ts";
import type { Person } from "./questions.ts";

/** A tool as it is remembered: only what its server said and could be understood. */
export interface RememberedTool {
  /** The server's own name of it. */
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly readOnly: boolean;
  readonly destructive: boolean;
}

const maxName = 64;
const maxDescription = 4_000;
const maxMedia = 8_000_000;
const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;
/** The connection has a limit of its own, which knows better what to say, and stands still while the person is asked. */
const patienceMs = 24 * 3600 * 1000;

export function fullName(server: string, tool: string): string {
  return wireName(`mcp__${server}__${tool}`, maxName);
}

/** `undefined` if there is not even a name. */
export function remembered(listed: unknown): RememberedTool | undefined {
  if (!isObject(listed) || typeof listed.name !== "string" || listed.name === "") return undefined;
  const { name, title, description, inputSchema, annotations } = listed;
  const hints = isObject(annotations) ? annotations : {};
  const said = typeof description === "string" && description !== "" ? description : typeof title === "string" ? title : name;
  return {
    name,
    description: said.slice(0, maxDescription),
    schema: schemaOf(inputSchema),
    readOnly: hints.readOnlyHint === true,
    destructive: hints.destructiveHint === true,
  };
}

/** The server checks its input itself: a schema that is none takes everything. */
function schemaOf(schema: unknown): JsonSchema {
  const isUsable = isObject(schema) && (schema.type === undefined || schema.type === "object");
  return isUsable ? ({ ...schema, type: "object" } as JsonSchema) : { type: "object", properties: {}, additionalProperties: true };
}

export function importedTool(
  server: string,
  { name, description, schema, readOnly, destructive }: RememberedTool,
  call: (tool: string, args: JsonObject, asking: Asking) => Promise<JsonObject>,
): Tool {
  return defineTool<JsonObject, "valueRequests">({
    name: fullName(server, name),
    description,
    input: schema,
    importedFrom: server,
    traits: { readOnly, destructive, searchHint: `${server} ${name.replace(/[_-]/g, " ")}` },
    timeoutMs: patienceMs,
    needs: ["valueRequests"],
    run: async (input, context) => {
      const asking: Asking = { signal: context.signal, onProgress: context.progress, person: personOf(server, context) };
      return outputOf(server, name, await call(name, input, asking));
    },
  });
}

function personOf(server: string, { session, valueRequests }: RunContext<"valueRequests">): Person {
  return { sessionId: session.id, ask: (question, signal) => valueRequests.askFor(server, question, signal) };
}

/** Text for the model; structured content only if there is no text. */
function outputOf(server: string, tool: string, answer: JsonObject): ToolOutput {
  const blocks = Array.isArray(answer.content) ? (answer.content as Json[]).filter(isObject) : [];
  const structured = answer.structuredContent;
  if (!Array.isArray(answer.content) && structured === undefined) {
    throw new ToolFailure("tool_error", `The MCP server '${server}' answered nonsense to '${tool}': no content.`, {
      details: { reason: "nonsense", server },
    });
  }
  const texts = blocks.map(textOf).filter((text) => text !== "");
  const whole = blocks.some(saysMore) || structured === undefined ? texts : [...texts, JSON.stringify(structured, undefined, 2)];
  const text = whole.join("\n");
  const output = text === "" ? noOutputText : mark(`mcp://${server}/${tool}`, text);
  const data = structured === undefined ? {} : { data: structured };
  if (answer.isError === true) {
    throw new ToolFailure("tool_error", `The tool '${tool}' of the MCP server '${server}' reported an error.`, {
      output,
      ...(isObject(structured) ? { data: structured } : {}),
      details: { reason: "remote_error", server },
    });
  }
  const content = blocks.flatMap(imageOf);
  return { output, ...(content.length === 0 ? {} : { content }), ...data };
}

export function mark(url: string, text: string): string {
  return markUntrusted(randomBytes(6).toString("hex"), url, text);
}

/** Of what is left out only a note is told, which takes the place of nothing. */
function saysMore({ type, text }: JsonObject): boolean {
  return (type === "text" && text !== "") || type === "resource" || type === "resource_link" || type === "audio";
}

function textOf(block: JsonObject): string {
  switch (block.type) {
    case "text":
      return String(block.text ?? "");
    case "resource":
      return isObject(block.resource) ? resourceText(block.resource) : "";
    case "resource_link":
      return `[resource ${String(block.uri)}${block.name === undefined ? "" : `: ${String(block.name)}`}]`;
    case "audio":
      return `[audio, ${String(block.mimeType)}]`;
    case "image":
      return imageOf(block).length === 0 ? `[image left out: ${whyNoImage(block)}]` : "";
    default:
      return `[content of the kind ${JSON.stringify(String(block.type).slice(0, 40))} left out: it is not known]`;
  }
}

export function resourceText({ uri, text, blob, mimeType }: JsonObject): string {
  if (typeof text === "string") return text;
  return `[${String(mimeType ?? "binary")} at ${String(uri)}, ${typeof blob === "string" ? Math.floor((blob.length * 3) / 4) : 0} bytes]`;
}

function imageOf(block: JsonObject): readonly Content[] {
  const { type, data, mimeType } = block;
  if (type !== "image" || typeof data !== "string" || whyNoImage(block) !== undefined) return [];
  return [{ type: "image", data, mediaType: typeof mimeType === "string" ? mimeType : "image/png" }];
}

/** `undefined` if it can be shown. */
function whyNoImage({ data }: JsonObject): string | undefined {
  if (typeof data !== "string" || data === "") return "it has no data";
  if (data.length > maxMedia) return `its ${data.length} characters are more than ${maxMedia}`;
  return base64.test(data) ? undefined : "its data is no Base64";
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
