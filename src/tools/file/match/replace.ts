/**
 * One text replacement in a file's bytes. Only what differs between old and new text is spliced; every other byte,
 * valid in its encoding or not, is carried over as it is.
 * LF in the call matches whichever line ending the file has; the inserted text takes the endings of the place it goes to.
 * Refuses nothing by itself: answers why it did not replace.
 */
import type { Codec, Document } from "./codec.ts";
import { contentOf, countLineFeeds, encode, indexOfUnit, isCharacterStart, unitAt } from "./codec.ts";
import type { LfView } from "./line-endings.ts";
import { countEndings, endingsFor, lfView, withEndings } from "./line-endings.ts";
import type { Mismatch } from "./mismatch.ts";
import { explainMismatch, lfOnly } from "./mismatch.ts";

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** A replaced stretch: 1-based line where the match starts, and the inserted bytes in the new content. */
export interface ReplacedSpan {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

export type EditOutcome =
  | { readonly kind: "replaced"; readonly bytes: Buffer; readonly spans: readonly ReplacedSpan[] }
  | { readonly kind: "mismatch"; readonly mismatch: Mismatch }
  | { readonly kind: "unencodable"; readonly character: string };

export async function replaceText(document: Document, edit: TextEdit): Promise<EditOutcome> {
  const { codec } = document;
  const oldLf = lfOnly(edit.oldText);
  if (oldLf === lfOnly(edit.newText)) return replaceEndings(document, edit);
  const needle = await encode(codec, oldLf);
  if ("unencodable" in needle) {
    const mismatch = explainMismatch(await contentOf(document), edit);
    return {
      kind: "mismatch",
      mismatch: mismatch.cause === undefined && mismatch.reason === "no_match" ? { ...mismatch, cause: "not_encodable" } : mismatch,
    };
  }
  const view = lfView(document);
  const found = occurrences(codec, view.bytes, needle.bytes);
  if (found.length === 0) return { kind: "mismatch", mismatch: explainMismatch(await contentOf(document), edit) };
  const chosen = await choose(document, view, edit, found, needle.bytes.length);
  if (chosen === undefined) return notUnique(codec, view.bytes, found);
  return splice(document, view, chosen, needle.bytes.length, oldLf, edit.newText);
}

/** Every place where the needle starts on a character, overlapping ones too: `aa` is not unique in `aaa`. */
function occurrences(codec: Codec, bytes: Buffer, needle: Buffer): readonly number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(needle, codec.bomLength); at !== -1; at = bytes.indexOf(needle, at + 1)) {
    if (isCharacterStart(codec, bytes, at)) found.push(at);
  }
  return found;
}

/** The matches to replace; `undefined` when it is not clear which. */
async function choose(
  document: Document,
  view: LfView,
  edit: TextEdit,
  found: readonly number[],
  length: number,
): Promise<readonly number[] | undefined> {
  if (edit.replaceAll) return withoutOverlaps(found, length);
  if (found.length === 1) return found;
  // A call that spells the carriage returns out says which of several it means.
  if (!edit.oldText.includes("\r")) return undefined;
  const exact = await encode(document.codec, edit.oldText);
  if ("unencodable" in exact) return undefined;
  const spelled = found.filter((at) => {
    const start = view.toFile(at);
    return exact.bytes.equals(document.bytes.subarray(start, view.toFile(at + length)));
  });
  return spelled.length === 1 ? spelled : undefined;
}

function withoutOverlaps(found: readonly number[], length: number): readonly number[] {
  const kept: number[] = [];
  let free = 0;
  for (const at of found) {
    if (at < free) continue;
    kept.push(at);
    free = at + length;
  }
  return kept;
}

function notUnique(codec: Codec, bytes: Buffer, found: readonly number[]): EditOutcome {
  return { kind: "mismatch", mismatch: { reason: "not_unique", count: found.length, lines: lineNumbers(codec, bytes, found) } };
}

/** 1-based lines of ascending offsets in bytes with LF endings. */
function lineNumbers(codec: Codec, bytes: Buffer, offsets: readonly number[]): readonly number[] {
  let line = 1;
  let counted = codec.bomLength;
  return offsets.map((offset) => {
    line += countLineFeeds(codec, bytes, counted, offset);
    counted = Math.max(counted, offset);
    return line;
  });
}

async function splice(
  document: Document,
  view: LfView,
  matches: readonly number[],
  length: number,
  oldLf: string,
  newText: string,
): Promise<EditOutcome> {
  const { bytes, codec } = document;
  // Where the file has no line ending to follow, the call's own count.
  const newLf = indexOfUnit(codec, view.bytes, 10, codec.bomLength) === -1 ? newText : newText.replaceAll("\r\n", "\n");
  const { head, tail } = sharedEnds(oldLf, newLf);
  const inserted = newLf.slice(head, newLf.length - tail);
  const plain = await encode(codec, inserted);
  if ("unencodable" in plain) return { kind: "unencodable", character: plain.unencodable };
  // The ends that both texts share keep their bytes, whatever endings are in them.
  const headBytes = await encodedLength(codec, oldLf.slice(0, head));
  const tailBytes = await encodedLength(codec, oldLf.slice(oldLf.length - tail));
  const needed = view.bytes === bytes ? 0 : countEndings(inserted);
  const lines = lineNumbers(codec, view.bytes, matches);
  const result = new Spliced(bytes);
  for (const [index, match] of matches.entries()) {
    const from = match + headBytes;
    const to = match + length - tailBytes;
    const endings = needed === 0 ? undefined : endingsFor(view, codec, from, to, needed);
    const adapted = endings === undefined ? plain : await encode(codec, withEndings(inserted, endings));
    // Endings are encodable wherever the text itself is.
    const text = "unencodable" in adapted ? plain.bytes : adapted.bytes;
    result.replace(view.toFile(from), view.toFile(to), text, lines[index] ?? 1);
  }
  return result.outcome();
}

/** New content put together from stretches of the old one and inserted bytes. */
class Spliced {
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

  outcome(): EditOutcome {
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

/** An edit that changes line endings and nothing else means them literally. */
async function replaceEndings(document: Document, edit: TextEdit): Promise<EditOutcome> {
  const { bytes, codec } = document;
  const needle = await encode(codec, edit.oldText);
  const replacement = await encode(codec, edit.newText);
  if ("unencodable" in needle) return { kind: "mismatch", mismatch: explainMismatch(await contentOf(document), edit) };
  if ("unencodable" in replacement) return { kind: "unencodable", character: replacement.unencodable };
  const isWhole = (at: number): boolean =>
    !(edit.oldText.startsWith("\n") && unitAt(codec, bytes, at - codec.unit) === 13) &&
    !(edit.oldText.endsWith("\r") && unitAt(codec, bytes, at + needle.bytes.length) === 10);
  const found = occurrences(codec, bytes, needle.bytes).filter(isWhole);
  if (found.length === 0) return endingsMismatch(document, edit);
  if (found.length > 1 && !edit.replaceAll) return notUnique(codec, bytes, found);
  const matches = withoutOverlaps(found, needle.bytes.length);
  const lines = lineNumbers(codec, bytes, matches);
  const result = new Spliced(bytes);
  for (const [index, match] of matches.entries()) result.replace(match, match + needle.bytes.length, replacement.bytes, lines[index] ?? 1);
  return result.outcome();
}

async function endingsMismatch(document: Document, edit: TextEdit): Promise<EditOutcome> {
  const view = lfView(document);
  const { codec } = document;
  const needle = await encode(codec, lfOnly(edit.oldText));
  const found = "unencodable" in needle ? [] : occurrences(codec, view.bytes, needle.bytes);
  if (found.length === 0) return { kind: "mismatch", mismatch: explainMismatch(await contentOf(document), edit) };
  return { kind: "mismatch", mismatch: { reason: "line_endings", count: found.length, lines: lineNumbers(codec, view.bytes, found) } };
}
