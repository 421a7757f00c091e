/**
 * The block of a file most like a wanted one: its lines, how alike it is, and the first character that differs.
 * A few probable places are aligned line by line in a narrow band, so the cost follows the wanted block, not the file.
 * Says nothing when nothing is alike.
 */
import type { LineText } from "./anchors.ts";
import { probableStarts } from "./anchors.ts";
import { bestFit, firstDifference, similarity } from "./similarity.ts";
import { visible, visibleAround } from "./visible.ts";

export interface Difference {
  /** 1-based, in the file. */
  readonly line: number;
  readonly column: number;
  /** White space made visible. */
  readonly expected: string;
  readonly found: string;
}

export interface NearestBlock {
  /** 1-based, both included. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly text: string;
  readonly similarity: number;
  readonly difference?: Difference;
}

const band = 8;
const alignedLines = 400;
const leastSimilarity = 0.35;

export function nearestBlock(file: LineText, wanted: string): NearestBlock | undefined {
  const block = trimBlankEnds(wanted.split("\n"));
  if (block.length === 0) return undefined;
  return block.length === 1 ? nearestLine(file, block[0] ?? "") : nearestLines(file, block.slice(0, alignedLines));
}

function trimBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

function nearestLine(file: LineText, wanted: string): NearestBlock | undefined {
  let best: { readonly index: number; readonly similarity: number; readonly start: number; readonly end: number } | undefined;
  for (const index of probableStarts(file, [wanted], 12)) {
    const line = file.lines[index];
    if (line === undefined) continue;
    const fit = bestFit(wanted, line);
    if (best === undefined || fit.similarity > best.similarity) best = { index, ...fit };
  }
  if (best === undefined || best.similarity < leastSimilarity) return undefined;
  const line = file.lines[best.index] ?? "";
  const found = line.slice(best.start, best.end);
  const at = firstDifference(wanted, found);
  return {
    firstLine: best.index + 1,
    lastLine: best.index + 1,
    text: line,
    similarity: round(best.similarity),
    difference: {
      line: best.index + 1,
      column: best.start + at + 1,
      expected: visibleAround(wanted, at),
      found: visibleAround(line, best.start + at),
    },
  };
}

function nearestLines(file: LineText, block: readonly string[]): NearestBlock | undefined {
  let best: Alignment | undefined;
  for (const start of probableStarts(file, block, block.length <= 40 ? 6 : 2)) {
    const alignment = align(file.lines, block, start);
    if (alignment !== undefined && (best === undefined || alignment.similarity > best.similarity)) best = alignment;
  }
  if (best === undefined || best.similarity < leastSimilarity) return undefined;
  const difference = differenceIn(file.lines, block, best);
  return {
    firstLine: best.first + 1,
    lastLine: best.last + 1,
    text: file.lines.slice(best.first, best.last + 1).join("\n"),
    similarity: round(best.similarity),
    ...(difference === undefined ? {} : { difference }),
  };
}

interface Step {
  /** Index in the wanted block; absent: the file has a line more. */
  readonly wanted?: number;
  /** Index in the file; absent: the file lacks the line. */
  readonly found?: number;
}

interface Alignment {
  readonly first: number;
  readonly last: number;
  readonly similarity: number;
  readonly steps: readonly Step[];
}

const width = 2 * band + 1;
const fromPair = 1;
const fromMissing = 2;
const fromExtra = 3;

/** Aligns the block with the file around `start`; ends in the file are free, lines inside it are not. */
function align(lines: readonly string[], block: readonly string[], start: number): Alignment | undefined {
  const rows = block.length;
  const costs = new Float64Array((rows + 1) * width).fill(Number.POSITIVE_INFINITY);
  const moves = new Uint8Array((rows + 1) * width);
  // Row r, column k: r lines of the block used, and the file read up to (not including) line start + r + k - band.
  for (let k = 0; k < width; k++) costs[k] = 0;
  let total = 0;
  for (let row = 1; row <= rows; row++) {
    const wanted = block[row - 1] ?? "";
    const weight = weigh(wanted);
    total += weight;
    // A line that is there as it is needs no measuring against its neighbours.
    const isThere =
      wanted.length >= 8 && lines.slice(Math.max(0, start + row - band - 1), Math.max(0, start + row + band)).includes(wanted);
    for (let k = 0; k < width; k++) {
      const line = lines[start + row + k - band - 1];
      let cost = Number.POSITIVE_INFINITY;
      let move = 0;
      if (line !== undefined) {
        const pair =
          (costs[(row - 1) * width + k] ?? 0) +
          weight * (isThere && wanted !== line ? unlike : pairCost(wanted, line, row === 1, row === rows));
        if (pair < cost) {
          cost = pair;
          move = fromPair;
        }
      }
      if (k + 1 < width) {
        const missing = (costs[(row - 1) * width + k + 1] ?? 0) + weight;
        if (missing < cost) {
          cost = missing;
          move = fromMissing;
        }
      }
      if (k > 0 && line !== undefined) {
        const extra = (costs[row * width + k - 1] ?? 0) + weigh(line);
        if (extra < cost) {
          cost = extra;
          move = fromExtra;
        }
      }
      costs[row * width + k] = cost;
      moves[row * width + k] = move;
    }
  }
  let end = 0;
  for (let k = 1; k < width; k++) if ((costs[rows * width + k] ?? 0) < (costs[rows * width + end] ?? 0)) end = k;
  const steps = trace(moves, rows, end, start);
  const found = steps.flatMap((step) => (step.found === undefined ? [] : [step.found]));
  const first = found[0];
  const last = found.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return { first, last, steps, similarity: Math.max(0, 1 - (costs[rows * width + end] ?? 0) / total) };
}

function trace(moves: Uint8Array, rows: number, end: number, start: number): readonly Step[] {
  const steps: Step[] = [];
  let row = rows;
  let k = end;
  while (row > 0) {
    const found = start + row + k - band - 1;
    const move = moves[row * width + k];
    if (move === fromPair) {
      steps.push({ wanted: row - 1, found });
      row--;
    } else if (move === fromMissing) {
      steps.push({ wanted: row - 1 });
      row--;
      k++;
    } else if (move === fromExtra) {
      steps.push({ found });
      k--;
    } else break;
  }
  return steps.reverse();
}

function weigh(line: string): number {
  return Math.min(Math.max(line.length, 1), 200);
}

const unlike = 1.25;

/** Lines that have nothing in common are rather one missing and one extra than a pair. */
function pairCost(wanted: string, line: string, isFirst: boolean, isLast: boolean): number {
  const alike = lineSimilarity(wanted, line, isFirst, isLast);
  return alike < 0.4 ? unlike : 1 - alike;
}

/** The first and the last wanted line may be a part of theirs. */
function lineSimilarity(wanted: string, line: string, isFirst: boolean, isLast: boolean): number {
  if (wanted === line) return 1;
  let best = similarity(wanted, line);
  if (isFirst && line.length > wanted.length) best = Math.max(best, similarity(wanted, line.slice(line.length - wanted.length)));
  if (isLast && line.length > wanted.length) best = Math.max(best, similarity(wanted, line.slice(0, wanted.length)));
  return best;
}

function differenceIn(lines: readonly string[], block: readonly string[], alignment: Alignment): Difference | undefined {
  let next = alignment.first;
  for (const step of alignment.steps) {
    const found = step.found;
    if (found !== undefined) next = found + 1;
    const wanted = step.wanted === undefined ? undefined : (block[step.wanted] ?? "");
    const line = found === undefined ? undefined : (lines[found] ?? "");
    if (wanted !== undefined && line !== undefined) {
      if (wanted === line) continue;
      if (step.wanted === 0 && line.endsWith(wanted)) continue;
      if (step.wanted === block.length - 1 && line.startsWith(wanted)) continue;
      // A first line that starts inside its file line is compared from there.
      const shift = step.wanted === 0 && line.length > wanted.length && !line.startsWith(wanted[0] ?? "") ? line.length - wanted.length : 0;
      const at = firstDifference(wanted, line.slice(shift));
      return { line: next, column: shift + at + 1, expected: visibleAround(wanted, at), found: visibleAround(line, shift + at) };
    }
    if (line === undefined) {
      const there = lines[next];
      return {
        line: next + 1,
        column: 1,
        expected: visibleAround(wanted ?? "", 0),
        found: there === undefined ? "(end of file)" : visibleAround(there, 0),
      };
    }
    const following = alignment.steps.find((other) => other.wanted !== undefined && (other.found ?? 0) > (found ?? 0));
    return {
      line: next,
      column: 1,
      expected: following?.wanted === undefined ? "" : visible(block[following.wanted] ?? "").slice(0, 80),
      found: visibleAround(line, 0),
    };
  }
  return undefined;
}

function round(value: number): number {
  // Down, not up: what is not identical never reads as 1.
  return Math.floor(value * 100) / 100;
}
