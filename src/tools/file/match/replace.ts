/**
 * One text replacement in a file's bytes. Only what differs between old and new text is spliced; every other byte,
 * valid in its encoding or not, is carried over as it is.
 * LF in the call matches whichever line ending the file has; the inserted text takes the endings of the place it goes to.
 * Refuses nothing by itself: answers why it did not replace.
 */
import type { Codec, Document } from "./codec.ts";
import { contentOf, encode, isCharacterStart, unitAt } from "./codec.ts";
import type { LfView } from "./line-endings.ts";
import { lfView, plainView } from "./line-endings.ts";
import type { Mismatch } from "./mismatch.ts";
import { explainMismatch, lfOnly } from "./mismatch.ts";
import type { SpliceOutcome } from "./splice.ts";
import { lineNumbers, Spliced, splice } from "./splice.ts";

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type EditOutcome = SpliceOutcome | { readonly kind: "mismatch"; readonly mismatch: Mismatch };

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
  const view = oldLf.includes("\n") || edit.newText.includes("\n") ? lfView(document) : plainView(document);
  const found = occurrences(codec, view.bytes, needle.bytes);
  if (found.length === 0) return { kind: "mismatch", mismatch: explainMismatch(await contentOf(document), edit) };
  const chosen = await choose(document, view, edit, found, needle.bytes.length);
  if (chosen === undefined) return notUnique(document, view, found);
  return splice(document, view, { matches: chosen, length: needle.bytes.length, oldLf, newText: edit.newText });
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

function notUnique(document: Document, view: LfView, found: readonly number[]): EditOutcome {
  return { kind: "mismatch", mismatch: { reason: "not_unique", count: found.length, lines: lineNumbers(document, view, found) } };
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
  if (found.length > 1 && !edit.replaceAll) return notUnique(document, plainView(document), found);
  const matches = withoutOverlaps(found, needle.bytes.length);
  const lines = lineNumbers(document, plainView(document), matches);
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
  return { kind: "mismatch", mismatch: { reason: "line_endings", count: found.length, lines: lineNumbers(document, view, found) } };
}
