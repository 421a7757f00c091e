/**
 * How alike two lines are, from 0 to 1, and where they first differ.
 * Bounded: a line is compared by its first `comparedLength` characters, so that one endless line costs no more than a long one.
 */
import { distance } from "fastest-levenshtein";

const comparedLength = 400;

export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  const a = left.slice(0, comparedLength);
  const b = right.slice(0, comparedLength);
  const longest = Math.max(a.length, b.length);
  if (longest === 0) return 1;
  // The distance is at least the difference in length: not worth computing when that alone says "unlike".
  if (Math.min(a.length, b.length) * 4 < longest) return 0;
  return 1 - distance(a, b) / longest;
}

export interface Fit {
  readonly similarity: number;
  /** Where in the longer text the best stretch starts and ends. */
  readonly start: number;
  readonly end: number;
}

/** The stretch of `text` most like `pattern` (edit distance with free ends). */
export function bestFit(pattern: string, text: string): Fit {
  const p = pattern.slice(0, comparedLength);
  const t = text.slice(0, comparedLength * 4);
  if (p.length === 0) return { similarity: 0, start: 0, end: 0 };
  // One row of the matrix at a time: the cost so far, and where in `text` that alignment began.
  let costs = new Uint16Array(t.length + 1);
  let starts = new Uint16Array(t.length + 1);
  for (let j = 0; j <= t.length; j++) starts[j] = j;
  for (let i = 1; i <= p.length; i++) {
    const nextCosts = new Uint16Array(t.length + 1);
    const nextStarts = new Uint16Array(t.length + 1);
    nextCosts[0] = i;
    const code = p.charCodeAt(i - 1);
    for (let j = 1; j <= t.length; j++) {
      let cost = (costs[j - 1] ?? 0) + (t.charCodeAt(j - 1) === code ? 0 : 1);
      let start = starts[j - 1] ?? 0;
      const above = (costs[j] ?? 0) + 1;
      if (above < cost) {
        cost = above;
        start = starts[j] ?? 0;
      }
      const before = (nextCosts[j - 1] ?? 0) + 1;
      if (before < cost) {
        cost = before;
        start = nextStarts[j - 1] ?? 0;
      }
      nextCosts[j] = cost;
      nextStarts[j] = start;
    }
    costs = nextCosts;
    starts = nextStarts;
  }
  let end = 0;
  for (let j = 1; j <= t.length; j++) if ((costs[j] ?? 0) < (costs[end] ?? 0)) end = j;
  return { similarity: Math.max(0, 1 - (costs[end] ?? 0) / p.length), start: starts[end] ?? 0, end };
}

/** Index of the first character in which two texts differ; the shorter length when one begins with the other. */
export function firstDifference(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index++;
  return index;
}
