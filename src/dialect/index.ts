/**
 * Dialects: text and payloads of models to calls, and results back to them. Pure; knows no tool by name, except the
 * table of ToolsXML. Decoders never throw and never hand out a call before its end is sure.
 */
export { createDecoder, type ParseOptions, parseParts, parseToolCalls } from "./decoder.ts";
export { encodeCalls, type PlainCall } from "./encode/encode-calls.ts";
export { encodeResults, formatToolResult } from "./encode/encode-results.ts";
export { exampleCall } from "./encode/example.ts";
export { generateToolInstruction, rightForm } from "./encode/prompt.ts";
export { guessDialect } from "./guess-dialect.ts";
export { createNativeDecoder, type NativeDecoder } from "./native/native.ts";
export {
  type DecodedCall,
  type DecodedPart,
  type Decoder,
  type DecoderOptions,
  type Dialect,
  dialects,
  type NativeDialect,
  type Repair,
  type SchemaLookup,
  type TextDialect,
} from "./types.ts";
