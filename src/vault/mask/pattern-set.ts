/**
 * Finds any of thousands of fixed texts in one pass. Blocks of a few characters at the end of a sliding window tell
 * how far the window may jump (after Wu and Manber), so most characters are never looked at; where it may not
 * jump, a compressed trie decides. Time grows with the text, not with the number of patterns.
 * Knows nothing of secrets: owners are handed back as they came.
 */
import { isIn } from "./char-class.ts";

interface Node<Owner> {
  readonly children: Map<number, Edge<Owner>>;
  owner: Owner | undefined;
}

interface Edge<Owner> {
  label: string;
  node: Node<Owner>;
}

export interface Hit<Owner> {
  readonly end: number;
  readonly owner: Owner;
}

/** Beyond this a longer jump saves nothing. */
const longestJump = 32;
const largestTableBits = 20;

export class PatternSet<Owner> {
  readonly size: number;
  readonly shortest: number;
  readonly longest: number;
  readonly #root: Node<Owner> = { children: new Map(), owner: undefined };
  readonly #window: number;
  readonly #block: number;
  readonly #jumps: Uint8Array;
  readonly #shiftRight: number;
  /** Which blocks some pattern begins with. */
  readonly #starts: Uint8Array;
  /** Where a walk through the trie ran out of text. */
  #ranOff = false;

  constructor(patterns: ReadonlyMap<string, Owner>) {
    let shortest = Number.POSITIVE_INFINITY;
    let longest = 0;
    for (const [pattern, owner] of patterns) {
      shortest = Math.min(shortest, pattern.length);
      longest = Math.max(longest, pattern.length);
      insert(this.#root, pattern, owner);
    }
    this.size = patterns.size;
    this.shortest = shortest;
    this.longest = longest;
    this.#window = Math.max(1, Math.min(shortest, longestJump));
    this.#block = this.#window >= 6 ? 4 : this.#window >= 3 ? 2 : 1;
    const blocks = (this.#window - this.#block + 1) * patterns.size;
    const bits = Math.min(largestTableBits, Math.max(12, Math.ceil(Math.log2(blocks * 8 + 1))));
    this.#shiftRight = 32 - bits;
    this.#jumps = new Uint8Array(1 << bits).fill(this.#window - this.#block + 1);
    this.#starts = new Uint8Array(1 << bits);
    for (const pattern of patterns.keys()) {
      this.#starts[this.#slot(pattern, 0)] = 1;
      for (let at = 0; at + this.#block <= this.#window; at++) {
        const slot = this.#slot(pattern, at);
        this.#jumps[slot] = Math.min(this.#jumps[slot] ?? 0, this.#window - this.#block - at);
      }
    }
  }

  #slot(text: string, at: number): number {
    let block = 0;
    for (let index = this.#block - 1; index >= 0; index--) block = (block << 8) | (text.charCodeAt(at + index) & 0xff);
    return Math.imul(block, 0x9e3779b1) >>> this.#shiftRight;
  }

  /** Calls `visit` with every place in `[from, text.length)` where a pattern stands; of several there, the longest. */
  scan(text: string, bytes: Uint8Array, from: number, visit: (start: number, end: number, owner: Owner) => void): void {
    if (this.size === 0 || text.length - from < this.#window) return;
    const block = this.#block;
    const jumps = this.#jumps;
    const shiftRight = this.#shiftRight;
    const back = this.#window - block;
    const last = text.length - block;
    let at = from + back;
    while (at <= last) {
      let value = bytes[at] as number;
      if (block === 4) {
        value |= ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
      } else if (block === 2) value |= (bytes[at + 1] as number) << 8;
      const jump = jumps[Math.imul(value, 0x9e3779b1) >>> shiftRight] as number;
      if (jump > 0) {
        at += jump;
        continue;
      }
      const start = at - back;
      const hit = this.longestAt(text, start);
      if (hit !== undefined) visit(start, hit.end, hit.owner);
      at += 1;
    }
  }

  /** The longest pattern that stands exactly here. */
  longestAt(text: string, start: number): Hit<Owner> | undefined {
    this.#ranOff = false;
    let node = this.#root;
    let at = start;
    let hit: Hit<Owner> | undefined;
    for (;;) {
      if (node.owner !== undefined) hit = { end: at, owner: node.owner };
      if (at >= text.length) {
        this.#ranOff = node.children.size > 0;
        return hit;
      }
      const edge = node.children.get(text.charCodeAt(at));
      if (edge === undefined) return hit;
      if (!text.startsWith(edge.label, at)) {
        this.#ranOff = text.length - at < edge.label.length && edge.label.startsWith(text.slice(at));
        return hit;
      }
      at += edge.label.length;
      node = edge.node;
    }
  }

  /** The first place from `from` where the text ends in the middle of a pattern; `text.length` when there is none. */
  openFrom(text: string, from: number, accept: (start: number) => boolean = always): number {
    for (let start = Math.max(from, text.length - this.longest + 1); start < text.length; start++) {
      if (start + this.#block <= text.length && this.#starts[this.#slot(text, start)] === 0) continue;
      this.longestAt(text, start);
      if (this.#ranOff && accept(start)) return start;
    }
    return text.length;
  }
}

function always(): boolean {
  return true;
}

function insert<Owner>(root: Node<Owner>, pattern: string, owner: Owner): void {
  let node = root;
  let at = 0;
  while (at < pattern.length) {
    const first = pattern.charCodeAt(at);
    const edge = node.children.get(first);
    if (edge === undefined) {
      const leaf: Node<Owner> = { children: new Map(), owner };
      node.children.set(first, { label: pattern.slice(at), node: leaf });
      return;
    }
    const common = commonLength(edge.label, pattern, at);
    if (common < edge.label.length) {
      const lower: Edge<Owner> = { label: edge.label.slice(common), node: edge.node };
      edge.node = { children: new Map([[lower.label.charCodeAt(0), lower]]), owner: undefined };
      edge.label = edge.label.slice(0, common);
    }
    at += common;
    node = edge.node;
  }
  node.owner ??= owner;
}

function commonLength(label: string, pattern: string, at: number): number {
  const most = Math.min(label.length, pattern.length - at);
  let length = 0;
  while (length < most && label.charCodeAt(length) === pattern.charCodeAt(at + length)) length += 1;
  return length;
}

/** Whether both neighbours of a place let it be a word of its own. */
export function standsAlone(text: string, start: number, end: number, table: Uint8Array): boolean {
  const joinsLeft = start > 0 && isIn(table, text.charCodeAt(start)) && isIn(table, text.charCodeAt(start - 1));
  const joinsRight = end < text.length && isIn(table, text.charCodeAt(end - 1)) && isIn(table, text.charCodeAt(end));
  return !joinsLeft && !joinsRight;
}
