/**
 * Owns text ↔ bytes so that nothing is lost on the way: bytes that an encoding cannot explain become lone
 * surrogates U+DC80–U+DCFF ("strays") and turn back into the same bytes.
 * Refuses to mangle: a character the encoding cannot hold is named, never replaced.
 * The conversion tables are loaded when a file needs them; UTF-8 and UTF-16 need none.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { decode1252, encode1252 } from "./windows-1252.ts";

export const textEncodings = [
  "utf-8",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "gb18030",
  "big5",
  "shift_jis",
  "euc-kr",
  "euc-jp",
  "windows-1251",
  "koi8-r",
] as const;

export type TextEncoding = (typeof textEncodings)[number];

export interface DecodedText {
  readonly text: string;
  /** Bytes that are not text in this encoding, kept as lone surrogates. */
  readonly strays: number;
  /** Encoding `text` again (strays allowed) gives the very same bytes. False only for UTF-16 with half a unit at its end. */
  readonly exact: boolean;
}

export type EncodedText =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly character: string /** In UTF-16 units of the text. */; readonly index: number };

export interface EncodeOptions {
  /** Text that came out of `decodeText`: strays are bytes. Off for text from elsewhere, which must not smuggle bytes in. */
  readonly strays?: boolean;
}

type Iconv = typeof import("iconv-lite");
let tables: Promise<Iconv> | undefined;

export function loadTables(): Promise<Iconv> {
  tables ??= import("iconv-lite").then((module) => ("default" in module ? (module.default as Iconv) : module));
  return tables;
}

/** Bytes without their byte order mark. */
export async function decodeText(bytes: Uint8Array, encoding: TextEncoding): Promise<DecodedText> {
  const buffer = asBuffer(bytes);
  switch (encoding) {
    case "utf-8":
      return isUtf8(buffer) ? { text: buffer.toString("utf8"), strays: 0, exact: true } : decodeUtf8WithStrays(buffer);
    case "utf-16le":
      return { text: buffer.toString("utf16le"), strays: 0, exact: buffer.length % 2 === 0 };
    case "utf-16be":
      return { text: swapped(buffer).toString("utf16le"), strays: 0, exact: buffer.length % 2 === 0 };
    case "windows-1252":
      return { text: decode1252(buffer), strays: 0, exact: true };
    default:
      return decodeByTable(buffer, encoding, await loadTables());
  }
}

/** Without a byte order mark. */
export async function encodeText(text: string, encoding: TextEncoding, options: EncodeOptions = {}): Promise<EncodedText> {
  const strays = options.strays === true;
  switch (encoding) {
    case "utf-8":
      return encodePieces(text, strays, (piece) => Buffer.from(piece, "utf8"));
    case "utf-16le":
    case "utf-16be": {
      // Half a pair is a unit like any other in a UTF-16 file, but new text must be whole.
      const lone = strays ? -1 : text.search(/\p{Surrogate}/u);
      if (lone >= 0) return { ok: false, character: text.charAt(lone), index: lone };
      const bytes = Buffer.from(text, "utf16le");
      return { ok: true, bytes: encoding === "utf-16be" ? bytes.swap16() : bytes };
    }
    case "windows-1252":
      return encode1252(text);
    default: {
      const iconv = await loadTables();
      return encodePieces(text, strays, (piece) => encodeByTable(piece, encoding, iconv));
    }
  }
}

/** Text to look at, not to write back: what cannot be decoded is U+FFFD. */
export async function readableText(bytes: Uint8Array, encoding: TextEncoding): Promise<string> {
  const buffer = asBuffer(bytes);
  if (encoding === "utf-8") return isAscii(buffer) ? buffer.toString("latin1") : buffer.toString("utf8");
  if (encoding === "utf-16le" || encoding === "utf-16be") return showable((await decodeText(buffer, encoding)).text);
  if (encoding === "windows-1252") return decode1252(buffer);
  return (await loadTables()).decode(buffer, encoding, { stripBOM: false });
}

/** For showing: strays and half pairs become U+FFFD, so that the text is whole. */
export function showable(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function swapped(buffer: Buffer): Buffer {
  return Buffer.from(buffer.subarray(0, buffer.length - (buffer.length % 2))).swap16();
}

const stray = (byte: number): string => String.fromCharCode(0xdc00 + byte);

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function utf8Length(buffer: Buffer, at: number): number {
  const lead = buffer[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= buffer.length && isUtf8(buffer.subarray(at, at + length)) ? length : 0;
}

function decodeUtf8WithStrays(buffer: Buffer): DecodedText {
  const parts: string[] = [];
  let strays = 0;
  let start = 0;
  let at = 0;
  while (at < buffer.length) {
    const length = utf8Length(buffer, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(buffer.toString("utf8", start, at), stray(buffer[at] ?? 0));
    strays += 1;
    at += 1;
    start = at;
  }
  parts.push(buffer.toString("utf8", start));
  return { text: parts.join(""), strays, exact: true };
}

function decodeByTable(buffer: Buffer, encoding: TextEncoding, iconv: Iconv): DecodedText {
  const text = iconv.decode(buffer, encoding, { stripBOM: false });
  if (iconv.encode(text, encoding).equals(buffer)) return { text, strays: 0, exact: true };
  return decodeUnits(buffer, encoding, iconv);
}

/** Character by character, for files that hold bytes outside of the encoding or second spellings of a character. */
function decodeUnits(buffer: Buffer, encoding: TextEncoding, iconv: Iconv): DecodedText {
  const known = new Map<string, string>();
  const parts: string[] = [];
  let strays = 0;
  let at = 0;
  const textOf = (length: number): string => {
    const unit = buffer.subarray(at, at + length);
    const key = unit.toString("latin1");
    let text = known.get(key);
    if (text === undefined) {
      text = iconv.decode(unit, encoding, { stripBOM: false });
      if ([...text].length !== 1 || !iconv.encode(text, encoding).equals(unit)) text = "";
      known.set(key, text);
    }
    return text;
  };
  while (at < buffer.length) {
    const length = [1, 2, 4, 3].find((size) => at + size <= buffer.length && textOf(size) !== "");
    if (length === undefined) {
      parts.push(stray(buffer[at] ?? 0));
      strays += 1;
      at += 1;
    } else {
      parts.push(textOf(length));
      at += length;
    }
  }
  const text = parts.join("");
  return { text, strays, exact: true };
}

function encodeByTable(piece: string, encoding: TextEncoding, iconv: Iconv): Buffer | number {
  const bytes = iconv.encode(piece, encoding);
  if (iconv.decode(bytes, encoding, { stripBOM: false }) === piece) return bytes;
  const known = new Set<string>();
  let index = 0;
  for (const character of piece) {
    if (!known.has(character)) {
      if (iconv.decode(iconv.encode(character, encoding), encoding, { stripBOM: false }) !== character) return index;
      known.add(character);
    }
    index += character.length;
  }
  return 0;
}

/** Encodes what lies between lone surrogates with `encode`, which answers bytes or where it cannot. */
function encodePieces(text: string, strays: boolean, encode: (piece: string) => Buffer | number): EncodedText {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const found of text.matchAll(/\p{Surrogate}/gu)) {
    const code = text.charCodeAt(found.index);
    const isStray = strays && code >= 0xdc80 && code <= 0xdcff;
    const piece = encode(text.slice(start, found.index));
    if (typeof piece === "number") return offending(text, start + piece);
    if (!isStray) return offending(text, found.index);
    parts.push(piece, Uint8Array.of(code - 0xdc00));
    start = found.index + 1;
  }
  const rest = encode(start === 0 ? text : text.slice(start));
  if (typeof rest === "number") return offending(text, start + rest);
  return { ok: true, bytes: parts.length === 0 ? rest : Buffer.concat([...parts, rest]) };
}

function offending(text: string, index: number): EncodedText {
  return { ok: false, character: String.fromCodePoint(text.codePointAt(index) ?? 0xfffd), index };
}
