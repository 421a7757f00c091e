/**
 * Applies the hunks of one file to its bytes. Context lines keep their bytes even where they matched with tolerance;
 * new lines take the endings of the lines they replace or follow. All hunks or none.
 */
import type { Document } from "../match/codec.ts";
import { encode } from "../match/codec.ts";
import type { LineEnding } from "../match/line-endings.ts";
import { unencodableFailure } from "../match/report.ts";
import { hunkFailure } from "./failure.ts";
import type { FileLines } from "./lines.ts";
import { endingOf, fileLines } from "./lines.ts";
import type { Found, Fuzz } from "./locate.ts";
import { locate } from "./locate.ts";
import type { Hunk, PatchLine } from "./patch.ts";

export interface HunkReport {
  /** 1-based. */
  readonly hunk: number;
  readonly line: number;
  /** Lines between where the header says and where it was found. */
  readonly offset: number;
  readonly fuzz: readonly Fuzz[];
}

export interface Applied {
  readonly bytes: Buffer;
  readonly hunks: readonly HunkReport[];
}

export async function applyHunks(path: string, document: Document, hunks: readonly Hunk[]): Promise<Applied> {
  const file = await fileLines(document);
  const changes: Change[] = [];
  const reports: HunkReport[] = [];
  const taken: { readonly start: number; readonly end: number }[] = [];
  let from = 0;
  let drift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const isFree = (start: number, end: number): boolean => taken.every((other) => end <= other.start || start >= other.end);
    const found = locate(hunk, { texts: file.texts, from, drift, isFree });
    if (found.kind !== "found") throw hunkFailure(path, index + 1, hunks.length, hunk, found, file.texts);
    const oldCount = found.lines.filter(({ op }) => op !== "+").length;
    const offset = offsetOf(hunk, found);
    if (hunk.oldStart !== undefined) drift = offset;
    from = Math.max(from, found.start + oldCount);
    taken.push({ start: found.start, end: found.start + oldCount });
    reports.push({ hunk: index + 1, line: found.start + 1, offset, fuzz: found.fuzz });
    changes.push(...changesOf(found, endingRule(hunk)));
  }
  return { bytes: await splice(path, file, changes), hunks: reports };
}

function offsetOf(hunk: Hunk, found: Found): number {
  if (hunk.oldStart === undefined) return 0;
  const hasOld = found.lines.some(({ op }) => op !== "+");
  const skipped = hunk.lines.indexOf(found.lines[0] ?? { op: " ", text: "" });
  return found.start - (hasOld ? hunk.oldStart - 1 + Math.max(0, skipped) : hunk.oldStart);
}

/** A run of removed and added lines: `[start, end)` of the file goes, `added` comes. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly removed: readonly PatchLine[];
  readonly added: readonly PatchLine[];
  /** The patch tells CRLF from LF: then its endings count, not the file's. */
  readonly literalEndings: boolean;
}

function endingRule({ lines }: Hunk): boolean {
  const returns = lines.filter(({ text }) => text.endsWith("\r")).length;
  return returns > 0 && returns < lines.length;
}

function changesOf(found: Found, literalEndings: boolean): readonly Change[] {
  const changes: Change[] = [];
  let line = found.start;
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = (): void => {
    if (removed.length + added.length > 0) changes.push({ start: line - removed.length, end: line, removed, added, literalEndings });
    removed = [];
    added = [];
  };
  for (const one of found.lines) {
    if (one.op === "+") added.push(one);
    else {
      if (one.op === " ") flush();
      else removed.push(one);
      line++;
    }
  }
  flush();
  return changes;
}

async function splice(path: string, file: FileLines, changes: readonly Change[]): Promise<Buffer> {
  const { bytes, codec } = file.document;
  const parts: Buffer[] = [];
  let copied = 0;
  for (const change of changes.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const start = file.offsets[change.start] ?? bytes.length;
    const text = await encode(codec, textOf(file, change));
    if ("unencodable" in text) throw unencodableFailure(path, text.unencodable, codec.encoding);
    parts.push(bytes.subarray(copied, start), text.bytes);
    copied = file.offsets[change.end] ?? bytes.length;
  }
  parts.push(bytes.subarray(copied));
  return Buffer.concat(parts);
}

function textOf(file: FileLines, change: Change): string {
  const { added, removed, start, end } = change;
  if (added.length === 0) return "";
  const total = file.texts.length;
  const text = added.map((line, index) => stripped(line.text) + endingFor(file, change, index)).join("");
  if (end < total) return text;
  // New lines after a last line without ending: that line gets one first.
  const isAfterOpenEnd = start === end && total > 0 && !file.endsWithNewline;
  const lead = isAfterOpenEnd ? endingFor(file, change, 0) : "";
  const staysOpen = added.at(-1)?.noNewline === true || (!file.endsWithNewline && removed.at(-1)?.noNewline !== true);
  return lead + (staysOpen ? text.replace(/\r\n$|\n$|\r$/, "") : text);
}

function stripped(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function endingFor(file: FileLines, change: Change, index: number): LineEnding {
  const line = change.added[index];
  if (change.literalEndings) return line?.text.endsWith("\r") === true ? "\r\n" : "\n";
  const replaced = change.end > change.start ? endingOf(file, Math.min(change.start + index, change.end - 1)) : undefined;
  const own = replaced ?? endingOf(file, change.start - 1) ?? endingOf(file, change.end) ?? endingOf(file, 0);
  return own ?? (line?.text.endsWith("\r") === true ? "\r\n" : "\n");
}

/** The content of a new file: exactly the added lines. */
export function newContent(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter(({ op }) => op === "+"));
  return lines.map(({ text, noNewline }, index) => (noNewline === true && index === lines.length - 1 ? text : `${text}\n`)).join("");
}
