/**
 * Where in a long file a block of lines probably belongs, without comparing it with every place.
 * Lines that occur in both vote for a start, weighted by how rare they are; words, then short runs of
 * characters, vote where whole lines do not. Linear in the file; proposes places, decides nothing.
 */

/** The text of a file as lines, with where each of them starts. */
export interface LineText {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: Uint32Array;
}

const hitsPerWord = 2_000;
const wordsTried = 16;
const positionsPerLine = 4;

/** `text` has LF endings only. */
export function lineText(text: string): LineText {
  const lines = text.split("\n");
  const starts = new Uint32Array(lines.length);
  let offset = 0;
  for (let index = 0; index < lines.length; index++) {
    starts[index] = offset;
    offset += (lines[index] ?? "").length + 1;
  }
  return { text, lines, starts };
}

/** 0-based line that holds the character at `offset`. */
export function lineAt(starts: Uint32Array, offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Probable 0-based start lines of `block` in the file, best first; they may be a few lines off, or before line 0. */
export function probableStarts(file: LineText, block: readonly string[], limit: number): readonly number[] {
  const votes = new Float32Array(file.lines.length + block.length);
  const covered = voteByLines(file, block, votes);
  if (covered * 2 < block.length) {
    const open = block.map((line, index) => ({ line, index })).filter(({ line }) => line.trim() !== "");
    if (!voteByPieces(file, open, words, votes, block.length) && covered === 0) voteByPieces(file, open, runs, votes, block.length);
  }
  return peaks(votes, Math.min(8, Math.ceil(block.length / 10)) + 1, limit).map((index) => index - block.length + 1);
}

/** Answers how many lines of the block occur in the file, apart from their indentation. */
function voteByLines(file: LineText, block: readonly string[], votes: Float32Array): number {
  const places = new Map<string, { positions: number[]; hits: number[] }>();
  block.forEach((line, position) => {
    const key = line.trim();
    if (key === "") return;
    const place = places.get(key);
    if (place === undefined) places.set(key, { positions: [position], hits: [] });
    else if (place.positions.length < positionsPerLine) place.positions.push(position);
  });
  file.lines.forEach((line, index) => {
    places.get(line.trim())?.hits.push(index);
  });
  let covered = 0;
  for (const [key, { positions, hits }] of places) {
    if (hits.length === 0) continue;
    covered += positions.length;
    const weight = (1 + Math.min(key.length, 40) / 8) / Math.sqrt(hits.length * positions.length);
    for (const hit of hits) for (const position of positions) vote(votes, hit - position + block.length - 1, weight);
  }
  return covered;
}

function vote(votes: Float32Array, index: number, weight: number): void {
  if (index >= 0 && index < votes.length) votes[index] = (votes[index] ?? 0) + weight;
}

interface Piece {
  readonly text: string;
  readonly line: number;
}

function voteByPieces(
  file: LineText,
  open: readonly { readonly line: string; readonly index: number }[],
  cut: (line: string) => readonly string[],
  votes: Float32Array,
  blockLength: number,
): boolean {
  const pieces = new Map<string, Piece>();
  for (const { line, index } of open) for (const text of cut(line)) if (!pieces.has(text)) pieces.set(text, { text, line: index });
  const tried = [...pieces.values()].sort((a, b) => b.text.length - a.text.length).slice(0, wordsTried);
  let found = false;
  for (const piece of tried) {
    const hits: number[] = [];
    for (
      let at = file.text.indexOf(piece.text);
      at !== -1 && hits.length < hitsPerWord;
      at = file.text.indexOf(piece.text, at + piece.text.length)
    ) {
      hits.push(lineAt(file.starts, at));
    }
    const weight = piece.text.length / 8 / Math.sqrt(hits.length);
    for (const hit of hits) vote(votes, hit - piece.line + blockLength - 1, weight);
    found ||= hits.length > 0;
  }
  return found;
}

function words(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
}

/** For text without word boundaries, and for words with a slip in every one. */
function runs(line: string): readonly string[] {
  const text = line.trim();
  // Two characters say as much in Chinese or Japanese as four letters do.
  const length = /[\u3000-\uffff]/.test(text) ? 2 : 4;
  const found: string[] = [];
  for (let at = 0; at + length <= text.length && found.length < 24; at += length / 2) found.push(text.slice(at, at + length));
  return found;
}

/** Indexes of the highest votes, counting what lies within `width` together, so that a shifted block still adds up. */
function peaks(votes: Float32Array, width: number, limit: number): readonly number[] {
  const best: { index: number; score: number }[] = [];
  for (let from = 0; from < votes.length; from += width) {
    let score = 0;
    let index = from;
    for (let at = from; at < Math.min(from + 2 * width, votes.length); at++) {
      const value = votes[at] ?? 0;
      score += value;
      if (value > (votes[index] ?? 0)) index = at;
    }
    if (score <= (best.length < limit ? 0 : (best.at(-1)?.score ?? 0))) continue;
    const same = best.findIndex((other) => other.index === index);
    if (same !== -1) {
      if ((best[same]?.score ?? 0) >= score) continue;
      best.splice(same, 1);
    }
    best.push({ index, score });
    best.sort((a, b) => b.score - a.score);
    if (best.length > limit) best.pop();
  }
  return best.map(({ index }) => index);
}
