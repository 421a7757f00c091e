/**
 * Native payloads as text: one JSON document, a document a line, or server-sent events. Cuts the text into documents
 * as it comes and hands each to the native decoder; `auto` lets the first document say whose it is.
 */
import { JsonFramer } from "../frame/frame-json.ts";
import { strictJson } from "../read/json-text.ts";
import { isSpace } from "../read/tag.ts";
import { type DecodedPart, type DecoderOptions, decodedCall, type NativeDialect } from "../types.ts";
import { createNativeDecoder, type NativeDecoder, nativeDialectOf } from "./native.ts";

/** Lines of a server-sent event that are not data. */
const controlLine = /^(event|id|retry|:)/;

export class NativeTextDecoder {
  private carry = "";
  private decoder: NativeDecoder | undefined;
  private framer: JsonFramer | undefined;
  private pieces: string[] = [];
  /** A line that is no payload was seen: from there on nothing is, whatever it looks like. */
  private isText = false;

  constructor(
    private readonly dialect: NativeDialect | "auto",
    private readonly options: DecoderOptions,
  ) {}

  push(chunk: string): DecodedPart[] {
    return this.scan(this.carry + chunk, false);
  }

  end(): DecodedPart[] {
    const parts = this.scan(this.carry, true);
    if (this.framer !== undefined) {
      const raw = this.pieces.join("");
      this.framer = undefined;
      parts.push({
        type: "call",
        call: decodedCall({ name: "", input: {}, raw, cutOff: true, unreadable: "the payload ends before its JSON does" }),
      });
    }
    return [...parts, ...(this.decoder?.end() ?? [])];
  }

  private scan(text: string, final: boolean): DecodedPart[] {
    const parts: DecodedPart[] = [];
    let p = 0;
    while (p < text.length) {
      const { framer } = this;
      const next = framer === undefined ? this.between(text, p, final, parts) : this.inside(text, p, final, parts, framer);
      if (next === p && this.framer === framer && !this.isText) break;
      p = next;
    }
    this.carry = text.slice(p);
    return parts;
  }

  private inside(text: string, from: number, final: boolean, parts: DecodedPart[], framer: JsonFramer): number {
    const to = framer.feed(text, from, final);
    this.pieces.push(text.slice(from, to));
    if (framer.ended !== undefined) {
      this.framer = undefined;
      this.document(this.pieces.join(""), parts);
      this.pieces = [];
    }
    return to;
  }

  /** Between documents: blanks, `data:` and the other lines of an event stream, or text that is nobody's. */
  private between(text: string, from: number, final: boolean, parts: DecodedPart[]): number {
    if (this.isText) {
      parts.push({ type: "text", text: text.slice(from) });
      return text.length;
    }
    let p = from;
    while (p < text.length && (isSpace(text.charCodeAt(p)) || text.charCodeAt(p) === 0xfeff || text.charCodeAt(p) === 0x1e)) p += 1;
    if (p >= text.length) return p;
    const character = text.charAt(p);
    if (character === "{" || character === "[") {
      this.framer = new JsonFramer({ read: () => undefined }, 0);
      this.pieces = [];
      return p;
    }
    if (text.length - p < 8 && !final && !text.slice(p).includes("\n")) return p;
    if (text.startsWith("data:", p)) return p + 5;
    const stop = text.indexOf("\n", p);
    if (stop < 0 && !final && text.length - p < 4096) return p;
    const end = stop < 0 ? text.length : stop + 1;
    const line = text.slice(p, end);
    if (controlLine.test(line)) return end;
    this.isText = true;
    return p;
  }

  private document(raw: string, parts: DecodedPart[]): void {
    const value = strictJson(raw);
    if (value === undefined) {
      // `[DONE]` ends an OpenAI stream.
      if (raw.trim() === "[DONE]") return;
      parts.push({ type: "call", call: decodedCall({ name: "", input: {}, raw, unreadable: "the payload is not JSON" }) });
      return;
    }
    this.decoder ??= createNativeDecoder(this.dialect === "auto" ? (nativeDialectOf(value) ?? "openai") : this.dialect, this.options);
    parts.push(...this.decoder.push(value));
  }
}
