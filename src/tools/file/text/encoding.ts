/**
 * Owns the answer to "which encoding is this?". Certain where bytes are certain (byte order mark, valid UTF-8,
 * the NUL pattern of UTF-16), a weighed guess with a confidence where they are not.
 * Plain ASCII and UTF-8 load nothing. A guess cannot damage a file: every encoding named here decodes without loss.
 */
import { isAscii, isUtf8 } from "node:buffer";
import type { TextEncoding } from "./codec.ts";
import { type Judgement, judgeLegacy } from "./legacy.ts";

export {
  decodeText,
  encodeText,
  readableText,
  showable,
  type TextEncoding,
  textEncodings,
} from "./codec.ts";

export interface DetectedEncoding {
  readonly encoding: TextEncoding;
  /** The byte order mark the bytes start with; empty without one. */
  readonly bom: Uint8Array;
  /** From 0 to 1. */
  readonly confidence: number;
}

const none = new Uint8Array(0);
/** Enough to judge by; the rest of a long file is assumed alike. */
const sampleBytes = 64 << 10;

export interface DetectOptions {
  /** The bytes are only the beginning of the file: their last character may be cut. */
  readonly partial?: boolean;
}

export async function detectEncoding(bytes: Uint8Array, options: DetectOptions = {}): Promise<DetectedEncoding> {
  const marked = byMark(bytes);
  if (marked !== undefined) return marked;
  const valid = options.partial === true ? bytes.subarray(0, bytes.length - cutTail(bytes)) : bytes;
  if (isUtf8(valid) && !hasNul(valid)) return { encoding: "utf-8", bom: none, confidence: 1 };
  const sample = bytes.subarray(0, sampleBytes);
  const wide = utf16WithoutMark(sample, bytes.length % 2 === 0 || options.partial === true);
  if (wide !== undefined) return { ...wide, bom: none };
  if (isUtf8(valid)) return { encoding: "utf-8", bom: none, confidence: 1 };
  return { ...(await judgeStrange(bytes, sample)), bom: none };
}

/** UTF-16, whose NUL bytes are text. Loads nothing. */
export function looksWide(bytes: Uint8Array, partial: boolean): boolean {
  const encoding = byMark(bytes)?.encoding ?? utf16WithoutMark(bytes.subarray(0, sampleBytes), bytes.length % 2 === 0 || partial)?.encoding;
  return encoding === "utf-16le" || encoding === "utf-16be";
}

/** Not UTF-8 as a whole: damaged UTF-8, or another encoding. */
async function judgeStrange(bytes: Uint8Array, sample: Uint8Array): Promise<Judgement> {
  const odd = oddSample(bytes, sample);
  const { valid, invalid } = countUtf8(odd);
  const damaged: Judgement = { encoding: "utf-8", confidence: valid / (valid + invalid) };
  // A few wrong bytes in a file full of well-formed sequences: no other encoding looks like that by accident.
  if (valid >= 2 && valid >= invalid * 3) return damaged;
  const judged = await judgeLegacy(odd);
  // In a short file one sequence says as much, unless it reads well otherwise: as text of one byte a character it is gibberish.
  const isSingleByte = judged.encoding === "windows-1252" || judged.encoding === "windows-1251" || judged.encoding === "koi8-r";
  return valid >= 1 && valid >= invalid && isSingleByte ? damaged : judged;
}

/** Judges where there is something to judge: a long ASCII head says nothing about what follows it. */
function oddSample(bytes: Uint8Array, sample: Uint8Array): Uint8Array {
  if (!isAscii(sample)) return sample;
  let at = 0;
  while (at < bytes.length && isAscii(bytes.subarray(at, at + sampleBytes))) at += sampleBytes;
  // From the last line break before it, so that no character is cut in two.
  const start = Math.max(0, at - 1);
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, start).lastIndexOf(0x0a);
  const from = start - line < sampleBytes ? line + 1 : start;
  return bytes.subarray(from, from + 2 * sampleBytes);
}

function byMark(bytes: Uint8Array): DetectedEncoding | undefined {
  const [first, second, third, fourth] = bytes;
  const marked = (encoding: TextEncoding, length: number): DetectedEncoding => ({ encoding, bom: bytes.slice(0, length), confidence: 1 });
  if (first === 0xef && second === 0xbb && third === 0xbf) return marked("utf-8", 3);
  // FF FE 00 00 is UTF-32, which is not text here.
  if (first === 0xff && second === 0xfe && !(third === 0 && fourth === 0)) return marked("utf-16le", 2);
  if (first === 0xfe && second === 0xff) return marked("utf-16be", 2);
  return undefined;
}

function hasNul(bytes: Uint8Array): boolean {
  return bytes.includes(0);
}

/** How many bytes at the end belong to a UTF-8 sequence that is not complete. */
function cutTail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Multi-byte sequences that are UTF-8, and bytes that are not. */
function countUtf8(bytes: Uint8Array): { valid: number; invalid: number } {
  let valid = 0;
  let invalid = 0;
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (length === 1) at += 1;
    else if (isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length) {
      valid += 1;
      at += length;
    } else {
      invalid += 1;
      at += 1;
    }
  }
  return { valid, invalid };
}

/** UTF-16 shows itself by NUL bytes on one side of its units; every unit must also be a plausible character. */
function utf16WithoutMark(sample: Uint8Array, evenLength: boolean): Judgement | undefined {
  if (!evenLength || sample.length < 2 || !hasNul(sample) || isAsciiWithNuls(sample)) return undefined;
  const little = plausibleUnits(sample, 0);
  const big = plausibleUnits(sample, 1);
  const best = Math.max(little, big);
  if (best < 0.9 || little === big) return undefined;
  return { encoding: little > big ? "utf-16le" : "utf-16be", confidence: best };
}

/** Plain letters with a NUL here and there: data, however well its pairs read as ideographs. */
function isAsciiWithNuls(sample: Uint8Array): boolean {
  let nuls = 0;
  for (const byte of sample) {
    if (byte === 0) nuls += 1;
    else if (byte > 0x7e || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)) return false;
  }
  return nuls * 4 < sample.length;
}

/** Share of units that are common text; 0 when one of them cannot be text at all. */
function plausibleUnits(sample: Uint8Array, highFirst: 0 | 1): number {
  let common = 0;
  let units = 0;
  for (let at = 0; at + 1 < sample.length; at += 2) {
    const unit = ((sample[at + 1 - highFirst] ?? 0) << 8) | (sample[at + highFirst] ?? 0);
    units += 1;
    if (unit === 0x09 || unit === 0x0a || unit === 0x0d || (unit >= 0x20 && unit < 0x7f)) common += 1;
    else if (unit < 0x20 || unit === 0xfffe || unit === 0xffff || (unit >= 0xe000 && unit < 0xf900)) return 0;
    else if (isCommonLetter(unit)) common += 0.98;
  }
  return units === 0 ? 0 : common / units;
}

function isCommonLetter(unit: number): boolean {
  return (
    (unit >= 0xa0 && unit < 0x530) ||
    (unit >= 0x2010 && unit < 0x2040) ||
    (unit >= 0x3000 && unit < 0x3100) ||
    (unit >= 0x4e00 && unit < 0x9fa6) ||
    (unit >= 0xac00 && unit < 0xe000) ||
    (unit >= 0xff01 && unit < 0xff66)
  );
}
