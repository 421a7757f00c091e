/**
 * Line endings without rewriting a file: a view of its bytes in which every ending is LF, and the way back to the
 * original offsets. A model never sees endings, so LF in a call means whichever ending the file has there.
 */
import type { Codec, Document } from "./codec.ts";
import { indexOfUnit, lastIndexOfUnit, unitAt } from "./codec.ts";

export type LineEnding = "\n" | "\r\n" | "\r";

const lineFeed = 10;
const carriageReturn = 13;

export interface LfView {
  /** The file with LF endings; the very same bytes when it has no carriage return. */
  readonly bytes: Buffer;
  /** The offset in the file of an offset in the view. An ending is never split. */
  toFile(offset: number): number;
  /** The ending the file has where the view has this line feed. */
  endingAt(offset: number): LineEnding;
}

/** The bytes as they are: enough for text without a line ending in it. */
export function plainView({ bytes }: Document): LfView {
  return { bytes, toFile: (offset) => offset, endingAt: () => "\n" };
}

export function lfView(document: Document): LfView {
  const { bytes, codec } = document;
  if (indexOfUnit(codec, bytes, carriageReturn, codec.bomLength) === -1) {
    return plainView(document);
  }
  const { view, joined } = withoutReturns(bytes, codec);
  // Each CRLF before an offset hides one unit.
  const toFile = (offset: number): number => offset + codec.unit * countBelow(joined, offset);
  return {
    bytes: view,
    toFile,
    endingAt(offset) {
      const at = toFile(offset);
      if (unitAt(codec, bytes, at) === lineFeed) return "\n";
      return unitAt(codec, bytes, at + codec.unit) === lineFeed ? "\r\n" : "\r";
    },
  };
}

/** `joined`: offsets in the view of the line feeds that are CRLF in the file, ascending. */
function withoutReturns(bytes: Buffer, codec: Codec): { readonly view: Buffer; readonly joined: readonly number[] } {
  const view = Buffer.allocUnsafe(bytes.length);
  const joined: number[] = [];
  const low = codec.encoding === "utf-16be" ? 1 : 0;
  let length = 0;
  let from = 0;
  for (
    let at = indexOfUnit(codec, bytes, carriageReturn, codec.bomLength);
    at !== -1;
    at = indexOfUnit(codec, bytes, carriageReturn, from)
  ) {
    length += bytes.copy(view, length, from, at);
    from = at + codec.unit;
    if (unitAt(codec, bytes, from) === lineFeed) {
      joined.push(length);
    } else {
      length += bytes.copy(view, length, at, from);
      view[length - codec.unit + low] = lineFeed;
    }
  }
  length += bytes.copy(view, length, from);
  return { view: view.subarray(0, length), joined };
}

function countBelow(sorted: readonly number[], offset: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Endings for text that replaces `[start, end)` of the view: line by line those of the replaced text where the number of
 * lines stays, else the most frequent there, else the nearest in the file; none where the file has no ending at all.
 */
export function endingsFor(view: LfView, codec: Codec, start: number, end: number, needed: number): readonly LineEnding[] | undefined {
  const inside: LineEnding[] = [];
  for (
    let at = indexOfUnit(codec, view.bytes, lineFeed, start);
    at !== -1 && at < end;
    at = indexOfUnit(codec, view.bytes, lineFeed, at + codec.unit)
  ) {
    inside.push(view.endingAt(at));
  }
  if (inside.length === needed) return inside;
  const ending = mostFrequent(inside) ?? nearestEnding(view, codec, start, end);
  return ending === undefined ? undefined : new Array<LineEnding>(needed).fill(ending);
}

function nearestEnding(view: LfView, codec: Codec, start: number, end: number): LineEnding | undefined {
  const before = lastIndexOfUnit(codec, view.bytes, lineFeed, start);
  if (before !== -1) return view.endingAt(before);
  const after = indexOfUnit(codec, view.bytes, lineFeed, end);
  return after === -1 ? undefined : view.endingAt(after);
}

function mostFrequent(endings: readonly LineEnding[]): LineEnding | undefined {
  let best: LineEnding | undefined;
  let most = 0;
  for (const candidate of ["\n", "\r\n", "\r"] as const) {
    const count = endings.filter((ending) => ending === candidate).length;
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

/** `text` (LF or CRLF) with its endings replaced one by one. */
export function withEndings(text: string, endings: readonly LineEnding[]): string {
  let index = 0;
  return text.replace(/\r\n|\n/g, () => endings[index++] ?? "\n");
}

export function countEndings(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
