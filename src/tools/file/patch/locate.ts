/**
 * Finds where a hunk goes. Exact text first, then with growing tolerance, every bit of which is reported. A line number
 * or an anchor may choose between equal places; where nothing chooses, the hunk is refused rather than guessed.
 */
import type { Hunk, PatchLine } from "./patch.ts";

export type Fuzz = "trailing_whitespace" | "context_indentation" | "look_alikes" | "context_trimmed" | "line_counts" | "out_of_order";

export interface Found {
  readonly kind: "found";
  /** 0-based line of the first old line. */
  readonly start: number;
  /** The hunk's lines that are applied: context may have been left off at both ends. */
  readonly lines: readonly PatchLine[];
  readonly fuzz: readonly Fuzz[];
}

export type Location =
  | Found
  | { readonly kind: "ambiguous"; readonly starts: readonly number[] }
  | { readonly kind: "no_anchor"; readonly anchor: string }
  /** New lines only, and nothing but a number to place them by. */
  | { readonly kind: "no_context" }
  | { readonly kind: "missing" };

export interface Search {
  readonly texts: readonly string[];
  /** Lines before it belong to earlier hunks. */
  readonly from: number;
  /** How far earlier hunks were off their line numbers. */
  readonly drift: number;
  isFree(start: number, end: number): boolean;
}

export function locate(hunk: Hunk, search: Search): Location {
  const anchored = afterAnchors(hunk.anchors, search);
  if (typeof anchored === "string") return { kind: "no_anchor", anchor: anchored };
  const isAnchored = hunk.anchors.length > 0;
  if (hunk.lines.every(({ op }) => op === "+")) return insertion(hunk, search, anchored);
  // In order first, with all the tolerance there is; only then anywhere.
  for (const from of isAnchored || anchored === 0 ? [anchored] : [anchored, 0]) {
    for (const attempt of attempts(hunk)) {
      const old = attempt.lines.filter(({ op }) => op !== "+");
      const starts = placesOf(old, attempt.level, search, from);
      if (starts.length === 0) continue;
      const start = choose(starts, hunk, attempt.skipped, search, isAnchored);
      if (start === undefined) return { kind: "ambiguous", starts };
      const fuzz: readonly Fuzz[] = start < search.from ? [...attempt.fuzz, "out_of_order"] : attempt.fuzz;
      return { kind: "found", start, lines: attempt.lines, fuzz };
    }
  }
  return { kind: "missing" };
}

type Level = "exact" | "trailing" | "context" | "look_alikes";

interface Attempt {
  readonly level: Level;
  readonly lines: readonly PatchLine[];
  /** Context lines left off at the start. */
  readonly skipped: number;
  readonly fuzz: readonly Fuzz[];
}

function* attempts(hunk: Hunk): Generator<Attempt> {
  const counts: readonly Fuzz[] = hunk.miscounted === true ? ["line_counts"] : [];
  const { lines } = hunk;
  yield { level: "exact", lines, skipped: 0, fuzz: counts };
  yield { level: "trailing", lines, skipped: 0, fuzz: [...counts, "trailing_whitespace"] };
  // Only where a removed line proves the place: new lines are put in with the patch's own indentation.
  if (lines.some(({ op }) => op === "-")) yield { level: "context", lines, skipped: 0, fuzz: [...counts, "context_indentation"] };
  yield { level: "look_alikes", lines, skipped: 0, fuzz: [...counts, "look_alikes"] };
  const head = leading(lines);
  const tail = leading(lines.toReversed());
  for (const off of [1, 2]) {
    const start = Math.min(off, head);
    const end = Math.min(off, tail);
    if (start + end === 0) continue;
    const rest = lines.slice(start, lines.length - end);
    if (rest.every(({ op }) => op === "+")) continue;
    yield { level: "trailing", lines: rest, skipped: start, fuzz: [...counts, "context_trimmed"] };
  }
}

function leading(lines: readonly PatchLine[]): number {
  const first = lines.findIndex(({ op }) => op !== " ");
  return first === -1 ? lines.length : first;
}

function placesOf(old: readonly PatchLine[], level: Level, search: Search, from: number): readonly number[] {
  const { texts } = search;
  const wanted = old.map((line) => comparable(line.text, level, line.op === " "));
  const starts: number[] = [];
  const last = texts.length - old.length;
  for (let start = from; start <= last; start++) {
    if (!search.isFree(start, start + old.length)) continue;
    let index = 0;
    while (index < old.length && comparable(texts[start + index] ?? "", level, old[index]?.op === " ") === wanted[index]) index++;
    if (index === old.length) starts.push(start);
  }
  return starts;
}

/** CR at the end belongs to the line ending, which never decides. */
function comparable(text: string, level: Level, isContext: boolean): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  switch (level) {
    case "exact":
      return line;
    case "trailing":
      return line.trimEnd();
    case "context":
      return isContext ? line.trim() : line.trimEnd();
    case "look_alikes":
      return line
        .replace(/[\u2010-\u2015\u2212]/g, "-")
        .replace(/[\u2018-\u201b]/g, "'")
        .replace(/[\u201c-\u201f]/g, '"')
        .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
        .trimEnd();
  }
}

/** One of several equal places, or `undefined` when nothing says which. */
function choose(starts: readonly number[], hunk: Hunk, skipped: number, search: Search, isAnchored: boolean): number | undefined {
  const [first, second] = starts;
  if (second === undefined || isAnchored) return first;
  if (hunk.atEnd === true) return starts.at(-1);
  if (hunk.oldStart !== undefined) return nearest(starts, hunk.oldStart - 1 + skipped + search.drift, hunk, search);
  return belowHeading(starts, hunk, search);
}

/** The place nearest to where the numbers say, if it is clearly nearer than any other. */
function nearest(starts: readonly number[], expected: number, hunk: Hunk, search: Search): number | undefined {
  const sorted = starts.toSorted((a, b) => Math.abs(a - expected) - Math.abs(b - expected));
  const [best, next] = sorted;
  if (best === undefined || next === undefined || best === expected) return best;
  if (Math.abs(best - expected) * 2 <= Math.abs(next - expected)) return best;
  return belowHeading(starts, hunk, search);
}

function belowHeading(starts: readonly number[], { heading }: Hunk, { texts }: Search): number | undefined {
  if (heading === undefined) return undefined;
  const lines = texts.flatMap((text, index) => (text.includes(heading) ? [index] : []));
  const [line] = lines;
  return lines.length === 1 && line !== undefined ? starts.find((start) => start >= line) : undefined;
}

/** Where to look from after the anchors, or the anchor that is not there. */
function afterAnchors(anchors: readonly string[], { texts, from }: Search): number | string {
  let at = from;
  for (const anchor of anchors) {
    const found = anchorLine(anchor, texts, at) ?? anchorLine(anchor, texts, 0);
    if (found === undefined) return anchor;
    at = found;
  }
  return at;
}

function anchorLine(anchor: string, texts: readonly string[], from: number): number | undefined {
  const tests: readonly ((text: string) => boolean)[] = [
    (text) => text === anchor,
    (text) => text.trim() === anchor.trim(),
    (text) => text.includes(anchor.trim()),
  ];
  for (const test of tests) {
    const index = texts.findIndex((text, line) => line >= from && test(text));
    if (index !== -1) return index;
  }
  return undefined;
}

/**
 * New lines without any around them: below their anchor, or at the end of the file. A line number alone proves nothing
 * about the place, so it is not enough anywhere else.
 */
function insertion(hunk: Hunk, { texts }: Search, anchored: number): Location {
  const fuzz: readonly Fuzz[] = hunk.miscounted === true ? ["line_counts"] : [];
  if (hunk.anchors.length > 0) return { kind: "found", start: anchored + 1, lines: hunk.lines, fuzz };
  if (hunk.oldStart !== undefined && hunk.oldStart < texts.length) return { kind: "no_context" };
  return { kind: "found", start: texts.length, lines: hunk.lines, fuzz };
}
