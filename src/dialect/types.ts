/**
 * The neutral form between text and calls: what every decoder hands out and every encoder takes in.
 * Nothing here knows a protocol; nothing here is checked against a tool's schema (the engine does that).
 */
import type { Json, JsonSchema } from "../contract/index.ts";

export const dialects = ["toolsxml", "tool_call", "anthropic_xml", "hermes", "qwen", "glm", "json", "anthropic", "openai", "auto"] as const;

export type Dialect = (typeof dialects)[number];

/** Protocols whose messages are structured payloads rather than text. */
export type NativeDialect = "anthropic" | "openai";

export type TextDialect = Exclude<Dialect, NativeDialect>;

/** What a decoder had to mend. A call that carries one of these asks before it writes. */
export type Repair =
  | "after a broken call"
  | "attribute quotes"
  | "bare JSON"
  | "closing tag in content"
  | "code fence"
  | "cut off"
  | "double-encoded JSON"
  | "flat arguments"
  | "JSON syntax"
  | "missing CDATA end"
  | "missing end tag"
  | "missing parameter tags"
  | "missing params tag"
  | "missing tag end"
  | "missing tools tag"
  | "parameter name"
  | "params as JSON"
  | "stray text"
  | "tag case"
  | "tag name"
  | "tool name"
  | "unescaped markup"
  | "value type";

/** Collects repairs while one call is read. */
export type Repairs = Set<Repair>;

export interface DecodedCall {
  /** As the model wrote it; `unknown` where it could not be read. */
  readonly name: string;
  readonly input: Json;
  /** The text (or payload as JSON) it was decoded from. */
  readonly raw: string;
  readonly repaired?: readonly Repair[];
  /** The stream ended inside this call. */
  readonly cutOff?: boolean;
  /** There is a call here, but this is why it could not be read. */
  readonly unreadable?: string;
  /** The provider's own id, native protocols only. */
  readonly id?: string;
}

export type DecodedPart = { readonly type: "text"; readonly text: string } | { readonly type: "call"; readonly call: DecodedCall };

/** The input schema of a tool by name or alias, where there is one. */
export type SchemaLookup = (name: string) => JsonSchema | undefined;

export interface DecoderOptions {
  readonly tools?: SchemaLookup;
}

/** Incremental: the same calls come out however the input is cut. Never throws. */
export interface Decoder {
  push(chunk: string | Uint8Array): DecodedPart[];
  /** Everything still held back; afterwards the decoder is spent. */
  end(): DecodedPart[];
}

/** The longest tag that is read as one; anything longer is text. Bounds what a decoder holds back. */
export const maxTagLength = 8192;

/** Depth to which nested structure is followed; deeper content stays as it came. */
export const maxDepth = 64;

/** The one place a decoded call is put together, so that empty extras never appear. */
export function decodedCall(
  call: Pick<DecodedCall, "name" | "input" | "raw"> & {
    readonly repairs?: Iterable<Repair> | undefined;
    readonly cutOff?: boolean;
    readonly unreadable?: string | undefined;
    readonly id?: string | undefined;
  },
): DecodedCall {
  const name = call.name === "" ? "unknown" : call.name;
  const { input, raw, repairs, cutOff, unreadable, id } = call;
  const sound = repairs === undefined || (repairs instanceof Set && repairs.size === 0);
  if (sound && !cutOff && unreadable === undefined && id === undefined) return { name, input, raw };
  const all = new Set(repairs);
  if (cutOff) {
    // Of course its end is missing; saying both says nothing more.
    all.delete("missing end tag");
    all.add("cut off");
  }
  const repaired = [...all];
  return {
    name,
    input,
    raw,
    ...(repaired.length === 0 ? {} : { repaired }),
    ...(cutOff ? { cutOff: true } : {}),
    ...(unreadable === undefined ? {} : { unreadable }),
    ...(id === undefined ? {} : { id }),
  };
}
