/** Native function calling (D6): payloads in, parts out. `push` takes parsed messages or streaming events, in order. */
import type { Json } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import type { DecodedPart, DecoderOptions, NativeDialect, SchemaLookup } from "../types.ts";
import { AnthropicDecoder } from "./native-anthropic.ts";
import { OpenAiDecoder } from "./native-openai.ts";

export interface NativeDecoder {
  /** Never throws; what it does not know gives nothing. */
  push(event: unknown): DecodedPart[];
  end(): DecodedPart[];
}

const noTools: SchemaLookup = () => undefined;

export function createNativeDecoder(dialect: NativeDialect, options: DecoderOptions = {}): NativeDecoder {
  const tools = options.tools ?? noTools;
  const decoder = dialect === "anthropic" ? new AnthropicDecoder(tools) : new OpenAiDecoder(tools);
  return {
    push: (event) => decoder.push(event as Json),
    end: () => decoder.end(),
  };
}

/** Whose payload is this? */
export function nativeDialectOf(value: Json): NativeDialect | undefined {
  const one = Array.isArray(value) ? (value as readonly Json[])[0] : value;
  if (!isObject(one)) return undefined;
  const { type } = one;
  if (Array.isArray(one.choices) || (Array.isArray(one.output) && one.object === "response")) return "openai";
  if (typeof type === "string") {
    if (type.startsWith("response.") || type === "function_call") return "openai";
    if (/^(message_(start|delta|stop)|content_block_(start|delta|stop)|ping|tool_use)$/.test(type)) return "anthropic";
    if (type === "message" && Array.isArray(one.content) && one.role === "assistant") return "anthropic";
  }
  if (one.role === "assistant") return Array.isArray(one.content) ? "anthropic" : "openai";
  return undefined;
}

/** The parts of one whole payload; `undefined` where it is nobody's. */
export function nativeParts(value: Json, tools: SchemaLookup): readonly DecodedPart[] | undefined {
  const dialect = nativeDialectOf(value);
  if (dialect === undefined) return undefined;
  const decoder = createNativeDecoder(dialect, { tools });
  return [...decoder.push(value), ...decoder.end()];
}
