/**
 * A file as numbered lines that still know their bytes: hunks are compared as text and spliced as bytes, so that a line
 * no hunk touches cannot change. Lines end with LF or CRLF; with CR only where the file has nothing else.
 */
import type { Codec, Document } from "../match/codec.ts";
import { contentOf, indexOfUnit, unitAt } from "../match/codec.ts";
import type { LineEnding } from "../match/line-endings.ts";

export interface FileLines {
  readonly document: Document;
  /** Without endings. */
  readonly texts: readonly string[];
  /** Byte offset of each line, and of the end of the file. */
  readonly offsets: readonly number[];
  /** The last line ends with a line ending (or there is none). */
  readonly endsWithNewline: boolean;
}

export async function fileLines(document: Document): Promise<FileLines> {
  const { bytes, codec } = document;
  const content = await contentOf(document);
  const separator = !content.includes("\n") && content.includes("\r") ? "\r" : "\n";
  const texts = content.split(separator);
  const offsets = [codec.bomLength];
  const unit = separator.charCodeAt(0);
  for (let at = indexOfUnit(codec, bytes, unit, codec.bomLength); at !== -1; at = indexOfUnit(codec, bytes, unit, at + codec.unit)) {
    offsets.push(at + codec.unit);
  }
  const endsWithNewline = texts.at(-1) === "";
  if (endsWithNewline) texts.pop();
  else offsets.push(bytes.length);
  if (offsets.length !== texts.length + 1) throw new Error("Lines of text and lines of bytes do not agree");
  return { document, texts: texts.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text)), offsets, endsWithNewline };
}

/** The ending of a line; `undefined` for a last line without one, and outside of the file. */
export function endingOf({ document, offsets }: FileLines, line: number): LineEnding | undefined {
  const { bytes, codec } = document;
  const end = offsets[line + 1];
  if (end === undefined || line < 0) return undefined;
  const last = lastUnit(codec, bytes, end);
  if (last === 13) return "\r";
  if (last !== 10) return undefined;
  return lastUnit(codec, bytes, end - codec.unit) === 13 ? "\r\n" : "\n";
}

function lastUnit(codec: Codec, bytes: Buffer, end: number): number {
  return unitAt(codec, bytes, end - codec.unit);
}
