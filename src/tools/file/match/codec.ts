/**
 * What matching must know about a file's encoding: how text becomes bytes there, how wide a unit is, and where a
 * character may begin. In Shift-JIS or GBK the second byte of a character can look like a letter, so a byte match alone proves nothing.
 */
import { ToolFailure } from "../../../contract/index.ts";
import { kindOf } from "../read-kind.ts";
import type { TextEncoding } from "../text/encoding.ts";
import { decodeText, detectEncoding, encodeText } from "../text/encoding.ts";

export interface Codec {
  readonly encoding: TextEncoding;
  /** Length of the byte order mark at the start of the file. */
  readonly bomLength: number;
  /** Bytes of the smallest unit: 2 in UTF-16. */
  readonly unit: 1 | 2;
}

/** A file's bytes and how to read them. */
export interface Document {
  readonly bytes: Buffer;
  readonly codec: Codec;
}

export type Encoded = { readonly bytes: Buffer } | { readonly unencodable: string };

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `undefined` for a binary file, by the same signs by which Read tells them. */
export async function readDocument(content: Uint8Array): Promise<Document | undefined> {
  const bytes = asBuffer(content);
  const { encoding, bom } = await detectEncoding(bytes);
  const codec = codecOf(encoding, bom.length);
  const kind = kindOf(bytes, codec.unit === 2);
  const isText = kind.kind === "text" || (kind.kind === "image" && kind.format === "svg");
  return isText ? { bytes, codec } : undefined;
}

export function codecOf(encoding: TextEncoding, bomLength: number): Codec {
  return { encoding, bomLength, unit: encoding === "utf-16le" || encoding === "utf-16be" ? 2 : 1 };
}

export function binaryFailure(path: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", `${path} is a binary file`, {
    hint: "Text tools change text files only. Use a command that knows its format.",
    details: { reason: "binary_file", path },
  });
}

/** Text without the byte order mark. Bytes that are no text come as lone surrogates. */
export async function decode(codec: Codec, bytes: Uint8Array): Promise<string> {
  return (await decodeText(bytes, codec.encoding)).text;
}

/** The bytes, or the first character that cannot be written in this encoding. */
export async function encode(codec: Codec, text: string): Promise<Encoded> {
  const encoded = await encodeText(text, codec.encoding);
  return encoded.ok ? { bytes: asBuffer(encoded.bytes) } : { unencodable: encoded.character };
}

export async function contentOf({ bytes, codec }: Document): Promise<string> {
  return decode(codec, bytes.subarray(codec.bomLength));
}

/** True when a character starts at `at`. Every line start is one, since no character contains the byte of a line feed. */
export function isCharacterStart(codec: Codec, bytes: Buffer, at: number): boolean {
  if (codec.unit === 2) return (at - codec.bomLength) % 2 === 0;
  const length = characterLengths[codec.encoding];
  if (length === undefined || at === 0) return true;
  let position = Math.max(codec.bomLength, bytes.lastIndexOf(10, at - 1) + 1);
  while (position < at) position += length(bytes, position);
  return position === at;
}

const within = (byte: number | undefined, low: number, high: number): boolean => byte !== undefined && byte >= low && byte <= high;

/** Bytes of the character that starts at `at`, in encodings where a later byte can pass for a character of its own. */
const characterLengths: Readonly<Partial<Record<TextEncoding, (bytes: Uint8Array, at: number) => number>>> = {
  gb18030(bytes, at) {
    if (!within(bytes[at], 0x81, 0xfe)) return 1;
    if (within(bytes[at + 1], 0x30, 0x39)) return within(bytes[at + 2], 0x81, 0xfe) && within(bytes[at + 3], 0x30, 0x39) ? 4 : 1;
    return within(bytes[at + 1], 0x40, 0xfe) ? 2 : 1;
  },
  big5: (bytes, at) => (within(bytes[at], 0x81, 0xfe) && (within(bytes[at + 1], 0x40, 0x7e) || within(bytes[at + 1], 0xa1, 0xfe)) ? 2 : 1),
  shift_jis: (bytes, at) => ((within(bytes[at], 0x81, 0x9f) || within(bytes[at], 0xe0, 0xfc)) && within(bytes[at + 1], 0x40, 0xfc) ? 2 : 1),
  "euc-kr": (bytes, at) => (within(bytes[at], 0x81, 0xfe) && within(bytes[at + 1], 0x41, 0xfe) ? 2 : 1),
  "euc-jp"(bytes, at) {
    if (bytes[at] === 0x8f) return within(bytes[at + 1], 0xa1, 0xfe) && within(bytes[at + 2], 0xa1, 0xfe) ? 3 : 1;
    return (bytes[at] === 0x8e || within(bytes[at], 0xa1, 0xfe)) && within(bytes[at + 1], 0xa1, 0xfe) ? 2 : 1;
  },
};

/** The unit at `at`: a byte, or two in the file's order; -1 outside of the file. */
export function unitAt(codec: Codec, bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (codec.unit === 1) return first ?? -1;
  const second = bytes[at + 1];
  if (first === undefined || second === undefined) return -1;
  return codec.encoding === "utf-16be" ? (first << 8) | second : (second << 8) | first;
}

/** Where the next unit of this value starts, at or after `from`; -1 when there is none. */
export function indexOfUnit(codec: Codec, bytes: Buffer, value: number, from: number): number {
  if (codec.unit === 1) return bytes.indexOf(value, from);
  for (let at = from; at + 1 < bytes.length; at += 2) if (unitAt(codec, bytes, at) === value) return at;
  return -1;
}

/** Where the last unit of this value before `before` starts; -1 when there is none. */
export function lastIndexOfUnit(codec: Codec, bytes: Buffer, value: number, before: number): number {
  if (before <= 0) return -1;
  if (codec.unit === 1) return bytes.lastIndexOf(value, before - 1);
  for (let at = before - 2; at >= codec.bomLength; at -= 2) if (unitAt(codec, bytes, at) === value) return at;
  return -1;
}

/** Line feeds in `[from, end)`. */
export function countLineFeeds(codec: Codec, bytes: Buffer, from: number, end: number): number {
  let count = 0;
  for (let at = indexOfUnit(codec, bytes, 10, from); at !== -1 && at < end; at = indexOfUnit(codec, bytes, 10, at + codec.unit)) count++;
  return count;
}
