/**
 * Owns the way from bytes to a numbered page: finds the lines wanted without holding the file, decodes them in one
 * go, and writes `cat -n`. Memory and time depend on the page, not on the file (skipped lines are read, not kept).
 * A page is a contiguous piece of the file of bounded length; lines too long to show are cut and counted.
 */
import type { OpenFile } from "../../contract/index.ts";

const newline = 0x0a;
const blockBytes = 1 << 20;
/** Longest piece of a file that one page may span. */
const maxPageBytes = 8 << 20;
/** Longest line that is shown whole, in characters. */
export const maxLineCharacters = 2000;

type LineUnit = "byte" | "utf-16le" | "utf-16be";

/** A page as bytes: whole lines, or the beginning of one that has no end within reach. */
export interface PageBytes {
  readonly bytes: Buffer;
  /** Whole lines before it; less than asked for where the file ends earlier. */
  readonly skipped: number;
  readonly lines: number;
  /** The page reaches the end of the file. */
  readonly eof: boolean;
  /** The page is one line whose end was not found within the bound. */
  readonly endless: boolean;
  /** Where known. */
  readonly totalLines?: number;
}

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly unit: LineUnit;
  /** Where the text begins (after a byte order mark). */
  readonly start: number;
  readonly signal: AbortSignal;
}

/** `head` is the file from its first byte on, as far as it was read already. */
export async function takePage(file: OpenFile, head: Buffer, request: PageRequest): Promise<PageBytes> {
  const { unit, signal, limit } = request;
  const size = Math.max(file.stat.size, head.length);
  let block = head;
  let blockStart = 0;
  let at = request.start;
  // New memory costs as much as reading into it; what is skipped is not kept, so its block serves again.
  const advance = async (reuse?: Buffer): Promise<boolean> => {
    signal.throwIfAborted();
    blockStart += block.length;
    if (blockStart >= size) return false;
    block = asBuffer(await file.read(blockStart, blockBytes, reuse));
    at = 0;
    return block.length > 0;
  };

  let skipped = 0;
  while (skipped < request.offset) {
    const end = nextLine(block, at, unit);
    if (end >= 0) {
      at = end;
      skipped += 1;
      continue;
    }
    const isPartial = at < block.length;
    if (await advance(block === head ? undefined : block)) continue;
    return { bytes: Buffer.alloc(0), skipped, lines: 0, eof: true, endless: false, totalLines: skipped + (isPartial ? 1 : 0) };
  }

  // The common case: the page lies within one block, and nothing is copied.
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let lines = 0;
  let from = at;
  let wholeBytes = 0;
  while (lines < limit && keptBytes + at - from <= maxPageBytes) {
    const end = nextLine(block, at, unit);
    if (end >= 0) {
      at = end;
      lines += 1;
      wholeBytes = keptBytes + at - from;
      continue;
    }
    kept.push(block.subarray(from));
    keptBytes += block.length - from;
    if (!(await advance())) {
      const bytes = join(kept);
      const total = lines + (bytes.length > wholeBytes ? 1 : 0);
      return { bytes, skipped, lines: total, eof: true, endless: false, totalLines: skipped + total };
    }
    from = 0;
  }
  kept.push(block.subarray(from, at));
  const bytes = join(kept);
  if (lines === 0 && limit > 0) return { bytes, skipped, lines: 1, eof: false, endless: true };
  const eof = blockStart + at >= size && bytes.length === wholeBytes;
  const rest = blockStart + block.length >= size ? countLines(block, at, unit) : undefined;
  return {
    bytes: bytes.subarray(0, wholeBytes),
    skipped,
    lines,
    eof,
    endless: false,
    ...(rest === undefined || bytes.length > wholeBytes ? {} : { totalLines: skipped + lines + rest }),
  };
}

/** The start of the next line, or -1. */
function nextLine(block: Buffer, at: number, unit: LineUnit): number {
  if (unit === "byte") return block.indexOf(newline, at) + 1 || -1;
  // Blocks and pages start on whole units: everything before them has an even length.
  for (let found = block.indexOf(newline, at); found >= 0; found = block.indexOf(newline, found + 1)) {
    if (unit === "utf-16le" && found % 2 === 0 && block[found + 1] === 0) return found + 2;
    if (unit === "utf-16be" && found % 2 === 1 && block[found - 1] === 0) return found + 1;
  }
  return -1;
}

function countLines(block: Buffer, from: number, unit: LineUnit): number {
  let count = 0;
  let at = from;
  for (let end = nextLine(block, at, unit); end >= 0; end = nextLine(block, at, unit)) {
    at = end;
    count += 1;
  }
  return at < block.length ? count + 1 : count;
}

function join(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Prefixes of the first lines are made once. */
const prefixes: string[] = [];
const maxPrefixes = 20_000;

function prefix(number: number): string {
  if (number > maxPrefixes) return `${String(number).padStart(6)}\t`;
  let text = prefixes[number];
  if (text === undefined) {
    text = `${String(number).padStart(6)}\t`;
    prefixes[number] = text;
  }
  return text;
}

export interface Numbered {
  readonly text: string;
  /** Lines that were cut. */
  readonly cut: number;
}

/** As `cat -n` does it: the number in six columns, a tab, the line with its own ending. */
export function numberLines(text: string, firstNumber: number): Numbered {
  let output = "";
  let cut = 0;
  let number = firstNumber;
  for (let start = 0; start < text.length; number += 1) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found + 1;
    if (end - start <= maxLineCharacters) output += prefix(number) + text.slice(start, end);
    else {
      const line = cutLine(text, start, found < 0 ? end : found);
      if (line.cut) cut += 1;
      output += prefix(number) + line.text + (found < 0 ? "" : "\n");
    }
    start = end;
  }
  return { text: output, cut };
}

function cutLine(text: string, start: number, end: number): { text: string; cut: boolean } {
  const ending = text.charCodeAt(end - 1) === 0x0d ? 1 : 0;
  if (end - ending - start <= maxLineCharacters) return { text: text.slice(start, end), cut: false };
  let stop = start + maxLineCharacters;
  if (isHighSurrogate(text.charCodeAt(stop - 1))) stop -= 1;
  const left = countCharacters(text, stop, end - ending);
  return { text: `${text.slice(start, stop)}… [${left} more characters in this line]`, cut: true };
}

function countCharacters(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (!isHighSurrogate(text.charCodeAt(at))) count += 1;
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
