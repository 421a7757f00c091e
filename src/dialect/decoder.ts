/** The front of all decoders: text or bytes in, parts out. A character cut between two chunks is put together first. */

import { Scanner } from "./frame/scanner.ts";
import { NativeTextDecoder } from "./native/native-text.ts";
import type { DecodedPart, Decoder, DecoderOptions, Dialect, SchemaLookup } from "./types.ts";

interface TextReader {
  push(chunk: string): DecodedPart[];
  end(): DecodedPart[];
}

const noTools: SchemaLookup = () => undefined;

export function createDecoder(dialect: Dialect, options: DecoderOptions = {}): Decoder {
  const reader = readerFor(dialect, options);
  // Created only for bytes; a byte order mark is kept as any other character of the text.
  let bytes: InstanceType<typeof TextDecoder> | undefined;
  return {
    push(chunk) {
      if (typeof chunk === "string") return chunk === "" ? [] : reader.push(chunk);
      bytes ??= new TextDecoder("utf-8", { ignoreBOM: true });
      const text = bytes.decode(chunk, { stream: true });
      return text === "" ? [] : reader.push(text);
    },
    end() {
      const rest = bytes?.decode() ?? "";
      return joined([...(rest === "" ? [] : reader.push(rest)), ...reader.end()]);
    },
  };
}

function readerFor(dialect: Dialect, options: DecoderOptions): TextReader {
  if (dialect === "anthropic" || dialect === "openai") return new NativeTextDecoder(dialect, options);
  const scanner = new Scanner(dialect, options.tools ?? noTools);
  return dialect === "auto" ? new AutoReader(scanner, options) : scanner;
}

/** What may still become `data:` or `event:`. */
const undecided = /^(d|da|dat|data|data:\s{0,8}|e|ev|eve|even|event|event:\s{0,8})?$/;
const maxBlank = 64;

/** An event stream is known by its first word; everything else is text, in which payloads are found too. */
class AutoReader implements TextReader {
  private reader: TextReader | undefined;
  private held = "";

  constructor(
    private readonly scanner: Scanner,
    private readonly options: DecoderOptions,
  ) {}

  push(chunk: string): DecodedPart[] {
    if (this.reader !== undefined) return this.reader.push(chunk);
    this.held += chunk;
    const start = this.held.trimStart();
    return undecided.test(start) && this.held.length - start.length <= maxBlank ? [] : this.decide(start);
  }

  end(): DecodedPart[] {
    const parts = this.reader === undefined ? this.decide(this.held.trimStart()) : [];
    return [...parts, ...(this.reader?.end() ?? [])];
  }

  private decide(start: string): DecodedPart[] {
    const { held } = this;
    const isStream = held.length - start.length <= maxBlank && /^(data:\s{0,8}[{[]|event:\s{0,8}\S)/.test(start.slice(0, 64));
    this.reader = isStream ? new NativeTextDecoder("auto", this.options) : this.scanner;
    this.held = "";
    return held === "" ? [] : this.reader.push(held);
  }
}

/** Neighbouring texts as one part. */
export function joined(parts: readonly DecodedPart[]): DecodedPart[] {
  const out: DecodedPart[] = [];
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) out.push({ type: "text", text: texts.join("") });
    texts = [];
  };
  for (const part of parts) {
    if (part.type === "text") texts.push(part.text);
    else {
      flush();
      out.push(part);
    }
  }
  flush();
  return out;
}

export interface ParseOptions extends DecoderOptions {
  readonly dialect?: Dialect;
}

/** All parts of a whole text: the calls, and the prose around them. */
export function parseParts(text: string, options: ParseOptions = {}): DecodedPart[] {
  const decoder = createDecoder(options.dialect ?? "auto", options);
  return joined([...decoder.push(text), ...decoder.end()]);
}

/** The calls of a whole text, in order. */
export function parseToolCalls(text: string, options: ParseOptions = {}) {
  return parseParts(text, options).flatMap((part) => (part.type === "call" ? [part.call] : []));
}
