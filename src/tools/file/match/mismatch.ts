/**
 * Why a text is not in a file: as data, so that a model (or a program) can act on it instead of guessing again.
 * Works on decoded text with LF endings; reads nothing, changes nothing.
 */
import { showable } from "../text/encoding.ts";
import type { LineText } from "./anchors.ts";
import { lineAt, lineText } from "./anchors.ts";
import type { Difference, NearestBlock } from "./nearest.ts";
import { nearestBlock } from "./nearest.ts";
import { firstDifference, similarity } from "./similarity.ts";
import type { Squashed } from "./squash.ts";
import { findSquashed, squash } from "./squash.ts";
import { visibleAround } from "./visible.ts";

type MismatchReason = "no_match" | "whitespace_only" | "line_endings" | "not_unique" | "already_applied";

/** A slip that explains a `no_match`: the same text is there, but for this. */
export type MismatchCause = "line_numbers" | "escapes" | "look_alikes" | "letter_case" | "composition" | "invalid_bytes" | "not_encodable";

export interface Mismatch {
  readonly reason: MismatchReason;
  readonly cause?: MismatchCause;
  /** 1-based lines where a match starts (`not_unique`), or where the new text stands (`already_applied`). */
  readonly lines?: readonly number[];
  readonly count?: number;
  readonly nearest?: NearestBlock;
}

export interface Wanted {
  readonly oldText: string;
  readonly newText: string;
}

/** Longer text is not searched for what is alike: the answer would take seconds. */
const explainedLength = 24 << 20;

export function explainMismatch(content: string, wanted: Wanted): Mismatch {
  const text = asLines(content);
  const oldText = lfOnly(wanted.oldText);
  const newText = lfOnly(wanted.newText);
  if (text.length > explainedLength) return { reason: "no_match" };
  const file = lineText(text);
  const applied = alreadyApplied(file, oldText, newText);
  if (applied !== undefined) return applied;
  const squashed = squash(text);
  return (
    whitespaceMismatch(file, squashed, oldText) ??
    nearMiss(file, squashed.highest, oldText) ??
    plainMismatch(file, squashed.highest, oldText)
  );
}

/** Lines as Read numbers them: a bare CR ends one only where the file has nothing else. */
function asLines(content: string): string {
  return content.includes("\n") ? content.replaceAll("\r\n", "\n") : content.replaceAll("\r", "\n");
}

export function lfOnly(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function plainMismatch(file: LineText, highest: number, oldText: string): Mismatch {
  const nearest = nearestBlock(file, oldText);
  const isComposition = highest >= 0x80 && file.text.normalize("NFC").includes(oldText.normalize("NFC"));
  return { reason: "no_match", ...(isComposition ? { cause: "composition" } : {}), ...(nearest === undefined ? {} : { nearest }) };
}

/**
 * The new text is there, the old is not, and the surroundings of the edit say that it was made there: both texts share them, and
 * no block is more like the old text than the one with the new text. A new text that is only a piece of the old one proves
 * less: then nothing that was to go may be left.
 */
function alreadyApplied(file: LineText, oldText: string, newText: string): Mismatch | undefined {
  if (newText.trim() === "" || oldText === newText) return undefined;
  if (!oldText.includes(newText) && !shareSurroundings(oldText, newText)) return undefined;
  const lines: number[] = [];
  for (let at = file.text.indexOf(newText); at !== -1; at = file.text.indexOf(newText, at + newText.length)) {
    if (standsAlone(file.text, at, newText)) lines.push(lineAt(file.starts, at) + 1);
  }
  if (lines.length === 0) return undefined;
  if (oldText.includes(newText)) {
    const kept = new Set(newText.split("\n").map((line) => line.trim()));
    const removed = oldText.split("\n").filter((line) => line.trim() !== "" && !kept.has(line.trim()));
    if (!newText.includes("\n") && !removed.some((line) => !line.includes(newText))) return undefined;
    const present = new Set(file.lines.map((line) => line.trim()));
    if (removed.length === 0 || removed.some((line) => present.has(line.trim()))) return undefined;
  }
  const height = newText.trimEnd().split("\n").length;
  const nearest = nearestBlock(file, oldText);
  const isNearest = lines.some((line) => nearest !== undefined && nearest.firstLine < line + height && line <= nearest.lastLine);
  const isLess = nearest === undefined || nearest.similarity < similarity(oldText.trim(), newText.trim());
  return isNearest || isLess ? { reason: "already_applied", lines, count: lines.length } : undefined;
}

/** A whole line that stays on either side of the change, or at least half of the text. */
function shareSurroundings(oldText: string, newText: string): boolean {
  const shorter = Math.min(oldText.length, newText.length);
  let before = 0;
  while (before < shorter && oldText[before] === newText[before]) before += 1;
  let after = 0;
  while (after < shorter - before && oldText.at(-1 - after) === newText.at(-1 - after)) after += 1;
  const head = oldText.slice(0, before);
  const tail = oldText.slice(oldText.length - after);
  const lines = [...head.split("\n").slice(0, -1), ...tail.split("\n").slice(1)];
  if (lines.some((line) => /[\p{L}\p{N}_]{3}/u.test(line))) return true;
  return (head.trim().length + tail.trim().length) * 2 >= Math.max(oldText.trim().length, newText.trim().length);
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** `cat` is not what stands in `concatenate`. */
function standsAlone(text: string, at: number, piece: string): boolean {
  const joins = (inside: string | undefined, outside: string | undefined): boolean =>
    inside !== undefined && outside !== undefined && wordCharacter.test(inside) && wordCharacter.test(outside);
  return !joins(piece[0], text[at - 1]) && !joins(piece.at(-1), text[at + piece.length]);
}

const lineEnds = /[\r\n\v\f\u0085\u2028\u2029]+/gu;

function whitespaceMismatch(file: LineText, squashed: Squashed, oldText: string): Mismatch | undefined {
  const place = findSquashed(squashed, squash(oldText));
  if (place === undefined) return undefined;
  const { start, end } = place;
  const found = file.text.slice(start, end);
  const oldBody = oldText.replace(/^[\s\u200b\u2060\ufeff]+|[\s\u200b\u2060\ufeff]+$/gu, "");
  const oddEndings = /[\r\v\f\u0085\u2028\u2029]/u.test(found + oldBody);
  const onlyEndings = found !== oldBody && oddEndings && found.replace(lineEnds, "\n") === oldBody.replace(lineEnds, "\n");
  return { reason: onlyEndings ? "line_endings" : "whitespace_only", nearest: blockAt(file, oldText, start, end) };
}

function blockAt(file: LineText, oldText: string, start: number, end: number): NearestBlock {
  const first = lineAt(file.starts, start);
  const last = lineAt(file.starts, Math.max(start, end - 1));
  // An indented text is compared from the start of its line, so that a wrong indentation is the first difference.
  const lead = /^\s*/u.exec(oldText)?.[0] ?? "";
  const indentation = lead.slice(lead.lastIndexOf("\n") + 1);
  const lineStart = file.starts[first] ?? 0;
  const gap = file.text.slice(lineStart, start);
  const isLineStart = indentation !== "" && gap.trim() === "";
  const from = isLineStart ? lineStart : start - Math.min(gap.length - gap.trimEnd().length, indentation.length);
  const expected = (indentation + oldText.slice(lead.length)).split("\n");
  const found = file.text.slice(from).split("\n", expected.length + 1);
  return {
    firstLine: first + 1,
    lastLine: last + 1,
    text: file.lines.slice(first, last + 1).join("\n"),
    similarity: Math.min(0.99, Math.floor(similarity(oldText.trim(), file.text.slice(start, end)) * 100) / 100),
    ...optionalDifference(expected, found, first, from - lineStart),
  };
}

function optionalDifference(
  expected: readonly string[],
  found: readonly string[],
  firstLine: number,
  shift: number,
): { readonly difference?: Difference } {
  for (let index = 0; index < expected.length; index++) {
    const wanted = expected[index] ?? "";
    const line = found[index];
    if (line === undefined) return {};
    const isLast = index === expected.length - 1;
    if (wanted === line || (isLast && line.startsWith(wanted))) continue;
    const at = firstDifference(wanted, line);
    const before = index === 0 ? shift : 0;
    const difference = {
      line: firstLine + index + 1,
      column: before + at + 1,
      expected: visibleAround(wanted, at),
      found: visibleAround(line, at),
    };
    return { difference };
  }
  return {};
}

const typography: ReadonlyMap<string, string> = new Map([
  ...[..."\u2018\u2019\u201a\u201b\u2032\uff07"].map((quote) => [quote, "'"] as const),
  ...[..."\u201c\u201d\u201e\u201f\u2033\uff02"].map((quote) => [quote, '"'] as const),
  ...[..."\u2010\u2011\u2012\u2013\u2014\u2015\u2212"].map((dash) => [dash, "-"] as const),
]);

function plainTypography(text: string): string {
  return text.replace(
    /[\u2010-\u2015\u2018-\u201f\u2032\u2033\u2212\uff02\uff07]/gu,
    (character) => typography.get(character) ?? character,
  );
}

function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  const stripped = lines.map((line) => /^\s*\d+(?:\t|→|: |\| ?)(.*)$/u.exec(line)?.[1]);
  return stripped.every((line, index) => line !== undefined || lines[index] === "") ? stripped.map((line) => line ?? "").join("\n") : text;
}

const escapes: Readonly<Record<string, string>> = {
  "\\n": "\n",
  "\\t": "\t",
  '\\"': '"',
  "\\'": "'",
  "\\\\": "\\",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&amp;": "&",
};

function withoutEscapes(text: string): string {
  return text.replace(/\\[nt"'\\]|&(?:lt|gt|quot|amp);/g, (written) => escapes[written] ?? written);
}

/** Slips that models make again and again, each tried on the whole text: a hit explains the failure exactly. */
function nearMiss(file: LineText, highest: number, oldText: string): Mismatch | undefined {
  // A file without such characters need not be searched for them.
  const tries: readonly [MismatchCause, (text: string) => string, (text: string) => string][] = [
    ["line_numbers", withoutLineNumbers, same],
    ["escapes", withoutEscapes, same],
    ["look_alikes", plainTypography, highest < 0x2010 ? same : plainTypography],
    ["invalid_bytes", same, highest < 0xdc80 ? same : showable],
    ["letter_case", (text) => text.toLowerCase(), (text) => text.toLowerCase()],
  ];
  for (const [cause, changeWanted, changeFile] of tries) {
    const wanted = changeWanted(oldText);
    if (wanted === oldText && changeFile === same) continue;
    const inFile = changeFile(file.text);
    // A mapping that changes the length would make offsets lie.
    if (inFile.length !== file.text.length) continue;
    const at = inFile.indexOf(wanted);
    if (at === -1) continue;
    const first = lineAt(file.starts, at);
    const last = lineAt(file.starts, at + Math.max(0, wanted.replace(/\n+$/, "").length - 1));
    const shift = at - (file.starts[first] ?? 0);
    const nearest: NearestBlock = {
      firstLine: first + 1,
      lastLine: last + 1,
      text: file.lines.slice(first, last + 1).join("\n"),
      similarity: Math.min(0.99, Math.floor(similarity(oldText, file.text.slice(at, at + wanted.length)) * 100) / 100),
      ...optionalDifference(oldText.split("\n"), file.text.slice(at, at + wanted.length).split("\n"), first, shift),
    };
    return { reason: "no_match", cause, nearest };
  }
  return undefined;
}

function same(text: string): string {
  return text;
}
