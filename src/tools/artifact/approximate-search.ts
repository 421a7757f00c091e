/**
 * Owns the search for the places of a text that differ least from a pattern, by Levenshtein distance over all
 * substrings. Exact, not a guess: Myers' bit-parallel columns in blocks of 32 rows, with Ukkonen's cut-off.
 * Time grows with the text times the pattern divided by 32; the cut-off leaves out rows that cannot matter.
 */

const wordBits = 32;

/** Characters as numbers; equal numbers are equal characters. */
export type Characters = Uint32Array;

export interface BestEnds {
  readonly distance: number;
  /** Ends (exclusive) of the places with that distance, ascending. */
  readonly ends: readonly number[];
}

interface Prepared {
  readonly length: number;
  readonly blocks: number;
  /** For each known character its row of blocks in `masks`. */
  readonly rows: ReadonlyMap<number, number>;
  readonly masks: Int32Array;
  readonly lastBit: number;
  readonly lastRows: number;
}

function prepare(pattern: Characters): Prepared {
  const length = pattern.length;
  const blocks = Math.ceil(length / wordBits);
  const rows = new Map<number, number>();
  for (const character of pattern) if (!rows.has(character)) rows.set(character, rows.size + 1);
  const masks = new Int32Array((rows.size + 1) * blocks);
  for (let at = 0; at < length; at++) {
    const row = rows.get(pattern[at] as number) as number;
    const index = row * blocks + (at >>> 5);
    masks[index] = (masks[index] as number) | (1 << (at & 31));
  }
  const lastRows = length - (blocks - 1) * wordBits;
  return { length, blocks, rows, masks, lastBit: 1 << (lastRows - 1), lastRows };
}

/** The columns of the distance table, one text character at a time. */
class Columns {
  readonly #pattern: Prepared;
  readonly #positive: Int32Array;
  readonly #negative: Int32Array;
  readonly scores: Int32Array;

  constructor(pattern: Prepared) {
    this.#pattern = pattern;
    this.#positive = new Int32Array(pattern.blocks).fill(-1);
    this.#negative = new Int32Array(pattern.blocks);
    this.scores = new Int32Array(pattern.blocks);
    for (let block = 0; block < pattern.blocks; block++) this.scores[block] = Math.min((block + 1) * wordBits, pattern.length);
  }

  /** A block that comes into play again begins as if every row were one worse than the row above. */
  reset(block: number, above: number): void {
    this.#positive[block] = -1;
    this.#negative[block] = 0;
    this.scores[block] = above + (block === this.#pattern.blocks - 1 ? this.#pattern.lastRows : wordBits);
  }

  /** One block of one column; takes and answers how the row above, and its own last row, changed. */
  advance(block: number, mask: number, change: number): number {
    const positive = this.#positive[block] as number;
    const negative = this.#negative[block] as number;
    const vertical = mask | negative;
    const equal = change < 0 ? mask | 1 : mask;
    const horizontal = (((equal & positive) + positive) ^ positive) | equal;
    let up = negative | ~(horizontal | positive);
    let down = positive & horizontal;
    const top = block === this.#pattern.blocks - 1 ? this.#pattern.lastBit : 1 << 31;
    let out = 0;
    if ((up & top) !== 0) out = 1;
    else if ((down & top) !== 0) out = -1;
    up <<= 1;
    down <<= 1;
    if (change < 0) down |= 1;
    else if (change > 0) up |= 1;
    this.#positive[block] = down | ~(vertical | up);
    this.#negative[block] = up & vertical;
    this.scores[block] = (this.scores[block] as number) + out;
    return out;
  }
}

const maxEnds = 64;

/** The best places within `text[from, to)` that differ by at most `limit`; `undefined` if there are none. */
export function bestEnds(text: Characters, pattern: Characters, limit: number, from = 0, to = text.length): BestEnds | undefined {
  if (pattern.length === 0) return undefined;
  const prepared = prepare(pattern);
  const { blocks, masks, rows } = prepared;
  const columns = new Columns(prepared);
  const { scores } = columns;
  const final = blocks - 1;
  let allowed = limit;
  let active = Math.min(final, Math.floor(allowed / wordBits));
  let found = false;
  let ends: number[] = [];
  for (let at = from; at < to; at++) {
    const base = (rows.get(text[at] as number) ?? 0) * blocks;
    let change = 0;
    for (let block = 0; block <= active; block++) change = columns.advance(block, masks[base + block] as number, change);
    const before = (scores[active] as number) - change;
    const next = active < final ? (masks[base + active + 1] as number) : 0;
    if (active < final && before <= allowed && ((next & 1) !== 0 || change < 0)) {
      active += 1;
      columns.reset(active, before);
      columns.advance(active, next, change);
    } else while (active > 0 && (scores[active] as number) >= allowed + wordBits) active -= 1;
    if (active !== final) continue;
    const score = scores[final] as number;
    if (score > allowed) continue;
    if (!found || score < allowed) {
      allowed = score;
      ends = [];
      found = true;
    }
    // The last one is kept whatever the number, because far ends tell that there are several places.
    if (ends.length === maxEnds) ends.pop();
    ends.push(at + 1);
  }
  return found ? { distance: allowed, ends } : undefined;
}

/** All starts from which `text[start, end)` has exactly that distance to the pattern, the latest first. */
export function startsOf(text: Characters, pattern: Characters, end: number, distance: number): readonly number[] {
  const prepared = prepare(pattern.slice().reverse());
  const { blocks, masks, rows, length } = prepared;
  const columns = new Columns(prepared);
  const starts: number[] = [];
  if (length === distance) starts.push(end);
  for (let at = end - 1; at >= Math.max(0, end - length - distance); at--) {
    const base = (rows.get(text[at] as number) ?? 0) * blocks;
    let change = 1;
    for (let block = 0; block < blocks; block++) change = columns.advance(block, masks[base + block] as number, change);
    if (columns.scores[blocks - 1] === distance) starts.push(at);
  }
  return starts;
}
