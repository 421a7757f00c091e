/**
 * Unified diffs of files, the one form in which every writing tool shows a change.
 * Bounded in time and size: only the stretch of lines that differs is decoded and compared; what is too large to
 * compare has no diff, and what is too long to show is cut with a count. Never throws for odd bytes.
 */
import { structuredPatch } from "diff";
import type { Codec, Document } from "./match/codec.ts";
import { countLineFeeds, decode, indexOfUnit, lastIndexOfUnit } from "./match/codec.ts";
import { showable } from "./text/encoding.ts";

const contextLines = 3;
const maxComparedBytes = 1 << 20;
const maxDiffLength = 256 << 10;
const timeLimitMs = 400;
const chunk = 4096;

export interface DiffNames {
  readonly before: string;
  readonly after: string;
}

/** `undefined` where the change is too large to compare, or nothing differs. An absent side is `/dev/null`. */
export async function unifiedDiff(
  names: DiffNames,
  before: Document | undefined,
  after: Document | undefined,
): Promise<string | undefined> {
  const window = windowOf(before, after);
  if (window.before.length > maxComparedBytes || window.after.length > maxComparedBytes) return undefined;
  const oldText = await readable(before, window.before);
  const newText = await readable(after, window.after);
  const hunks = hunksOf(oldText, newText, window.linesBefore);
  if (hunks.length === 0) return undefined;
  const header = [
    before === undefined ? "--- /dev/null" : `--- ${prefixed("a", names.before)}`,
    after === undefined ? "+++ /dev/null" : `+++ ${prefixed("b", names.after)}`,
  ];
  return bounded([...header, ...hunks]);
}

function prefixed(side: "a" | "b", name: string): string {
  return name.startsWith("/") ? name : `${side}/${name}`;
}

interface Window {
  readonly before: Buffer;
  readonly after: Buffer;
  /** Lines in front of the window; the same on both sides. */
  readonly linesBefore: number;
}

const nothing = Buffer.alloc(0);

/** The lines that differ and a few around them: cheap on bytes, where a whole-file comparison of text is not. */
function windowOf(before: Document | undefined, after: Document | undefined): Window {
  if (before === undefined || after === undefined || before.codec.encoding !== after.codec.encoding) {
    return { before: before?.bytes ?? nothing, after: after?.bytes ?? nothing, linesBefore: 0 };
  }
  const { codec } = before;
  const a = before.bytes;
  const b = after.bytes;
  const start = lineStartAround(codec, a, sameStart(a, b));
  const shared = sameEnd(a, b, start);
  const tail = a.length - lineEndAround(codec, a, a.length - (shared - (shared % codec.unit)));
  return {
    before: a.subarray(start, a.length - tail),
    after: b.subarray(start, b.length - tail),
    linesBefore: countLineFeeds(codec, a, codec.bomLength, start),
  };
}

function sameStart(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at + chunk <= length && a.compare(b, at, at + chunk, at, at + chunk) === 0) at += chunk;
  while (at < length && a[at] === b[at]) at++;
  return at;
}

/** Bytes shared at the end, none of them before `floor`. */
function sameEnd(a: Buffer, b: Buffer, floor: number): number {
  const length = Math.min(a.length, b.length) - floor;
  let count = 0;
  while (
    count + chunk <= length &&
    a.compare(b, b.length - count - chunk, b.length - count, a.length - count - chunk, a.length - count) === 0
  ) {
    count += chunk;
  }
  while (count < length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

function lineStartAround(codec: Codec, bytes: Buffer, offset: number): number {
  let at = offset - ((offset - codec.bomLength) % codec.unit);
  for (let line = 0; line <= contextLines; line++) {
    const feed = lastIndexOfUnit(codec, bytes, 10, at);
    if (feed === -1) return 0;
    at = feed;
  }
  return at + codec.unit;
}

function lineEndAround(codec: Codec, bytes: Buffer, offset: number): number {
  let at = offset;
  for (let line = 0; line <= contextLines; line++) {
    const feed = indexOfUnit(codec, bytes, 10, at);
    if (feed === -1) return bytes.length;
    at = feed + codec.unit;
  }
  return at;
}

async function readable(document: Document | undefined, window: Buffer): Promise<string> {
  if (document === undefined) return "";
  const { codec, bytes } = document;
  const hasMark = codec.bomLength > 0 && window.byteOffset === bytes.byteOffset;
  const text = showable(await decode(codec, hasMark ? window.subarray(codec.bomLength) : window));
  // A file with bare carriage returns is lines to its reader, not one endless line.
  return text.includes("\n") ? text : text.replaceAll("\r", "\n");
}

function hunksOf(oldText: string, newText: string, linesBefore: number): readonly string[] {
  const patch = structuredPatch("", "", oldText, newText, undefined, undefined, { context: contextLines, timeout: timeLimitMs });
  if (patch === undefined) return wholeHunk(oldText, newText, linesBefore);
  return patch.hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart + linesBefore, hunk.oldLines)} +${range(hunk.newStart + linesBefore, hunk.newLines)} @@`,
    ...hunk.lines,
  ]);
}

/** The way out when comparing takes too long: everything old goes, everything new comes. Still true, only longer. */
function wholeHunk(oldText: string, newText: string, linesBefore: number): readonly string[] {
  const oldLines = marked("-", oldText);
  const newLines = marked("+", newText);
  const count = (lines: readonly string[]): number => lines.filter((line) => !line.startsWith("\\")).length;
  return [`@@ -${range(linesBefore + 1, count(oldLines))} +${range(linesBefore + 1, count(newLines))} @@`, ...oldLines, ...newLines];
}

function marked(mark: "-" | "+", text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") return lines.slice(0, -1).map((line) => mark + line);
  return [...lines.map((line) => mark + line), "\\ No newline at end of file"];
}

/** An empty side counts from the line before it. */
function range(start: number, length: number): string {
  if (length === 0) return `${start - 1},0`;
  return length === 1 ? `${start}` : `${start},${length}`;
}

function bounded(lines: readonly string[]): string {
  let length = 0;
  for (let index = 0; index < lines.length; index++) {
    length += (lines[index] ?? "").length + 1;
    if (length > maxDiffLength)
      return `${lines.slice(0, index).join("\n")}\n… ${lines.length - index} more lines of this diff are not shown\n`;
  }
  return `${lines.join("\n")}\n`;
}
