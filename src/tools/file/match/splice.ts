/**
 * Puts new text into the places of the old one. Ends that both texts share keep their bytes, whatever endings are in
 * them; what is inserted takes the endings of its place. No CR and LF that were two endings become one.
 */
import type { Codec, Document } from "./codec.ts";
import { countLineFeeds, encode, indexOfUnit, unitAt } from "./codec.ts";
import type { LfView, LineEnding } from "./line-endings.ts";
import { countEndings, endingsFor, withEndings } from "./line-endings.ts";

/** A replaced stretch: 1-based line where the match starts, and the inserted bytes in the new content. */
export interface ReplacedSpan {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export type SpliceOutcome =
  | { readonly kind: "replaced"; readonly bytes: Buffer; readonly spans: readonly ReplacedSpan[] }
  | { readonly kind: "unencodable"; readonly character: string };

export interface Replacement {
  /** Offsets in the view, ascending, none overlapping. */
  readonly matches: readonly number[];
  /** Bytes of the old text in the view. */
  readonly length: number;
  readonly oldLf: string;
  readonly newText: string;
}

export async function splice(document: Document, view: LfView, { matches, length, oldLf, newText }: Replacement): Promise<SpliceOutcome> {
  const { bytes, codec } = document;
  // Where the file has no line ending to follow, the call's own count.
  const newLf = indexOfUnit(codec, view.bytes, 10, codec.bomLength) === -1 ? newText : newText.replaceAll("\r\n", "\n");
  const shared = await insertion(codec, oldLf, newLf, sharedEnds(oldLf, newLf));
  if ("character" in shared) return shared;
  const whole = shared.text === "" && view.bytes !== bytes ? await insertion(codec, oldLf, newLf, { head: 0, tail: 0 }) : shared;
  if ("character" in whole) return whole;
  const lines = lineNumbers(document, view, matches);
  const result = new Spliced(bytes);
  for (const [index, match] of matches.entries()) {
    const isJoined = whole !== shared && joins(document, view, match + shared.head, match + length - shared.tail);
    const { head, tail, text, plain } = isJoined ? whole : shared;
    const from = match + head;
    const to = match + length - tail;
    const start = view.toFile(from);
    const end = view.toFile(to);
    const needed = view.bytes === bytes ? 0 : countEndings(text);
    const endings = needed === 0 ? undefined : endingsFor(view, codec, from, to, needed);
    const adapted = endings === undefined ? undefined : await encode(codec, withEndings(text, apart(document, text, endings, start, end)));
    // Endings are encodable wherever the text itself is.
    result.replace(start, end, adapted === undefined || "unencodable" in adapted ? plain : adapted.bytes, lines[index] ?? 1);
  }
  return result.outcome();
}

interface Insertion {
  /** Bytes of the match that stay at its start and end. */
  readonly head: number;
  readonly tail: number;
  readonly text: string;
  readonly plain: Buffer;
}

async function insertion(
  codec: Codec,
  oldLf: string,
  newLf: string,
  { head, tail }: { readonly head: number; readonly tail: number },
): Promise<Insertion | (SpliceOutcome & { readonly kind: "unencodable" })> {
  const text = newLf.slice(head, newLf.length - tail);
  const plain = await encode(codec, text);
  if ("unencodable" in plain) return { kind: "unencodable", character: plain.unencodable };
  return {
    head: await encodedLength(codec, oldLf.slice(0, head)),
    tail: await encodedLength(codec, oldLf.slice(oldLf.length - tail)),
    text,
    plain: plain.bytes,
  };
}

/** Whether taking `[from, to)` out would put a CR and an LF together that were two endings. */
function joins({ bytes, codec }: Document, view: LfView, from: number, to: number): boolean {
  return unitAt(codec, bytes, view.toFile(from) - codec.unit) === 13 && unitAt(codec, bytes, view.toFile(to)) === 10;
}

/** The endings, but CRLF for each that would melt into a CR before it or an LF after it: that one stands beside anything. */
function apart(
  { bytes, codec }: Document,
  text: string,
  endings: readonly LineEnding[],
  start: number,
  end: number,
): readonly LineEnding[] {
  if (endings.every((ending) => ending === "\r\n")) return endings;
  const changed = [...endings];
  const afterReturn = unitAt(codec, bytes, start - codec.unit) === 13;
  let at = -1;
  for (const [index, ending] of changed.entries()) {
    const previous = at;
    at = text.indexOf("\n", at + 1);
    const followsReturn = at === 0 ? afterReturn : at === previous + 1 && changed[index - 1] === "\r";
    if (ending === "\n" && followsReturn) changed[index] = "\r\n";
  }
  const last = changed.length - 1;
  if (text.endsWith("\n") && changed[last] === "\r" && unitAt(codec, bytes, end) === 10) changed[last] = "\r\n";
  return changed;
}

/** New content put together from stretches of the old one and inserted bytes. */
export class Spliced {
  readonly #bytes: Buffer;
  readonly #parts: Buffer[] = [];
  readonly #spans: ReplacedSpan[] = [];
  #copied = 0;
  #size = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  replace(start: number, end: number, text: Buffer, line: number): void {
    this.#parts.push(this.#bytes.subarray(this.#copied, start), text);
    const at = this.#size + start - this.#copied;
    this.#size = at + text.length;
    this.#copied = end;
    this.#spans.push({ line, start: at, end: this.#size });
  }

  outcome(): SpliceOutcome {
    this.#parts.push(this.#bytes.subarray(this.#copied));
    const bytes = Buffer.concat(this.#parts, this.#size + this.#bytes.length - this.#copied);
    return { kind: "replaced", bytes, spans: this.#spans };
  }
}

async function encodedLength(codec: Codec, text: string): Promise<number> {
  if (text === "") return 0;
  const encoded = await encode(codec, text);
  return "unencodable" in encoded ? 0 : encoded.bytes.length;
}

/** How many characters two texts share at their start and, apart from those, at their end; no surrogate pair is cut. */
function sharedEnds(left: string, right: string): { readonly head: number; readonly tail: number } {
  const shortest = Math.min(left.length, right.length);
  let head = 0;
  while (head < shortest && left.charCodeAt(head) === right.charCodeAt(head)) head++;
  if (head > 0 && isHighSurrogate(left.charCodeAt(head - 1))) head--;
  let tail = 0;
  while (tail < shortest - head && left.charCodeAt(left.length - 1 - tail) === right.charCodeAt(right.length - 1 - tail)) tail++;
  if (tail > 0 && isLowSurrogate(left.charCodeAt(left.length - tail))) tail--;
  return { head, tail };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

/** 1-based lines of ascending offsets in the view, numbered like Read does: by LF, or by CR where the file has nothing else. */
export function lineNumbers(document: Document, view: LfView, offsets: readonly number[]): readonly number[] {
  const { bytes, codec } = document;
  const isBare = view.bytes !== bytes && indexOfUnit(codec, bytes, 10, codec.bomLength) === -1;
  const counted = isBare ? view.bytes : bytes;
  let line = 1;
  let from = codec.bomLength;
  return offsets.map((offset) => {
    const end = isBare ? offset : view.toFile(offset);
    line += countLineFeeds(codec, counted, from, end);
    from = Math.max(from, end);
    return line;
  });
}
