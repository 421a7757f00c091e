/**
 * Owns where `old_str` stands in an artifact: exactly and once, else at the most similar place of the whole text (T1).
 * Similarity is 1 − Levenshtein / length of `old_str`, in characters. Refuses a place under 70 % and one of several equals.
 */
import { bestEnds, type Characters, startsOf } from "./approximate-search.ts";

/** Places below this are refused. */
export const leastSimilarity = 0.7;

export type Place =
  | { readonly kind: "exact"; readonly start: number; readonly end: number }
  | { readonly kind: "fuzzy"; readonly start: number; readonly end: number; readonly similarity: number }
  /** `starts` are string indices; `similarity` is absent if the places are exact. */
  | { readonly kind: "several"; readonly starts: readonly number[]; readonly similarity?: number }
  | { readonly kind: "none" };

const maxTold = 10;

export function findPlace(text: string, wanted: string): Place {
  const first = text.indexOf(wanted);
  if (first !== -1) {
    const starts = [first];
    for (let at = text.indexOf(wanted, first + 1); at !== -1 && starts.length < maxTold; at = text.indexOf(wanted, at + 1)) starts.push(at);
    return starts.length === 1 ? { kind: "exact", start: first, end: first + wanted.length } : { kind: "several", starts };
  }
  return findSimilar(text, wanted);
}

function findSimilar(text: string, wanted: string): Place {
  const haystack = charactersOf(text);
  const pattern = charactersOf(wanted);
  const limit = Math.floor(pattern.length * (1 - leastSimilarity) + 1e-9);
  if (limit === 0) return { kind: "none" };
  const best = bestEnds(haystack, pattern, closeGuess(text, wanted, haystack, pattern, limit));
  if (best === undefined) return { kind: "none" };
  const similarity = 1 - best.distance / pattern.length;
  const index = (position: number): number => (haystack.length === text.length ? position : stringIndex(text, position));
  const [earliest = 0] = best.ends;
  const candidates = best.ends.flatMap((end) => startsOf(haystack, pattern, end, best.distance).map((start) => ({ start, end })));
  const apart = candidates.find(({ start }) => start >= earliest);
  if (apart !== undefined) {
    const one = candidates.find(({ end }) => end === earliest) ?? apart;
    return { kind: "several", starts: [index(one.start), index(apart.start)], similarity };
  }
  const ranked = candidates.map((place) => ({ ...place, cost: roughness(haystack, pattern, place) }));
  ranked.sort((a, b) => a.cost - b.cost || a.end - b.end || b.start - a.start);
  const { start, end } = ranked[0] ?? { start: 0, end: 0 };
  return { kind: "fuzzy", start: index(start), end: index(end), similarity };
}

/**
 * An upper bound for the distance of the best place, from places where a piece of the pattern stands exactly. The search
 * stays exact, because a bound from a real place never excludes a better one; it only gets faster.
 */
function closeGuess(text: string, wanted: string, haystack: Characters, pattern: Characters, limit: number): number {
  const isPlain = haystack.length === text.length && pattern.length === wanted.length;
  let bound = limit;
  if (!isPlain) return bound;
  for (const pieceLength of [24, 12, 6]) {
    const step = Math.max(pieceLength, Math.floor(wanted.length / 12));
    let tried = 0;
    for (let offset = 0; offset + pieceLength <= wanted.length && tried < 12; offset += step) {
      const at = text.indexOf(wanted.slice(offset, offset + pieceLength));
      if (at === -1) continue;
      tried += 1;
      const from = Math.max(0, at - offset - bound);
      const near = bestEnds(haystack, pattern, bound, from, Math.min(haystack.length, at - offset + pattern.length + bound));
      if (near !== undefined) bound = Math.min(bound, near.distance);
    }
    if (bound < limit) return bound;
  }
  return bound;
}

/** Among places of equal distance: one that begins and ends with words as the pattern does, and is as long. */
function roughness(text: Characters, pattern: Characters, { start, end }: { readonly start: number; readonly end: number }): number {
  const splits = (at: number): boolean => at > 0 && at < text.length && isWord(text[at - 1]) && isWord(text[at]);
  const frays = (inText: number | undefined, inPattern: number | undefined): boolean => sortOf(inText) !== sortOf(inPattern);
  const rough =
    Number(splits(start)) + Number(splits(end)) + Number(frays(text[start], pattern[0])) + Number(frays(text[end - 1], pattern.at(-1)));
  return rough * 1_000_000 + Math.abs(end - start - pattern.length);
}

/** ASCII letters, digits and the underscore: other scripts do not part words by blanks. */
function isWord(character: number | undefined): boolean {
  return sortOf(character) === "word";
}

function sortOf(character: number | undefined): "word" | "blank" | "other" {
  if (character === undefined || character > 127) return "other";
  const letter = String.fromCharCode(character);
  return /\w/.test(letter) ? "word" : /\s/.test(letter) ? "blank" : "other";
}

/** Code points, so that an emoji is one character and never cut in two. */
export function charactersOf(text: string): Characters {
  const characters = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) as number;
    characters[length++] = point;
    if (point > 0xffff) at += 1;
  }
  return length === text.length ? characters : characters.slice(0, length);
}

function stringIndex(text: string, position: number): number {
  let at = 0;
  for (let left = position; left > 0; left--) at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  return at;
}
